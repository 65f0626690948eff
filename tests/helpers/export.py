"""Helpers for tests of exports: positions of a world's vertices, computed by the CPU skinner."""

from collections.abc import Sequence

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.skinning import skin_dual_quaternion, skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.systems.joints import actor_matrices
from ecs_anim.systems.poses import local_poses

SCENE = """
frame_rate = 30
[rigs.people]
model = "{model}"
[[crowds]]
name = "people"
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 1.5 }}
{clips}
{more}
"""
FADES = """
[[timeline]]
at_seconds = 0.05
share = 0.5
fade_to = "run"
fade_seconds = 0.1
"""


def scene_text(clips: Sequence[str] = ("walk",), count: int = 3, more: str = "", model: str = "mannequin") -> str:
    """Return the text of a scene with one crowd."""
    named = ", ".join(f'{{ name = "{name}" }}' for name in clips)
    return SCENE.format(clips=f"clips = [{named}]" if named else "", count=count, more=more, model=model)


def skinned_vertices(world: ea.World, name: str = "people") -> dict[int, list[np.ndarray]]:
    """Return the vertices [vertex, 3] [m] of each mesh in the world, by the ids of the actors of a crowd."""
    entity, crowd = next((entity, crowd) for entity, (crowd,) in world.query(Crowd) if crowd.name == name)
    character = world.get(entity, Character)
    rows = np.arange(crowd.actor_count, dtype=np.int32)
    palette, near = world.find(entity, Palette), world.find(entity, Nearness)
    palettes, skin = ea.skin_palette(character.rig.skeleton, local_poses(world, entity)), skin_linear
    if near is not None:
        palettes[near.rows] = world.get(entity, Palette).matrices[: len(near.rows)]
    elif palette is not None and world.find(entity, Baked) is None:
        palettes, skin = palette.matrices, skin_linear if palette.method == "linear" else skin_dual_quaternion
    morphs, variants = world.find(entity, Morphs), world.get(entity, Appearance).variant
    places = actor_matrices(world, entity, rows)
    found: dict[int, list[np.ndarray]] = {}
    for row, own in enumerate(crowd.ids.tolist()):
        shapes = []
        for mesh in character.rig.level(character.level):
            if mesh.figures is not None:
                mesh = mesh.of_figure(int(variants[row]) % len(mesh.figures.positions))
            points, _ = skin(mesh, palettes[row], None if morphs is None else morphs.weights[row])
            points = points[mesh.indices] if mesh.flat else points  # a flat mesh has one normal per face
            shapes.append(points @ places[row, :, :3].T + places[row, :, 3])
        found[own] = shapes
    return found


WAYS = {  # ways to pose actors
    "clips": scene_text(("walk", "wave")),
    "fades": scene_text(("walk", "run"), more=FADES),
    "layers": scene_text(more='layers = [{ clip = "lean_left", mode = "additive", weight = 0.5 }]'),
    "baked": scene_text(more='path = "baked"\nlocomotion = {}'),
    "hybrid": scene_text(more='path = "auto"\nnear_actors = { count = 1 }\ngrounding = {}'),
    "grounding": scene_text(more="grounding = {}"),
    "bodies": scene_text((), more="body = {}\nsteering = { goal = [9, 4] }"),
    "morphs": scene_text(("hop",), model="blob", more="morphs = { smile = [0.0, 1.0] }"),
    "dual quaternions": scene_text(more='skinning = "dual_quaternion"'),
}


def come_and_go(world: ea.World) -> None:
    """After the second step, remove the first actor and add an actor."""
    people = ea.crowd(world, "people")

    def act(world: ea.World) -> None:
        if world.frame == 2:
            people.remove([0])
            people.add(1)

    world.on("stepped", act)


# Models with different materials, and one clip of each model.
MATERIALS = [pytest.param(*pair, id=pair[0]) for pair in (("flag", "wave"), ("lattice", "turn"), ("blob", "hop"))]
