"""`python -m ecs_anim.profiling.bench_morphs`: what morph targets cost a picture, by how many there are and are in use.

Crowds of blobs, drawn in turn without targets, with targets at rest, and with some in use; medians of the ratios to the
first within a round. Stops where targets in use leave the picture as it is: then nothing was measured.
"""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from time import perf_counter_ns

import click
import numpy as np

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.gl.device.context import Context, open_headless
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.maths import affine
from ecs_anim.rigs.blob import blob_rig
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lighting, View

KINDS = ((0, 0), (4, 0), (4, 1), (4, 4), (52, 0), (52, 4))  # targets, and how many of them each actor uses


@click.command()
@click.option("--actors", default=400, show_default=True)
@click.option("--rounds", default=10, show_default=True)
@click.option("--size", nargs=2, default=(1280, 720), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(actors: int, rounds: int, size: tuple[int, int], as_json: bool) -> None:
    """Draw each kind of crowd in alternated rounds."""
    with ExitStack() as stack:
        context = stack.enter_context(open_headless())
        renderer = stack.enter_context(Renderer(context, 1))
        target = stack.enter_context(renderer.target(*size))
        crowds = [_crowd(renderer, actors, *kind) for kind in KINDS]
        pictures = [_draw(renderer, target, crowd).read_pixels() for crowd in crowds]
        if np.array_equal(pictures[0], pictures[3]) or not np.array_equal(pictures[0], pictures[1]):
            raise RuntimeError("targets in use must change the picture, and targets at rest must not")
        spent = np.array([_round(renderer, context, target, crowds) for _ in range(rounds)]) / 1e6
    names = [f"{count} targets, {used} in use" for count, used in KINDS]
    found = {
        "actors": actors,
        "renderer": context.capabilities.renderer,
        "frame_ms": dict(zip(names, np.median(spent, axis=0).round(1).tolist(), strict=True)),
        "ratio": dict(zip(names, np.median(spent / spent[:, :1], axis=0).round(3).tolist(), strict=True)),
    }
    click.echo(json.dumps(found, indent=None if as_json else 1))


def _crowd(renderer: Renderer, actors: int, target_count: int, used: int) -> CrowdDraw:
    """Blobs in a square, with the first `used` of their targets applied."""
    model = renderer.upload(tuple(_with_targets(mesh, target_count) for mesh in blob_rig().meshes))
    side = int(np.ceil(np.sqrt(actors)))
    instances = np.zeros((actors, 12), np.float32)
    instances[:, [0, 2]] = np.stack(np.divmod(np.arange(actors), side), axis=-1) - side / 2
    instances[:, [3, 7, 8, 9, 10, 11]] = 1
    weights = np.zeros((actors, target_count), np.float32)
    weights[:, :used] = np.random.default_rng(1).uniform(0.1, 0.4, (actors, used))
    return CrowdDraw(model, instances, np.tile(affine.IDENTITY, (actors, 1, 1, 1)), morph_weights=weights)


def _with_targets(mesh: Mesh, count: int) -> Mesh:
    """The mesh with its own targets, again and again until there are `count`."""
    assert mesh.morphs is not None
    if not count:
        return replace(mesh, morphs=None)
    rows = np.arange(count) % len(mesh.morphs.names)
    names = tuple(f"target_{k}" for k in range(count))
    return replace(mesh, morphs=MeshMorphs(names, mesh.morphs.positions[rows], mesh.morphs.normals[rows]))


def _round(renderer: Renderer, context: Context, target: RenderTarget, crowds: Sequence[CrowdDraw]) -> list[int]:
    """Nanoseconds of a picture of each crowd."""
    spent = []
    for crowd in crowds:
        context.finish()
        begin = perf_counter_ns()
        _draw(renderer, target, replace(crowd))  # a copy: what it remembers of its weights counts as well
        context.finish()
        spent.append(perf_counter_ns() - begin)
    return spent


def _draw(renderer: Renderer, target: RenderTarget, crowd: CrowdDraw) -> RenderTarget:
    camera = OrbitCamera(distance=1.3 * np.sqrt(crowd.actor_count), elevation=0.5)
    view, lighting = View.of(camera, target.aspect), Lighting(shadows="none")
    renderer.draw(target, view, lighting, GroundStyle(), [crowd])
    return target


if __name__ == "__main__":
    main()
