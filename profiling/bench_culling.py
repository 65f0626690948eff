"""`python -m ecs_anim.profiling.bench_culling`: what culling a crowd costs, on the CPU and by compute shader.

Nanoseconds an actor: choosing and writing rows on the CPU, with their upload; the upload of all actors and a dispatch,
both up to `glFinish`. A square of mannequins is seen from outside, from within, and not at all. All run in turn, round
by round; medians are told, and how many are drawn and posed. Both must choose alike, or it fails.
"""

from time import perf_counter

import click
import numpy as np

from ecs_anim.bake.cache import cached_bake
from ecs_anim.gl.crowds.culling import GpuCuller
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.device.context import open_headless
from ecs_anim.levels.culler import Culler
from ecs_anim.levels.levels import Levels, build_levels
from ecs_anim.scenes.rigs import load_model
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.cull_view import CullView
from ecs_anim.view.instances import BAKED_ACTOR

SPACE = 1.2  # [m] between actors
CAMERAS = {
    "outside": OrbitCamera(distance=200, elevation=0.5),
    "within": OrbitCamera(distance=30),
    "away": OrbitCamera(target=np.array([0, 1, 2000], np.float32), distance=5, azimuth=np.pi),
}


@click.command()
@click.option("--actors", default=50_000, show_default=True)
@click.option("--rounds", default=30, show_default=True)
def main(actors: int, rounds: int) -> None:
    """Cull a square of mannequins."""
    rig = load_model("mannequin")
    levels = build_levels(rig, cached_bake(rig))
    rows = _square(actors, len(levels.bounds) - 1)
    with open_headless() as context:
        click.echo(f"{actors} actors, medians of {rounds} rounds, ns an actor; {context.capabilities.summary}")
        click.echo(f"{'view':>8} {'drawn':>7} {'posed':>7} {'CPU':>7} {'GPU':>7}")
        for name, camera in CAMERAS.items():
            if GpuCuller.fits(context.capabilities, levels.count, actors):
                _compare(name, levels, rows, camera, rounds)


def _compare(name: str, levels: Levels, actors: np.ndarray, camera: OrbitCamera, rounds: int) -> None:
    view = CullView.of(camera.projection_matrix(16 / 9) @ camera.view_matrix(), 1080)
    plain, spent = Culler(levels, is_dense=True), []
    index_counts = [[len(mesh.indices) for mesh in meshes] for meshes in levels.meshes]
    storage = (StreamBuffer(gl.GL_SHADER_STORAGE_BUFFER) for _ in range(3))
    with (
        GpuCuller(levels, index_counts) as culler,
        next(storage) as source,
        next(storage) as poses,
        next(storage) as out,
    ):
        for picture in range(rounds):
            settings = view.settings(picture, seconds=1 / 60)
            begin = perf_counter()
            culled = plain.cull(actors, view, settings)
            out.write(culled.instances)
            gl.glFinish()
            half = perf_counter()
            source.write(actors)
            culler.cull(source.name, len(actors), poses, view, settings)
            gl.glFinish()
            spent.append((half - begin, perf_counter() - half))
            if abs(int(culler.read_counts()[:-1, 0].sum()) - len(culled.instances)) > len(actors) / 1000:
                raise SystemExit(f"{name}: CPU and GPU do not choose alike")
    cpu, gpu = np.median(spent, axis=0) / len(actors) * 1e9
    click.echo(f"{name:>8} {len(culled.instances):7} {len(culled.poses):7} {cpu:7.1f} {gpu:7.1f}")


def _square(count: int, clip_count: int) -> np.ndarray:
    """Rows of BAKED_ACTOR, each playing some clip and turned somehow."""
    rng = np.random.default_rng(1)
    side = int(np.sqrt(count)) + 1
    actors = np.zeros(count, BAKED_ACTOR)
    actors["translation"][:, 0] = SPACE * (np.arange(count) % side - side / 2)
    actors["translation"][:, 2] = SPACE * (np.arange(count) // side - side / 2)
    actors["scale"] = 1
    angle = rng.uniform(0, np.pi, count)
    actors["rotation"][:, 1], actors["rotation"][:, 3] = np.sin(angle), np.cos(angle)
    actors["clip"] = rng.integers(0, clip_count, (count, 1))
    return actors


if __name__ == "__main__":
    main()
