"""Cameras with a lens and a fixed pose, for example calibrated cameras and robot cameras."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import affine
from ecs_anim.maths.small_matrices import applied, determinant, length, orthonormal, product, unit
from ecs_anim.support.arguments import FLOAT_MAX, array_of, number, numbers
from ecs_anim.support.checked import checked, require_type
from ecs_anim.view.camera import F32_MAX, OrbitCamera
from ecs_anim.view.lens import Lens
from ecs_anim.view.lens_model import LensModel

Reals = NDArray[np.float64]

FOCUS = 8.0  # [m], default focus distance without a target
SKEWED = 1e-3  # tolerance for rounded rotations, for example from a text file
UP = (0.0, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class PinholeCamera:
    """A camera that consists of a lens and a pose. The pose [3, 4] maps camera space to the world [m].

    In camera space, the camera looks along -Z, and +Y is up. `distance` [m] is the distance from the camera to its
    target. The renderer adapts the shadow map to `distance`, so that shadows near the target are sharp. `is_face` marks
    one of several pictures that are drawn from one position: their shadow maps are equal. Raises ValueError if the pose
    is not a rotation with a translation.
    """

    lens: LensModel
    pose: Reals  # [3, 4]
    distance: float = field(default=FOCUS, kw_only=True)  # [m] to the target
    is_face: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        require_type("camera lens", self.lens, LensModel)
        pose = numbers("camera pose", self.pose, most=F32_MAX)
        if pose.shape != (3, 4):
            raise ValueError(
                f"the pose of a camera must be a matrix of three rows and four columns (got shape {pose.shape})"
            )
        object.__setattr__(self, "pose", affine.join(rotation_of("camera pose", pose[:, :3]), pose[:, 3]))
        object.__setattr__(self, "distance", number("camera distance", self.distance, -FLOAT_MAX, FLOAT_MAX))
        if self.distance <= 0:
            raise ValueError(f"camera distance must be above 0 (got {self.distance})")

    @classmethod
    @checked
    def looking(cls, lens: LensModel, eye: ArrayLike, look_at: ArrayLike, up: ArrayLike = UP) -> Self:
        """Return a camera at `eye` [3] [m] that looks at `look_at` [3] [m].

        The direction `up` [3] points up in the picture. Raises ValueError if `eye` equals `look_at`, or if `up` is
        parallel to the optical axis.
        """
        pose, distance = look_at_pose(eye, look_at, up)
        return cls(lens, pose, distance=distance)

    @property
    def position(self) -> NDArray[np.float32]:
        """Return the camera position [3] f32 in metres."""
        return self.pose[:, 3].astype(np.float32)

    @property
    def far(self) -> float:
        """Return the distance [m] from the camera to the far plane."""
        return self.lens.far

    def view_matrix(self) -> NDArray[np.float32]:
        """Return the view matrix [4, 4] f32.

        The matrix maps column vectors from world space to view space, which looks along -Z.
        """
        view = np.eye(4, dtype=np.float32)
        view[:3] = self.world_to_view
        return view

    @property
    def world_to_view(self) -> Reals:
        """Return the view matrix [3, 4] f64. The matrix maps world space to view space."""
        back = self.pose[:, :3].T
        return affine.join(back, -applied(back, self.pose[:, 3])).astype(np.float64)

    def projection_matrix(self, aspect: float) -> NDArray[np.float32]:
        """Return the projection matrix [4, 4] f32, without the distortion. The matrix maps view space to clip space.

        `aspect` is the picture's width divided by its height.
        """
        return self.lens.projection_matrix(aspect)

    @checked
    def fitted(self, size: tuple[int, int]) -> Self:
        """Return a copy of the camera with a lens for pictures with the size `size`.

        The vertical field of view does not change. The horizontal field of view changes with the aspect ratio of the
        picture.
        """
        return replace(self, lens=self.lens.fitted(size))

    @checked
    def project(self, points: ArrayLike) -> tuple[Reals, Reals]:
        """Return the pixel coordinates [..., 2] and the depths [...] [m] of world points [..., 3] [m].

        The depth is the distance along the optical axis, or along the ray for fisheye and equirectangular lenses. Pixel
        coordinates start at the upper left corner of the picture. The centre of the first pixel is at 0.5, 0.5. The
        pixel coordinates of points that the lens cannot see, such as points behind a pinhole, are NaN.
        """
        seen = affine.transform_points(self.world_to_view, numbers("points", array_of("points", points, 3)))
        return self.lens.pixels(seen), self.lens.depths(seen)

    @checked
    def unproject(self, pixels: ArrayLike, depths: ArrayLike) -> Reals:
        """Return the world points [..., 3] [m] at pixel coordinates [..., 2] and depths [...] [m].

        `depths` are values of the pass `depth`. If a pixel has no view ray, the result is NaN.
        """
        return affine.transform_points(self.pose, self.lens.unproject(pixels, depths)).astype(np.float64)


def look_at_pose(eye: ArrayLike, look_at: ArrayLike, up: ArrayLike = UP) -> tuple[Reals, float]:
    """Return the pose [3, 4] of a camera at the point `eye` [3] that looks at the point `look_at` [3].

    Also return the distance [m] between the two points. The direction `up` [3] points up in the picture. Raises
    ValueError if the two points are equal, or if `up` is parallel to the optical axis.
    """
    eye, look_at, up = (_three(name, own) for name, own in (("eye", eye), ("look_at", look_at), ("up", up)))
    back = eye - look_at
    distance = float(length(back))
    if distance < 1e-6:
        raise ValueError(f"eye and look_at must be different points (got {eye.tolist()} twice)")
    right = np.cross(unit(up), back / distance)
    if length(right) < 1e-6:
        raise ValueError(
            f"up must not be parallel to the view direction (got {up.tolist()}). Choose another direction for up."
        )
    right, back = unit(right), back / distance
    return affine.join(np.stack([right, np.cross(back, right), back], axis=-1), eye).astype(np.float64), distance


def rotation_of(name: str, linear: ArrayLike) -> Reals:
    """Return the rotation matrix [3, 3] nearest to `linear` [3, 3], which can have rounding errors.

    Raise ValueError if `linear` is not close to a rotation. `name` names the matrix in the message.
    """
    linear = np.asarray(linear, np.float64)
    off = np.abs(product(linear.T, linear) - np.eye(3)).max()
    if off > SKEWED or determinant(linear) < 0:
        raise ValueError(
            f"the axes of the {name} must be perpendicular unit vectors in right-handed order. Correct the matrix."
        )
    return orthonormal(linear)


ViewCamera = OrbitCamera | PinholeCamera


def pinhole_of(camera: ViewCamera, size: tuple[int, int]) -> PinholeCamera:
    """Convert a camera of any type to a `PinholeCamera` for pictures with the size `size`."""
    if isinstance(camera, PinholeCamera):
        return camera.fitted(size)
    lens = Lens.of_view(size, camera.vertical_fov, near=camera.near, far=camera.far)
    return PinholeCamera(lens, orbit_pose(camera), distance=camera.distance)


def orbit_pose(camera: OrbitCamera) -> Reals:
    """Return the pose [3, 4] of an orbit camera, from camera space to the world [m]."""
    return affine.join(camera.axes().T, camera.position).astype(np.float64)


def _three(name: str, value: ArrayLike) -> Reals:
    values = numbers(name, value)
    if values.shape != (3,):
        raise ValueError(f"{name} must be three numbers x, y, z in metres (got shape {values.shape})")
    return values
