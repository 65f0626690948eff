"""Appearance of actors for labels: figure, outfit, tint, height and age."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.transforms import Transforms
from ecs_anim.dataset.rounding import METRE_DIGITS, rounded
from ecs_anim.ecs.world import World
from ecs_anim.maths.color import linear_to_hex
from ecs_anim.support.owner_cache import cached_by_owner

Rows = NDArray[np.int32]


def look_facts(world: World, entity: int, rows: Rows) -> dict[str, list[Any]]:
    """Return the looks of the actors in `rows` [n], such as figures, outfits and ages: a list [n] for each field."""
    rig, look = world.get(entity, Character).rig, world.find(entity, Appearance)
    figures, outfits = figures_of(world, entity, rows), _outfits(world, entity, rows)
    names, ages = [own.name for own in rig.figures], [own.age for own in rig.figures]
    builds, tones = [own.build for own in rig.figures], [own.skin_tones for own in rig.figures]
    heights = rest_heights(rig)[np.maximum(figures, 0)] * world.get(entity, Transforms).scale[rows]
    return {
        "figure": [names[number] if number >= 0 else None for number in figures.tolist()],
        "outfit": [number if number >= 0 else None for number in outfits.tolist()],
        "tint": [None] * len(rows) if look is None else [linear_to_hex(tint) for tint in look.tint[rows, :3]],
        "height": rounded(heights, METRE_DIGITS),
        "age": [ages[number] if number >= 0 else None for number in figures.tolist()],
        "build": [builds[number] if number >= 0 else None for number in figures.tolist()],
        "skin_tone": [
            tones[number][max(outfit, 0)] if number >= 0 and tones[number] else None
            for number, outfit in zip(figures.tolist(), outfits.tolist(), strict=True)
        ],
    }


def figures_of(world: World, entity: int, rows: Rows) -> NDArray[np.intp]:
    """Return the index of each actor's figure, [n]. -1 = the rig of the crowd has no figures."""
    rig, look = world.get(entity, Character).rig, world.find(entity, Appearance)
    if not rig.figures:
        return np.full(len(rows), -1)
    if look is None or look.variant is None:
        return np.zeros(len(rows), np.intp)
    return look.variant[rows].astype(np.intp) % len(rig.figures)


def _outfits(world: World, entity: int, rows: Rows) -> NDArray[np.intp]:
    """Return the index of each actor's outfit among the outfits of its figure, [n]. -1 = the crowd has no variants."""
    rig, look = world.get(entity, Character).rig, world.find(entity, Appearance)
    if look is None or look.variant is None:
        return np.full(len(rows), -1)
    return look.variant[rows].astype(np.intp) // max(len(rig.figures), 1)


@cached_by_owner
def figure_meshes(rig: Rig, figure: int) -> tuple[Mesh, ...]:
    """Return the finest meshes of a rig with the vertex positions of a figure. If `figure` is -1, the meshes of the
    rig do not change.
    """
    return tuple(
        mesh if mesh.figures is None or figure < 0 else _shaped(mesh, mesh.figures.positions[figure])
        for mesh in rig.level(0)
    )


def _shaped(mesh: Mesh, offsets: NDArray[np.float32]) -> Mesh:
    return replace(mesh, positions=mesh.positions + offsets, figures=None)


@cached_by_owner
def rest_heights(rig: Rig) -> NDArray[np.float64]:
    """Return the height of each figure in the rest pose, [figure] [rig units]. A rig without figures has one height.

    A rig without meshes has the height 0.
    """
    palette = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    found = []
    for figure in range(len(rig.figures)) if rig.figures else (-1,):
        shapes = [skin_linear(mesh, palette, rig.morph_targets.defaults)[0] for mesh in figure_meshes(rig, figure)]
        heights = np.concatenate([points[:, 1] for points in shapes]) if shapes else np.zeros(1)
        found.append(float(np.ptp(heights)))
    return np.array(found)
