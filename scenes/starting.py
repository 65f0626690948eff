"""The start of a run: the first frame of a scene, a later frame, or a snapshot."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.ecs.jump import Jump
from ecs_anim.ecs.world import World
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.snapshots import load_world
from ecs_anim.support.errors import InputError
from ecs_anim.support.progress import progress_told
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.schedule import CHUNK_SIZE


@dataclass(frozen=True)
class Start:
    """The start of a run: the frame at which the run starts, and an optional snapshot."""

    frame: int | None = None  # number of steps after the scene's first frame
    snapshot: Path | None = None


def open_world(
    scene: SceneFile,
    start: Start,
    *,
    actors: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    chunk_size: int = CHUNK_SIZE,
    allow_code: bool = False,
) -> World:
    """Build a world, and advance the world to the frame of `start`. Raises InputError if the scene or the snapshot is
    invalid.
    """
    if start.snapshot is None:
        world = load_scene(
            scene, actors=actors, seed=seed, threads=threads, chunk_size=chunk_size, allow_code=allow_code
        )
    else:
        if actors is not None or seed is not None:
            raise InputError(
                f"{start.snapshot}: a snapshot determines the number of actors and the seed. Leave out --actors"
                " and --seed."
            )
        world = load_world(start.snapshot, scene, threads=threads, chunk_size=chunk_size, allow_code=allow_code)
    try:
        if start.frame is not None:
            go_to(world, start.frame)
    except BaseException:
        world.close()
        raise
    return world


def go_to(world: World, frame: int) -> None:
    """Advance a world to a frame of its scene.

    The world skips time steps where possible. The result is bitwise equal to the result of single time steps. Raises
    InputError if the world is already past `frame`.
    """
    if frame < world.frame:
        raise InputError(
            f"--from-frame {frame}: the frame must be at least {world.frame}, the frame of the snapshot. Raise"
            " --from-frame."
        )
    with progress_told(frame - world.frame, "skipping") as advance:
        skip_to(world, frame, advance)


def skip_to(world: World, frame: int, advance: Callable[[int], object] = lambda frames: None) -> None:
    """Advance a world to the frame `frame`, which must be the current frame of the world or a later frame.

    The function calls `advance` with the number of newly completed time steps.
    """
    world.skip(frame - world.frame, 1 / stage_of(world).frame_rate, advance)


def skipping_text(world: World) -> str:
    """Return a text that states which time steps of a world the program simulated, and which time steps the program
    skipped.
    """
    posed, guessed = [], []
    for entity, (crowd,) in world.query(Crowd):
        near = world.find(entity, Nearness)
        if near is not None and near.budget.milliseconds is not None:
            guessed.append(crowd.name)
        if names := world.needs_poses(entity):
            posed.append(f"{crowd.name} ({', '.join(names)})")
    text = f"at frame {world.frame}, {world.time:.2f} s"
    if world.jump and world.jump.stepped:
        text += f"; {world.jump.stepped:,} steps were simulated one by one, for {_holders_text(world.jump)}"
    if posed:
        text += f"; poses were computed in every step, because features keep data from pose to pose: {', '.join(posed)}"
    if guessed:
        text += f"; the choice of near actors of {', '.join(guessed)} depends on the speed of this machine"
    return text


def _holders_text(jump: Jump) -> str:
    """Return a text that lists the systems that could not skip time steps.

    Example: "timeline, dancers (parameters, playback)".
    """
    systems: dict[str, list[str]] = {}
    for crowd, system in jump.holders:
        systems.setdefault(crowd, []).append(system)
    whole = systems.pop("", [])
    return ", ".join([*whole, *(f"{crowd} ({', '.join(names)})" for crowd, names in systems.items())])
