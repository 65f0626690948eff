"""`ecs-anim serve` simulates a scene in real time, and sends the poses to other programs."""

import itertools
import time
from pathlib import Path
from typing import Any

from ecs_anim.commands.duration import Duration
from ecs_anim.commands.plan import Plan, read_planned
from ecs_anim.ecs.world import World
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.streaming.server import PoseServer
from ecs_anim.support.terminal import print_note
from ecs_anim.systems.queries import stage_of

PORT = 8765


def serve_scene(
    scene: str,
    port: int | None,
    memory: Path | None,
    frames: int | None,
    seconds: float | None,
    speed: float,
    from_frame: int | None,
    **loading: Any,
) -> None:
    """Execute `ecs-anim serve`. `loading` contains arguments of `load_scene`. Raises InputError for wrong input."""
    duration = Duration(frames, seconds)
    read = read_planned(Plan(problems=duration.problems), scene)
    if port is None and memory is None:
        port = PORT
    with (
        open_world(read, Start(from_frame, None), **loading) as world,
        PoseServer(world, port=port, memory=memory) as server,
    ):
        print_note(_text(scene, server.port, memory))
        rate = stage_of(world).frame_rate
        _run(world, server, 1 / rate, duration.steps(rate), speed)


def _text(scene: str, port: int | None, memory: Path | None) -> str:
    places = [*([f"ws://127.0.0.1:{port}"] if port is not None else []), *([str(memory)] if memory else [])]
    return f"{scene}: poses at {' and '.join(places)}. Ctrl-C ends the stream"


def _run(world: World, server: PoseServer, dt: float, steps: int | None, speed: float) -> None:
    """Take steps at `speed` times real time, and publish each step. If a step is late, do not wait."""
    due = time.monotonic()
    for _ in itertools.count() if steps is None else range(steps):
        world.step(dt)
        server.publish()
        due = max(due + dt / speed, time.monotonic())
        time.sleep(due - time.monotonic() if due > time.monotonic() else 0)
