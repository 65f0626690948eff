"""Lenses with large fields of view: fisheyes and panoramas.

The renderer draws faces of a cube around the camera, from which `ecs_anim.view.resampling` makes the picture. Depths
are distances from the camera, because the distance along the axis is 0 or negative beside and behind the camera.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths.elementary import arctan2, hypot, sin_cos
from ecs_anim.support.arguments import array_of, number, numbers, width_and_height
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.view.lens import Lens
from ecs_anim.view.lens_model import FAR, NEAR, CalibratedLens, LensModel, Reals

FISHEYE_COEFFICIENTS = ("k1", "k2", "k3", "k4")
STRAIGHT = (0.0, 0.0, 0.0, 0.0)
MOST_VIEW = math.radians(220.0)  # largest field of view of a fisheye lens
WINDOW_VIEW = math.radians(90.0)  # vertical field of view of the pinhole picture that windows show
ANGLES = 4096  # angles in the table that starts the search for view directions
STEPS = 4  # steps of Newton's method, from the table's start to the precision of float64


@dataclass(frozen=True)
class WideLens(LensModel):
    """A lens whose pictures are resampled from the faces of a cube."""

    depth_along = "ray"

    @property
    @abstractmethod
    def density(self) -> float:
        """Return the largest number of pixels per radian along a line from the middle of the picture."""

    def unproject(self, pixels: ArrayLike, depths: ArrayLike) -> Reals:
        """Return the points [..., 3] [m] in camera space that have given pixels [..., 2] and depths [...] [m].

        Depths are distances from the camera. If a pixel has no view ray, the result is NaN.
        """
        rays = self._rays(array_of("pixels", pixels, 2).astype(np.float64))
        return rays * array_of("depths", depths).astype(np.float64)[..., None]

    def projection_matrix(self, aspect: float) -> NDArray[np.float32]:
        """Return the projection matrix [4, 4] f32 of a pinhole lens with a vertical field of view of 90 degrees."""
        return Lens.of_view(self.size, WINDOW_VIEW, near=self.near, far=self.far).projection_matrix(aspect)

    @abstractmethod
    def _rays(self, pixels: Reals) -> Reals:
        """Return the unit vectors [..., 3] in camera space that pixels [..., 2] show, or NaN."""


@dataclass(frozen=True)
class FisheyeLens(WideLens, CalibratedLens):
    """A fisheye lens: intrinsics [pixel] for pictures with the size `size`, and the distortion k1, k2, k3, k4.

    A direction with the angle t [rad] to the optical axis appears at the distance f t (1 + k1 t^2 + k2 t^4 + k3 t^6 +
    k4 t^8) from the principal point (Kannala and Brandt, "A Generic Camera Model and Calibration Method", 2006, in the
    form of OpenCV's module fisheye). With the distortion 0, the distance is proportional to the angle. `field_of_view`
    [rad] is the angle across the image circle, at most 220 degrees. Pixels outside of the image circle are empty.
    Raises ValueError for invalid numbers. Raises InputError if `size` is above the budget, or if the distortion folds
    the picture (two view directions then share a pixel).
    """

    model = "fisheye"

    distortion: Sequence[float] = STRAIGHT  # k1, k2, k3, k4
    field_of_view: float = MOST_VIEW  # [rad]

    def __post_init__(self) -> None:
        super().__post_init__()
        bent = numbers("lens distortion", self.distortion)
        if bent.shape != (len(FISHEYE_COEFFICIENTS),):
            names = ", ".join(FISHEYE_COEFFICIENTS)
            raise ValueError(f"fisheye distortion must be the four coefficients {names} (got {self.distortion!r})")
        object.__setattr__(self, "distortion", tuple(bent.tolist()))
        widest = number("lens field_of_view", self.field_of_view, math.radians(0.1), MOST_VIEW)
        object.__setattr__(self, "field_of_view", widest)
        if np.any(np.diff(self._table[1]) <= 0):
            raise InputError(
                "fisheye distortion must not show two directions at one pixel. Lower the distortion, or use a smaller"
                " field of view of the image circle."
            )

    @classmethod
    @checked
    def of_view(
        cls,
        size: tuple[int, int],
        horizontal_fov: float,
        *,
        distortion: Sequence[float] = STRAIGHT,
        field_of_view: float = MOST_VIEW,
        near: float = NEAR,
        far: float = FAR,
    ) -> Self:
        """Return a lens whose picture is `horizontal_fov` [rad] wide.

        The optical axis is at the picture's centre. Pixels are square.
        """
        width, height = width_and_height("lens size", size)
        half = number("lens horizontal_fov", horizontal_fov, math.radians(0.1), MOST_VIEW) / 2
        unit = cls(size, 1.0, 1.0, width / 2, height / 2, distortion, field_of_view, near=near, far=far)
        focal = width / 2 / float(_radius(half, unit.distortion))
        return replace(unit, fx=focal, fy=focal)

    @property
    def density(self) -> float:
        """Return the largest number of pixels per radian along a line from the principal point."""
        angles, radii = self._table
        return max(self.fx, self.fy) * float(np.max(np.diff(radii) / np.diff(angles)))

    def pixels(self, points: ArrayLike) -> Reals:
        """Project points [..., 3] [m] in camera space to pixels [..., 2].

        The pixel coordinates of points outside of the image circle are NaN.
        """
        x, y, z = np.moveaxis(array_of("points", points, 3).astype(np.float64), -1, 0)
        aside = hypot(x, y)
        angle = arctan2(aside, -z)
        with np.errstate(all="ignore"):  # on the axis, `aside` is 0
            share = np.where(aside > 0, _radius(angle, self.distortion) / aside, 0.0)
        share = np.where(angle <= self.field_of_view / 2, share, np.nan)
        return np.stack([self.fx * share * x + self.cx, self.cy - self.fy * share * y], axis=-1)

    def facts(self) -> dict[str, Any]:
        """Return the intrinsics [pixel], the distortion, and the field of view of the image circle [rad]."""
        coefficients = dict(zip(FISHEYE_COEFFICIENTS, self.distortion, strict=True))
        intrinsics = {name: getattr(self, name) for name in ("fx", "fy", "cx", "cy")}
        return {**intrinsics, "distortion": coefficients, "field_of_view": self.field_of_view}

    def _rays(self, pixels: Reals) -> Reals:
        aside = (pixels - [self.cx, self.cy]) / [self.fx, self.fy]
        radius = hypot(aside[..., 0], aside[..., 1])
        sine, cosine = sin_cos(self._angles(radius))
        with np.errstate(all="ignore"):  # at the principal point, `radius` is 0
            share = np.where(radius > 0, sine / radius, 1.0)
        return np.stack([share * aside[..., 0], -share * aside[..., 1], -cosine], axis=-1)

    def _angles(self, radii: Reals) -> Reals:
        """Return the angles [...] [rad] to the optical axis at distances [...] [focal lengths], with Newton's method.

        Distances outside of the image circle have the angle NaN.
        """
        angles, table = self._table
        found = np.interp(radii, table, angles, right=np.nan)
        for _ in range(STEPS):
            found = found - (_radius(found, self.distortion) - radii) / _growth(found, self.distortion)
        return np.asarray(found, np.float64)

    @cached_property
    def _table(self) -> tuple[Reals, Reals]:
        """Return angles [n] [rad] up to the border of the image circle, and their distances [n] [focal lengths]."""
        angles = np.linspace(0.0, self.field_of_view / 2, ANGLES)
        return angles, _radius(angles, self.distortion)


@dataclass(frozen=True)
class EquirectangularLens(WideLens):
    """A panorama of all directions: columns are angles to the right, rows are angles up, both evenly spaced.

    The picture is 360 degrees wide and 180 degrees high. Its middle shows the direction of the camera. Pictures with
    twice as many columns as rows have square pixels in the middle row.
    """

    model = "equirectangular"

    @property
    def density(self) -> float:
        """Return the number of pixels per radian in the middle row or along a column, the larger of the two."""
        return max(self.size[0] / math.tau, self.size[1] / math.pi)

    @checked
    def fitted(self, size: tuple[int, int]) -> Self:
        """Return a copy of the lens for pictures with the size `size`. The picture still shows all directions."""
        return replace(self, size=width_and_height("lens size", size))

    def pixels(self, points: ArrayLike) -> Reals:
        """Project points [..., 3] [m] in camera space to pixels [..., 2]."""
        x, y, z = np.moveaxis(array_of("points", points, 3).astype(np.float64), -1, 0)
        width, height = self.size
        across, up = arctan2(x, -z), arctan2(y, hypot(x, z))
        return np.stack([width * (across / math.tau + 0.5) % width, height * (0.5 - up / math.pi)], axis=-1)

    def moved(self, now: Reals, then: Reals) -> Reals:
        """Return the movement [..., 2] [pixel] from `then` to `now`, at most half the picture to the left or right."""
        width = self.size[0]
        straight = now - then
        return np.stack([(straight[..., 0] + width / 2) % width - width / 2, straight[..., 1]], axis=-1)

    def facts(self) -> dict[str, Any]:
        """Return no parameters: the size of the picture defines the lens."""
        return {}

    def _rays(self, pixels: Reals) -> Reals:
        width, height = self.size
        (aside, ahead) = sin_cos(math.tau * (pixels[..., 0] / width - 0.5))
        (rise, flat) = sin_cos(math.pi * (0.5 - pixels[..., 1] / height))
        return np.stack([flat * aside, rise, -flat * ahead], axis=-1)


def _radius(angle: Any, distortion: Sequence[float]) -> Any:
    """Return the distances [focal lengths] from the principal point at angles [rad] to the optical axis."""
    k1, k2, k3, k4 = distortion
    square = angle * angle
    return angle * (1 + square * (k1 + square * (k2 + square * (k3 + square * k4))))


def _growth(angle: Any, distortion: Sequence[float]) -> Any:
    """Return the derivative of `_radius` by the angle."""
    k1, k2, k3, k4 = distortion
    square = angle * angle
    return 1 + square * (3 * k1 + square * (5 * k2 + square * (7 * k3 + square * 9 * k4)))
