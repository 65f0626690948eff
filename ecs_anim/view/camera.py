"""A camera that orbits a target point. The mouse can orbit, zoom and pan this camera."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NUMBER, POSITIVE, Within
from ecs_anim.ecs.columns import Kept, Lengths
from ecs_anim.maths.elementary import arcsin, sin_cos, tan
from ecs_anim.maths.small_matrices import applied
from ecs_anim.support.arguments import FLOAT_MAX, number, numbers, unknown
from ecs_anim.support.checked import checked

F32_MAX = float(np.finfo(np.float32).max)
RANGES = {"elevation_degrees": (-89.0, 89.0), "vertical_fov_degrees": (1.0, 150.0)}  # ranges of camera settings
POLE_MARGIN = math.radians(1.0)  # the azimuth of a vertical view would be undefined


@lru_cache(maxsize=16)  # the program reads the camera in each time step, even if the camera does not move
def _direction(yaw: float, elevation: float) -> NDArray[np.float32]:
    (rise, flat), (aside, ahead) = sin_cos(elevation), sin_cos(yaw)
    direction = np.array([flat * aside, rise, flat * ahead], np.float32)
    direction.flags.writeable = False
    return direction


@dataclass
class OrbitCamera:
    """A perspective camera that looks at the point `target` from the distance `distance`.

    `azimuth` is the compass bearing of the camera from its target, clockwise from north. At pi/2 the camera is east of
    the target, and at pi the camera is south of the target. With a positive elevation, the camera looks down. All
    methods that move the camera keep its elevation and its distance within limits. The elevation is at least
    `min_elevation`. The distance is between `min_distance` and `max_distance`. The camera stays at least
    `ground_clearance` above the ground at y = 0. If `ground_clearance` is None, the camera can move below the ground.
    """

    # [3] f32, [m]
    target: Annotated[Kept[NDArray[np.float32]], NUMBER, Lengths()] = field(
        default_factory=lambda: np.array([0, 1, 0], np.float32)
    )
    distance: Annotated[Kept[float], POSITIVE] = 5.0  # [m]
    azimuth: Annotated[Kept[float], NUMBER] = math.pi  # [rad], compass bearing of the camera from the target
    elevation: Annotated[Kept[float], Within(-math.pi / 2, math.pi / 2)] = 0.3  # [rad] above the horizon
    vertical_fov: float = math.radians(40.0)  # [rad]
    near: float = 0.1  # [m]
    far: float = 1000.0  # [m]
    min_distance: float = 0.5  # [m]
    max_distance: float = 500.0  # [m]
    min_elevation: float = math.radians(-60.0)  # [rad]
    ground_clearance: float | None = 0.1  # [m]

    def __post_init__(self) -> None:
        target = numbers("camera target", self.target, most=F32_MAX)
        if target.shape != (3,):
            raise ValueError(f"camera target must be 3 finite numbers (got shape {target.shape})")
        self.target = np.asarray(self.target, np.float32)
        for name in ("distance", "azimuth", "elevation", "vertical_fov", "near", "far"):
            number(f"camera {name}", getattr(self, name), -FLOAT_MAX, FLOAT_MAX)
        if self.distance <= 0:
            raise ValueError(f"camera distance must be a finite number above 0 (got {self.distance})")
        if not 0 < self.vertical_fov < math.pi:
            raise ValueError(f"camera vertical_fov must be between 0 and pi (got {self.vertical_fov})")
        if not 0 < self.near < self.far:
            raise ValueError(f"camera near must be above 0 and below far (got near = {self.near} and far = {self.far})")

    @property
    def _yaw(self) -> float:
        """Return the yaw angle [rad] of the camera about the +Y axis.

        The yaw is 0 if the camera is on the +Z side of its target.
        """
        return math.pi - float(self.azimuth)

    @property
    def direction(self) -> NDArray[np.float32]:
        """Return the unit vector [3] f32 from the target to the camera."""
        return _direction(self._yaw, float(self.elevation))

    @property
    def position(self) -> NDArray[np.float32]:
        """Return the camera position [3] f32 in metres."""
        return self.target + np.float32(self.distance) * self.direction

    def axes(self) -> NDArray[np.float32]:
        """Return the camera axes as a matrix [3, 3] f32. The rows are the right, up and back vectors."""
        sine, cosine = sin_cos(self._yaw)
        back = self.direction
        right = np.array([cosine, 0.0, -sine], np.float32)
        return np.stack([right, np.cross(back, right), back])

    def view_matrix(self) -> NDArray[np.float32]:
        """Return the view matrix [4, 4] f32.

        The matrix maps column vectors from world space to view space. In view space, the camera looks along -Z.
        """
        view = np.eye(4, dtype=np.float32)
        view[:3, :3] = self.axes()
        view[:3, 3] = -applied(view[:3, :3], self.position)
        return view

    @checked
    def projection_matrix(self, aspect: float) -> NDArray[np.float32]:
        """Return the projection matrix [4, 4] f32. The matrix maps column vectors from view space to clip space.

        The clip-space depth is -1 at the distance `near` and 1 at the distance `far`. `aspect` is the picture's width
        divided by its height.
        """
        focal = 1.0 / float(tan(self.vertical_fov / 2))
        depth = self.near - self.far
        return np.array(
            [
                [focal / aspect, 0, 0, 0],
                [0, focal, 0, 0],
                [0, 0, (self.near + self.far) / depth, 2 * self.near * self.far / depth],
                [0, 0, -1, 0],
            ],
            np.float32,
        )

    @checked
    def orbit(self, azimuth: float, elevation: float) -> None:
        """Move the camera around its target by two angles [rad].

        In a view from above, a positive `azimuth` moves the camera clockwise. A positive `elevation` moves the camera
        up.
        """
        self.azimuth = (self.azimuth + azimuth) % math.tau
        self.elevation += elevation
        self._apply_limits()

    @checked
    def zoom(self, factor: float) -> None:
        """Multiply the distance from the camera to its target by `factor`.

        A factor below 1 moves the camera nearer to its target.
        """
        self.distance *= factor
        self._apply_limits()

    @checked
    def pan(self, right: float, up: float) -> None:
        """Move the camera and its target by `right` and `up` along the horizontal and vertical axes of the picture.

        `right` and `up` are relative to the height of the picture: a value of 1 moves the target by the height [m] of
        the area that the picture shows at the target's distance.
        """
        metres = 2 * self.distance * float(tan(self.vertical_fov / 2))
        axes = self.axes()
        self.target = (self.target + np.float32(metres) * (right * axes[0] + up * axes[1])).astype(np.float32)
        if self.ground_clearance is not None:
            self.target[1] = max(self.target[1], 0.0)
        self._apply_limits()

    def _apply_limits(self) -> None:
        self.distance = min(max(self.distance, self.min_distance), self.max_distance)
        highest = math.pi / 2 - POLE_MARGIN
        self.elevation = min(max(self.elevation, self.min_elevation, self._ground_elevation()), highest)

    def _ground_elevation(self) -> float:
        """Return the lowest elevation [rad] at which the camera is above the ground."""
        if self.ground_clearance is None:
            return -math.pi / 2
        sine = (self.ground_clearance - float(self.target[1])) / self.distance
        return float(arcsin(min(max(sine, -1.0), 1.0)))


class CameraChange(TypedDict, total=False):
    """A dictionary of changes to the settings of a camera. The keys are the keys of the table [camera] in a scene file.

    If the dictionary has no entry for a key, the setting of the camera does not change.
    """

    target: Sequence[float]  # [3], [m]
    distance: float  # [m]
    azimuth_degrees: float  # compass bearing of the camera from its target: 90 = east, 180 = south
    elevation_degrees: float  # -89 to 89
    vertical_fov_degrees: float  # 1 to 150


def changed_camera(camera: OrbitCamera, change: CameraChange) -> OrbitCamera:
    """Return a copy of `camera` with the changes in `change`.

    Raises InputError for an unknown key, and ValueError for an invalid value.
    """
    fields: dict[str, Any] = {"target": camera.target.copy()}
    for key, value in change.items():
        if key not in CameraChange.__annotations__:
            raise unknown("camera key", key, CameraChange.__annotations__)
        given = numbers(f"camera {key}", value)  # type: ignore[arg-type]
        fields[key.removesuffix("_degrees")] = given if key == "target" else _number(key, given)
    return replace(camera, **fields)


def _number(key: str, given: NDArray[np.float64]) -> float:
    """Return the value of the camera setting `key`. Convert angles to radians.

    Raise ValueError if the value is out of range.
    """
    if given.shape != ():
        raise ValueError(f"camera {key} must be a single number (got {given.tolist()})")
    low, high = RANGES.get(key, (-math.inf, math.inf))
    if not low <= given <= high:
        raise ValueError(f"camera {key} must be {low:g} to {high:g} (got {given})")
    return math.radians(given) if key.endswith("_degrees") else float(given)
