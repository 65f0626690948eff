"""Hair: the scalp moves outward under hair, and a tube of hair hangs behind the head in some styles."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ecs_anim.anny.body_places import mean_places
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import smooth_step

Style = Literal["bald", "receding", "short", "full", "curly", "bob", "long", "bun", "ponytail"]
CENTRE = np.array([0.0, 1.665, 0.012])  # [m], of the mean head
COUNT, ROWS = 18, 7  # vertices of a ring of the tube, and rings
HIDDEN = np.array([0.0, 1.66, 0.0])  # [m], position of a tube in other styles
BALD_OVER, HIGH_FRONT = 1.69, 0.035  # [m], height over which a bald head has no hair; retreat of a receding hairline
BEHIND = np.radians(104)  # [rad], largest angle of hanging hair from the back
CLEARANCE = 0.022  # [m], of hanging hair from neck and shoulders
THICK = 0.02  # [m], of hanging hair


@dataclass(frozen=True)
class Hair:
    """The shape of a hair style. Lengths are in metres."""

    thickness: float
    lowest: float = 0.0  # height of the end of hanging hair; 0 = no hanging hair
    tail: tuple[float, float] | None = None  # radius, and height of the end, of a bun or a ponytail


STYLES: Mapping[Style, Hair] = {
    "bald": Hair(0.003),
    "receding": Hair(0.006),
    "short": Hair(0.008),
    "full": Hair(0.02),
    "curly": Hair(0.036),
    "bob": Hair(0.02, lowest=1.535),
    "long": Hair(0.018, lowest=1.40),
    "bun": Hair(0.009, tail=(0.036, 1.675)),
    "ponytail": Hair(0.009, tail=(0.026, 1.50)),
}


def hair_edge(style: Style, points: Array, over: Array) -> Array:
    """Return the distance [n] of places inside the edge of the hair. `over` is their height over the hairline."""
    if style == "bald":
        return np.minimum(over, BALD_OVER - points[:, 1])
    if style == "receding":
        return over - HIGH_FRONT * smooth_step(points[:, 2], 0.03, 0.07)
    return over


def with_hair(points: Array, style: Style) -> Array:
    """Return the vertices [v, 3] of a body, with those of the scalp at the surface of the hair."""
    at = mean_places()
    edge = hair_edge(style, at.points, at.over_hairline)
    out = at.points - CENTRE
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    moved: Array = points + (STYLES[style].thickness * smooth_step(edge, -0.003, 0.018))[:, None] * out
    return moved


def hair_tube(points: Array, style: Style) -> Array:
    """Return the vertices [2 + ROWS * COUNT, 3] of the tube of hair on a body with the vertices `points`."""
    hair, head = STYLES[style], points[mean_places().head > 0.9]
    size = float(np.ptp(head[:, 1])) / 0.215
    if hair.lowest:
        rings = _hanging(points, hair.lowest, size)
    elif hair.tail:
        rings = _tail(*hair.tail) * (1, 1, 1)
    else:
        return np.tile(HIDDEN, (2 + ROWS * COUNT, 1))
    return np.concatenate([rings[0].mean(axis=0)[None], *rings, rings[-1].mean(axis=0)[None]])


def _tail(radius: float, lowest: float) -> Array:
    """Return the rings [ROWS, COUNT, 3] of a bun or a ponytail."""
    down, angle = np.linspace(0, 1, ROWS), 2 * np.pi * np.arange(COUNT) / COUNT
    top = 1.745
    y = top + (lowest - top - radius) * down
    wide = radius * np.sqrt(np.clip(1 - (2 * down - 1) ** 4, 0.02, 1))
    z = -0.095 - 0.022 * np.sin(np.pi * np.clip(down * 1.2, 0, 1)) - 0.012 * down
    x = wide[:, None] * np.sin(angle)
    return np.stack([x, np.tile(y[:, None], COUNT), z[:, None] + wide[:, None] * np.cos(angle)], axis=-1)


def _hanging(points: Array, lowest: float, size: float) -> Array:
    """Return the rings [ROWS, COUNT, 3] of hair that hangs around the back of head and neck, over the shoulders."""
    half = COUNT // 2
    y = np.linspace(1.70, lowest, ROWS)
    turn = np.linspace(-1, 1, half)
    reach = BEHIND * (1 - 0.45 * smooth_step(-y, -1.52, -1.40))
    angle = reach[:, None] * turn
    trunk = points[mean_places().arm < 0.3]
    outer = np.stack([_reach(trunk, height, own) for height, own in zip(y, angle, strict=True)])
    outer = np.maximum.accumulate(np.maximum(outer + CLEARANCE, 0.088 * size), axis=0)
    outer -= THICK * np.abs(turn) ** 4
    outer[[0, 1, -1]] -= [[THICK], [0.3 * THICK], [0.4 * THICK]]
    inner = outer - THICK * (1 - 0.6 * turn**2)
    radius = np.concatenate([outer, inner[:, ::-1]], axis=1)
    around = np.concatenate([angle, angle[:, ::-1]], axis=1)
    x, z = radius * np.sin(around), CENTRE[2] - radius * np.cos(around)
    return np.stack([x, np.tile(y[:, None], COUNT), z], axis=-1)


def _reach(points: Array, height: float, angles: Array) -> Array:
    """Return the distance [n] of the surface from the axis of the head, at a height and at angles from the back."""
    near = points[np.abs(points[:, 1] - height) < 0.02]
    x, z = near[:, 0], CENTRE[2] - near[:, 2]
    own = np.arctan2(x, z)
    radius = np.sqrt(x * x + z * z)
    found = [np.max(radius[np.abs(own - angle) < 0.25], initial=0.0) for angle in angles]
    return np.array(found)
