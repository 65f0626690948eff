"""Lenses: pinhole intrinsics and Brown-Conrady distortion. A lens maps view directions to pixels.

A view direction is a pair of numbers x / z, y / z. The axes are +Z forward, x right, y down, as usual for intrinsics.
Pixel coordinates start at the upper left corner of the picture. The centre of the first pixel is at 0.5, 0.5.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths.elementary import tan
from ecs_anim.support.arguments import array_of, number, numbers, width_and_height
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.view.lens_model import FAR, NEAR, CalibratedLens, Reals

COEFFICIENTS = ("k1", "k2", "p1", "p2", "k3")  # distortion coefficients, in the order of most calibration tools
UNDISTORTED = (0.0, 0.0, 0.0, 0.0, 0.0)
# largest x / z or y / z, 80 degrees off the axis; an undistorted picture with larger directions is mostly border
WIDEST = 6.0
NARROWEST = 1e-6  # [rad]
STEPS = 60  # steps of Newton's method; five steps suffice, except near a fold
EXACT, SAME = 1e-14, 1e-9  # tolerances: converged, and equal directions
SAMPLES = 2048  # radii at which the radial part is tested for growth


@dataclass(frozen=True)
class Lens(CalibratedLens):
    """A lens: intrinsics [pixel] for pictures with the size `size`, and the distortion coefficients k1, k2, p1, p2, k3.

    The distorted direction is x' = x (1 + k1 r^2 + k2 r^4 + k3 r^6) + 2 p1 x y + p2 (r^2 + 2 x^2) with r = sqrt(x^2 +
    y^2). The formula for y' exchanges x with y and p1 with p2 (Brown, "Close-Range Camera Calibration", 1971). Raises
    ValueError for invalid numbers. Raises InputError if `size` is above the budget. Also raises InputError if the
    distortion folds the picture (two view directions then share a pixel), or if the view extends more than 80 degrees
    to one side of the optical axis.
    """

    model = "pinhole"

    distortion: Sequence[float] = UNDISTORTED  # k1, k2, p1, p2, k3

    def __post_init__(self) -> None:
        super().__post_init__()
        bent = numbers("lens distortion", self.distortion)
        if bent.shape != (len(COEFFICIENTS),):
            raise ValueError(
                f"lens distortion must be the five coefficients {', '.join(COEFFICIENTS)} (got {self.distortion!r})"
            )
        object.__setattr__(self, "distortion", tuple(bent.tolist()))
        if self.is_distorted:
            self._require_one_to_one()

    @classmethod
    @checked
    def of_view(
        cls,
        size: tuple[int, int],
        vertical_fov: float,
        *,
        distortion: Sequence[float] = UNDISTORTED,
        near: float = NEAR,
        far: float = FAR,
    ) -> Self:
        """Return a lens with the vertical field of view `vertical_fov` [rad].

        The optical axis is at the picture's centre. Pixels are square.
        """
        width, height = width_and_height("lens size", size)
        focal = height / 2 / float(tan(number("lens vertical_fov", vertical_fov, NARROWEST, math.pi - NARROWEST) / 2))
        return cls(size, focal, focal, width / 2, height / 2, distortion, near=near, far=far)

    @property
    def is_distorted(self) -> bool:
        """Return whether the lens has distortion: straight lines then appear bent in the picture."""
        return any(self.distortion)

    @property
    def is_flat(self) -> bool:
        return not self.is_distorted

    def pixels(self, points: ArrayLike) -> Reals:
        """Project points [..., 3] [m] in camera space to pixels [..., 2].

        Camera space looks along -Z with +Y up. The pixel coordinates of points behind the camera are NaN.
        """
        x, y, z = np.moveaxis(array_of("points", points, 3).astype(np.float64), -1, 0)
        depth = np.where(z < 0, -z, np.nan)
        return self._to_pixels(distorted(np.stack([x / depth, -y / depth], axis=-1), self.distortion))

    def unproject(self, pixels: ArrayLike, depths: ArrayLike) -> Reals:
        """Return the points [..., 3] [m] in camera space that have given pixels [..., 2] and depths [...] [m].

        Depths are distances along the optical axis. If a pixel has no view ray, the result is NaN.
        """
        directions = undistorted(self._from_pixels(array_of("pixels", pixels, 2)), self.distortion)
        ahead = np.concatenate([directions * [1, -1], np.full((*directions.shape[:-1], 1), -1.0)], axis=-1)
        return ahead * array_of("depths", depths).astype(np.float64)[..., None]

    def directions(self) -> Reals:
        """Return the view directions x / z, y / z through the centres of all pixels, [height, width, 2]."""
        return undistorted(self._from_pixels(self.pixel_centers()), self.distortion)

    def facts(self) -> dict[str, Any]:
        """Return the intrinsics [pixel] and the distortion."""
        coefficients = dict(zip(COEFFICIENTS, self.distortion, strict=True))
        return {"fx": self.fx, "fy": self.fy, "cx": self.cx, "cy": self.cy, "distortion": coefficients}

    def projection_matrix(self, aspect: float) -> NDArray[np.float32]:
        """Return the projection matrix [4, 4] f32, without the distortion. The matrix maps view space to clip space.

        `aspect` is the picture's width divided by its height. If `aspect` differs from the aspect ratio of the lens,
        the method first adapts the lens to `aspect`, as `Lens.fitted` does.
        """
        width, height = self.size
        depth = self.near - self.far
        aside = 2 * (self.cx - width / 2) / (height * aspect)
        return np.array(
            [
                [2 * self.fx / (height * aspect), 0, -aside, 0],
                [0, 2 * self.fy / height, 2 * self.cy / height - 1, 0],
                [0, 0, (self.near + self.far) / depth, 2 * self.near * self.far / depth],
                [0, 0, -1, 0],
            ],
            np.float32,
        )

    def _to_pixels(self, directions: Reals) -> Reals:
        return directions * [self.fx, self.fy] + [self.cx, self.cy]

    def _from_pixels(self, pixels: Reals) -> Reals:
        return (pixels - [self.cx, self.cy]) / [self.fx, self.fy]

    def _require_one_to_one(self) -> None:
        """Raise InputError if a border pixel has no view direction.

        Also raise InputError if the view direction of a border pixel is too far from the optical axis.
        """
        width, height = self.size
        u, v = np.linspace(0, width, 65), np.linspace(0, height, 65)
        sides = [np.stack(np.broadcast_arrays(u, edge), axis=-1) for edge in (0.0, float(height))]
        sides += [np.stack(np.broadcast_arrays(edge, v), axis=-1) for edge in (0.0, float(width))]
        border = self._from_pixels(np.concatenate(sides))
        seen = undistorted(border, self.distortion)
        if not np.all(np.abs(seen) <= WIDEST):
            raise InputError(
                "lens distortion must keep the border of the picture within 80 degrees of the optical axis. Lower"
                " the distortion, or use a smaller field of view."
            )


def distorted(directions: ArrayLike, distortion: Sequence[float]) -> Reals:
    """Return the distorted directions [..., 2]. `distortion` are the coefficients k1, k2, p1, p2, k3."""
    if not any(distortion):
        return np.asarray(directions, np.float64)
    k1, k2, p1, p2, k3 = distortion
    x, y = np.moveaxis(np.asarray(directions, np.float64), -1, 0)
    square = x * x + y * y
    radial = 1 + square * (k1 + square * (k2 + square * k3))
    return np.stack(
        [
            x * radial + 2 * p1 * x * y + p2 * (square + 2 * x * x),
            y * radial + p1 * (square + 2 * y * y) + 2 * p2 * x * y,
        ],
        axis=-1,
    )


def undistorted(directions: ArrayLike, distortion: Sequence[float]) -> Reals:
    """Return the undistorted directions [..., 2], computed with Newton's method.

    If no undistorted direction exists for a distorted direction, the result is NaN.
    """
    wanted = np.asarray(directions, np.float64)
    if not any(distortion):
        return wanted
    with np.errstate(all="ignore"):  # the last line replaces diverged values
        found = wanted.copy()
        for _ in range(STEPS):
            missing = wanted - distorted(found, distortion)
            if np.all(np.abs(missing) <= EXACT):
                break
            xx, xy, yy = _slopes(found, distortion)
            volume = xx * yy - xy * xy
            found[..., 0] += (yy * missing[..., 0] - xy * missing[..., 1]) / volume
            found[..., 1] += (xx * missing[..., 1] - xy * missing[..., 0]) / volume
        missing = wanted - distorted(found, distortion)
        fits = np.all(np.abs(missing) <= SAME, axis=-1) & (np.sum(found * found, axis=-1) < fold(tuple(distortion)))
    return np.where(fits[..., None], found, np.nan)


@lru_cache(maxsize=64)
def fold(distortion: tuple[float, ...]) -> float:
    """Return the squared distance from the optical axis at which radial distortion begins to fold the picture (two view
    directions then share a pixel).
    """
    k1, k2, _, _, k3 = distortion
    square = np.linspace(0, 2 * WIDEST * WIDEST, SAMPLES)
    rises = 1 + square * (3 * k1 + square * (5 * k2 + square * 7 * k3)) > 0
    return float("inf") if rises.all() else float(square[np.argmin(rises)])


def _slopes(directions: Reals, distortion: Sequence[float]) -> tuple[Reals, Reals, Reals]:
    """Return three derivatives of the result of `distorted`: of x by x, of x by y, and of y by y.

    The derivative of y by x equals the derivative of x by y.
    """
    k1, k2, p1, p2, k3 = distortion
    x, y = np.moveaxis(directions, -1, 0)
    square = x * x + y * y
    radial = 1 + square * (k1 + square * (k2 + square * k3))
    growth = k1 + square * (2 * k2 + square * 3 * k3)  # derivative of `radial` by the squared distance
    across = 2 * x * y * growth + 2 * p1 * x + 2 * p2 * y
    return (
        radial + 2 * x * x * growth + 2 * p1 * y + 6 * p2 * x,
        across,
        radial + 2 * y * y * growth + 6 * p1 * y + 2 * p2 * x,
    )
