"""Settings for the appearance of a picture: the view, the light and the ground."""

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.floor_material import FloorMaterial, WallMaterial
from ecs_anim.assets.mesh import Texture
from ecs_anim.view.pinhole import PinholeCamera, ViewCamera

Color = tuple[float, float, float]  # linear RGB
# "map": all objects cast shadows on all objects; "contact": soft shadows below actors.
Shadows = Literal["map", "contact", "none"]


@dataclass(frozen=True)
class View:
    """Camera matrices and distances for drawing a picture."""

    view: NDArray[np.float32]  # [4, 4] f32, world to view space, for column vectors
    projection: NDArray[np.float32]  # [4, 4] f32, view to clip space, for column vectors
    eye: NDArray[np.float32]  # [3] f32, [m]; for parallel view rays, a point far behind the camera
    far: float  # [m]
    focus: float  # [m], distance to the target
    is_face: bool = False  # whether several pictures are drawn from this position

    @classmethod
    def of(cls, camera: ViewCamera, aspect: float) -> Self:
        """Return the view of a camera. `aspect` is the picture's width divided by its height."""
        matrices = camera.view_matrix(), camera.projection_matrix(aspect)
        is_face = isinstance(camera, PinholeCamera) and camera.is_face
        view = cls(*matrices, camera.position, camera.far, camera.distance, is_face)
        return replace(view, eye=view.eye + camera.far * view.view[2, :3]) if view.is_parallel else view

    @property
    def is_parallel(self) -> bool:
        """Return whether all view rays are parallel (orthographic projection)."""
        return bool(self.projection[3, 3] == 1)

    @property
    def view_projection(self) -> NDArray[np.float64]:
        """Return the view-projection matrix [4, 4] f64. The matrix maps world space to clip space."""
        return self.projection.astype(np.float64) @ self.view.astype(np.float64)

    def of_pixel(self, x: float, y: float, size: tuple[int, int]) -> Self:
        """Return a view that shows only the pixel at column `x` and row `y`.

        The upper left pixel has the coordinates 0, 0.
        """
        width, height = size
        zoom = np.diag([width, height, 1.0, 1.0])
        zoom[:2, 3] = width - 2 * x - 1, 2 * y + 1 - height
        return replace(self, projection=(zoom @ self.projection).astype(np.float32))


@dataclass(frozen=True, eq=False)
class Panorama:
    """An equirectangular picture of the sky and of distant objects."""

    texture: Texture
    azimuth: float = 0.0  # [rad], compass bearing of the middle of the picture


@dataclass(frozen=True)
class Lamps:
    """Lamps that hang at the nodes of a square grid over the whole plan. A node of the grid is at the origin."""

    spacing: float = 12.0  # [m]
    height: float = 5.0  # [m], in world space
    color: Color = (1.0, 0.68, 0.38)  # linear RGB times the strength
    reach: float = 16.0  # [m], distance at which the light of a lamp is 0


@dataclass(frozen=True)
class Lighting:
    """Colours of the sunlight, the sky light and the background. Colours are linear and can exceed 1."""

    sun_direction: tuple[float, float, float] = (0.62, 0.72, 0.42)  # towards the sun, any length
    sun_color: Color = (1.0, 0.91, 0.79)
    sky_color: Color = (0.235, 0.285, 0.36)  # light on surfaces that face up
    bounce_color: Color = (0.10, 0.09, 0.08)  # light on surfaces that face down
    zenith_color: Color = (0.20, 0.40, 0.72)
    horizon_color: Color = (0.74, 0.80, 0.86)
    shadows: Shadows = "map"
    panorama: Panorama | None = None  # background in place of the colours of the sky
    lamps: Lamps | None = None


@dataclass(frozen=True, eq=False)
class GroundPicture:
    """A picture that lies on the ground plane and covers the material of the ground.

    The ground plane is visible through transparent pixels of the picture.
    """

    texture: Texture
    # [3, 3], homography from ground coordinates x, z [m] to texture coordinates u, v; the divisor is positive on the
    # picture
    from_world: NDArray[np.float64]


@dataclass(frozen=True)
class GroundStyle:
    """Style of the ground: its material and its colours. Colours are linear reflectances.

    The ground is an infinite horizontal plane. In a scene without a ground plane, surfaces without a colour of their
    own get the colours of this style.
    """

    height: float = 0.0  # [m]
    color: Color = (0.55, 0.525, 0.49)
    line_color: Color = (0.36, 0.345, 0.325)  # lines of a grid, joints of a pavement
    fog_start: float = 25.0  # [m]
    fog_end: float = 180.0  # [m], distance at which the fog hides the ground; grows with the camera's height
    plane: bool = True
    material: FloorMaterial = "grid"
    picture: GroundPicture | None = None
    wall_material: WallMaterial = "plain"
    floor_texture: Texture | None = None  # tile in place of the patterns of floors
    wall_texture: Texture | None = None  # tile on walls
    texture_size: float = 2.0  # [m], width and height of a tile
    wetness: float = 0.0  # 0 = dry, 1 = wet with puddles
