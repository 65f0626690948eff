"""Measurement of a scene: the times of each frame, each system and each drawing pass."""

import hashlib
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from threading import get_ident
from time import perf_counter_ns, process_time_ns

import numpy as np

from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.pass_timer import Picture
from ecs_anim.profiling.allocations import count_allocations
from ecs_anim.profiling.painter import Painter, open_painters
from ecs_anim.profiling.report import DRAW, GPU_CLOCK, WAITED, Frame, PassFigures, Report, SystemFigures
from ecs_anim.profiling.validation.feet import measure_feet, watch_feet
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.support.errors import InputError
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.support.timings import Timings
from ecs_anim.systems.baked_actors import packed_actors
from ecs_anim.systems.population import state_bytes
from ecs_anim.systems.queries import palettes_of, stage_of, who_poses

FEET_FRAMES = 30  # frames after the measurement in which the errors of feet are measured, without timing
DRAWN_FRAMES = 2  # frames in which the memory use of drawing is measured, without timing
BEGINNING = Start()
MOST_SPANS = 200_000  # largest number of time spans in a trace; such a trace takes about 20 MB


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
    keeps_spans: bool = False,
    start: Start = BEGINNING,
) -> Report:
    """Run `warmup` + `frames` frames of a scene. Measure the last `frames` frames.

    `size` is the size of the pictures [pixel] (None = no drawing). If `keeps_spans` is True, the first frames record
    each run of each system for a trace. Raises InputError if the scene is invalid, if no pose changes, or if a pose
    contains NaN.
    """
    with ExitStack() as stack:
        world = stack.enter_context(
            open_world(scene, start, actors=actors, seed=seed, threads=threads, allow_code=allow_code)
        )
        (painter,) = stack.enter_context(open_painters(size)) if size else (None,)
        running = Running(world, painter)
        span_count = 0
        for number in frames_with_progress(warmup + frames, "measuring"):
            keeps = keeps_spans and number >= warmup and span_count < MOST_SPANS
            running.advance(Timings(keeps))
            span_count += len(running.frames[-1].timings.spans)
        give_pictures([running] * (warmup + frames))
        report = running.report(name, warmup, size)
        if watch_feet(world):
            report = replace(report, feet=tuple(measure_feet(world, FEET_FRAMES)))
        return _with_allocations(report, world, painter)


def poses_hash(world: World) -> str:
    """Return a SHA-256 hash of all palettes, and of the morph weights of crowds with morph targets.

    If the GPU computes the palettes of a crowd, the hash covers the inputs of these palettes instead. The inputs are
    the bake, the clips, the phases and the fade of each actor, and the weight of the palette from the CPU.
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


class Running:
    """A world that the program measures, with the times of its frames so far."""

    def __init__(self, world: World, painter: Painter | None) -> None:
        self.world, self.painter = world, painter
        self.frames: list[Frame] = []
        self.pictures: list[Picture] = []  # times of the passes in each frame; empty without drawing
        self._before = poses_hash(world)

    def advance(self, timings: Timings) -> None:
        """Compute one frame, and store its times."""
        self.frames.append(frame_of(self.world, self.painter, timings))

    def report(self, name: str, warmup: int, size: tuple[int, int] | None) -> Report:
        """Return the report of all frames after the first `warmup` frames.

        Raises InputError if no pose changes or if a pose contains NaN.
        """
        after = poses_hash(self.world)
        require_poses(self.world, self._before != after)
        frames = self.frames
        if self.pictures:
            frames = [replace(own, passes=passes) for own, passes in zip(frames, self.pictures, strict=True)]
        return replace(_report(self.world, name, frames[warmup:], self.painter, after), size=size)


def give_pictures(order: Sequence[Running]) -> None:
    """Store the pass times of each world.

    One clock has measured the passes of all worlds. `order` contains the world of each measured frame.
    """
    painter = order[0].painter
    if painter:
        for running, picture in zip(order, painter.take_pictures(), strict=True):
            running.pictures.append(picture)


def frame_of(world: World, painter: Painter | None, timings: Timings) -> Frame:
    """Compute one frame, and return its times."""
    dt = 1 / stage_of(world).frame_rate
    begin, cpu = perf_counter_ns(), process_time_ns()
    world.step(dt, timings)
    if painter:
        before = perf_counter_ns()
        painter.paint(world)
        timings.add((DRAW, get_ident(), before, perf_counter_ns(), 0))
    end, cpu = perf_counter_ns(), process_time_ns() - cpu
    timings.settle()
    return Frame(begin, end, cpu, timings)


def require_poses(world: World, changed: bool) -> None:
    for entity, (crowd, _) in world.query(Crowd, Palette):
        if not np.isfinite(palettes_of(world, entity)).all():
            raise InputError(
                f"crowd {crowd.name!r}: the palettes must not contain NaN or infinity. Correct the model or its clips."
            )
    for entity, (crowd, _) in world.query(Crowd, Baked):
        rows = packed_actors(world, entity)
        if not all(np.isfinite(rows[name]).all() for name in ("translation", "rotation", "phase", "fade")):
            raise InputError(
                f"crowd {crowd.name!r}: the actor data for the GPU must not contain NaN or infinity. Correct the"
                " model or its clips."
            )
    if not changed:
        raise InputError("no pose changed during the measurement. Choose a scene with moving actors, or raise --frames")


def _report(world: World, name: str, frames: list[Frame], painter: Painter | None, hash_: str) -> Report:
    joints = [(crowd.actor_count, c.rig.skeleton.joint_count) for _, (crowd, c) in world.query(Crowd, Character)]
    clock = (GPU_CLOCK if painter.has_gpu_clock else WAITED) if painter else None
    passes = pass_figures(frames, clock == GPU_CLOCK)
    return Report(
        scene=name,
        threads=world.threads,
        actors=sum(count for count, _ in joints),
        joints=max(count for _, count in joints),
        actor_joints=sum(count * joint_count for count, joint_count in joints),
        frames=tuple(frames),
        systems=tuple(system_figures(frames, passes)),
        passes=tuple(passes),
        bytes_per_actor=state_bytes(world) / max(sum(count for count, _ in joints), 1),
        peak_memory_mb=peak_memory_mb(),
        poses_hash=hash_,
        renderer=painter.renderer_name if painter else None,
        pass_clock=clock,
        size=None,
        crowds=tuple(who_poses(world)),
    )


def system_figures(frames: list[Frame], passes: list[PassFigures]) -> list[SystemFigures]:
    """Return the figures of all systems, in the order in which the systems run.

    If a system does not run in a frame, its time is 0 ms.
    """
    on_gpu = [own.gpu_ms for own in passes if own.gpu_ms is not None]
    gpu_ms = round(float(np.median(np.sum(on_gpu, axis=0))), 5) if on_gpu else None
    return [
        SystemFigures(
            name,
            np.array([frame.timings.wall_ns.get(name, 0) for frame in frames]) / 1e6,
            np.array([frame.timings.cpu_ns.get(name, 0) for frame in frames]) / 1e6,
            gpu_ms if name == DRAW else None,
        )
        for name in dict.fromkeys(name for frame in frames for name in frame.timings.wall_ns)
    ]


def pass_figures(frames: list[Frame], on_gpu: bool) -> list[PassFigures]:
    """Return the figures of all drawing passes in drawing order. A pass can consist of several sections. The time of
    the pass is the sum of the times of its sections.
    """
    found = []
    for name in dict.fromkeys(own.name for frame in frames for own in frame.passes):
        own = [[part for part in frame.passes if part.name == name] for frame in frames]
        gpu_ms = np.array([sum(part.gpu_ns or 0 for part in parts) for parts in own]) / 1e6
        wall_ms = np.array([sum(part.wall_ns for part in parts) for parts in own]) / 1e6
        sent = np.array([sum(part.byte_count for part in parts) for parts in own])
        found.append(PassFigures(name, wall_ms, gpu_ms if on_gpu else None, sent))
    return found


def _with_allocations(report: Report, world: World, painter: Painter | None) -> Report:
    """Return the report with the memory use of a time step and of a picture.

    Separate frames measure the memory, because tracing makes frames slow.
    """
    dt = 1 / stage_of(world).frame_rate
    step = count_allocations(lambda: world.step(dt))
    draw = count_allocations(lambda: painter.paint(world), DRAWN_FRAMES) if painter else None
    return replace(report, step_allocations=step, draw_allocations=draw)


def peak_memory_mb() -> float | None:
    """Return the peak memory of this process [MB], or None if the operating system does not report the peak."""
    if sys.platform == "win32":
        return None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)
