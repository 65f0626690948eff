"""What surrounds the actors."""

from dataclasses import dataclass

from ecs_anim.ground.ground import Ground
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lighting


@dataclass
class Stage:
    """Camera, light and ground of a scene; the one entity that has it is no crowd.

    Written by: the scene loader, the window (camera). Read by: drawing, foot grounding, the command line.
    """

    title: str
    frame_rate: int  # [1/s], simulation steps a second
    camera: OrbitCamera
    lighting: Lighting
    ground: GroundStyle | None  # how the ground looks; None = it is not drawn
    terrain: Ground  # what actors stand on
