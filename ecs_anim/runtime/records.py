"""Columns of actors, and what goes with them, as kernels take them together."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


class FadeQueue(NamedTuple):
    """The motions that actors play, one per fade slot, the oldest in the first slot. Kernels may write all.

    A kernel takes the columns out once, before its loop: every look into the tuple counts references.
    """

    slot_count: Annotated[Ints, Shape("actor")]  # fade slots in use, at least 1
    motion: Annotated[Ints, Shape("actor", "fade slot")]  # into the character's motions
    phase: Annotated[Floats, Shape("actor", "fade slot")]  # 0 to 1
    speed: Annotated[Floats, Shape("actor", "fade slot")]  # factor
    fade_time: Annotated[Floats, Shape("actor", "fade slot")]  # [s] since the fade began
    fade_duration: Annotated[Floats, Shape("actor", "fade slot")]  # [s]


class FadeRequest(NamedTuple):
    """How actors come to another motion."""

    phase: float  # where the motion begins; negative takes over the phase of what plays, which keeps gaits in step
    speed: float  # factor, of its playback
    duration: float  # [s], 0 = a cut
    restart: bool  # asking for what was asked for last starts it again; else that changes nothing


class EventArrays(NamedTuple):
    """Events of a crowd's clips, numbered over all clips, clip by clip; read-only."""

    first_event: Annotated[Ints, Shape("clip + 1")]
    event_phase: Annotated[Floats, Shape("event")]  # 0 to 1


class Placement(NamedTuple):
    """Where actors are. Kernels may write all."""

    translation: Annotated[Floats, Shape("actor", 3)]  # [m]
    rotation: Annotated[Floats, Shape("actor", 4)]  # unit quaternions x, y, z, w
    scale: Annotated[Floats, Shape("actor")]  # factor from the rig's units to metres


class ParameterColumns(NamedTuple):
    """The parameters of actors. Kernels may write both columns."""

    value: Annotated[Floats, Shape("actor", "parameter")]
    target: Annotated[Floats, Shape("actor", "parameter")]  # what values approach


class Frame(NamedTuple):
    """An actor's space: from its position on the ground, +Z ahead, +X to its left; metres at the rig's own size."""

    facing: float  # [rad] about +Y from +Z, where the rig looks before it is turned
    unit: float  # factor from the rig's units to metres, of an actor of the rig's own size
    lift: float  # [m] of `Placement.translation` over the position on the ground


class WalkingArea(NamedTuple):
    """The area that walking actors turn back into."""

    center_x: float  # [m]
    center_z: float  # [m]
    radius: float  # [m], inf = no bounds
