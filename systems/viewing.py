"""The viewing system: it passes the camera's position to the grounding.

Grounding can then leave out actors that are far from the camera.
"""

from math import isinf

from ecs_anim.components.grounding import Grounding
from ecs_anim.components.stage import Stage
from ecs_anim.ecs.world import World
from ecs_anim.systems.chunk import Forgetful


class FollowViewer(Forgetful):
    """Pass the camera's position to the grounding of each crowd that limits grounding to a distance."""

    name = "viewing"

    def run(self, world: World, dt: float) -> None:
        """Write the position of the viewer in `Grounding.settings`."""
        near = [own for _, (own,) in world.query(Grounding) if not isinf(own.settings.range)]
        if not near:
            return
        for _, (stage,) in world.query(Stage):
            x, y, z = stage.camera.position.tolist()
            for grounding in near:
                settings = grounding.settings._replace(viewer_x=x, viewer_y=y, viewer_z=z)
                if settings != grounding.settings:  # after each write, the component checks its records again
                    grounding.settings = settings
