"""The components of a crowd that its handle reads and changes."""

from typing import NamedTuple

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.layers import Layer, Layers
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.targets import Target, Targets
from ecs_anim.ecs.world import World
from ecs_anim.systems.queries import Weighted, corrections_of


class CrowdParts(NamedTuple):
    """The components of a crowd, and parts of them by name."""

    crowd: Crowd
    character: Character
    playback: Playback
    parameters: Parameters
    layers: dict[str, Layer]
    corrections: dict[str, list[Weighted]]
    targets: dict[str, Target]
    morphs: Morphs | None


def found_parts(world: World, entity: int) -> CrowdParts:
    """Return the components of a crowd. Raises InputError if the crowd does not have one of them."""
    found = world.components(entity)
    return CrowdParts(
        world.get(entity, Crowd),
        world.get(entity, Character),
        world.get(entity, Playback),
        world.get(entity, Parameters),
        {layer.name: layer for own in found if isinstance(own, Layers) for layer in own.layers},
        corrections_of(found),
        {target.name: target for own in found if isinstance(own, Targets) for target in own.targets},
        next((own for own in found if isinstance(own, Morphs)), None),
    )
