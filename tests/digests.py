"""Digests of what scenes come to, which every machine must reach: `python -m tests.digests > tests/digests.json`.

Run it where the numbers were meant to change, and say in the commit why they did.
"""

import hashlib
import json
import sys

import numpy as np

import ecs_anim as ea
from ecs_anim.components.palette import Palette
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.systems.queries import palettes_of

SCENES = (
    "throng",
    "controllers",
    "hills",
    "look_at",
    "ik_chains",
    "twist",
    "crossing",
    "plaza",
)  # walking, states, feet, looks, chains, dual quaternions, steering, and that round walls, in groups, who come and go
FRAMES = 300
DT = 1 / 60  # [s]

Digests = dict[str, dict[str, str]]  # of each crowd: of its places, its phases and its palettes


def digests(world: World) -> Digests:
    """Of each crowd of a world, in their order."""
    return {
        str(number): {
            "places": _digest(transforms.translation, transforms.rotation),
            "phases": _digest(playback.phase, playback.fade_time),
            "palettes": _digest(palettes_of(world, entity)),
        }
        for number, (entity, (transforms, playback, _)) in enumerate(world.query(Transforms, Playback, Palette))
    }


def scene_digests(name: str) -> Digests:
    """Of a scene that ships, after `FRAMES` frames."""
    with ea.load_scene(name) as world:
        for _ in range(FRAMES):
            world.step(DT)
        return digests(world)


def all_digests() -> dict[str, Digests]:
    """Of all scenes."""
    return {name: scene_digests(name) for name in SCENES}


def _digest(*arrays: np.ndarray) -> str:
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    json.dump(all_digests(), sys.stdout, indent=2)
    sys.stdout.write("\n")
