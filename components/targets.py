"""Targets that actors of a crowd look at and reach for."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NumberColumn, ShareColumn
from ecs_anim.runtime.records import Frame


@dataclass(frozen=True)
class Still:
    """Stays where it is put; in the world's space `Target.position` is the caller's to write."""

    at: NDArray[np.float32]  # [3] f32, [m]


@dataclass(frozen=True)
class Orbit:
    """Runs round a circle: center + cos(phase) first + sin(phase) second."""

    center: NDArray[np.float32]  # [3] f32, [m]
    first: NDArray[np.float32]  # [3] f32, [m], from the centre to where phase 0 is
    second: NDArray[np.float32]  # [3] f32, [m], from the centre to where phase 0.25 is
    rate: float  # [1/s], rounds a second


@dataclass(frozen=True)
class Path:
    """Runs along a closed smooth curve through points, an equal time from each to the next."""

    points: NDArray[np.float32]  # [point_count, 3] f32, [m]
    rate: float  # [1/s], rounds a second


@dataclass(frozen=True)
class FromParameters:
    """Is where three of the crowd's parameters say."""

    columns: NDArray[np.int32]  # [3] i32, into the crowd's parameters: x, y, z [m]


@dataclass(frozen=True)
class Eye:
    """Is where the camera stands."""


@dataclass(frozen=True)
class Other:
    """Is an actor, of this crowd or another, where it was at the end of the last step."""

    crowd: str
    actor: int  # row, modulo the number of rows; -1 = the nearest actor
    at: NDArray[np.float32]  # [3] f32, [m], in that actor's space
    frame: Frame  # of that actor's crowd


Motion = Still | Orbit | Path | FromParameters | Eye | Other


@dataclass
class Target:
    """One target, a place for each actor."""

    name: str
    motion: Motion
    in_actor_space: bool  # what the motion says is relative to the actor's place, heading and size
    phase: ShareColumn  # [actor_count] f32, 0 to 1, of orbits and paths
    position: NumberColumn  # [actor_count, 3] f32, [m], world space
    color: tuple[float, float, float, float]  # linear RGBA of its marker
    radius: float  # [m] of its marker
    visible: bool  # whether it has a marker where targets are shown


@dataclass
class Targets:
    """All targets of a crowd, in the scene's order.

    Written by: the scene loader, watching and targets (`phase`, `position`).
    Read by: watching, targets, look_at, reach, drawing.
    """

    targets: tuple[Target, ...]
    frame: Frame

    @cached_property
    def by_name(self) -> dict[str, Target]:
        """Target by name."""
        return {target.name: target for target in self.targets}
