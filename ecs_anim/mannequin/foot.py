"""Rolling of a shoe on the ground: the path of the ankle for a sole that does not slip, sink or float.

The side view of the sole is a convex polygon. A rolling shoe rotates about one corner of the polygon after the other.
Therefore, a formula gives the exact path of the ankle. The mark of a corner is the ground point that the corner
touches. The distance between the marks of two corners equals the distance between these corners along the outline of
the polygon.
"""

from dataclasses import dataclass

import numpy as np

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import curve
from ecs_anim.mannequin.turns import X, about

ANKLE = P.LEFT_POINTS["Foot"]
BALL = P.LEFT_POINTS["ToeBase"]
TOE_BEND = 36.0  # [deg], largest upward bend of the toes
TOE_BEND_FREE = 24.0  # [deg]; the toes stay flat up to this pitch of the raised heel


@dataclass(frozen=True)
class Sole:
    """The lower outlines of the two rigid parts of the left shoe.

    Each row is a point (z, y) in metres in the bind pose. Rows are sorted from back to front.
    """

    heel: Array  # [h, 2], the part that moves only with the ankle
    toe: Array  # [t, 2], the part that moves only with the toes


def sole(positions: Array, joints: Array, weights: Array) -> Sole:
    """Return the outlines of the left shoe of a skinned mesh [n].

    The function uses only vertices that move fully with the left foot, or fully with the toes of the left foot.
    """
    parts = []
    for name in ("LeftFoot", "LeftToeBase"):
        stiff = (joints[:, 0] == P.INDEX[name]) & (weights[:, 0] > 0.999)
        parts.append(_lower_hull(positions[stiff][:, [2, 1]]))
    return Sole(*parts)


def _lower_hull(points: Array) -> Array:
    """Return the lower convex hull of points [n, 2], sorted by the first coordinate (Andrew 1979)."""
    hull: list[Array] = []
    for p in points[np.lexsort((points[:, 1], points[:, 0]))]:
        while len(hull) > 1 and _cross(hull[-1] - hull[-2], p - hull[-2]) <= 0:
            hull.pop()
        hull.append(p)
    return np.array(hull)


def _cross(a: Array, b: Array) -> float:
    return a[0] * b[1] - a[1] * b[0]


def rolled(outline: Array, pivot: Array, pitch: Array) -> Array:
    """Return the positions [k, 2] (z, y) of a pivot of the foot while a part of the sole stands on the ground with the
    pitches `pitch` [k].

    Pitches are upward angles in degrees. `pivot` [2] is the position (z, y) of the pivot in the bind pose. The ground
    does not move: the ground point that the lowest corner touches in the bind pose has the same coordinates at all
    pitches.
    """
    corners = outline - pivot
    lengths = np.linalg.norm(np.diff(outline, axis=0), axis=1)
    marks = np.concatenate([[0.0], np.cumsum(lengths)])
    flat = np.argmin(outline[:, 1])
    marks += outline[flat, 0] - marks[flat]
    s, c = np.sin(np.radians(pitch))[:, None], np.cos(np.radians(pitch))[:, None]
    z, y = c * corners[:, 0] - s * corners[:, 1], s * corners[:, 0] + c * corners[:, 1]
    touching = np.argmin(y, axis=1)[:, None]
    return np.concatenate(
        [marks[touching] - np.take_along_axis(z, touching, 1), -np.take_along_axis(y, touching, 1)], axis=1
    )


def toe_bend(pitch: Array) -> Array:
    """Return the upward bend [k] of the toes in degrees, for a foot that stands with a raised heel.

    The pitch `pitch` [k] of the foot is in degrees, and is negative for a raised heel.
    """
    rise = np.maximum(-pitch, 0)
    spare = TOE_BEND - TOE_BEND_FREE
    return np.where(rise < TOE_BEND_FREE, rise, TOE_BEND - spare * np.exp(-(rise - TOE_BEND_FREE) / spare))


def standing_ankle(sole: Sole, pitch: Array) -> Array:
    """Return the offset [k, 2] (forward, up) of the ankle in metres for a standing foot with the pitch `pitch` [k].

    The offset starts at the ground point below the ankle of a flat foot. With a positive pitch, the foot stands on its
    heel. With a negative pitch, the foot stands on its toes. With a negative pitch, the function `toe_bend` gives the
    bend of the toes.
    """
    heel = rolled(sole.heel, ANKLE[[2, 1]], np.maximum(pitch, 0))
    down = np.minimum(pitch, 0)
    ball = rolled(sole.toe, BALL[[2, 1]], down + toe_bend(down))
    s, c = np.sin(np.radians(down)), np.cos(np.radians(down))
    dz, dy = ANKLE[[2, 1]] - BALL[[2, 1]]
    raised = ball + np.stack([c * dz - s * dy, s * dz + c * dy], axis=-1)
    return np.where((pitch > 0)[:, None], heel, raised) - (ANKLE[2], 0)


def lowest(sole: Sole, ankle_height: Array, pitch: Array, bend: Array) -> Array:
    """Return the height [k] of the lowest corner of a shoe in metres.

    `ankle_height` [k] is in metres. The upward pitch `pitch` [k] of the foot and the upward bend `bend` [k] of the toes
    are in degrees.
    """
    heel = _lowest(sole.heel - ANKLE[[2, 1]], pitch)
    s, c = np.sin(np.radians(pitch)), np.cos(np.radians(pitch))
    dz, dy = BALL[[2, 1]] - ANKLE[[2, 1]]
    toe = s * dz + c * dy + _lowest(sole.toe - BALL[[2, 1]], pitch + bend)
    return ankle_height + np.minimum(heel, toe)


def _lowest(corners: Array, pitch: Array) -> Array:
    angle = np.radians(pitch)[:, None]
    return (np.sin(angle) * corners[:, 0] + np.cos(angle) * corners[:, 1]).min(axis=1)


def pitched(pitch: Array) -> Array:
    """Return the rotation [k, 4] of a foot with the upward pitch `pitch` [k] in degrees."""
    return about(X, -np.asarray(pitch))


def periodic(keys: list[tuple[float, float]], phase: Array) -> Array:
    """Return the values [k] of a smooth periodic curve at the phases `phase` [k].

    The curve passes through `keys`, which are pairs of phase (0 to 1) and value.
    """
    table = np.array([(p + turn, v) for turn in (-1, 0, 1) for p, v in keys])
    return curve(table, np.mod(phase, 1))[..., 0]
