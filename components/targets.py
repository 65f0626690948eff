"""Targets: the component with the points at which actors look and for which they reach."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NumberColumn, ShareColumn
from ecs_anim.runtime.records import Frame


@dataclass(frozen=True)
class Still:
    """A target that stays in place. User code can move a target in world space by changing `Target.position`."""

    at: NDArray[np.float32]  # [3] f32, [m]


@dataclass(frozen=True)
class Orbit:
    """A target on an ellipse: center + cos(2 pi phase) * first + sin(2 pi phase) * second.

    The phase rises with the time.
    """

    center: NDArray[np.float32]  # [3] f32, [m]
    first: NDArray[np.float32]  # [3] f32, [m], vector from the centre to the position at phase 0
    second: NDArray[np.float32]  # [3] f32, [m], vector from the centre to the position at phase 0.25
    rate: float  # [1/s], rounds per second


@dataclass(frozen=True)
class Path:
    """A target that moves along a closed smooth curve through `points`.

    The target takes the same time between any two neighbouring points.
    """

    points: NDArray[np.float32]  # [point_count, 3] f32, [m]
    rate: float  # [1/s], rounds per second


@dataclass(frozen=True)
class FromParameters:
    """A target whose coordinates x, y and z are three parameters of the crowd."""

    columns: NDArray[np.int32]  # [3] i32, columns of the parameters for x, y, z [m]


@dataclass(frozen=True)
class Eye:
    """A target at the position of the camera."""


@dataclass(frozen=True)
class Other:
    """A target on an actor of any crowd. The target is at the actor's position after the previous step."""

    crowd: str
    actor: int  # row of the target actor, modulo the number of rows; -1 = the nearest actor
    at: NDArray[np.float32]  # [3] f32, [m], point in the space of the target actor
    frame: Frame  # coordinate frame of the target actor's crowd


Motion = Still | Orbit | Path | FromParameters | Eye | Other


@dataclass
class Target:
    """One target, which has a position for each actor."""

    name: str
    motion: Motion
    in_actor_space: bool  # true = `motion` is relative to the actor's position, heading and size
    phase: ShareColumn  # [actor_count] f32, 0 to 1, for orbits and paths
    position: NumberColumn  # [actor_count, 3] f32, [m], world space
    color: tuple[float, float, float, float]  # linear RGBA of the marker
    radius: float  # [m], radius of the marker
    visible: bool  # true = the marker is drawn if the scene shows targets


@dataclass
class Targets:
    """All targets of a crowd, in the order of the scene file.

    Written by: the scene loader, and the systems `watching` (only `phase` and `position`) and `targets` (only `phase`
    and `position`). Read by: the drawing code, and the systems `watching`, `targets`, `look_at` and `reach`.
    """

    targets: tuple[Target, ...]
    frame: Frame

    @cached_property
    def by_name(self) -> dict[str, Target]:
        """A dictionary from target name to target."""
        return {target.name: target for target in self.targets}
