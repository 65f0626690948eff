"""What callers often ask of a world."""

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.stage import Stage
from ecs_anim.world import World


def actor_count(world: World) -> int:
    """Actors of all crowds."""
    return sum(crowd.actor_count for _, (crowd,) in world.query(Crowd))


def stage_of(world: World) -> Stage:
    """Camera, light and ground of a world that came from a scene. Raises ValueError where there is none."""
    stages = [stage for _, (stage,) in world.query(Stage)]
    if len(stages) != 1:
        raise ValueError(f"a world to draw has one stage (got {len(stages)})")
    return stages[0]
