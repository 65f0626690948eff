"""Targets: the component with the points that actors look at and reach for."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NumberColumn, ShareColumn
from ecs_anim.runtime.records import Frame


@dataclass(frozen=True)
class Still:
    """A target that does not move by itself. For a target in world space, user code sets `Target.position`."""

    at: NDArray[np.float32]  # [3] f32, [m]


@dataclass(frozen=True)
class Orbit:
    """A target on a circle or an ellipse: center + cos(phase) first + sin(phase) second."""

    center: NDArray[np.float32]  # [3] f32, [m]
    first: NDArray[np.float32]  # [3] f32, [m], vector from the centre to the position at phase 0
    second: NDArray[np.float32]  # [3] f32, [m], vector from the centre to the position at phase 0.25
    rate: float  # [1/s], rounds per second


@dataclass(frozen=True)
class Path:
    """A target on a closed smooth curve through `points`. The target takes equal time from each point to the next."""

    points: NDArray[np.float32]  # [point_count, 3] f32, [m]
    rate: float  # [1/s], rounds per second


@dataclass(frozen=True)
class FromParameters:
    """A target with x, y and z from three parameters of the crowd."""

    columns: NDArray[np.int32]  # [3] i32, columns of the parameters for x, y, z [m]


@dataclass(frozen=True)
class Eye:
    """A target at the position of the camera."""


@dataclass(frozen=True)
class Other:
    """A target on an actor of any crowd. The target is where the actor was at the end of the last step."""

    crowd: str
    actor: int  # row, modulo the number of rows; -1 = the nearest actor
    at: NDArray[np.float32]  # [3] f32, [m], point in the space of that actor
    frame: Frame  # frame of that actor's crowd


Motion = Still | Orbit | Path | FromParameters | Eye | Other


@dataclass
class Target:
    """One target, with a position for each actor."""

    name: str
    motion: Motion
    in_actor_space: bool  # true = the motion is relative to the actor's position, heading and size
    phase: ShareColumn  # [actor_count] f32, 0 to 1, for orbits and paths
    position: NumberColumn  # [actor_count, 3] f32, [m], world space
    color: tuple[float, float, float, float]  # linear RGBA of the marker
    radius: float  # [m], radius of the marker
    visible: bool  # true = the target has a marker if targets are shown


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
        """A dictionary from name to target."""
        return {target.name: target for target in self.targets}
