"""`python -m ecs_anim.profiling.bench_crowd_shaders MODEL`: a baked crowd against the classic crowd shader.

One crowd, the same places and moments, drawn in turn: by the classic shader and by palettes once an actor, with the
mesh as stored (each triangle with vertices of its own), and with the mesh as the loader shares its vertices.
Medians, and medians of the ratios within a round. Stops where the pictures differ: then nothing was compared.
"""

import json
import math
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.components.character import Character
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import open_headless
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.profiling.apart import SEEN
from ecs_anim.profiling.painter import timed_frame
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.rigs import load_model
from ecs_anim.systems.drawing import DrawWorld

CLASSIC, STORED = "classic, as stored", "palettes, as stored"
CLASSIC_SHARED, SHARED = "classic, shared vertices", "palettes, shared vertices"
SCENE = """
[rigs.one]
model = "{model}"
height = 1.8
[camera]
target = [0.0, 0.5, 0.0]
distance = {distance}
elevation_degrees = 35.0
[light]
shadows = "{shadows}"
[[crowds]]
rig = "one"
count = {actors}
path = "baked"
bake = {{ space = "model", shader = "{shader}" }}
layout = {{ kind = "grid", spacing = 1.1 }}
heading_degrees = "random"
clips = [{clips}]
"""


@click.command()
@click.argument("model", default="mannequin")
@click.option("--clips", help="A,B: those to play; default: the first three.")
@click.option("--actors", default=800, show_default=True)
@click.option("--rounds", default=15, show_default=True)
@click.option("--samples", default=1, show_default=True, help="Of a pixel.")
@click.option("--shadows", default="none", show_default=True, type=click.Choice(["none", "contact", "map"]))
@click.option("--size", nargs=2, default=(512, 512), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(
    model: str,
    clips: str | None,
    actors: int,
    rounds: int,
    samples: int,
    shadows: str,
    size: tuple[int, int],
    as_json: bool,
) -> None:
    """Draw MODEL's crowd by each in alternated rounds."""
    rig = load_model(model)
    names = clips.split(",") if clips else list(rig.clips)[:3]
    with ExitStack() as stack:
        context = stack.enter_context(open_headless())
        renderer = stack.enter_context(Renderer(context, samples))
        target = stack.enter_context(renderer.target(*size))
        worlds = {
            CLASSIC: _world(model, names, actors, "classic", shadows, as_stored=True),
            STORED: _world(model, names, actors, "palette", shadows, as_stored=True),
            CLASSIC_SHARED: _world(model, names, actors, "classic", shadows, as_stored=False),
            SHARED: _world(model, names, actors, "palette", shadows, as_stored=False),
        }
        stands = [(stack.enter_context(world), DrawWorld(renderer)) for world in worlds.values()]
        apart = _require_same(stands, target)
        spent = np.array([[timed_frame(*stand, target, context) for stand in stands] for _ in range(rounds)])
        found = {
            "model": Path(model).name,
            "actors": actors,
            "size": size,
            "samples": samples,
            "shadows": shadows,
            "renderer": context.capabilities.renderer,
            "vertices": dict(zip(worlds, [_vertex_count(world) for world, _ in stands], strict=True)),
            "frame_ms": dict(zip(worlds, np.median(spent, axis=0).round(1).tolist(), strict=True)),
            "ratio": dict(zip(worlds, np.median(spent / spent[:, :1], axis=0).round(3).tolist(), strict=True)),
            "other_pixels": dict(zip(worlds, apart, strict=True)),
        }
    click.echo(json.dumps(found, indent=None if as_json else 1))


def unshared(mesh: Mesh) -> Mesh:
    """Each triangle with three vertices of its own, as flat-shaded characters are stored."""
    corners = mesh.indices.astype(np.int64)
    normals = mesh.normals[corners[2::3].repeat(3)] if mesh.flat else mesh.normals[corners]
    return replace(
        mesh,
        positions=mesh.positions[corners],
        normals=normals,
        uvs=mesh.uvs[corners],
        colors=None if mesh.colors is None else mesh.colors[corners],
        palette_indices=mesh.palette_indices[corners],
        weights=mesh.weights[corners],
        indices=np.arange(len(corners), dtype=np.uint32),
        flat=False,
    )


def _world(model: str, clips: list[str], actors: int, shader: str, shadows: str, *, as_stored: bool) -> World:
    text = SCENE.format(
        model=model,
        distance=1.3 * math.sqrt(actors),
        actors=actors,
        shader=shader,
        shadows=shadows,
        clips=", ".join(f'{{ name = "{clip}" }}' for clip in clips),
    )
    world = load_scene(parse_scene(text, "bench_crowd_shaders", Path.cwd()))
    if as_stored:
        for entity, (character,) in world.query(Character):
            rig: Rig = character.rig
            meshes = tuple(unshared(mesh) for mesh in rig.meshes)
            world.attach(entity, replace(character, rig=replace(rig, meshes=meshes)))
    return world


def _require_same(stands: list[tuple[World, DrawWorld]], target: RenderTarget) -> list[float]:
    """Share of pixels that are not the classic shader's with the same mesh; RuntimeError for more than a thousandth.

    A face's normal follows one of its corners where vertices are shared, each corner's own where they are not.
    """
    pictures: list[NDArray[np.int16]] = []
    for world, drawing in stands:
        drawing.draw(world, target)
        pictures.append(target.read_pixels().astype(np.int16))
    if pictures[0].std() < 5:
        raise RuntimeError("nothing was drawn")
    pairs = zip(pictures, (pictures[0], pictures[0], pictures[2], pictures[2]), strict=True)
    apart = [float((np.abs(picture - classic).max(axis=-1) > SEEN).mean()) for picture, classic in pairs]
    if max(apart) > 1e-3:
        raise RuntimeError(f"the pictures are not the same: {apart}")
    return [round(share, 6) for share in apart]


def _vertex_count(world: World) -> int:
    return max(sum(mesh.vertex_count for mesh in character.rig.level(0)) for _, (character,) in world.query(Character))


if __name__ == "__main__":
    main()
