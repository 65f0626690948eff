"""Foot notes: the component that stores which feet stood on the ground before the current step.

The event "foot_strike" occurs if a foot stands on the ground after the step, but did not stand before the step.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ecs_anim.roles.names import Side

# Sources of the contacts of an actor: no source, the clips, or the footsteps of the actor's body.
UNKNOWN, CLIPS, FOOTSTEPS = range(3)


@dataclass(frozen=True)
class Contacts:
    """The feet on the ground of all actors of a crowd."""

    ids: NDArray[np.int64]  # [actor_count] i64
    stands: NDArray[np.bool_]  # [actor_count, leg_count], true = the foot is on the ground
    source: NDArray[np.int8]  # [actor_count] i8, UNKNOWN, CLIPS or FOOTSTEPS


@dataclass
class FootNotes:
    """The contacts of a crowd's feet before the current step.

    Written by: the systems `listening` and `dispatch`. Read by: the system `dispatch`.
    """

    before: Contacts | None = None  # None = the event "foot_strike" has no handler
    feet: list[tuple[str, Side]] = field(default_factory=list)  # joint name and side of each foot; empty = not computed
