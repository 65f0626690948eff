"""Names of exits: the goals of the crowds of a scene."""

from ecs_anim.scenes.schema import SceneModel


def exit_names(scene: SceneModel) -> dict[str, list[str]]:
    """Return the names of the goals of each crowd with steering, in the order of the scene file."""
    return {crowd.called: crowd.steering.waypoint_names for crowd in scene.crowds if crowd.steering is not None}
