"""Lidar sensors: a scan with rings of rays, at the position of a camera.

A lidar stands upright and has the heading of its camera. A scan is an array [ring, step]. The first ring is the highest
ring. The steps go clockwise from behind the lidar, so the middle step looks ahead. The renderer draws faces of a cube
around the lidar, as for panoramas. Each ray goes through the centre of a pixel of a face. Therefore, the distances and
the points are exact, and the directions of the rays differ a little from the directions of the rings and the steps.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import affine
from ecs_anim.maths.elementary import arctan2, hypot, sin_cos
from ecs_anim.maths.small_matrices import applied, inner, length, unit
from ecs_anim.support.arguments import array_of
from ecs_anim.view.lens_model import Reals
from ecs_anim.view.npz_file import npz_bytes
from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import UP, PinholeCamera
from ecs_anim.view.resampling import faces_of
from ecs_anim.view.wide_lenses import WideLens

# One return of a scan. 0 in all fields = no surface within the ranges of the lidar.
RETURN = np.dtype(
    [
        ("range", "f4"),  # [m], distance from the lidar
        ("id", "u4"),  # actor id, as in the pass `ids`
        ("class", "u1"),  # class number, as in the pass `classes`
        ("intensity", "f4"),  # cosine of the angle between the ray and the normal of the surface, 0 to 1
        ("points", "f4", (3,)),  # [m], point in space
    ]
)
PER_STEP = 2  # resolution of the faces: pixels per azimuth step, before the factor `resampling.FINER`
LEAST_DENSITY = 256.0  # [pixel/rad]; with this resolution, the direction of a ray is wrong by less than 0.1 degrees
NEAR = 0.05  # [m], largest distance of the near plane


@dataclass(frozen=True)
class LidarLens(WideLens):
    """The rays of a lidar as a lens. A column of the picture is an azimuth step, and a row is a ring."""

    model = "lidar"

    elevations: tuple[float, ...] = ()  # [rad], of the rings, falling

    @property
    def density(self) -> float:
        """Return the resolution of the faces of the cube [pixel/rad]."""
        return max(PER_STEP * self.size[0] / math.tau, LEAST_DENSITY)

    def fitted(self, size: tuple[int, int]) -> "LidarLens":
        """Return the lens itself, because the size of a scan does not change."""
        return self

    def pixels(self, points: ArrayLike) -> Reals:
        """Return the columns and rows [..., 2] of points [..., 3] [m]. Points above or below all rings have row NaN."""
        x, y, z = np.moveaxis(array_of("points", points, 3).astype(np.float64), -1, 0)
        width, height = self.size
        falling, rows = -np.array(self.elevations), np.arange(height) + 0.5
        row = np.interp(-arctan2(y, hypot(x, z)), falling, rows, left=np.nan, right=np.nan)
        return np.stack([width * (arctan2(x, -z) / math.tau + 0.5) % width, row], axis=-1)

    def facts(self) -> dict[str, Any]:
        """Return the elevations of the rings [rad]."""
        return {"elevations": list(self.elevations)}

    def _rays(self, pixels: Reals) -> Reals:
        rings = np.array(self.elevations)[pixels[..., 1].astype(np.intp)]
        (aside, ahead), (rise, flat) = sin_cos(math.tau * (pixels[..., 0] / self.size[0] - 0.5)), sin_cos(rings)
        return np.stack([flat * aside, rise, -flat * ahead], axis=-1)


@dataclass(frozen=True)
class Lidar:
    """The settings of a lidar. The default is a lidar with 32 rings from -25 to 15 degrees."""

    elevations: tuple[float, ...] = tuple(np.radians(np.linspace(15.0, -25.0, 32)).tolist())  # [rad], falling
    azimuth_steps: int = 1024
    nearest: float = 0.5  # [m], smallest distance of a return
    farthest: float = 100.0  # [m], largest distance of a return
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m], from the camera: ahead, to the left, up

    def camera(self, carrier: PinholeCamera) -> PinholeCamera:
        """Return the lidar at the position of the camera `carrier`, as a camera with a `LidarLens`."""
        size = (self.azimuth_steps, len(self.elevations))
        lens = LidarLens(size, near=min(NEAR, self.nearest / 2), far=self.farthest, elevations=self.elevations)
        _, up, back = carrier.pose[:, :3].T
        ahead = np.where(abs(back[1]) < 1 - 1e-6, -back, up if back[1] > 0 else -up) * [1.0, 0.0, 1.0]
        axes = np.stack([np.cross(unit(ahead), UP), UP, -unit(ahead)], axis=-1)
        forward, left, rise = self.offset
        position = carrier.pose[:, 3] + applied(axes, [-left, rise, -forward])
        return PinholeCamera(lens, affine.join(axes, position).astype(np.float64))

    def scan(self, camera: PinholeCamera, passes: Passes) -> NDArray[np.void]:
        """Return a scan [ring, step] with the fields of `RETURN`.

        `passes` are the passes of `camera`, a result of the method `camera`.
        """
        directions = np.full((*passes.depth.shape, 3), np.nan)
        for face in faces_of(camera.lens):
            face.paste(face.sampled(), directions)
        rays = applied(camera.pose[:, :3], directions / length(directions)[..., None])
        is_hit = (passes.depth >= self.nearest) & (passes.depth <= self.farthest)
        found = np.zeros(is_hit.shape, RETURN)
        found["range"], found["id"], found["class"] = passes.depth, passes.ids, passes.classes
        found["intensity"] = np.clip(-inner(rays, passes.normals), 0, 1)
        found["points"] = camera.pose[:, 3] + rays * passes.depth[..., None]
        found[~is_hit] = 0
        return found

    def facts(self, carrier: PinholeCamera) -> dict[str, Any]:
        """Return the settings, and the matrix [4, 4] from space to the lidar, for records of scans."""
        return {
            "world_to_lidar": self.camera(carrier).view_matrix().tolist(),
            "elevations": list(self.elevations),
            "azimuth_steps": self.azimuth_steps,
            "range": [self.nearest, self.farthest],
        }


def lidar_bytes(scan: NDArray[np.void]) -> bytes:
    """Return the bytes of an .npz file with one array for each field of a scan."""
    return npz_bytes(**{name: np.ascontiguousarray(scan[name]) for name in scan.dtype.names or ()})
