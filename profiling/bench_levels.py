"""`python -m ecs_anim.profiling.bench_levels`: what `level = "auto"` with `detail = {}` gains, and how far it is off.

A scene whose crowds the CPU poses runs twice, in step: with finest meshes and a pose in every step, and with levels and
held poses; with `--impostors` a third time, with those too. Skins of those who are seen are compared in some pictures,
vertex by vertex, and so are the pictures; then frames of all are timed in turn. Fails where they simulate something
else.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click
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
from ecs_anim.gl.device.context import open_headless
from ecs_anim.gl.device.pass_target import PassTarget
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
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
from ecs_anim.profiling.alternated import ratios
from ecs_anim.profiling.apart import SEEN, apart_of, save_apart, share_apart
from ecs_anim.profiling.painter import timed_frame
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile, read_scene
from ecs_anim.scenes.schema_bake import DetailModel
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.instance_rows import instance_rows
from ecs_anim.systems.posed_impostors import pictured_clips
from ecs_anim.systems.queries import stage_of, who_is_there
from ecs_anim.view.cull_view import CullView
from ecs_anim.view.style import View

SOME = 40  # actors of a crowd, at most, whose skins are compared in a picture
QUANTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "most": 1.0}

Errors = NDArray[np.float64]
Palettes = NDArray[np.float32]


@click.command()
@click.argument("scene", default="plaza")
@click.option("--actors", type=int, help="Default: the scene's.")
@click.option("--frames", default=600, show_default=True, help="Steps until the last picture.")
@click.option("--pictures", default=6, show_default=True, help="Whose skins are compared.")
@click.option("--rounds", default=9, show_default=True, help="Frames of each that are timed.")
@click.option("--samples", default=4, show_default=True, help="Of a pixel.")
@click.option("--size", nargs=2, default=(1280, 720), show_default=True)
@click.option("--impostors", is_flag=True, help="Those who are a few pixels high are pictures.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="PNG: finest, with levels (and impostors), and their difference."
)
def main(
    scene: str,
    actors: int | None,
    frames: int,
    pictures: int,
    rounds: int,
    samples: int,
    size: tuple[int, int],
    impostors: bool,
    out: Path | None,
) -> None:
    """Compare them."""
    file = read_scene(scene)
    with ExitStack() as stack:
        ways = [posed(file, with_levels=False), posed(file, with_levels=True)]
        if impostors:
            ways.append(posed(file, with_levels=True, impostors=True))
        worlds = [stack.enter_context(load_scene(way, actors=actors)) for way in ways]
        errors, shares = _skins(worlds, frames, pictures, size)
        context = stack.enter_context(open_headless())
        renderer = stack.enter_context(Renderer(context, samples))
        target = stack.enter_context(renderer.target(*size))
        stands = [(world, DrawWorld(renderer)) for world in worlds]
        shown = [_picture(*stand, target) for stand in stands]
        people = _people(*stands[0], stack.enter_context(renderer.pass_target(*size)))
        spent = np.array([[timed_frame(*stand, target, context) for stand in stands] for _ in range(rounds)])
    aparts = [apart_of(shown[0], other) for other in shown[1:]]
    if out:
        save_apart(out, shown[0], shown[-1])
    found = {
        "scene": scene,
        "size": size,
        "samples": samples,
        **shares,
        "pixels_off": _quantiles(errors["all"]),
        "other_pixels": share_apart(aparts[-1]),
        "other_pixels_of_people": [
            round(float((apart > SEEN)[people].sum() / max(people.sum(), 1)), 4) for apart in aparts
        ],
        "frame_ms": np.median(spent, axis=0).round(1).tolist(),
        "of_finest": ratios(spent[:, -1], spent[:, 0]),
    }
    if impostors:
        found |= {"pictured_off": _quantiles(errors["pictured"]), "of_levels": ratios(spent[:, 2], spent[:, 1])}
    click.echo(json.dumps(found, indent=1))


def posed(file: SceneFile, *, with_levels: bool, impostors: bool = False) -> SceneFile:
    """The scene with all crowds posed by the CPU, with levels and held poses or without; impostors are of levels."""
    crowds = []
    for crowd in file.model.crowds:
        level = "auto" if with_levels and crowd.skinning == "linear" else 0
        keys = {"path": "pose", "bake": None, "near": None, "level": level}
        waits = crowd.blend != "inertial"  # which needs every step's pose
        detail = DetailModel(update_rates=waits, impostors=impostors and level == "auto") if with_levels else None
        crowds.append(crowd.model_copy(update=keys | {"detail": detail}))
    return replace(file, model=file.model.model_copy(update={"crowds": crowds}))


def _skins(
    worlds: Sequence[World], frames: int, pictures: int, size: tuple[int, int]
) -> tuple[dict[str, Errors], dict[str, float]]:
    """Errors [vertex] [pixel] of the last world's skins in so many moments of a run, of all and of those pictured.

    And of actors, how many are drawn coarser, wait, and are pictured.
    """
    errors: dict[str, list[Errors]] = {"all": [np.zeros(0)], "pictured": [np.zeros(0)]}
    counts = np.zeros(4, np.int64)
    sheets: dict[Rig, PosedImpostors | None] = {}
    for number in range(pictures):
        for _ in range(frames * (number + 1) // pictures - frames * number // pictures):
            for world in worlds:
                world.step(1 / stage_of(world).frame_rate)
        for parts, actors in _errors(worlds[0], worlds[-1], size, sheets):
            for is_pictured, part in parts:
                errors["all"].append(part)
                if is_pictured:
                    errors["pictured"].append(part)
            counts += actors
    seen, *others = counts.tolist()
    if not seen:
        raise click.ClickException("nobody whose mesh has levels is seen; choose another scene, or more --frames")
    shares = {
        name: round(count / seen, 3) for name, count in zip(("coarser", "waiting", "pictured"), others, strict=True)
    }
    return {name: np.concatenate(parts) for name, parts in errors.items()}, {"seen_actors": seen, **shares}


def _errors(
    finest: World, levelled: World, size: tuple[int, int], sheets: dict[Rig, PosedImpostors | None]
) -> Iterator[tuple[list[tuple[bool, Errors]], tuple[int, int, int, int]]]:
    """Of each crowd with levels, errors of some actors, and whether they are pictured.

    And how many are seen, are coarser, wait, and are pictured. Pictures are off by their pose, as if taken from where
    they are seen.
    """
    stage = stage_of(levelled)
    view = CullView.of(View.of(stage.camera, size[0] / size[1]).view_projection, size[1])
    for entity, row in levelled.query(Character, Transforms, Palette, Appearance, Detail):
        character, transforms, palette, appearance, detail = row
        instances = instance_rows(transforms, appearance)
        exact = finest.get(entity, Palette).matrices
        if not np.array_equal(finest.get(entity, Transforms).translation, transforms.translation):
            raise RuntimeError("with levels people walk elsewhere; they must be shown otherwise, and do the same")
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
        pixels = transforms.scale[some] * view.pixels / ahead  # of a rig's unit
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
    """As drawing has it."""
    if rig not in sheets:
        sheets[rig] = plan_posed_impostors(rig, pictured_clips(world, rig), most_rows(CELL, MEMORY))
    found = sheets[rig]
    assert found is not None, why_unpictured(rig)
    return found


def _as_pictured(palettes: Palettes, who: Pictured, sheet: PosedImpostors) -> Palettes:
    """The palettes of all, those of whoever is pictured as the picture shows them."""
    shown = palettes.copy()
    shown[who.rows] = sheet.impostors.clips[0].palettes[who.poses]
    shown[who.rows, :, :, 3] += who.shifts[:, None]
    return shown


def _people(world: World, drawing: DrawWorld, target: PassTarget) -> NDArray[np.bool_]:
    """Which pixels [height, width] show people."""
    drawing.draw_passes(world, target)
    return np.asarray(target.read().ids > 0)


def _quantiles(errors: Errors) -> dict[str, float]:
    return {name: round(float(np.quantile(errors, at)), 3) for name, at in QUANTILES.items()} if len(errors) else {}


def _shaped(meshes: Sequence[Mesh], variant: int) -> tuple[Mesh, ...]:
    """Meshes as an actor's figure has them."""
    return tuple(
        mesh if mesh.figures is None else mesh.of_figure(variant % len(mesh.figures.positions)) for mesh in meshes
    )


def _picture(world: World, drawing: DrawWorld, target: RenderTarget) -> NDArray[np.uint8]:
    drawing.draw(world, target)
    return target.read_pixels()


if __name__ == "__main__":
    main()
