"""Inertial blending: a fade plays only the new motion, and the offset from the old motion decays."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.inertia import InertiaState


@dataclass
class Inertia(Binding):
    """The last two poses of each actor, and the offset between motions at the start of the fade.

    `state` also stores the rate of change of this offset.

    Written by: inertia. Read by: inertia.
    """

    state: InertiaState

    @cached_property
    def columns(self) -> InertiaState:
        """`state` as a checked record for kernels."""
        return self.bound(InertiaState, "state")
