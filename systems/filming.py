"""Films of worlds: the world advances from picture to picture, and the pictures are written to files."""

import math
import os
from collections.abc import Callable, Sequence
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
from ecs_anim.support.legend import with_legend
from ecs_anim.support.pictures import open_sink
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.systems.cameras import Camera, kept_camera
from ecs_anim.systems.density_map import legend_of_densities
from ecs_anim.systems.overlays import Floor, Overlays
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.rendering import SAMPLES, Renderer, size_of
from ecs_anim.view.overlay_names import OverlayName

FPS = 30  # [1/s]
# A function that returns a copy of a picture [height, width, 3] with an addition for the world time [s], such as a
# clock.
Addition = Callable[[NDArray[np.uint8], float], NDArray[np.uint8]]


@dataclass(frozen=True)
class Pace:
    """The time steps of a film: the number and the length of the time steps between two pictures."""

    pictures: int
    rate: Fraction  # [1/s], pictures per second of the film
    steps: int  # number of steps between two pictures
    dt: float  # [s], length of each step

    @classmethod
    def of(cls, seconds: float | Fraction, rate: int | Fraction, speed: float, frame_rate: int) -> Self:
        """Return the time steps of a film that shows `seconds` of world time.

        The duration of the film is rounded to whole pictures.

        The film shows `rate` pictures per second. `speed` is the speed of the film, and 0.25 is slow motion. A step is
        never longer than the step of the scene, 1 / `frame_rate`. If a whole number of the scene's steps fits between
        two pictures, the film uses the scene's steps. In slow motion, the film's steps are shorter than the scene's
        steps. Raises InputError if the number of steps exceeds the budget.
        """
        for name, value in (("seconds", seconds), ("rate", rate), ("speed", speed)):
            if not (math.isfinite(value) and value > 0):
                raise InputError(
                    f"the {name} of a film must be a finite number above 0 (got {value}). Pass a finite number above 0."
                )
        passing = Fraction(speed) / Fraction(rate)  # [s], world time between two pictures
        pictures, steps = max(1, round(Fraction(seconds) / passing)), math.ceil(passing * frame_rate)
        if limit_message := excess("steps", pictures * steps, "choose another speed"):
            raise InputError(f"a film of {float(seconds):g} s at speed {speed:g} takes too many steps: {limit_message}")
        return cls(pictures, Fraction(rate), steps, float(passing / steps))

    def advance(self, world: World) -> None:
        """Advance the world to the next picture."""
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
    overlays: Sequence[OverlayName] = (),
    samples: int = SAMPLES,
) -> Path:
    """Advance the world by `seconds` of world time, and write a film.

    The film is an .mp4 file (needs the 'video' extra), a .gif file, or a folder of pictures.

    The film shows `fps` pictures per second. A .gif file can show at most 50 pictures per second. `speed` is the speed
    of the film. With 0.25, the film is in slow motion and takes four times as long. If `clock` is true, the pictures
    show the world time. The function `render` describes `size`, `camera` and `samples`. A camera that follows an actor
    moves smoothly. `overlays` are names of overlays: "skeletons", "trails", "goals" and "density". After the call, the
    world is at the time of the last picture. `Pace.of` describes the time steps.

    Returns `path`. The file appears only when the film is complete. Raises the same errors as `render`, and InputError
    if the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() == ".png":
        raise InputError(
            f"{path}: a film must be a .mp4 file, a .gif file or a folder. Use ecs_anim.render for one picture."
        )
    pace = Pace.of(seconds, int(whole_numbers("fps", fps)[0]), speed, stage_of(world).frame_rate)
    addition = with_clock if clock else None
    film(world, pace, path, size=size, addition=addition, camera=camera, overlays=overlays, samples=samples)
    return path


def film(
    world: World,
    pace: Pace,
    path: Path,
    *,
    size: tuple[int, int] | None,
    addition: Addition | None = None,
    camera: Camera | None = None,
    overlays: Sequence[OverlayName] = (),
    floor: Floor | None = None,
    samples: int = SAMPLES,
) -> None:
    """Advance the world with the time steps of `pace`, and write the pictures to `path`. `floor` is drawn on the floor.

    The extension of `path` determines whether all pictures or only the last picture are written. `addition` changes
    each picture before the writing.

    Raises InputError if the file cannot be written.
    """
    size = size_of(world, camera, size)
    with (
        kept_camera(world, camera) as kept,
        Overlays(world, overlays) as shown,
        Renderer(size, samples) as renderer,
        open_sink(path, pace.rate, *size, pace.pictures) as sink,
    ):
        shown.floor = floor
        renderer.show_overlays(shown)
        for number in frames_with_progress(pace.pictures, "drawing" if sink.every_frame else "simulating"):
            pace.advance(world)
            if sink.every_frame or number == pace.pictures - 1:
                picture = renderer.render(world, kept)
                if "density" in overlays:
                    picture = with_legend(picture, *legend_of_densities())
                if floor is not None:
                    picture = with_legend(picture, *floor.legend())
                sink.write(addition(picture, world.time) if addition else picture)
