"""Movers: the ways in which the roots of actors can move, such as root motion, paths, velocities or steering."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated

import numpy as np

from ecs_anim.body.movers import MOVERS, MoverColumns
from ecs_anim.body.paths import Paths, flaw_of, no_paths
from ecs_anim.components.locomotion import Locomotion
from ecs_anim.ecs.bounds import Beside, Index, NumberColumn, NumberOrNanColumn, Within
from ecs_anim.ecs.columns import Column
from ecs_anim.ecs.records import Binding


@dataclass
class Clock:
    """The time of the world. Systems whose results depend on the time read this component."""

    now: float = 0.0  # [s], time of the world at the end of the step


@dataclass
class Movers(Binding):
    """The movement of actors: positions, velocities and headings.

    At each time, exactly one mover (root motion, a path, a velocity or the steering) moves the root of an actor.

    Written by: the scene loader, the systems `movers` (only `velocity`) and `clock`, and user code (only positions,
    velocities and paths). Read by: the systems `movers`, `body` and `locomotion`.
    """

    facing: float  # [rad] about +Y from +Z, forward direction of the unrotated rig
    leg_count: int  # number of legs whose footsteps the paths contain
    acceleration: float  # [m/s^2], maximum change of a velocity; inf = a velocity changes immediately
    kind: Annotated[Column[np.int32], Within(0, len(MOVERS) - 1)]  # [actor_count] i32, index in `MOVERS`
    path: Annotated[Column[np.int32], Index("paths.begin", or_none=True)]  # [actor_count] i32, index of path, -1 = none
    velocity: NumberColumn  # [actor_count, 2] f32, x and z [m/s], for steering or a requested velocity
    # [actor_count, 3] f32, x and z [m/s] of the requested velocity, and yaw [rad] about +Y from +Z. If the yaw is NaN,
    # the actor faces its direction of motion.
    asked: NumberOrNanColumn
    course: NumberColumn  # [actor_count, 2] f32, x and z [m/s], smoothed velocity; steered actors face this direction
    paths: Paths
    locomotion: Locomotion | None  # settings for actors that move with root motion; None = the crowd has no root motion
    clock: Clock = field(default_factory=Clock)

    @cached_property
    def columns(self) -> MoverColumns:
        """The columns of the movers as a record for kernels."""
        return self.bound(MoverColumns)

    @cached_property
    def ways(self) -> Paths:
        """The paths of the actors as a record for kernels."""
        return self.bound(Paths, "paths")

    def flaw(self, beside: Beside) -> str:
        """Return a message about an index in the columns that is outside of the path arrays.

        Also return a message if an actor that follows a path has no path. If there is no error, return ''.
        """
        text = flaw_of(self.paths, self.leg_count)
        if not text and ((self.kind == MOVERS.index("path")) & (self.path < 0)).any():
            return "an actor that follows a path must have a path"
        return text


def new_movers(
    facing: float, leg_count: int, acceleration: float, kind: int, actor_count: int, locomotion: Locomotion | None
) -> Movers:
    """Return a `Movers` component for `actor_count` actors at rest. `kind` is an index into `MOVERS`."""
    asked = np.zeros((actor_count, 3), np.float32)
    asked[:, 2] = np.nan
    return Movers(
        facing,
        leg_count,
        acceleration,
        np.full(actor_count, kind, np.int32),
        np.full(actor_count, -1, np.int32),
        np.zeros((actor_count, 2), np.float32),
        asked,
        np.zeros((actor_count, 2), np.float32),
        no_paths(),
        locomotion,
    )
