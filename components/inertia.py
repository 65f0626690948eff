"""Inertial blending: the new motion replaces the old motion at once, and the offset between the two poses decays."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.inertia import InertiaState


@dataclass
class Inertia(Binding):
    """The last two poses of each actor, and the offset between the old and the new motion at the start of a fade.

    The field `state` also stores the rate of change of the offset.

    Written by: the system `inertia`. Read by: the system `inertia`.
    """

    state: InertiaState

    @cached_property
    def columns(self) -> InertiaState:
        """The field `state` as a checked record for kernels."""
        return self.bound(InertiaState, "state")
