"""Films of worlds: a film steps its world from picture to picture, and writes the pictures to files."""

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

FPS = 30  # [1/s]
# Returns a copy of a picture [height, width, 3] with a drawing for the world's time [s], such as a clock.
Overlay = Callable[[NDArray[np.uint8], float], NDArray[np.uint8]]


@dataclass(frozen=True)
class Pace:
    """The time steps of a film: the number and the length of the time steps between two pictures."""

    pictures: int
    rate: Fraction  # [1/s], pictures shown per second
    steps: int  # steps from picture to picture
    dt: float  # [s], length of a step

    @classmethod
    def of(cls, seconds: float | Fraction, rate: int | Fraction, speed: float, frame_rate: int) -> Self:
        """Return the pace of a film that shows `seconds` of the world's time, rounded to whole pictures.

        The film shows `rate` pictures per second, and `speed` is a factor: 0.25 is slow motion. No step is longer than
        the scene's step, 1 / `frame_rate`. If a whole number of the scene's steps fits between two pictures, the film
        takes exactly the scene's steps. Slow motion takes shorter steps. Raises InputError if the film takes more steps
        than the budget allows.
        """
        for name, value in (("seconds", seconds), ("rate", rate), ("speed", speed)):
            if not (math.isfinite(value) and value > 0):
                raise InputError(f"a film's {name} must be a finite number > 0 (got {value})")
        passing = Fraction(speed) / Fraction(rate)  # [s], world time from picture to picture
        pictures, steps = max(1, round(Fraction(seconds) / passing)), math.ceil(passing * frame_rate)
        if text := excess("steps", pictures * steps, "choose another speed"):
            raise InputError(f"a film of {float(seconds):g} s at speed {speed:g}: {text}")
        return cls(pictures, Fraction(rate), steps, float(passing / steps))

    def advance(self, world: World) -> None:
        """Step the world to the next picture."""
        world.skip(self.steps, self.dt)


@checked
def video(
    world: World,
    seconds: float,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] | None = None,
    fps: int = FPS,
    speed: float = 1.0,
    clock: bool = False,
    camera: Camera | None = None,
    samples: int = SAMPLES,
) -> Path:
    """Step the world for `seconds` of its own time and write a film: .mp4 (the 'video' extra), .gif, or a folder.

    The film shows `fps` pictures per second, at most 50 in a .gif. `speed` is a factor. With 0.25, the film is in slow
    motion and takes four times as long. `clock` draws the world's time into the pictures. `render` describes `size`,
    `camera` and `samples`. After the call, the world is at the time of the last picture. `Pace.of` describes the time
    steps.

    Returns `path`. The file appears when the film is complete. Raises the errors of `render`, and InputError if the
    file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() == ".png":
        raise InputError(f"{path}: a film must be a .mp4, a .gif, or a folder. Use ecs_anim.render for one picture")
    pace = Pace.of(seconds, int(whole_numbers("fps", fps)[0]), speed, stage_of(world).frame_rate)
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
    """Step the world at a pace, and write all pictures or only the last picture. The type of the file decides.

    Raises InputError.
    """
    size = size_of(world, camera, size)
    with Renderer(size, samples) as renderer, open_sink(path, pace.rate, *size, pace.pictures) as sink:
        for number in frames_with_progress(pace.pictures, "drawing" if sink.every_frame else "simulating"):
            pace.advance(world)
            if sink.every_frame or number == pace.pictures - 1:
                picture = renderer.render(world, camera)
                sink.write(overlay(picture, world.time) if overlay else picture)
