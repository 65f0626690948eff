"""Actors that look at their targets."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.components.targets import Target
from ecs_anim.ecs.bounds import ShareColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.ik.look_at import LookChain, LookSettings, LookState


@dataclass
class Look(Binding):
    """One chain of joints, such as spine, neck and head, or an eye, and what it turns to."""

    target: Target
    chain: LookChain
    settings: LookSettings
    weight: ShareColumn  # [actor_count] f32, 0 to 1
    weight_parameter: int  # column that is the weight, -1 = the column above as it is set
    state: LookState

    @cached_property
    def gaze(self) -> LookState:
        """Return the gaze state for kernels."""
        return self.bound(LookState, "state")


@dataclass
class LookAt:
    """Looks, in the order in which they are applied: each begins where the one before has left the pose.

    Written by: the scene loader, look_at (`state`, parameter-driven weights), user code (weights).
    Read by: look_at.
    """

    looks: tuple[Look, ...]
