"""Measures of feet on stairs: distances to treads, depths in risers, and movements of standing feet.

The measures use plain numpy and the numbers of the scene `checks/stair_feet`, whose stairs lead north.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.body import Body
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.profiling.validation.crowd_measures import Feet, Reals, Watched
from ecs_anim.profiling.validation.finding import Finding
from ecs_anim.systems.chunk import Chunk
from ecs_anim.systems.foot_measures import contact_points

FIRST, GOING, RISER, RISERS = -3.0, 0.29, 0.17, 20  # y of the first riser [m], length and height of steps [m], number
SHOE = 0.29  # length of a shoe behind the heel and in front of the ball, as a share of the distance from heel to ball
NEAR = 0.5  # [m]; the measures include the feet at most this far from the ends of the stairs
CLOSE = 0.01  # [m], largest distance between a standing foot and its tread
DEPTHS = {1: None, 2: 0.001}  # depths in a riser [cm], and the largest share of shoes that are deeper
SLIDE = 0.005  # [m], largest movement of a standing foot
TOUCH = 0.004  # [m]; a contact at most this far above the lower contact in mid-stance touches the tread
BRIEF = 4  # number of frames of the shortest stance


@dataclass
class RecordFeet:
    """A system that records the feet of walking bodies after each step. Use it with one thread."""

    name: str = "record_feet"
    components: tuple[type, ...] = (Crowd, Body, Transforms)
    frames: dict[str, list[Feet]] = field(default_factory=dict)

    def run(self, chunk: Chunk, crowd: Crowd, body: Body, transforms: Transforms) -> None:
        """Record heels and balls in space, and which feet stand."""
        model = chunk.workspace.model[: chunk.actor_count].reshape(chunk.actor_count, -1, 3, 4)
        contacts = contact_points(body.legs, model, transforms, chunk.rows).astype(np.float64)
        stands = body.state.feet[chunk.rows][..., 0] >= 1
        self.frames.setdefault(crowd.name, []).append(Feet(contacts, stands))

    def feet(self) -> dict[str, Feet]:
        """Return the feet of each crowd in all recorded frames."""
        parts = {name: zip(*own, strict=True) for name, own in self.frames.items()}
        return {name: Feet(*map(np.stack, own)) for name, own in parts.items()}


def measure_stair_feet(seen: Watched) -> Iterator[Finding]:
    """Measure the feet of people that walk up stairs, and of people that walk down stairs."""
    for name, feet in seen.feet.items():
        stances = list(_stances(feet))
        off = np.array([np.abs(_above(own[len(own) // 2])).min() for own in stances])
        slides = np.array([_slide(own) for own in stances])
        yield Finding(f"stair_feet, stances {name}", len(stances), 100.0, None)
        yield Finding(f"stair_feet, share of stances within 1 cm of a tread, {name}", _mean(off < CLOSE), 0.95, None)
        depths = _depths(feet)
        for deep, bound in DEPTHS.items():
            share = _mean(depths > deep / 100)
            yield Finding(f"stair_feet, share of shoes deeper than {deep} cm in a riser, {name}", share, None, bound)
        usual, most = np.percentile(slides, [95, 100]) if stances else (np.inf, np.inf)
        yield Finding(f"stair_feet, movement of 95 % of standing feet, m, {name}", float(usual), None, SLIDE)
        yield Finding(f"stair_feet, largest movement of a standing foot, m, {name}", float(most), None, SLIDE)


def _mean(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if values.size else 0.0


def _slide(own: Reals) -> float:
    """Return how far a foot slides in a stance [m]. `own` [frames, 2, 3] contains its heel and its ball.

    A foot rolls from the heel onto the ball. In each frame, the slide is the smaller movement of the contacts that
    touch the tread. If no contact touches the tread, the slide is the smaller movement of both contacts.
    """
    moved = np.linalg.norm(np.diff(own[..., [0, 2]], axis=0), axis=-1)
    low = own[..., 1] < own[len(own) // 2, :, 1].min() + TOUCH
    touches = low[1:] & low[:-1]
    touches |= ~touches.any(axis=-1, keepdims=True)
    return float(np.where(touches, moved, np.inf).min(axis=-1).sum())


def _steps(points: Reals) -> tuple[Reals, Reals]:
    """Return the distances of points uphill from the first riser [m], and the numbers of risers below the points."""
    along = -points[..., 2] - FIRST
    return along, np.clip(np.floor(along / GOING) + 1, 0, RISERS)


def _above(points: Reals) -> Reals:
    """Return the heights of points [..., 3] above the tread or the floor below them [m]."""
    return np.asarray(points[..., 1] - RISER * _steps(points)[1])


def _is_near(points: Reals) -> NDArray[np.bool_]:
    along = _steps(points)[0]
    return np.asarray((along > -NEAR) & (along < (RISERS - 1) * GOING + NEAR))


def _stances(feet: Feet) -> Iterator[Reals]:
    """Yield the contacts [frames, 2, 3] of each whole stance near the stairs."""
    for person, foot in np.ndindex(feet.stands.shape[1:]):
        stands = feet.stands[:, person, foot]
        edges = np.flatnonzero(stands[1:] != stands[:-1]) + 1
        for begin, end in pairwise(edges):
            own = feet.contacts[begin:end, person, foot]
            if stands[begin] and end - begin >= BRIEF and _is_near(own).all():
                yield own


def _depths(feet: Feet) -> Reals:
    """Return the largest depth in a step [m] of each shoe near the stairs, in all frames. Outside, it is negative."""
    heel, ball = feet.contacts[..., 0, :], feet.contacts[..., 1, :]
    sole = ball - heel
    level = sole * (1, 0, 1)  # toes stay level
    level *= np.linalg.norm(sole, axis=-1, keepdims=True) / np.linalg.norm(level, axis=-1, keepdims=True)
    points = np.stack([heel, ball, ball + SHOE * level, heel - SHOE * sole], axis=-2)
    along, risers = _steps(points)
    behind = np.where(risers > 0, along - (risers - 1) * GOING, -1.0)  # distance behind the riser of the step
    return np.asarray(np.minimum(behind, -_above(points)).max(axis=-1)[_is_near(ball)])
