"""The surroundings of the actors."""

from dataclasses import dataclass

from ecs_anim.ground.ground import Ground
from ecs_anim.ground.surface import Surface
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.scene_cameras import SceneCamera
from ecs_anim.view.style import GroundStyle, Lighting
from ecs_anim.walls.walls import Walls


@dataclass
class Stage:
    """Cameras, light, ground and walls of a scene; the one entity that has it is no crowd.

    Written by: the scene loader, the window (camera), user code (walls). Read by: drawing, foot grounding, the command
    line.
    """

    title: str
    frame_rate: int  # [1/s], simulation steps a second
    camera: OrbitCamera
    lighting: Lighting
    ground: GroundStyle | None  # how the ground looks; None = it is not drawn
    terrain: Ground  # what actors stand on
    walls: Walls | None = None  # the bounds of the walkable area
    cameras: tuple[SceneCamera, ...] = ()  # besides the one that a hand moves

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """Surfaces to draw besides the endless floor."""
        return self.terrain.surfaces + (self.walls.surfaces if self.walls is not None else ())
