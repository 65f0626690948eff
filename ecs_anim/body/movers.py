"""Who moves an actor's root: one of these at a time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CLIP = 0  # what plays moves it, and whoever writes where it is
VELOCITY = 1  # it goes as fast as it is told
PATH = 2  # it is where a path is at a time
MOVERS = ("clip", "velocity", "path")


class Moved(NamedTuple):
    """Roots of a chunk of actors, as kernels take them."""

    translation: NDArray[np.float32]  # [chunk, 3] f32, [m]
    rotation: NDArray[np.float32]  # [chunk, 4] f32
    scale: NDArray[np.float32]  # [chunk] f32
    kind: NDArray[np.int32]  # [chunk] i32, CLIP, VELOCITY or PATH
    path: NDArray[np.int32]  # [chunk] i32, of the crowd's paths, -1 = none
    velocity: NDArray[np.float32]  # [chunk, 2] f32, x and z [m/s], as it now is
    asked: NDArray[np.float32]  # [chunk, 3] f32, x and z [m/s] asked for, and what to face [rad]; NaN = where it goes


class Played(NamedTuple):
    """What a chunk of actors plays, as the kernel that walks them writes it."""

    slot_count: NDArray[np.int32]  # [chunk] i32
    motion: NDArray[np.int32]  # [chunk, slot] i32
    phase: NDArray[np.float32]  # [chunk, slot] f32
    speed: NDArray[np.float32]  # [chunk, slot] f32
    fade_time: NDArray[np.float32]  # [chunk, slot] f32
    fade_duration: NDArray[np.float32]  # [chunk, slot] f32
    value: NDArray[np.float32]  # [chunk, parameter] f32
    target: NDArray[np.float32]  # [chunk, parameter] f32
