"""Cameras that stand somewhere and have a lens, as calibrated and robots' ones do."""

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

Reals = NDArray[np.float64]

FOCUS = 8.0  # [m], default without a target
SKEWED = 1e-3  # tolerance of a rotation, such as a typed one
UP = (0.0, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class PinholeCamera:
    """A lens, and where it is: `pose` [3, 4] takes its space, which looks along -Z with +Y up, to the world [m].

    `distance` [m] is how far away is what it looks at; the sun's shadows are finest up to there. Raises ValueError for
    a pose that does more than turn and move.
    """

    lens: Lens
    pose: Reals  # [3, 4]
    distance: float = field(default=FOCUS, kw_only=True)  # [m]

    def __post_init__(self) -> None:
        require_type("camera lens", self.lens, Lens)
        pose = numbers("camera pose", self.pose, most=F32_MAX)
        if pose.shape != (3, 4):
            raise ValueError(f"camera pose must be three rows of four numbers (got shape {pose.shape})")
        object.__setattr__(self, "pose", affine.join(rotation_of("camera pose", pose[:, :3]), pose[:, 3]))
        object.__setattr__(self, "distance", number("camera distance", self.distance, -FLOAT_MAX, FLOAT_MAX))
        if self.distance <= 0:
            raise ValueError(f"camera distance must be > 0 (got {self.distance})")

    @classmethod
    @checked
    def looking(cls, lens: Lens, eye: ArrayLike, look_at: ArrayLike, up: ArrayLike = UP) -> Self:
        """One that stands at `eye` [3] and has `look_at` [3] on its axis, [m], and `up` [3] as far up as can be.

        Raises ValueError where both are one point, or `up` is the direction in between.
        """
        pose, distance = look_at_pose(eye, look_at, up)
        return cls(lens, pose, distance=distance)

    @property
    def position(self) -> NDArray[np.float32]:
        """Where the camera stands, [3] f32, [m]."""
        return self.pose[:, 3].astype(np.float32)

    @property
    def far(self) -> float:
        """How far it sees, [m]."""
        return self.lens.far

    def view_matrix(self) -> NDArray[np.float32]:
        """World space to view space (looking along -Z), [4, 4] f32, for column vectors."""
        view = np.eye(4, dtype=np.float32)
        view[:3] = self.world_to_view
        return view

    @property
    def world_to_view(self) -> Reals:
        """World space to view space, [3, 4] f64."""
        back = self.pose[:, :3].T
        return affine.join(back, -applied(back, self.pose[:, 3])).astype(np.float64)

    def projection_matrix(self, aspect: float) -> NDArray[np.float32]:
        """View space to clip space without the distortion, [4, 4] f32; `aspect` is width over height."""
        return self.lens.projection_matrix(aspect)

    @checked
    def fitted(self, size: tuple[int, int]) -> Self:
        """Return the camera for another picture size. The vertical field of view stays; the horizontal one changes."""
        return replace(self, lens=self.lens.fitted(size))

    @checked
    def project(self, points: ArrayLike) -> tuple[Reals, Reals]:
        """Pixels [..., 2] of points [..., 3] [m] of the world, and their depths [...] [m] along the axis.

        Pixels count from the upper left corner of the upper left one, whose middle is at 0.5, 0.5; what is not before
        the camera has none: NaN.
        """
        seen = affine.transform_points(self.world_to_view, numbers("points", array_of("points", points, 3)))
        return self.lens.pixels(seen), -seen[..., 2].astype(np.float64)


def look_at_pose(eye: ArrayLike, look_at: ArrayLike, up: ArrayLike = UP) -> tuple[Reals, float]:
    """The pose [3, 4] of a camera at `eye` [3] that looks at a point [3], `up` [3] upwards; and how far that is, [m].

    Raises ValueError where both are one point, or `up` is the direction in between.
    """
    eye, look_at, up = (_three(name, own) for name, own in (("eye", eye), ("look_at", look_at), ("up", up)))
    back = eye - look_at
    distance = float(length(back))
    if distance < 1e-6:
        raise ValueError(f"eye and look_at must be two points (got {eye.tolist()} twice)")
    right = np.cross(unit(up), back / distance)
    if length(right) < 1e-6:
        raise ValueError(f"up must be another direction than the one looked in (got {up.tolist()}); give another up")
    right, back = unit(right), back / distance
    return affine.join(np.stack([right, np.cross(back, right), back], axis=-1), eye).astype(np.float64), distance


def rotation_of(what: str, linear: ArrayLike) -> Reals:
    """The rotation [3, 3] that rounded numbers [3, 3] are meant to be. Raises ValueError where they are none."""
    linear = np.asarray(linear, np.float64)
    off = np.abs(product(linear.T, linear) - np.eye(3)).max()
    if off > SKEWED or determinant(linear) < 0:
        raise ValueError(f"{what} must turn and move only: three unit axes at right angles, right-handed")
    return orthonormal(linear)


ViewCamera = OrbitCamera | PinholeCamera


def pinhole_of(camera: ViewCamera, size: tuple[int, int]) -> PinholeCamera:
    """Any camera as one with a lens, in a picture of this size."""
    if isinstance(camera, PinholeCamera):
        return camera.fitted(size)
    lens = Lens.of_view(size, camera.vertical_fov, near=camera.near, far=camera.far)
    axes = camera.axes().astype(np.float64)
    return PinholeCamera(lens, affine.join(axes.T, camera.position).astype(np.float64), distance=camera.distance)


def _three(name: str, value: ArrayLike) -> Reals:
    values = numbers(name, value)
    if values.shape != (3,):
        raise ValueError(f"{name} must be x, y, z [m] (got shape {values.shape})")
    return values
