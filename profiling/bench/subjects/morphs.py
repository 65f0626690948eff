"""Drawing times with morph targets, by the number of targets in the mesh and the number of used targets per actor."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import numpy as np

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.maths import affine
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.canvas import Canvas, open_canvas
from ecs_anim.rigs.blob import blob_rig
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lighting, View

# number of morph targets in the mesh, and number of morph targets that each actor uses
KINDS = ((0, 0), (4, 0), (4, 1), (4, 4), (52, 0), (52, 4))
ROUNDS = 10


@contextmanager
def case(*, actors: int = 400, size: tuple[int, int] = (1280, 720)) -> Iterator[Case]:
    """Yield the benchmark with crowds of `actors` blobs in pictures of `size` pixels."""
    with open_canvas(size, samples=1) as canvas:
        crowds = {f"{n} targets, {used} in use": _crowd(canvas.renderer, actors, n, used) for n, used in KINDS}
        pictures = [_picture(canvas, crowd) for crowd in crowds.values()]
        require(np.array_equal(pictures[0], pictures[1]), "targets at rest change the picture")
        require(not np.array_equal(pictures[0], pictures[3]), "targets in use do not change the picture")
        works = {name: Work(partial(_draw, canvas, crowd)) for name, crowd in crowds.items()}
        yield Case(works, facts=lambda: canvas.facts)


def _crowd(renderer: Renderer, actors: int, target_count: int, used: int) -> CrowdDraw:
    """Return a square of `actors` blobs. Each blob uses the first `used` of its `target_count` morph targets."""
    model = renderer.upload(tuple(_with_targets(mesh, target_count) for mesh in blob_rig().meshes))
    side = int(np.ceil(np.sqrt(actors)))
    instances = np.zeros((actors, 12), np.float32)
    instances[:, [0, 2]] = np.stack(np.divmod(np.arange(actors), side), axis=-1) - side / 2
    instances[:, [3, 7, 8, 9, 10, 11]] = 1
    weights = np.zeros((actors, target_count), np.float32)
    weights[:, :used] = np.random.default_rng(1).uniform(0.1, 0.4, (actors, used))
    return CrowdDraw(model, instances, np.tile(affine.IDENTITY, (actors, 1, 1, 1)), morph_weights=weights)


def _with_targets(mesh: Mesh, count: int) -> Mesh:
    """Return the mesh with `count` morph targets.

    The morph targets are copies of the existing morph targets of the mesh.
    """
    assert mesh.morphs is not None
    if not count:
        return replace(mesh, morphs=None)
    rows = np.arange(count) % len(mesh.morphs.names)
    names = tuple(f"target_{k}" for k in range(count))
    return replace(mesh, morphs=MeshMorphs(names, mesh.morphs.positions[rows], mesh.morphs.normals[rows]))


def _draw(canvas: Canvas, crowd: CrowdDraw) -> None:
    camera = OrbitCamera(distance=1.3 * np.sqrt(crowd.actor_count), elevation=0.5)
    view, lighting = View.of(camera, canvas.target.aspect), Lighting(shadows="none")
    # Each picture copies the crowd, because the measured time includes the storage of the weights.
    canvas.renderer.draw(canvas.target, view, lighting, GroundStyle(), [replace(crowd)])
    canvas.context.finish()


def _picture(canvas: Canvas, crowd: CrowdDraw) -> np.ndarray:
    _draw(canvas, crowd)
    return canvas.target.read_pixels()
