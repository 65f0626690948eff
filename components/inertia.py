"""Fades of which only the new motion is played."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.ecs.records import Binding
from ecs_anim.runtime.inertia import InertiaState


@dataclass
class Inertia(Binding):
    """What bodies have of the motion before as a fade begins, and what is left of it.

    Written by: inertia. Read by: inertia.
    """

    state: InertiaState

    @cached_property
    def columns(self) -> InertiaState:
        """What bodies remember, as kernels take it."""
        return self.bound(InertiaState, "state")
