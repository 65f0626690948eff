"""Errors of levels of detail, held poses and impostors in screen pixels, for crowds whose poses the CPU computes.

Two worlds run the same scene. The first world uses the finest meshes and a new pose in each time step. The second world
uses levels of detail and held poses. In some frames, the module compares the skinned vertices of some visible actors in
both worlds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Detail
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.components.update_rates import UpdateRates
from ecs_anim.ecs.world import World
from ecs_anim.levels.error import Comparison
from ecs_anim.levels.impostors import most_rows
from ecs_anim.levels.posed import PosedLevels, choose
from ecs_anim.levels.posed_impostors import (
    CELL,
    MEMORY,
    Pictured,
    PosedImpostors,
    picture_far,
    plan_posed_impostors,
    why_unpictured,
)
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.schema_bake import DetailModel
from ecs_anim.support.errors import InputError
from ecs_anim.systems.instance_rows import instance_rows
from ecs_anim.systems.posed_impostors import pictured_clips
from ecs_anim.systems.queries import stage_of, who_is_there
from ecs_anim.view.cull_view import CullView
from ecs_anim.view.style import View

SOME = 40  # largest number of compared actors per crowd and frame
QUANTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "most": 1.0}

Errors = NDArray[np.float64]
Palettes = NDArray[np.float32]


def posed(file: SceneFile, *, with_levels: bool, impostors: bool = False) -> SceneFile:
    """Return a copy of the scene in which the CPU computes the poses of all crowds.

    If `with_levels` is true, all crowds get levels of detail and held poses. If `impostors` is also true, these crowds
    also get impostors.
    """
    crowds = []
    for crowd in file.model.crowds:
        level = "auto" if with_levels and crowd.skinning == "linear" else 0
        keys = {"path": "pose", "bake": None, "near_actors": None, "level": level}
        waits = crowd.blend != "inertial"  # inertial blending needs a new pose in each time step
        detail = DetailModel(update_rates=waits, impostors=impostors and level == "auto") if with_levels else None
        crowds.append(crowd.model_copy(update=keys | {"detail": detail}))
    return replace(file, model=file.model.model_copy(update={"crowds": crowds}))


def measure_skins(worlds: Sequence[World], frames: int, pictures: int, size: tuple[int, int]) -> dict[str, Any]:
    """Advance all worlds by `frames` time steps. At `pictures` of these frames, compare the last and the first world.

    Return quantiles of the vertex errors [pixel] of all actors and of impostors. Also return the shares of visible
    actors with a coarser mesh, with a held pose, and with an impostor. Raises InputError if no actor with levels is
    visible.
    """
    # errors, by whether the actor is an impostor
    errors: dict[bool, list[Errors]] = {False: [np.zeros(0)], True: [np.zeros(0)]}
    counts = np.zeros(4, np.int64)
    sheets: dict[Rig, PosedImpostors | None] = {}
    for number in range(pictures):
        for _ in range(frames * (number + 1) // pictures - frames * number // pictures):
            for world in worlds:
                world.step(1 / stage_of(world).frame_rate)
        for parts, actors in _errors(worlds[0], worlds[-1], size, sheets):
            for is_pictured, part in parts:
                errors[is_pictured].append(part)
            counts += actors
    seen, *others = counts.tolist()
    if not seen:
        raise InputError(
            "at least one visible actor must have a mesh with detail levels. Choose another scene, or raise --frames."
        )
    shares = zip(("coarser", "waiting", "pictured"), others, strict=True)
    return {
        "seen_actors": seen,
        **{name: round(count / seen, 3) for name, count in shares},
        "pixels_off": _quantiles(np.concatenate(errors[False] + errors[True])),
        "pictured_off": _quantiles(np.concatenate(errors[True])),
    }


def _errors(
    finest: World, levelled: World, size: tuple[int, int], sheets: dict[Rig, PosedImpostors | None]
) -> Iterator[tuple[list[tuple[bool, Errors]], tuple[int, int, int, int]]]:
    """For each crowd with levels of detail, yield the errors [pixel] of some of its actors.

    A flag with the errors of each actor states whether the actor is an impostor.

    Also yield the numbers of all visible actors, of actors with a coarser mesh, of actors with a held pose, and of
    impostors. The error of an impostor is the error of the pose in its picture.
    """
    stage = stage_of(levelled)
    view = CullView.of(View.of(stage.camera, size[0] / size[1]).view_projection, size[1])
    for entity, row in levelled.query(Character, Transforms, Palette, Appearance, Detail):
        character, transforms, palette, appearance, detail = row
        instances = instance_rows(transforms, appearance)
        exact = finest.get(entity, Palette).matrices
        if not np.array_equal(finest.get(entity, Transforms).translation, transforms.translation):
            raise RuntimeError("levels of detail must not change the motion of actors (got other positions)")
        levels = PosedLevels.of(character.rig)
        bounds = levels.bounds(instances, palette.matrices)
        chosen = choose(levels, bounds, transforms.scale, view, detail.pixel_error)
        all_seen, shown = np.concatenate(chosen.seen), palette.matrices
        pictured, drawn = 0, {number: number for number in range(len(levels.errors))}
        if detail.impostors:
            sheet = _sheet(levelled, character.rig, sheets)
            chosen, who = picture_far(chosen, sheet, shown, None)
            shown = _as_pictured(shown, who, sheet)
            drawn[len(levels.errors)] = sheet.impostors.level
            pictured = len(np.intersect1d(who.rows, np.flatnonzero(who_is_there(levelled, entity))))
        rates = levelled.find(entity, UpdateRates)
        seen = np.intersect1d(all_seen, np.flatnonzero(who_is_there(levelled, entity)))
        waiting = 0 if rates is None else int(rates.waits[seen].sum())
        some = seen[:: -(-len(seen) // SOME) or 1]
        ahead = np.maximum(bounds[some, :3] @ view.planes[-1, :3] + view.planes[-1, 3], 1e-3)
        pixels = transforms.scale[some] * view.pixels / ahead  # number of pixels per rig unit
        figures = np.zeros(len(some), np.intp) if appearance.variant is None else appearance.variant[some]
        parts = []
        for level, figure in sorted(set(zip(chosen.levels[some].tolist(), figures.tolist(), strict=True))):
            mine = (chosen.levels[some] == level) & (figures == figure)
            fine, coarse = (_shaped(character.rig.level(number), figure) for number in (0, drawn[level]))
            comparison = Comparison(fine, coarse, exact[some[mine]])
            for away in comparison.distances(coarse, shown[some[mine]]):
                parts.append((level == len(levels.errors), (away * pixels[mine, None]).ravel()))
        yield parts, (len(seen), int((chosen.levels[seen] > 0).sum()), waiting, pictured)


def _sheet(world: World, rig: Rig, sheets: dict[Rig, PosedImpostors | None]) -> PosedImpostors:
    """Return the impostors of the crowd with the rig `rig`, prepared as for drawing."""
    if rig not in sheets:
        sheets[rig] = plan_posed_impostors(rig, pictured_clips(world, rig), most_rows(CELL, MEMORY))
    found = sheets[rig]
    assert found is not None, why_unpictured(rig)
    return found


def _as_pictured(palettes: Palettes, who: Pictured, sheet: PosedImpostors) -> Palettes:
    """Return the palettes of all actors. An impostor gets the palette of the pose that its picture shows."""
    shown = palettes.copy()
    shown[who.rows] = sheet.impostors.clips[0].palettes[who.poses]
    shown[who.rows, :, :, 3] += who.shifts[:, None]
    return shown


def _quantiles(errors: Errors) -> dict[str, float]:
    return {name: round(float(np.quantile(errors, at)), 3) for name, at in QUANTILES.items()} if len(errors) else {}


def _shaped(meshes: Sequence[Mesh], variant: int) -> tuple[Mesh, ...]:
    """Return the meshes with the body shape of the figure `variant`."""
    return tuple(
        mesh if mesh.figures is None else mesh.of_figure(variant % len(mesh.figures.positions)) for mesh in meshes
    )
