"""Stage: the component with the cameras, the light, the ground and the walls of a scene."""

from dataclasses import dataclass

from ecs_anim.ground.ground import Ground
from ecs_anim.ground.surface import Surface
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.scene_cameras import SceneCamera
from ecs_anim.view.style import GroundStyle, Lighting
from ecs_anim.walls.walls import Walls


@dataclass
class Stage:
    """The cameras, light, ground and walls of a scene. A world has one stage, on an entity that is not a crowd.

    Written by: the scene loader, the window (camera), user code (walls). Read by: drawing, foot grounding, the command
    line.
    """

    title: str
    frame_rate: int  # [1/s], simulation steps per second
    camera: OrbitCamera
    lighting: Lighting
    ground: GroundStyle | None  # appearance of the ground; None = the ground is not drawn
    terrain: Ground  # surfaces on which actors stand
    walls: Walls | None = None  # the bounds of the walkable area
    cameras: tuple[SceneCamera, ...] = ()  # named cameras, without the camera that the user moves

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """The surfaces to draw in addition to the endless floor."""
        return self.terrain.surfaces + (self.walls.surfaces if self.walls is not None else ())
