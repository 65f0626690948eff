"""The origin of a world: data with which the program can build the world again. A snapshot contains the origin."""

import hashlib
from collections.abc import Iterable
from typing import Any

from ecs_anim.components.character import Character
from ecs_anim.scenes.loader import SceneFile


def scene_origin(scene: SceneFile, actors: int | None, seed: int, components: Iterable[object]) -> dict[str, Any]:
    """Return the origin of a world as a dictionary.

    The dictionary contains the name of the scene, the arguments of the loader, and a hash of the scene and its
    characters.
    """
    digest = hashlib.blake2b(scene.model.model_dump_json().encode("utf-8"), digest_size=32)
    for component in components:
        if isinstance(component, Character):
            skeleton, tables = component.rig.skeleton, component.motions.tables
            for array in (skeleton.parents, skeleton.inverse_bind, tables.rows, tables.first_row, tables.duration):
                digest.update(array.tobytes())
    return {"scene": scene.label, "actors": actors, "seed": seed, "hash": digest.hexdigest()}
