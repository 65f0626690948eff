"""Appearance of a picture: the view, the light, the ground."""

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Texture
from ecs_anim.view.pinhole import ViewCamera

Color = tuple[float, float, float]  # linear RGB
Shadows = Literal["map", "contact", "none"]  # the sun's, of all on all; only soft ones below actors; none


@dataclass(frozen=True)
class View:
    """From where and how the world is seen."""

    view: NDArray[np.float32]  # [4, 4] f32, world to view space, for column vectors
    projection: NDArray[np.float32]  # [4, 4] f32, view to clip space, for column vectors
    eye: NDArray[np.float32]  # [3] f32, [m]
    far: float  # [m]
    focus: float  # [m], how far away what is looked at is

    @classmethod
    def of(cls, camera: ViewCamera, aspect: float) -> Self:
        """The view of a camera; `aspect` is width over height of the picture."""
        return cls(camera.view_matrix(), camera.projection_matrix(aspect), camera.position, camera.far, camera.distance)

    @property
    def view_projection(self) -> NDArray[np.float64]:
        """[4, 4] f64, world to clip space."""
        return self.projection.astype(np.float64) @ self.view.astype(np.float64)

    def of_pixel(self, x: float, y: float, size: tuple[int, int]) -> Self:
        """Return the style of a picture that shows one pixel of this one; x and y from the upper left corner."""
        width, height = size
        zoom = np.diag([width, height, 1.0, 1.0])
        zoom[:2, 3] = width - 2 * x - 1, 2 * y + 1 - height
        return replace(self, projection=(zoom @ self.projection).astype(np.float32))


@dataclass(frozen=True)
class Lighting:
    """A sun, the sky's light, and the background; colours are linear and may exceed 1."""

    sun_direction: tuple[float, float, float] = (0.62, 0.72, 0.42)  # towards the sun, any length
    sun_color: Color = (1.0, 0.91, 0.79)
    sky_color: Color = (0.235, 0.285, 0.36)  # falls on what faces up
    bounce_color: Color = (0.10, 0.09, 0.08)  # falls on what faces down
    zenith_color: Color = (0.20, 0.40, 0.72)
    horizon_color: Color = (0.74, 0.80, 0.86)
    shadows: Shadows = "map"


@dataclass(frozen=True, eq=False)
class GroundPicture:
    """A picture that lies on the plane, in the grid's place; where it is transparent the plane is seen."""

    texture: Texture
    from_world: NDArray[np.float64]  # [3, 3], homography from x, z [m] to u, v; more than 0 is divided by where it lies


@dataclass(frozen=True)
class GroundStyle:
    """A ground with a grid of 1 m and 10 m lines; colours are linear reflectances.

    An endless horizontal plane, or without it the look of surfaces that have none of their own.
    """

    height: float = 0.0  # [m]
    color: Color = (0.55, 0.525, 0.49)
    line_color: Color = (0.36, 0.345, 0.325)
    fog_start: float = 25.0  # [m]
    fog_end: float = 180.0  # [m], nothing of the ground is left there; grows as the camera rises
    plane: bool = True
    picture: GroundPicture | None = None
