"""Loading of a world from a snapshot."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ecs_anim.assets.rig import Rig
from ecs_anim.ecs.snapshot import restore
from ecs_anim.ecs.snapshot_file import SnapshotFile, open_snapshot, shown
from ecs_anim.ecs.world import World
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile, Source
from ecs_anim.scenes.parts.part import Part
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.systems.chunk import Side
from ecs_anim.systems.derived import derive_from_state
from ecs_anim.systems.placement import System
from ecs_anim.systems.schedule import CHUNK_SIZE

# types of the entries that `scene_origin` returns
ORIGIN = {"scene": str, "actors": int | None, "seed": int, "hash": str}
NEXT_ID = ".Crowd.index.next_id"  # larger than the ids of all past and present actors


@checked
def load_world(
    path: str | os.PathLike[str],
    scene: Source | SceneFile,
    *,
    threads: int | None = None,
    chunk_size: int = CHUNK_SIZE,
    allow_code: bool = False,
    systems: Sequence[tuple[System, Side, str]] = (),
    parts: Sequence[type[Part[Any]]] = (),
    models: Mapping[str, Rig] | None = None,
) -> World:
    """Load a world from a snapshot that `World.save` wrote.

    The results of later time steps are bitwise equal to the results of the saved world, for any number of threads.
    `scene` must be the scene of the saved world, with unchanged characters. The snapshot determines the number of
    actors and the seed. The docstring of `load_scene` describes the arguments `threads`, `chunk_size`, `allow_code`,
    `systems`, `parts` and `models`. Raises InputError if the snapshot is damaged or does not fit the scene.
    """
    with open_snapshot(Path(path)) as snapshot, _memory_told(snapshot):
        made = _origin_of(snapshot)
        world = load_scene(
            scene,
            actors=made["actors"],
            seed=made["seed"],
            threads=threads,
            chunk_size=chunk_size,
            allow_code=allow_code,
            systems=systems,
            parts=parts,
            models=models,
        )
        try:
            if world.origin["hash"] != made["hash"]:
                was, label = shown(made["scene"]), world.origin["scene"]
                raise InputError(
                    f"{path}: the snapshot must be from the current version of {label} (got {was}, or an older"
                    " version). Save a new snapshot of the scene."
                )
            restore(world, snapshot)
            derive_from_state(world)
        except BaseException:
            world.close()
            raise
    return world


@contextmanager
def _memory_told(snapshot: SnapshotFile) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise InputError(f"{snapshot.path}: the snapshot needs more memory than is free. Free some memory.") from None


def _origin_of(snapshot: SnapshotFile) -> dict[str, Any]:
    """Return the origin of the saved world: scene, number of actors, seed, and hash. Raises InputError if the snapshot
    has no valid origin.
    """
    made = snapshot.header.origin
    if not made:
        raise InputError(
            f"{snapshot.path}: the snapshot must come from a world that load_scene built. Save a snapshot of such a "
            "world."
        )
    if made.keys() != ORIGIN.keys() or not all(isinstance(made[name], kind) for name, kind in ORIGIN.items()):
        raise snapshot.fault("the origin in the header must contain a scene, a number of actors, a seed and a hash")
    if made["seed"] < 0:
        raise snapshot.fault(f"the seed in the header must be 0 or more (got {made['seed']!s:.40})")
    following = [value for name, value in snapshot.header.values.items() if name.endswith(NEXT_ID)]
    most = max((number for number in following if isinstance(number, int)), default=1) - 1
    if made["actors"] is not None and not 1 <= made["actors"] <= most:
        got = f"{made['actors']!s:.40}"
        raise snapshot.fault(
            f"the number of actors in the header must be 1 to {most!s:.40}, the number of actor ids in the"
            f" snapshot (got {got})"
        )
    return made
