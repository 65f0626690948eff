"""Data that a world derives from its state, such as routes.

After a change of the whole state, the data is not valid.
"""

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.ecs.world import World
from ecs_anim.systems.connections import use_connections
from ecs_anim.systems.doors import set_walls


def derive_from_state(world: World) -> None:
    """Update the walls, the routes over connections and the indices of ids, and clear the measured times of poses.

    Call the function after another state has been restored into the world. The measured times are no longer valid,
    because they belong to the poses before the restoration.
    """
    set_walls(world)
    use_connections(world)
    for _, (crowd,) in world.query(Crowd):
        crowd.index.rebuild()
    for _, (near,) in world.query(Nearness):
        near.spent_ns.clear()
