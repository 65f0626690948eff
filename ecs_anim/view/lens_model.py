"""The common interface of lenses. A lens maps points in camera space to pixels, and pixels to view rays.

In camera space, the camera looks along -Z, and +Y is up. Pixel coordinates start at the upper left corner of the
picture. The centre of the first pixel is at 0.5, 0.5.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths.small_matrices import length, unit
from ecs_anim.support.arguments import FLOAT_MAX, array_of, number, width_and_height
from ecs_anim.support.budgets import require
from ecs_anim.support.checked import checked

Reals = NDArray[np.float64]
Model = Literal["pinhole", "fisheye", "equirectangular", "orthographic", "lidar"]
DepthAlong = Literal["axis", "ray"]

NEAR, FAR = 0.1, 1000.0  # [m]
DEEPEST = 1e6  # largest ratio of far to near; a larger ratio loses depth and planes to float32 rounding


@dataclass(frozen=True)
class LensModel(ABC):
    """A lens for pictures with the size `size`.

    `near` and `far` are the smallest and the largest visible distance along the axis of a drawn picture. Raises
    ValueError for invalid numbers, and InputError if `size` is above the budget.
    """

    model: ClassVar[Model]
    # "axis": depths are distances along the optical axis. "ray": depths are distances from the camera.
    depth_along: ClassVar[DepthAlong] = "axis"

    size: tuple[int, int]  # [pixel], width and height
    near: float = field(default=NEAR, kw_only=True)  # [m]
    far: float = field(default=FAR, kw_only=True)  # [m]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", width_and_height("lens size", self.size))
        if min(self.size) < 1:
            raise ValueError(f"lens size must be at least 1 x 1 pixels (got {self.size})")
        require("pixels", self.size[0] * self.size[1], "lens size", "draw a smaller picture")
        self._require_numbers("near", "far")
        if not 0 < self.near < self.far:
            raise ValueError(f"lens near must be above 0 and below far (got near = {self.near} and far = {self.far})")
        if self.far > DEEPEST * self.near:
            raise ValueError(
                f"lens near must be at least far / 1,000,000 (got near = {self.near} and far = {self.far}). Raise near."
            )

    @property
    def is_flat(self) -> bool:
        """Return whether one matrix describes the lens, so that the renderer draws its pictures directly."""
        return False

    @abstractmethod
    def fitted(self, size: tuple[int, int]) -> Self:
        """Return a copy of the lens, adapted to pictures with the size `size`."""

    @abstractmethod
    def pixels(self, points: ArrayLike) -> Reals:
        """Project points [..., 3] [m] in camera space to pixels [..., 2]. Pixels of points without an image are NaN."""

    @abstractmethod
    def unproject(self, pixels: ArrayLike, depths: ArrayLike) -> Reals:
        """Return the points [..., 3] [m] in camera space that have given pixels [..., 2] and depths [...] [m].

        `depths` are measured as in the pass `depth` of this lens. If a pixel has no view ray, the result is NaN.
        """

    @abstractmethod
    def projection_matrix(self, aspect: float) -> NDArray[np.float32]:
        """Return the projection matrix [4, 4] f32 from view space to clip space, without distortion.

        `aspect` is the picture's width divided by its height. Windows use this matrix for lenses that bend lines.
        """

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return the parameters of the lens for records of pictures, without `size`, `near` and `far`."""

    def depths(self, points: ArrayLike) -> Reals:
        """Return the depths [...] [m] of points [..., 3] [m] in camera space, as in the pass `depth`."""
        points = array_of("points", points, 3).astype(np.float64)
        return np.asarray(length(points) if self.depth_along == "ray" else -points[..., 2])

    def project(self, points: ArrayLike) -> tuple[Reals, NDArray[np.bool_]]:
        """Return the pixels [..., 2] of points [..., 3] [m] in camera space, and which points [...] are in the picture.

        Objects in front of a point are ignored.
        """
        pixels = self.pixels(points)
        return pixels, np.asarray(np.all((pixels >= 0) & (pixels < self.size), axis=-1))

    def rays(self, pixels: ArrayLike) -> Reals:
        """Return the view directions [..., 3] of pixels [..., 2] as unit vectors in camera space."""
        return np.asarray(unit(self.unproject(pixels, 1.0)))

    def moved(self, now: Reals, then: Reals) -> Reals:
        """Return the movement [..., 2] [pixel] from the pixels `then` to the pixels `now`."""
        return now - then

    def pixel_centers(self) -> Reals:
        """Return the centres of all pixels, [height, width, 2]."""
        width, height = self.size
        return np.stack(np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5), axis=-1)

    def _require_numbers(self, *names: str) -> None:
        """Raise ValueError if a field is not a finite number."""
        for name in names:
            object.__setattr__(self, name, number(f"lens {name}", getattr(self, name), -FLOAT_MAX, FLOAT_MAX))


@dataclass(frozen=True)
class CalibratedLens(LensModel):
    """A lens with intrinsics [pixel] for pictures with the size `size`: focal lengths and principal point."""

    fx: float  # [pixel]
    fy: float  # [pixel]
    cx: float  # [pixel], from the left edge
    cy: float  # [pixel], from the upper edge

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_numbers("fx", "fy", "cx", "cy")
        if not (self.fx > 0 and self.fy > 0):
            raise ValueError(f"lens fx and fy must be above 0 (got fx = {self.fx} and fy = {self.fy})")

    @checked
    def fitted(self, size: tuple[int, int]) -> Self:
        """Return a copy of the lens, adapted to pictures with the size `size`.

        The vertical field of view does not change. The horizontal field of view changes with the aspect ratio. Raises
        InputError if some pixels of the new picture have no view direction, because the distortion is too strong for
        its size.
        """
        size = width_and_height("lens size", size)
        if size == self.size:
            return self
        scale = size[1] / self.size[1]
        cx = size[0] / 2 + scale * (self.cx - self.size[0] / 2)
        return replace(self, size=size, fx=scale * self.fx, fy=scale * self.fy, cx=cx, cy=scale * self.cy)
