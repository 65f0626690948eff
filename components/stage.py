"""Stage: the component with the cameras, the light, the ground, the walls and the props of a scene."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.ground import Ground
from ecs_anim.ground.moving import MovingSurfaces
from ecs_anim.ground.surface import Surface
from ecs_anim.rigs.props import Props
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.lidar import Lidar
from ecs_anim.view.scene_cameras import SceneCamera
from ecs_anim.view.style import GroundStyle, Lighting
from ecs_anim.walls.walls import Walls

ON_FLOOR = 0.05  # [m], distance below a floor at which an actor belongs to its storey


@dataclass
class Stage:
    """The cameras, the light, the ground, the walls and the props of a scene.

    A world has one stage. The stage has its own entity, apart from the crowds.

    Written by: the scene loader, the window (only camera), and user code (only walls). Read by: the drawing code,
    commands, and the system `grounding`.
    """

    title: str
    frame_rate: int  # [1/s], simulation steps per second
    camera: OrbitCamera
    lighting: Lighting
    ground: GroundStyle | None  # appearance of the ground; None = the ground is not drawn
    terrain: Ground  # surfaces that carry actors
    walls: Walls | None = None  # the boundary of the walkable area
    props: tuple[Props, ...] = ()  # static objects
    cameras: tuple[SceneCamera, ...] = ()  # cameras with names; the user's camera is not included
    lidar: Lidar = field(default_factory=Lidar)  # sensor of the pass `lidar`, at the position of each camera
    storeys: tuple[float, ...] = ()  # [m], heights of the floors of a building, from the lowest; () = no levels
    storey_names: tuple[str, ...] = ()  # name of each storey: the names of its levels
    # a `storeys.building.Building`, whose module imports shapely; None = no levels, or the floors of a recording
    building: Any = None
    shown_storeys: range | None = None  # numbers of the drawn storeys; None = all storeys
    moving: MovingSurfaces | None = None  # None = no surface moves

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """All drawn surfaces except the endless floor."""
        found = self.terrain.surfaces + (self.walls.surfaces if self.walls is not None else ())
        if self.moving is not None:
            found += self.moving.surfaces()
        return tuple(own for own in found if self._shows(own.storey))

    @property
    def drawn_props(self) -> tuple[Props, ...]:
        """All props except the props on hidden storeys."""
        return tuple(own for own in self.props if self._shows(own.storey))

    def _shows(self, storey: int | None) -> bool:
        return self.shown_storeys is None or storey is None or storey in self.shown_storeys

    def hidden(self, heights: NDArray[np.float32]) -> NDArray[np.bool_] | None:
        """Return a mask [n]: true for heights [n] [m] on storeys that are not drawn.

        If all storeys are drawn, return None.
        """
        if self.shown_storeys is None:
            return None
        storey = self.storeys_at(heights)
        return (storey < self.shown_storeys.start) | (storey >= self.shown_storeys.stop)

    def storeys_at(self, heights: NDArray[np.float32]) -> NDArray[np.intp]:
        """For each height [n] [m], return the number of the highest storey below this height, [n].

        For heights below all storeys, the number is 0.
        """
        return np.maximum(np.searchsorted(self.storeys, heights + ON_FLOOR, side="right") - 1, 0)
