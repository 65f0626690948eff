"""`python -m ecs_anim.profiling.bench_gpu [SCENE ...]`: what crowds take on this GPU, and whether it draws right.

Each scene is measured as `ecs-anim profile` does it. Then one picture of it is drawn twice, each time by a process of
its own: by what programs here draw with, and by Mesa's software renderer. Edges may differ by a shade; people may not.
A scene is a name or a file, with its number of actors after a colon where that is another one: `march:100000`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device.context import shared_context
from ecs_anim.profiling.apart import apart_of, save_apart, share_apart
from ecs_anim.profiling.measure import measure
from ecs_anim.profiling.report import DRAW, Report, upload
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.support.files import read_bytes
from ecs_anim.support.images import PICTURE, decode_image
from ecs_anim.support.pictures import save_png
from ecs_anim.systems.rendering import render

SCENES = "stadium", "march:100000", "festival", "station"
FAR = 64  # of 255: no shade of an edge differs by so much over a large part of the picture
MESA = "/usr/share/glvnd/egl_vendor.d/50_mesa.json"  # by which GLVND is led to Mesa alone
SOFTWARE = {"LIBGL_ALWAYS_SOFTWARE": "1", "__EGL_VENDOR_LIBRARY_FILENAMES": MESA}


@click.command()
@click.argument("scenes", nargs=-1)
@click.option("--frames", default=60, show_default=True, help="Frames to measure, after a third as many.")
@click.option("--moment", default=120, show_default=True, help="The frame that the pictures show.")
@click.option("--size", nargs=2, default=(1280, 720), show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the pictures and what differs."
)
@click.option("--picture", type=click.Path(path_type=Path), help="Draw the one scene's picture there, and no more.")
def main(
    scenes: tuple[str, ...], frames: int, moment: int, size: tuple[int, int], out: Path | None, picture: Path | None
) -> None:
    """Measure SCENES, and print a line of JSON for each."""
    if picture is not None:
        click.echo(_draw(*_named((scenes or SCENES)[0]), moment, size, picture))
        return
    if out:
        out.mkdir(exist_ok=True)
    for scene in scenes or SCENES:
        name, actors = _named(scene)
        report = measure(
            read_scene(name), name, actors=actors, seed=None, threads=None, frames=frames, warmup=frames // 3, size=size
        )
        click.echo(json.dumps(_figures(report) | _pictures(scene, moment, size, out)))


def _named(scene: str) -> tuple[str, int | None]:
    name, colon, actors = scene.rpartition(":")
    return (name, int(actors)) if colon and actors.isdecimal() else (scene, None)


def _figures(report: Report) -> dict[str, Any]:
    """Medians, in milliseconds."""
    (drawing,) = (system for system in report.systems if system.name == DRAW)
    return {
        "scene": report.scene,
        "actors": report.actors,
        "size": report.size,
        "renderer": report.renderer,
        "frame_ms": _median(report.frame_ms),
        "draw_ms": _median(drawing.wall_ms),
        "gpu_ms": drawing.gpu_ms,
        "passes": {
            own.name: {"wall_ms": _median(own.wall_ms), "gpu_ms": None if own.gpu_ms is None else _median(own.gpu_ms)}
            for own in report.passes
        },
        "upload": upload(report),
    }


def _median(values: NDArray[np.float64]) -> float:
    return round(float(np.median(values)), 3)


def _pictures(scene: str, moment: int, size: tuple[int, int], out: Path | None) -> dict[str, Any]:
    """By how much a picture differs from the software renderer's."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{number}.png") for number in range(2)]
        renderers = [
            _drawn_apart(scene, moment, size, path, environment)
            for path, environment in zip(paths, ({}, SOFTWARE), strict=True)
        ]
        own, other = (decode_image(read_bytes(path, PICTURE))[..., :3] for path in paths)
    apart = apart_of(own, other)
    if out:
        save_apart(out / f"{Path(scene.replace(':', '-')).stem}.png", own, other)
    return {
        "pictures_by": renderers,
        "other_pixels": share_apart(apart),
        "far_pixels": share_apart(apart, FAR),
        "most_apart": int(apart.max()),
    }


def _drawn_apart(scene: str, moment: int, size: tuple[int, int], path: Path, environment: dict[str, str]) -> str:
    """Draw a picture in a process of its own; returns the renderer."""
    asked = [scene, "--moment", str(moment), "--size", *map(str, size), "--picture", str(path)]
    command = [sys.executable, "-m", "ecs_anim.profiling.bench_gpu", *asked]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(f"{scene} could not be drawn with {environment or 'what is here'}: {done.stderr}")
    return done.stdout.splitlines()[-1]


def _draw(name: str, actors: int | None, moment: int, size: tuple[int, int], path: Path) -> str:
    """Draw a picture; returns the renderer."""
    with open_world(read_scene(name), Start(moment), actors=actors) as world:
        save_png(path, render(world, size))
    return shared_context().capabilities.summary


if __name__ == "__main__":
    main()
