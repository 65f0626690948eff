"""`python -m ecs_anim.profiling.bench_levels`: what `level = "auto"` with `detail = {}` gains, and how far it is off.

A scene whose crowds the CPU poses runs twice, in step: with finest meshes and a pose in every step, and with levels and
held poses. Skins of those who are seen are compared in some pictures, vertex by vertex, and so are the pictures; then
frames of both are timed in turn. Fails where the two simulate something else.
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
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Detail
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.components.update_rates import UpdateRates
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import open_headless
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.levels.error import Comparison
from ecs_anim.levels.posed import PosedLevels, choose
from ecs_anim.profiling.alternated import ratios
from ecs_anim.profiling.painter import timed_frame
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile, read_scene
from ecs_anim.scenes.schema_bake import DetailModel
from ecs_anim.support.pictures import save_png
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.instance_rows import instance_rows
from ecs_anim.systems.queries import stage_of, who_is_there
from ecs_anim.view.cull_view import CullView
from ecs_anim.view.style import View

SOME = 40  # actors of a crowd, at most, whose skins are compared in a picture
SEEN = 8  # of 255: a pixel that differs by more is another one
QUANTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "most": 1.0}
LOUDER = 4  # times, the difference in the picture of it

Errors = NDArray[np.float64]


@click.command()
@click.argument("scene", default="plaza")
@click.option("--actors", type=int, help="Default: the scene's.")
@click.option("--frames", default=600, show_default=True, help="Steps until the last picture.")
@click.option("--pictures", default=6, show_default=True, help="Whose skins are compared.")
@click.option("--rounds", default=9, show_default=True, help="Frames of each that are timed.")
@click.option("--samples", default=4, show_default=True, help="Of a pixel.")
@click.option("--size", nargs=2, default=(1280, 720), show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="PNG: finest, with levels, and their difference.")
def main(
    scene: str,
    actors: int | None,
    frames: int,
    pictures: int,
    rounds: int,
    samples: int,
    size: tuple[int, int],
    out: Path | None,
) -> None:
    """Compare both."""
    file = read_scene(scene)
    with ExitStack() as stack:
        finest = stack.enter_context(load_scene(posed(file, with_levels=False), actors=actors))
        levelled = stack.enter_context(load_scene(posed(file, with_levels=True), actors=actors))
        errors, shares = _skins(finest, levelled, frames, pictures, size)
        context = stack.enter_context(open_headless())
        renderer = stack.enter_context(Renderer(context, samples))
        target = stack.enter_context(renderer.target(*size))
        stands = [(world, DrawWorld(renderer)) for world in (finest, levelled)]
        shown = [_picture(*stand, target) for stand in stands]
        spent = np.array([[timed_frame(*stand, target, context) for stand in stands] for _ in range(rounds)])
    apart = np.abs(shown[0].astype(np.int16) - shown[1]).max(axis=-1)
    if out:
        save_png(
            out, np.concatenate([*shown, np.minimum(LOUDER * apart, 255).astype(np.uint8)[..., None].repeat(3, -1)])
        )
    found = {
        "scene": scene,
        "size": size,
        "samples": samples,
        **shares,
        "pixels_off": {name: round(float(np.quantile(errors, at)), 3) for name, at in QUANTILES.items()},
        "other_pixels": round(float((apart > SEEN).mean()), 5),
        "frame_ms": np.median(spent, axis=0).round(1).tolist(),
        "of_finest": ratios(spent[:, 1], spent[:, 0]),
    }
    click.echo(json.dumps(found, indent=1))


def posed(file: SceneFile, *, with_levels: bool) -> SceneFile:
    """The scene with all crowds posed by the CPU, with levels and held poses or without."""
    crowds = []
    for crowd in file.model.crowds:
        level = "auto" if with_levels and crowd.skinning == "linear" else 0
        keys = {"path": "pose", "bake": None, "near": None, "level": level}
        detail = DetailModel() if with_levels and crowd.blend != "inertial" else None  # which needs every step's pose
        crowds.append(crowd.model_copy(update=keys | {"detail": detail}))
    return replace(file, model=file.model.model_copy(update={"crowds": crowds}))


def _skins(
    finest: World, levelled: World, frames: int, pictures: int, size: tuple[int, int]
) -> tuple[Errors, dict[str, float]]:
    """Errors [vertex] [pixel] of skins in so many moments of a run; of actors, how many are drawn coarser and wait."""
    errors, counts = [np.zeros(0)], np.zeros(3, np.int64)
    for number in range(pictures):
        for _ in range(frames * (number + 1) // pictures - frames * number // pictures):
            finest.step(1 / stage_of(finest).frame_rate)
            levelled.step(1 / stage_of(levelled).frame_rate)
        for parts, actors in _errors(finest, levelled, size):
            errors += parts
            counts += actors
    seen, coarser, waiting = counts.tolist()
    if not seen:
        raise click.ClickException("nobody whose mesh has levels is seen; choose another scene, or more --frames")
    shares = {"seen_actors": seen, "coarser": round(coarser / seen, 3), "waiting": round(waiting / seen, 3)}
    return np.concatenate(errors), shares


def _errors(
    finest: World, levelled: World, size: tuple[int, int]
) -> Iterator[tuple[list[Errors], tuple[int, int, int]]]:
    """Of each crowd with levels, errors of some actors; how many are seen, are coarser, and wait."""
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
        rates = levelled.find(entity, UpdateRates)
        seen = np.intersect1d(np.concatenate(chosen.seen), np.flatnonzero(who_is_there(levelled, entity)))
        waiting = 0 if rates is None else int(rates.waits[seen].sum())
        some = seen[:: -(-len(seen) // SOME) or 1]
        ahead = np.maximum(bounds[some, :3] @ view.planes[-1, :3] + view.planes[-1, 3], 1e-3)
        pixels = transforms.scale[some] * view.pixels / ahead  # of a rig's unit
        figures = np.zeros(len(some), np.intp) if appearance.variant is None else appearance.variant[some]
        parts = []
        for level, figure in sorted(set(zip(chosen.levels[some].tolist(), figures.tolist(), strict=True))):
            mine = (chosen.levels[some] == level) & (figures == figure)
            fine, coarse = (_shaped(character.rig.level(number), figure) for number in (0, level))
            comparison = Comparison(fine, coarse, exact[some[mine]])
            for away in comparison.distances(coarse, palette.matrices[some[mine]]):
                parts.append((away * pixels[mine, None]).ravel())
        yield parts, (len(seen), int((chosen.levels[seen] > 0).sum()), waiting)


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
