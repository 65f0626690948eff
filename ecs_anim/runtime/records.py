"""Records that kernels take as arguments: columns of actors, and settings."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


class FadeQueue(NamedTuple):
    """The motions that actors play. Each fade slot contains one motion, oldest first. Kernels can write all columns.

    A kernel must read the columns from the tuple before its loop, because each access to the tuple changes reference
    counts.
    """

    slot_count: Annotated[Ints, Shape("actor")]  # number of used fade slots, at least 1
    motion: Annotated[Ints, Shape("actor", "fade slot")]  # index in the character's motions
    phase: Annotated[Floats, Shape("actor", "fade slot")]  # 0 to 1
    speed: Annotated[Floats, Shape("actor", "fade slot")]  # factor of playback speed
    fade_time: Annotated[Floats, Shape("actor", "fade slot")]  # [s], time since the start of the fade
    fade_duration: Annotated[Floats, Shape("actor", "fade slot")]  # [s], duration of the fade


class FadeRequest(NamedTuple):
    """The settings of a fade to another motion."""

    phase: float  # start phase of the motion; negative = the present phase, so that the feet continue their footstep
    speed: float  # factor of playback speed
    duration: float  # [s], 0 = a sudden change
    restart: bool  # true = a request for the last requested motion restarts this motion; false = it has no effect


class EventArrays(NamedTuple):
    """The events of all clips of a crowd, sorted by clip. The arrays are read-only."""

    first_event: Annotated[Ints, Shape("clip + 1")]
    event_phase: Annotated[Floats, Shape("event")]  # phase in the clip, 0 to 1


class Placement(NamedTuple):
    """The positions, rotations and sizes of actors. Kernels can write all columns."""

    translation: Annotated[Floats, Shape("actor", 3)]  # [m]
    rotation: Annotated[Floats, Shape("actor", 4)]  # unit quaternions x, y, z, w
    scale: Annotated[Floats, Shape("actor")]  # factor from the rig's units to metres


class ParameterColumns(NamedTuple):
    """The current values and the target values of actors' parameters. Kernels can write both columns."""

    value: Annotated[Floats, Shape("actor", "parameter")]
    target: Annotated[Floats, Shape("actor", "parameter")]  # values that the current values approach


class Frame(NamedTuple):
    """The coordinate frame of an actor.

    The origin is the actor's position on the ground. +Z is ahead, and +X is to the left.

    If the actor has the size of the rig, lengths in this frame are in metres.
    """

    facing: float  # [rad] about +Y from +Z, forward direction of the unrotated rig
    unit: float  # factor from rig units to metres for an actor with the rig's size
    lift: float  # [m], height of `Placement.translation` above the position on the ground


class WalkingArea(NamedTuple):
    """The area in which actors walk. An actor outside the area turns back towards the centre of the area."""

    center_x: float  # [m]
    center_z: float  # [m]
    radius: float  # [m], inf = the area has no bounds
