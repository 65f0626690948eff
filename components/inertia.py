"""Inertial blending: fades that play only the new motion."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.inertia import InertiaState


@dataclass
class Inertia(Binding):
    """The last two poses of each actor, and the offset between motions at the start of the fade.

    The state also has the rate of change of the offset.

    Written by: inertia. Read by: inertia.
    """

    state: InertiaState

    @cached_property
    def columns(self) -> InertiaState:
        """The state for kernels."""
        return self.bound(InertiaState, "state")
