"""Look-at: the component of joint chains that turn to targets."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.components.targets import Target
from ecs_anim.ecs.bounds import ShareColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.ik.look_at import LookChain, LookSettings, LookState


@dataclass
class Look(Binding):
    """One chain of joints, such as spine, neck and head, or an eye. The chain turns to the target."""

    target: Target
    chain: LookChain
    settings: LookSettings
    weight: ShareColumn  # [actor_count] f32, weight of the correction, 0 to 1
    weight_parameter: int  # column of the parameter that drives `weight`; -1 = no parameter
    state: LookState

    @cached_property
    def gaze(self) -> LookState:
        """The state of the chain's turns as a record for kernels."""
        return self.bound(LookState, "state")


@dataclass
class LookAt:
    """The look-at chains of a crowd, in the order in which the chains turn.

    Each chain starts from the result of the chain before.

    Written by: the scene loader, look_at (`state`, parameter-driven weights), user code (weights).
    Read by: look_at.
    """

    looks: tuple[Look, ...]
