"""Orthographic lenses, for plans and elevations: all view rays are parallel."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.support.arguments import array_of, width_and_height
from ecs_anim.support.checked import checked
from ecs_anim.view.lens_model import LensModel, Reals


@dataclass(frozen=True)
class OrthographicLens(LensModel):
    """A lens with parallel view rays. The picture is `view_width` [m] wide, and its pixels are square.

    The size of an actor in the picture does not depend on its distance. Raises ValueError for invalid numbers, and
    InputError if `size` is above the budget.
    """

    model = "orthographic"

    view_width: float  # [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_numbers("view_width")
        if self.view_width <= 0:
            raise ValueError(f"lens view_width must be above 0 (got {self.view_width})")

    @property
    def is_flat(self) -> bool:
        return True

    @property
    def pixels_per_metre(self) -> float:
        """Return the number of pixels of a metre perpendicular to the optical axis."""
        return self.size[0] / self.view_width

    @checked
    def fitted(self, size: tuple[int, int]) -> Self:
        """Return a copy of the lens, adapted to pictures with the size `size`.

        The height of the view [m] does not change. The width of the view changes with the aspect ratio.
        """
        width, height = width_and_height("lens size", size)
        return replace(self, size=(width, height), view_width=width / height * self.size[1] / self.pixels_per_metre)

    def pixels(self, points: ArrayLike) -> Reals:
        """Project points [..., 3] [m] in camera space to pixels [..., 2].

        The pixel coordinates of points behind the camera are NaN.
        """
        x, y, z = np.moveaxis(array_of("points", points, 3).astype(np.float64), -1, 0)
        scale = np.where(z < 0, self.pixels_per_metre, np.nan)
        return np.stack([self.size[0] / 2 + scale * x, self.size[1] / 2 - scale * y], axis=-1)

    def unproject(self, pixels: ArrayLike, depths: ArrayLike) -> Reals:
        """Return the points [..., 3] [m] in camera space that have given pixels [..., 2] and depths [...] [m].

        Depths are distances along the optical axis.
        """
        u, v = np.moveaxis(array_of("pixels", pixels, 2).astype(np.float64), -1, 0)
        x, y = ((own / self.pixels_per_metre) for own in (u - self.size[0] / 2, self.size[1] / 2 - v))
        return np.stack(np.broadcast_arrays(x, y, -array_of("depths", depths).astype(np.float64)), axis=-1)

    def rays(self, pixels: ArrayLike) -> Reals:
        """Return the view directions [..., 3] of pixels [..., 2] in camera space. All directions are equal.

        The ray of a pixel starts at `unproject(pixel, 0)`.
        """
        return np.broadcast_to([0.0, 0.0, -1.0], (*array_of("pixels", pixels, 2).shape[:-1], 3)).copy()

    def projection_matrix(self, aspect: float) -> NDArray[np.float32]:
        """Return the projection matrix [4, 4] f32 from view space to clip space.

        `aspect` is the picture's width divided by its height. The height of the view [m] does not depend on `aspect`.
        """
        up = 2 * self.pixels_per_metre / self.size[1]
        depth = self.near - self.far
        matrix = np.diag([up / aspect, up, 2 / depth, 1.0])
        matrix[2, 3] = (self.near + self.far) / depth
        return matrix.astype(np.float32)

    def facts(self) -> dict[str, Any]:
        """Return the width of the view [m]."""
        return {"view_width": self.view_width}
