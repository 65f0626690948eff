"""Look-at: the component with chains of joints that turn towards targets."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.components.targets import Target
from ecs_anim.ecs.bounds import ShareColumn
from ecs_anim.ecs.records import Binding
from ecs_anim.ik.look_at import LookChain, LookSettings, LookState


@dataclass
class Look(Binding):
    """One chain of joints, such as the spine, neck and head, or an eye.

    The system `look_at` turns the joints of the chain towards the target of the chain.
    """

    target: Target
    chain: LookChain
    settings: LookSettings
    weight: ShareColumn  # [actor_count] f32, weight of the correction, 0 to 1
    weight_parameter: int  # column of the parameter that drives `weight`; -1 = no parameter
    state: LookState

    @cached_property
    def gaze(self) -> LookState:
        """The gaze of the chain as a record for kernels."""
        return self.bound(LookState, "state")


@dataclass
class LookAt:
    """The look-at chains of a crowd, in the order in which the system `look_at` turns them.

    Each chain starts from the pose that the previous chain has changed.

    Written by: the scene loader, the system `look_at` (only `state`, and weights that parameters set), and user code
    (only weights). Read by: the system `look_at`.
    """

    looks: tuple[Look, ...]
