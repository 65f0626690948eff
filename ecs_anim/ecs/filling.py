"""The filling of a world with the entities of a scene. A reset fills a world again."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ecs_anim.ecs.world import World


@contextmanager
def filled_anew(world: World, origin: Mapping[str, Any]) -> Iterator[None]:
    """Delete all entities and set the clock to 0. The `with` block then creates the entities of a scene.

    The handlers that the previous block registered are removed. After an error, the world is as before.
    """
    entities = [world.components(entity) for entity in world.entities]
    before = world.origin, world.time, world.frame, world.jump
    world.empty()
    world.origin, world.time, world.frame, world.jump = dict(origin), 0.0, 0, None
    try:
        with world.renewed_handlers():
            yield
    except BaseException:
        world.empty()
        for components in entities:
            world.create(*components)
        world.origin, world.time, world.frame, world.jump = before
        raise
