"""Figures of walking people, computed from the joints and soles of a posed world.

The module uses only numpy, and does not use the internal state of the walking bodies.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.transforms import Transforms
from ecs_anim.ik.legs import LegArrays
from ecs_anim.maths import affine, quaternion
from ecs_anim.systems.chunk import Chunk, Rows

CLASSES = (0.0, 0.1, 0.3, 0.8, 1.6, np.inf)  # limits of the speed classes [m/s]
TOUCHES = 0.006  # largest height over the floor [m] at which a heel or a ball of a standing foot touches the floor
# largest height [m] at which a contact must not slide; a higher foot is lifting or landing
PRESSES = 0.001
LEAST_STEPS = 5  # smallest number of footsteps in a speed class for figures of footsteps
BRIEFEST = 0.1  # shortest duration of a stance [s]
SPEED_SECONDS = 0.5  # time window for the speeds of roots [s]
POP = np.radians(10.0)  # A knee pops if its angle differs by more than this from a smooth curve over the pictures [rad]

Array = NDArray[np.float64]


@dataclass
class WatchWalkers:
    """A chunk system that records leg joints and foot contacts in each time step.

    All actors of the crowd must be in one chunk.
    """

    legs: LegArrays | None = None  # the recorded legs; None before the first time step
    name: str = "watch_walkers"
    components: tuple[type, ...] = (Character, Transforms)
    steps: list[list[tuple[Rows, NDArray[np.float32]]]] = field(default_factory=list)  # rows, [row, leg, 5, 3] [m]
    # [actor_count, 3]: x, z [m], rotation about +Y [rad]
    roots: list[NDArray[np.float32]] = field(default_factory=list)

    def run(self, chunk: Chunk, character: Character, transforms: Transforms) -> None:
        """Record the hip, knee, ankle, heel and ball of each leg in world space."""
        if self.legs is None or not self.steps:
            return
        model = chunk.workspace.model[: chunk.actor_count].reshape(chunk.actor_count, -1, 3, 4).astype(np.float64)
        joints = model[:, self.legs.joints[:, :3]][..., 3]
        soles = affine.transform_points(model[:, self.legs.joints[:, 2]][:, :, None], self.legs.contacts.astype(float))
        points = np.concatenate([joints, soles], axis=2)
        rotation = transforms.rotation[chunk.rows].astype(np.float64)[:, None, None]
        scale = transforms.scale[chunk.rows][:, None, None, None]
        placed = quaternion.rotate(rotation, points) * scale + transforms.translation[chunk.rows][:, None, None]
        self.steps[-1].append((chunk.rows, placed.astype(np.float32)))

    def begin_step(self) -> None:
        """Start the recording of a time step. Call `begin_step` before each time step of the world."""
        self.steps.append([])

    def end_step(self, transforms: Transforms) -> None:
        """End the recording of a time step. Call `end_step` after each time step of the world."""
        turn = 2 * np.arctan2(transforms.rotation[:, 1], transforms.rotation[:, 3])
        self.roots.append(np.column_stack([transforms.translation[:, ::2], turn]))

    @property
    def points(self) -> NDArray[np.float32]:
        """Return the positions of hip, knee, ankle, heel and ball [step, actor, leg, 5, 3] [m].

        If a person is absent, the positions are NaN.
        """
        own = next((points.shape[1:] for step in self.steps for _, points in step), (0, 5, 3))
        whole = np.full((len(self.steps), len(self.roots[0]), *own), np.nan, np.float32)
        for noted, step in zip(whole, self.steps, strict=True):
            for rows, points in step:
                noted[rows] = points
        return whole


def walking_figures(
    watch: WatchWalkers, there: NDArray[np.bool_], recorded: Array, calm: Array, dt: float
) -> dict[str, Any]:
    """Return the figures of legs and roots. A time step of a person counts only if `there` [step, actor] is true.

    `recorded` contains the recorded points x, z [step, actor, 2] [m]. `calm` contains the points of `recorded` after a
    low-pass filter for recorded heads.
    """
    points, roots = watch.points.astype(np.float64), np.stack(watch.roots).astype(np.float64)
    speed = _speeds(roots[..., :2], there, dt)
    stances = _stances(points[..., 3:, :], there, speed, dt)
    off, from_heads = (np.sqrt(np.sum((roots[..., :2] - xz) ** 2, axis=-1))[there] for xz in (calm, recorded))
    turned = np.abs(np.diff(np.unwrap(roots[..., 2], axis=0), axis=0))[there[1:] & there[:-1]] / dt
    thigh, shank, leg = (_apart(points, a, b) for a, b in ((0, 1), (1, 2), (0, 2)))
    knee = np.arccos(np.clip((thigh**2 + shank**2 - leg**2) / (2 * thigh * shank), -1, 1))
    bends = np.abs(knee[2:] - 2 * knee[1:-1] + knee[:-2])[there[2:] & there[1:-1] & there[:-2]]
    return {
        "classes": [_class_figures(stances, speed[there], dt, number) for number in range(len(CLASSES) - 1)],
        "root_error_m_p95": _p95(off),
        "head_distance_m_p95": _p95(from_heads),
        "facing_rate_deg_s_p95": _p95(np.degrees(turned)),
        "leg_stretch_max": _rounded(float((leg / (thigh + shank))[there].max())) if there.any() else None,
        "knee_pops": int((bends > POP).sum()),
        **_steps(stances),
    }


@dataclass
class _Stance:
    speed: float  # speed of the root during the stance [m/s]
    slide: float  # slide of the foot [m]
    skates: Array  # sliding speed in each time step [m/s]
    ahead: float = np.nan  # distance [m] by which this foot lands ahead of the other foot; NaN = unknown
    since: float = np.nan  # time between the landings of the two feet [s]


def _stances(soles: Array, there: NDArray[np.bool_], speed: Array, dt: float) -> list[_Stance]:
    """Return all stances of `soles` [step, actor, leg, 2, 3] that begin and end while their person is present."""
    found = []
    for actor in range(soles.shape[1]):
        landings: list[tuple[int, int, Array]] = []
        own: list[tuple[int, _Stance]] = []
        for leg in range(soles.shape[2]):
            points = soles[:, actor, leg]
            touches = points[..., 1] < TOUCHES
            down = touches.any(axis=-1) & there[:, actor]
            moved = np.sqrt(np.sum(np.diff(points[..., ::2], axis=0) ** 2, axis=-1))
            presses = points[..., 1] < PRESSES
            still = np.where(presses[1:] & presses[:-1], moved, np.inf).min(axis=-1)
            for begin, end in _runs(down):
                inside = there[max(begin - 1, 0), actor] and there[min(end, len(there) - 1), actor]
                if begin == 0 or end == len(down) or not inside or (end - begin) * dt < BRIEFEST:
                    continue
                slides = still[begin : end - 1]
                slides = slides[np.isfinite(slides)]
                middle = points[(begin + end) // 2].mean(axis=0)[::2]
                landings.append((begin, leg, middle))
                stance = _Stance(float(speed[begin:end, actor].mean()), float(slides.sum()), slides / dt)
                own.append((begin, stance))
        order = sorted(range(len(landings)), key=lambda k: landings[k][0])
        for before, after in pairwise(order):
            if landings[before][1] != landings[after][1]:
                own[after][1].ahead = float(np.hypot(*(landings[after][2] - landings[before][2])))
                own[after][1].since = (landings[after][0] - landings[before][0]) * dt
        found += [stance for _, stance in own]
    return found


def _class_figures(stances: list[_Stance], speeds: Array, dt: float, number: int) -> dict[str, Any]:
    """Return the figures of the speed class `number`.

    `speeds` [n] [m/s] contains the speed of a root for each time step of `dt` [s].
    """
    own = [stance for stance in stances if _in_class(stance.speed, number)]
    slides = np.array([stance.slide for stance in own])
    skates = np.concatenate([stance.skates for stance in own]) if own else np.zeros(0)
    last = CLASSES[number + 1]
    return {
        "from": CLASSES[number],
        "to": last if np.isfinite(last) else None,
        "person_seconds": _rounded(dt * int(((speeds >= CLASSES[number]) & (speeds < last)).sum())),
        "steps": len(own),
        "slide_mm_p95": _p95(1000 * slides),
        "share_under_5mm": _rounded(float((slides < 0.005).mean())) if own else None,
        "skate_m_s_p95": _p95(skates),
    }


def _steps(stances: list[_Stance]) -> dict[str, Any]:
    """Return the cadences and the step lengths of all speed classes.

    Each of the two lists contains a pair for each speed class: the mean speed [m/s], and the median cadence [1/s] or
    the median step length [m].
    """
    cadence, lengths = [], []
    for number in range(len(CLASSES) - 1):
        own = [stance for stance in stances if _in_class(stance.speed, number) and np.isfinite(stance.since)]
        if len(own) >= LEAST_STEPS:
            speed, since, ahead = (np.array([getattr(s, name) for s in own]) for name in ("speed", "since", "ahead"))
            cadence.append([_rounded(float(speed.mean())), _rounded(1 / float(np.median(since)))])
            lengths.append([_rounded(float(speed.mean())), _rounded(float(np.median(ahead)))])
    return {"cadence_hz": cadence, "step_length_m": lengths}


def _speeds(xz: Array, there: NDArray[np.bool_], dt: float) -> Array:
    """Return the speeds [step, actor] [m/s] over a time window.

    Near the first and the last time step of a person, the window is shorter.
    """
    half = max(1, round(SPEED_SECONDS / dt / 2))
    number = np.arange(len(xz))[:, None]
    first = np.where(there.any(axis=0), there.argmax(axis=0), 0)
    last = np.where(there.any(axis=0), len(there) - 1 - there[::-1].argmax(axis=0), len(there) - 1)
    low, high = np.maximum(number - half, first), np.minimum(number + half, last)
    low, high = np.minimum(low, len(xz) - 1), np.maximum(high, 0)
    moved = np.take_along_axis(xz, high[..., None], 0) - np.take_along_axis(xz, low[..., None], 0)
    return np.sqrt(np.sum(moved * moved, axis=-1)) / (np.maximum(high - low, 1) * dt)


def _in_class(speed: float, number: int) -> bool:
    return CLASSES[number] <= speed < CLASSES[number + 1]


def _apart(points: Array, a: int, b: int) -> Array:
    return np.sqrt(np.sum((points[..., a, :] - points[..., b, :]) ** 2, axis=-1))


def _runs(marks: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marks, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _p95(values: Array) -> float | None:
    return _rounded(float(np.percentile(values, 95))) if len(values) else None


def _rounded(value: float) -> float:
    return round(value, 4)
