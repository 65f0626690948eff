"""Worlds that go on from a saved state."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.errors import InputError
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.snapshot import read_snapshot, restore
from ecs_anim.systems.placement import Side, System
from ecs_anim.systems.schedule import CHUNK_SIZE
from ecs_anim.world import World


def load_world(
    path: str | Path,
    scene: str | Path | SceneFile,
    *,
    threads: int | None = None,
    chunk_size: int = CHUNK_SIZE,
    allow_code: bool = False,
    systems: Sequence[tuple[System, Side, str]] = (),
) -> World:
    """A world as `World.save` left it; what follows is the same to the bit, on any number of threads.

    `scene` is the scene that it was made from, with the same characters; it is loaded with the number of actors and
    the seed of that time, which the file holds. Other arguments are those of `load_scene`. Raises InputError.
    """
    file = Path(path)
    header, arrays = read_snapshot(file)
    made: dict[str, Any] = header["origin"]
    if not made:
        raise InputError(f"{file}: it was saved from a world of no scene; save one that load_scene made")
    world = load_scene(
        scene,
        actors=made["actors"],
        seed=made["seed"],
        threads=threads,
        chunk_size=chunk_size,
        allow_code=allow_code,
        systems=systems,
    )
    try:
        if world.origin["hash"] != made["hash"]:
            label = world.origin["scene"]
            raise InputError(f"{file}: it was saved from {made['scene']} as that was then, and {label} is another")
        restore(world, header, arrays, file)
        _find_ids(world, file)
        _forget_times(world)
    except BaseException:
        world.close()
        raise
    return world


def _find_ids(world: World, file: Path) -> None:
    """Where the ids of the file are. Raises InputError for ids that no world has."""
    try:
        for _, (crowd,) in world.query(Crowd):
            crowd.index.rebuild()
    except ValueError as error:
        raise InputError(f"{file}: the snapshot is damaged ({error}); save it again") from None


def _forget_times(world: World) -> None:
    """What poses took while the scene was loaded: they were other actors'."""
    for _, (near,) in world.query(Nearness):
        near.spent_ns.clear()
