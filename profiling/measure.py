"""Measuring a scene: each frame, each system."""

import hashlib
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from time import perf_counter_ns

import numpy as np

from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.palette import Palette
from ecs_anim.gl.context import Context, open_headless
from ecs_anim.gl.renderer import Renderer
from ecs_anim.gl.target import RenderTarget
from ecs_anim.profiling.feet import measure_feet, watch_feet
from ecs_anim.profiling.report import Report, SystemFigures
from ecs_anim.progress import frames_with_progress
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.systems.baked_actors import packed_actors
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import palettes_of, stage_of, who_poses
from ecs_anim.timings import Timings
from ecs_anim.world import World

DRAW = "draw"
FEET_FRAMES = 30  # untimed ones, after the measurement, in which feet are watched


class Painter:
    """Draws a world and waits until it is drawn."""

    def __init__(self, context: Context, drawing: DrawWorld, target: RenderTarget) -> None:
        self.renderer_name = context.capabilities.renderer
        self._context, self._drawing, self._target = context, drawing, target

    def paint(self, world: World) -> None:
        """One frame, to the last pixel."""
        self._drawing.draw(world, self._target)
        self._context.finish()


def measure(
    scene: SceneFile,
    name: str,
    *,
    actors: int | None,
    seed: int | None,
    threads: int | None,
    frames: int,
    warmup: int,
    size: tuple[int, int] | None,
    allow_code: bool = False,
) -> Report:
    """Run `warmup` + `frames` frames and time the latter; `size` in pixels, None = do not draw.

    Raises InputError as the scene loader does, and RuntimeError if the poses did not move or hold NaN: a
    benchmark of nothing is no benchmark.
    """
    with ExitStack() as stack:
        world = stack.enter_context(load_scene(scene, actors=actors, seed=seed, threads=threads, allow_code=allow_code))
        painter = stack.enter_context(_open_painter(size)) if size else None
        before = poses_hash(world)
        timings = [_frame(world, painter) for _ in frames_with_progress(warmup + frames, "measuring")][warmup:]
        after = poses_hash(world)
        _require_poses(world, before != after)
        report = _report(world, name, timings, painter, after)
        return replace(report, feet=tuple(measure_feet(world, FEET_FRAMES))) if watch_feet(world) else report


def poses_hash(world: World) -> str:
    """SHA-256 over all palettes, crowd by crowd, and the weights of those that have morph targets.

    Of crowds that the GPU poses, over what decides its palettes: the bake, and each actor's clips, phases, fade and
    share of the CPU's palette.
    """
    digest = hashlib.sha256()
    for entity, _ in world.query(Palette):
        digest.update(palettes_of(world, entity).data)
    for _, (morphs,) in world.query(Morphs):
        digest.update(morphs.weights.data)
    for entity, (baked,) in world.query(Baked):
        rows = packed_actors(world, entity)
        digest.update(baked.bake.content.encode("ascii"))
        for name in ("clip", "phase", "fade", "share"):
            digest.update(np.ascontiguousarray(rows[name]).data)
    return digest.hexdigest()


def _frame(world: World, painter: Painter | None) -> tuple[float, Timings]:
    """Nanoseconds of one frame, and where they went."""
    timings = Timings()
    dt = 1 / stage_of(world).frame_rate
    begin = perf_counter_ns()
    world.step(dt, timings)
    if painter:
        before = perf_counter_ns()
        painter.paint(world)
        spent = perf_counter_ns() - before
        timings.add(DRAW, spent, spent)
    return perf_counter_ns() - begin, timings


@contextmanager
def _open_painter(size: tuple[int, int]) -> Iterator[Painter]:
    with open_headless() as context, Renderer(context) as renderer, renderer.target(*size) as target:
        yield Painter(context, DrawWorld(renderer), target)


def _require_poses(world: World, changed: bool) -> None:
    for entity, (crowd, _) in world.query(Crowd, Palette):
        if not np.isfinite(palettes_of(world, entity)).all():
            raise RuntimeError(f"crowd {crowd.name!r}: the palettes hold NaN or infinity")
    for entity, (crowd, _) in world.query(Crowd, Baked):
        rows = packed_actors(world, entity)
        if not all(np.isfinite(rows[name]).all() for name in ("translation", "rotation", "phase", "fade")):
            raise RuntimeError(f"crowd {crowd.name!r}: what the GPU is told of its actors holds NaN or infinity")
    if not changed:
        raise RuntimeError("no pose changed during the measurement")


def _report(
    world: World, name: str, frames: list[tuple[float, Timings]], painter: Painter | None, hash_: str
) -> Report:
    joints = [(crowd.actor_count, c.rig.skeleton.joint_count) for _, (crowd, c) in world.query(Crowd, Character)]
    systems = [
        SystemFigures(
            system,
            np.array([timings.wall_ns[system] for _, timings in frames]) / 1e6,
            np.array([timings.cpu_ns[system] for _, timings in frames]) / 1e6,
            None,
        )
        for system in frames[0][1].wall_ns
    ]
    return Report(
        scene=name,
        frames=len(frames),
        threads=world.threads,
        actors=sum(count for count, _ in joints),
        joints=max(count for _, count in joints),
        actor_joints=sum(count * joint_count for count, joint_count in joints),
        frame_ms=np.array([spent for spent, _ in frames]) / 1e6,
        systems=tuple(systems),
        peak_memory_mb=_peak_memory_mb(),
        poses_hash=hash_,
        crowds=tuple(who_poses(world)),
        renderer=painter.renderer_name if painter else None,
    )


def _peak_memory_mb() -> float | None:
    """Largest memory of this process so far; None where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)
