"""Drawing times of a crowd whose poses the GPU computes, relative to the classic crowd shader.

Both shaders draw the same actors at the same positions and phases. Each shader draws two versions of the mesh: one
version with three separate vertices per triangle, and one version with shared vertices.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ecs_anim.assets.mesh import Mesh
from ecs_anim.components.character import Character
from ecs_anim.ecs.world import World
from ecs_anim.profiling.apart import SEEN, apart_of, share_apart
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.canvas import Stand, open_canvas
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.rigs import load_model

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
MOST_APART = 1e-3  # largest allowed share of pixels that differ between the two shaders


@contextmanager
def case(
    *,
    model: str = "mannequin",
    clips: str = "",
    actors: int = 800,
    samples: int = 1,
    shadows: str = "none",
    size: tuple[int, int] = (512, 512),
) -> Iterator[Case]:
    """Yield the benchmark with a crowd of `model` that plays `clips`, by default the first three clips of the model."""
    names = clips.split(",") if clips else list(load_model(model).clips)[:3]
    told = {
        "model": model,
        "distance": 1.3 * math.sqrt(actors),
        "actors": actors,
        "shadows": shadows,
        "clips": ", ".join(f'{{ name = "{clip}" }}' for clip in names),
    }
    with open_canvas(size, samples) as canvas:
        stands = {
            f"{way}, {mesh}": Stand(canvas, _world(told | {"shader": shader}, as_stored=mesh == "as stored"))
            for mesh in ("as stored", "shared vertices")
            for way, shader in (("classic", "classic"), ("palettes", "palette"))
        }
        apart = _apart(stands)
        require(max(apart.values()) <= MOST_APART, f"the pictures of the two shaders differ too much: {apart}")
        yield Case(
            {name: Work(stand.frame) for name, stand in stands.items()},
            facts=lambda: {
                "vertices": {name: _vertex_count(stand.world) for name, stand in stands.items()},
                "other_pixels": apart,
                **canvas.facts,
            },
        )


def unshared(mesh: Mesh) -> Mesh:
    """Return the mesh with three separate vertices for each triangle, as in files of flat-shaded characters."""
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


def _world(told: dict[str, object], *, as_stored: bool) -> World:
    world = load_scene(SCENE.format_map(told))
    if as_stored:
        for entity, (character,) in world.query(Character):
            rig = character.rig
            meshes = tuple(unshared(mesh) for mesh in rig.meshes)
            world.attach(entity, replace(character, rig=replace(rig, meshes=meshes)))
    return world


def _apart(stands: dict[str, Stand]) -> dict[str, float]:
    """For each version of the mesh, return the share of pixels that differ between the pictures of the two shaders.

    The function compares only pictures of the same mesh. With shared vertices, a triangle has the normal of one of its
    corners, so the pictures of the two meshes differ.
    """
    pictures = {name: stand.picture() for name, stand in stands.items()}
    require(all(picture.std() > 5 for picture in pictures.values()), "nothing was drawn")
    return {
        mesh: share_apart(apart_of(pictures[f"classic, {mesh}"], pictures[f"palettes, {mesh}"]), SEEN)
        for mesh in ("as stored", "shared vertices")
    }


def _vertex_count(world: World) -> int:
    return max(sum(mesh.vertex_count for mesh in character.rig.level(0)) for _, (character,) in world.query(Character))
