"""The origin of a world: data with which the program can build the world again. A snapshot contains the origin."""

import hashlib
from collections.abc import Iterable
from typing import Any

from ecs_anim.assets.rig import Rig
from ecs_anim.components.character import Character
from ecs_anim.runtime.motion import MotionSet
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.support.reuse import reusable


def scene_origin(scene: SceneFile, actors: int | None, seed: int, components: Iterable[object]) -> dict[str, Any]:
    """Return the origin of a world as a dictionary.

    The dictionary contains the name of the scene, the arguments of the loader, and a hash of the scene and its
    characters.
    """
    characters = [(own.rig, own.motions) for own in components if isinstance(own, Character)]
    return {"scene": scene.label, "actors": actors, "seed": seed, "hash": _hash(scene.model, characters)}


@reusable
def _hash(scene: SceneModel, characters: list[tuple[Rig, MotionSet]]) -> str:
    """Return a hash of a scene, its skeletons and its clips."""
    digest = hashlib.blake2b(scene.model_dump_json().encode("utf-8"), digest_size=32)
    for rig, motions in characters:
        skeleton, tables = rig.skeleton, motions.tables
        for array in (skeleton.parents, skeleton.inverse_bind, tables.rows, tables.first_row, tables.duration):
            digest.update(array.tobytes())
    return digest.hexdigest()
