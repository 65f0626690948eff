"""Times of culling on the CPU and with a compute shader. The times include the upload of the actor data.

The crowd is a square of mannequins. The camera is outside the square (`outside`), inside the square (`inside`), or
looks away from the square (`away`).
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count

import numpy as np

from ecs_anim.bake.cache import cached_bake
from ecs_anim.gl.crowds.culling import GpuCuller
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.device.context import open_headless
from ecs_anim.levels.culler import Culler
from ecs_anim.levels.levels import build_levels
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.cull_view import CullView
from ecs_anim.view.instances import BAKED_ACTOR

SPACE = 1.2  # distance between actors [m]
CAMERAS = {
    "outside": OrbitCamera(distance=200, elevation=0.5),
    "within": OrbitCamera(distance=30),
    "away": OrbitCamera(target=np.array([0, 1, 2000], np.float32), distance=5, azimuth=0.0),
}
ROUNDS = 30


@contextmanager
def case(*, actors: int = 50_000, view: str = "outside") -> Iterator[Case]:
    """Yield the benchmark with a square of `actors` actors. `view` is the position of the camera."""
    if view not in CAMERAS:
        raise InputError(f"--view must be one of {', '.join(CAMERAS)} (got {view})")
    rig = load_model("mannequin")
    levels = build_levels(rig, cached_bake(rig))
    rows = _square(actors, len(levels.bounds) - 1)
    camera = CAMERAS[view]
    cull_view = CullView.of(camera.projection_matrix(16 / 9) @ camera.view_matrix(), 1080)
    plain, index_counts = Culler(levels, is_dense=True), [[len(mesh.indices) for mesh in own] for own in levels.meshes]
    with ExitStack() as stack:
        context = stack.enter_context(open_headless())
        if not GpuCuller.fits(context.capabilities, levels.count, actors):
            raise InputError(f"{context.capabilities.renderer} cannot cull {actors} actors. Lower --actors")
        culler = stack.enter_context(GpuCuller(levels, index_counts))
        source, poses, out = (stack.enter_context(StreamBuffer(gl.GL_SHADER_STORAGE_BUFFER)) for _ in range(3))
        # Both variants count their pictures, so both use the same settings in a round.
        settings = [(cull_view.settings(picture, seconds=1 / 60) for picture in count()) for _ in range(2)]

        def on_cpu() -> None:
            out.write(plain.cull(rows, cull_view, next(settings[0])).instances)
            gl.glFinish()

        def on_gpu() -> None:
            source.write(rows)
            culler.cull(source.name, len(rows), poses, cull_view, next(settings[1]))
            gl.glFinish()

        def facts() -> dict[str, object]:
            last = next(settings[0])
            culled = plain.cull(rows, cull_view, last)
            culler.cull(source.name, len(rows), poses, cull_view, last)
            drawn = int(culler.read_counts()[:-1, 0].sum())
            require(abs(drawn - len(culled.instances)) <= len(rows) / 1000, "CPU and GPU must draw the same actors")
            return {
                "drawn": len(culled.instances),
                "posed": len(culled.poses),
                "renderer": context.capabilities.renderer,
            }

        works = {"CPU": Work(on_cpu, share=actors), "GPU": Work(on_gpu, share=actors)}
        yield Case(works, unit="ns", each="actor", facts=facts)


def _square(count: int, clip_count: int) -> np.ndarray:
    """Return `count` rows of actor data with the dtype `BAKED_ACTOR`. Each actor has a random clip and heading."""
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
