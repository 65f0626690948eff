"""Films of worlds: how time passes from picture to picture, and where the pictures go."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.support.arguments import whole_numbers
from ecs_anim.support.budgets import excess
from ecs_anim.support.checked import checked
from ecs_anim.support.clock import with_clock
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import open_sink
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.systems.cameras import Camera
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.rendering import SAMPLES, Renderer, size_of

RATE = 30  # [1/s]
# What is drawn into a picture [height, width, 3] at the world's time [s], such as a clock; returns a copy.
Overlay = Callable[[NDArray[np.uint8], float], NDArray[np.uint8]]


@dataclass(frozen=True)
class Pace:
    """How a film goes through time: each picture shows the world some steps after the one before."""

    pictures: int
    rate: Fraction  # [1/s], at which they are shown
    steps: int  # from picture to picture
    dt: float  # [s], of a step

    @classmethod
    def of(cls, seconds: float | Fraction, rate: int | Fraction, speed: float, frame_rate: int) -> Self:
        """Of `seconds` of the world's time, to the nearest picture, shown `speed` times as fast as they pass.

        No step is longer than the scene's own, 1 / `frame_rate`. Where a whole number of those passes from picture to
        picture, they are the same to the bit; in slow motion steps are shorter. Raises InputError for a film of more
        steps than the budget allows.
        """
        for name, value in (("seconds", seconds), ("rate", rate), ("speed", speed)):
            if not (math.isfinite(value) and value > 0):
                raise InputError(f"a film's {name} must be a finite number > 0 (got {value})")
        passing = Fraction(speed) / Fraction(rate)  # [s], from picture to picture
        pictures, steps = max(1, round(Fraction(seconds) / passing)), math.ceil(passing * frame_rate)
        if text := excess("steps", pictures * steps, "choose another speed"):
            raise InputError(f"a film of {float(seconds):g} s at speed {speed:g}: {text}")
        return cls(pictures, Fraction(rate), steps, float(passing / steps))

    def advance(self, world: World) -> None:
        """Take the steps to the next picture."""
        world.skip(self.steps, self.dt)


@checked
def video(
    world: World,
    seconds: float,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] | None = None,
    rate: int = RATE,
    speed: float = 1.0,
    clock: bool = False,
    camera: Camera | None = None,
    samples: int = SAMPLES,
) -> Path:
    """Step the world for `seconds` of its own time and write what is seen: .mp4 (the 'video' extra), .gif, or a folder.

    The film shows `rate` pictures a second, at most 50 in a .gif, and the world `speed` times as fast as it is: 0.25 is
    slow motion, four times as long. `clock` draws the world's time into the pictures. Size, camera and samples are
    those of `render`. The world is left at the last picture, and `Pace.of` tells which steps took it there.

    Returns the path, whose file appears once it is complete. Raises InputError, ValueError, TypeError, RuntimeError as
    `render` does, and InputError where the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() == ".png":
        raise InputError(f"{path}: a film is a .mp4, a .gif, or a folder; ecs_anim.render makes one picture")
    pace = Pace.of(seconds, int(whole_numbers("rate", rate)[0]), speed, stage_of(world).frame_rate)
    film(world, pace, path, size=size, overlay=with_clock if clock else None, camera=camera, samples=samples)
    return path


def film(
    world: World,
    pace: Pace,
    path: Path,
    *,
    size: tuple[int, int] | None,
    overlay: Overlay | None = None,
    camera: Camera | None = None,
    samples: int = SAMPLES,
) -> None:
    """Step the world at a pace, and write all pictures, or the last one, as the path asks. Raises InputError."""
    size = size_of(world, camera, size)
    with Renderer(size, samples) as renderer, open_sink(path, pace.rate, *size, pace.pictures) as sink:
        for number in frames_with_progress(pace.pictures, "drawing" if sink.every_frame else "simulating"):
            pace.advance(world)
            if sink.every_frame or number == pace.pictures - 1:
                picture = renderer.render(world, camera)
                sink.write(overlay(picture, world.time) if overlay else picture)
