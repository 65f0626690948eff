"""`python -m ecs_anim.profiling.bench_rates`: what it gains and loses to pose actors less often.

A crowd with a turn for everybody in each step, in every second and in every fourth, alternated; nanoseconds an actor
and step of the stages that make poses. *Interpolating* is what it would cost besides to move each palette on towards
the next: numpy, in the cache. *Behind* is how far vertices then are off, held and interpolated, as the 99th of a
hundred and the most, in thousandths of the body's size; *pixels* the same of a figure so small that it may have that
rate. Last, whole steps of a scene without and with `detail = {}`.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import blend_linear
from ecs_anim.bake.measure import character_size
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.components.turns import Turns
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine
from ecs_anim.profiling.bench_pose import DT, MIXED, POSING, SCENE, WARMUP
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile, parse_scene, read_scene
from ecs_anim.scenes.schema_bake import DetailModel
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.support.timings import Timings
from ecs_anim.systems.queries import actor_count, palettes_of
from ecs_anim.view.cull_view import PIXEL_ERROR, half_rate_size

RATES = (1, 2, 4)
WATCHED, FRAMES = 8, 64  # actors and frames of which the error is measured
TOGETHER = 64  # palettes that are moved on at once

Array = NDArray[np.float32]


class EveryFew:
    """Gives each actor a turn in every so many steps, wherever the camera is."""

    name = "every_few"

    def __init__(self, rate: int) -> None:
        self.rate = rate

    def run(self, world: World, dt: float) -> None:
        """Write `Turns.waits`."""
        for _, (turns,) in world.query(Turns):
            frames = np.arange(len(turns.waits)) + world.frame
            turns.waits[:] = (frames % self.rate != 0) & (dt > 0)


def crowd_of(model: str, clips: str, actors: int, threads: int, rate: int) -> World:
    """The crowd of bench_pose, with turns."""
    plays = "detail = {}" + MIXED.format(*clips.split(","))
    scene = parse_scene(SCENE.format(model=model, actors=actors, plays=plays), "bench_rates", Path())
    return load_scene(scene, threads=threads, systems=[(EveryFew(rate), "after", "turns")])


def posing_ns(world: World) -> float:
    """One step's time for poses, an actor."""
    timings = Timings()
    world.step(DT, timings)
    return sum(spent for name, spent in timings.wall_ns.items() if name in POSING) / actor_count(world)


def whole_ns(world: World) -> float:
    """One step's time, an actor."""
    begin = perf_counter_ns()
    world.step(DT)
    return (perf_counter_ns() - begin) / actor_count(world)


class Interpolation:
    """Palettes that are moved on towards others."""

    def __init__(self, world: World) -> None:
        ((self._entity, _),) = world.query(Palette)
        self._shown = palettes_of(world, self._entity).copy()
        self._step = np.empty_like(self._shown[:TOGETHER])

    def ns(self, world: World) -> float:
        """The time for all palettes, an actor."""
        goals = palettes_of(world, self._entity)
        begin = perf_counter_ns()
        for first in range(0, len(goals), TOGETHER):
            goal, shown = goals[first : first + TOGETHER], self._shown[first : first + TOGETHER]
            step = np.subtract(goal, shown, out=self._step[: len(goal)])
            step *= np.float32(0.5)
            shown += step
        return (perf_counter_ns() - begin) / len(goals)


def vertices_of(world: World) -> Array:
    """Of the coarsest mesh in each of some frames [frame, actor, vertex, 3], in body sizes."""
    ((entity, (character, _)),) = world.query(Character, Palette)
    rig, frames = character.rig, []
    mesh = rig.level(rig.level_count - 1)[0]
    for _ in range(FRAMES):
        world.step(DT)
        frames.append(affine.transform_points(blend_linear(mesh, palettes_of(world, entity)), mesh.positions))
    return np.stack(frames) / np.float32(character_size(rig))


def held(vertices: Array, rate: int) -> Array:
    """How far vertices are off in the steps in which they stay [n]."""
    return np.concatenate([_apart(vertices[age:], vertices[:-age]) for age in range(1, rate)])


def interpolated(vertices: Array, rate: int) -> Array:
    """How far they are off half-way between poses that are made [n]."""
    first, last = vertices[:-rate], vertices[rate:]
    between = [(part, first + (last - first) * np.float32(part / rate)) for part in range(1, rate)]
    return np.concatenate([_apart(mixed, vertices[part : part - rate]) for part, mixed in between])


def _apart(a: Array, b: Array) -> Array:
    return np.linalg.norm(a - b, axis=-1).ravel()


def errors(vertices: Array, rate: int) -> dict[str, Any]:
    """Thousandths of the body's size, and pixels at the size below which the rate is used."""
    pixels = half_rate_size(PIXEL_ERROR, DT) / (rate - 1)
    told = {}
    for name, found in (("held", held(vertices, rate)), ("interpolated", interpolated(vertices, rate))):
        high, most = np.percentile(found, 99), found.max()
        told[name] = {
            "thousandths": [round(1000 * float(e), 2) for e in (high, most)],
            "pixels": [round(pixels * float(e), 3) for e in (high, most)],
        }
    return {"below_pixels": round(pixels, 1)} | told


def with_turns(scene: SceneFile) -> SceneFile:
    """The same scene, whose far actors are posed less often."""
    crowds = [crowd.model_copy(update={"detail": DetailModel()}) for crowd in scene.model.crowds]
    return replace(scene, model=scene.model.model_copy(update={"crowds": crowds}))


@click.command()
@click.option("--model", default="mannequin", show_default=True, help="A glTF file, or a rig that is built in.")
@click.option("--clips", default="walk,run", show_default=True, metavar="A,B")
@click.option("--scene", default="plaza", show_default=True, help="One whose crowds the CPU poses.")
@click.option("--actors", default=10_000, show_default=True)
@click.option("--threads", default=1, show_default=True)
@click.option("--frames", default=40, show_default=True)
def main(model: str, clips: str, scene: str, actors: int, threads: int, frames: int) -> None:
    """Time and error of rates 1, 2 and 4; time of a scene with and without them."""
    crowds = [crowd_of(model, clips, actors, threads, rate) for rate in RATES]
    moved, file = Interpolation(crowds[0]), read_scene(scene)
    scenes = [load_scene(own, actors=actors, threads=threads) for own in (file, with_turns(file))]
    ways: dict[str, Callable[[], float]] = {
        **{f"rate {rate}": partial(posing_ns, world) for rate, world in zip(RATES, crowds, strict=True)},
        "interpolating": partial(moved.ns, crowds[0]),
        **{name: partial(whole_ns, world) for name, world in zip((scene, f"{scene}, rates"), scenes, strict=True)},
    }
    rounds = [[way() for way in ways.values()] for _ in frames_with_progress(WARMUP + frames, "measuring")]
    spent = np.array(rounds[WARMUP:])
    for world in (*crowds, *scenes):
        world.close()
    with crowd_of(model, clips, WATCHED, 1, 1) as watched:
        vertices = vertices_of(watched)
    told = {
        "actors": actors,
        "threads": threads,
        "ns_per_actor": dict(zip(ways, np.median(spent, axis=0).round(1).tolist(), strict=True)),
        "least_ns_per_actor": dict(zip(ways, spent.min(axis=0).round(1).tolist(), strict=True)),
        "behind": {f"rate {rate}": errors(vertices, rate) for rate in RATES[1:]},
    }
    click.echo(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
