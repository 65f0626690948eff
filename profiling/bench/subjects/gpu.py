"""Frame times of a scene on this GPU, by pass, and a comparison with the picture of a software renderer.

After the measurement, two processes draw the same picture. One process uses the renderer of this machine. The other
process uses Mesa's software renderer. The colours of edge pixels can differ, but the actors must be at the same
positions. On a machine without Mesa, save the picture with `--picture`. Then compare the saved picture on another
machine with `--against`.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from ecs_anim.profiling.apart import apart_of, save_apart, share_apart
from ecs_anim.profiling.bench.harness import Case, Work
from ecs_anim.profiling.measure import frame_of, pass_figures
from ecs_anim.profiling.painter import open_painters
from ecs_anim.profiling.report import Frame
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.files import read_bytes
from ecs_anim.support.images import PICTURE, decode_image
from ecs_anim.support.timings import Timings
from ecs_anim.systems.queries import actor_count

FAR = 64  # smallest difference, of 255, that shows a moved actor; edge pixels differ less over a large area
MESA = "/usr/share/glvnd/egl_vendor.d/50_mesa.json"  # configuration file with which GLVND loads only Mesa
SOFTWARE = {"LIBGL_ALWAYS_SOFTWARE": "1", "__EGL_VENDOR_LIBRARY_FILENAMES": MESA}
ROUNDS = 60


@contextmanager
def case(
    *,
    scene: str = "stadium",
    actors: int | None = None,
    moment: int = 120,
    size: tuple[int, int] = (1280, 720),
    picture: str = "",
    against: str = "",
    out: str = "",
) -> Iterator[Case]:
    """Yield the benchmark with frames of `scene`. The compared pictures show the frame number `moment` of the scene.

    `picture` is the path of a PNG file for the picture of this machine. `against` is the path of a picture from another
    machine, which is compared in place of the picture of the software renderer. `out` is the path of a PNG file with
    both pictures and their difference.
    """
    with load_scene(scene, actors=actors) as world, open_painters(size) as (painter,):
        frames: list[Frame] = []
        yield Case(
            {"frame": Work(lambda: frames.append(frame_of(world, painter, Timings())))},
            facts=lambda: {
                "actors": actor_count(world),
                "renderer": painter.renderer_name,
                "passes": _passes(frames, painter.take_pictures(), painter.has_gpu_clock),
                **compared(Subject(scene, actors, moment, size), picture, against, out),
            },
        )


def _passes(frames: list[Frame], pictures: list[Any], on_gpu: bool) -> dict[str, dict[str, float | None]]:
    """For each pass, return its median times [ms] and the size of the palettes that it sends to the GPU [MB]."""
    drawn = [replace(frame, passes=picture) for frame, picture in zip(frames, pictures, strict=True)]
    return {
        own.name: {
            "wall_ms": _median(own.wall_ms),
            "gpu_ms": None if own.gpu_ms is None else _median(own.gpu_ms),
            "sent_mb": _median(own.byte_count / 1e6),
        }
        for own in pass_figures(drawn, on_gpu)
    }


def _median(values: Any) -> float:
    return round(float(np.median(values)), 3)


class Subject(NamedTuple):
    """The scene and the frame that the compared pictures show."""

    scene: str
    actors: int | None
    moment: int
    size: tuple[int, int]


def compared(subject: Subject, picture: str, against: str, out: str) -> dict[str, Any]:
    """Return the differences between `picture`, which this machine's renderer has drawn, and the picture `against`.

    If Mesa's software renderer is missing and `against` is empty, return only the name of this machine's renderer.
    """
    with TemporaryDirectory() as folder:
        own, other = Path(picture or Path(folder, "own.png")), Path(against or Path(folder, "other.png"))
        renderers = [drawn_apart(subject, own, {})]
        if not against and Path(MESA).exists():
            renderers.append(drawn_apart(subject, other, SOFTWARE))
        if not other.exists():
            return {"pictures_by": renderers}
        return {"pictures_by": renderers, **differences(own, other, out)}


def differences(own_path: Path, other_path: Path, out: str) -> dict[str, Any]:
    """Return the shares of pixels that differ in two PNG files, and the largest difference of a channel (0 to 255)."""
    own, other = (decode_image(read_bytes(path, PICTURE))[..., :3] for path in (own_path, other_path))
    apart = apart_of(own, other)
    if out:
        save_apart(Path(out), own, other)
    return {
        "other_pixels": share_apart(apart),
        "far_pixels": share_apart(apart, FAR),
        "most_apart": int(apart.max()),
    }


def drawn_apart(subject: Subject, path: Path, variables: dict[str, str]) -> str:
    """Draw a picture in a separate process with the environment `variables`. Return the name of the renderer."""
    size = "x".join(map(str, subject.size))
    asked = ["--frames", str(subject.moment), "--size", size, "--out", str(path)]
    count = ["--actors", str(subject.actors)] if subject.actors else []
    main = "from ecs_anim.cli import main; main()"
    run([sys.executable, "-c", main, "run", subject.scene, "--headless", *asked, *count], variables)
    return run([sys.executable, "-m", "ecs_anim.gl.device.probe"], variables).splitlines()[-1]


def run(command: list[str], variables: dict[str, str]) -> str:
    """Return the output of the program `command`.

    If the program fails, raise RuntimeError with the last lines of its error output.
    """
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command[2:])} failed (environment variables: {variables}): {done.stderr.strip()[-500:]}"
        )
    return done.stdout
