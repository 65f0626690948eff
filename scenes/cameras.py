"""Construction of the cameras in the [[cameras]] tables of a scene."""

import math
from collections.abc import Mapping, Sequence
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.elementary import tan
from ecs_anim.maths.small_matrices import applied, product
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loaded_rig import LoadedRig, require_joint
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_cameras import CarrierTable, FollowTable, MountTable, OrbitTable, SceneCameraModel
from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError
from ecs_anim.support.reuse import reusable
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.follow import Follow, Following, following
from ecs_anim.view.lens import COEFFICIENTS, Lens
from ecs_anim.view.lens_model import LensModel
from ecs_anim.view.orthographic import OrthographicLens
from ecs_anim.view.pinhole import UP, look_at_pose, orbit_pose, rotation_of
from ecs_anim.view.scene_cameras import CameraMotion, Fixed, Mounted, OnPath, SceneCamera
from ecs_anim.view.sensor import Sensor
from ecs_anim.view.wide_lenses import FISHEYE_COEFFICIENTS, MOST_VIEW, EquirectangularLens, FisheyeLens

Reals = NDArray[np.float64]

VERTICAL_FOV = 40.0  # [degrees]
FISHEYE_FOV = 180.0  # [degrees], horizontal
OPENCV = np.array([1.0, -1.0, -1.0])  # OpenCV's camera axes in OpenGL's camera axes
AHEAD = np.diag([-1.0, 1.0, -1.0])  # a camera's axes in actor space, where an actor faces +Z


def build_cameras(scene: SceneFile, rigs: Mapping[str, LoadedRig], world: World, seed: int) -> tuple[SceneCamera, ...]:
    """Return the cameras of the scene, in the order of the scene file. `world` must already contain all crowds.

    Raises InputError with the scene key of the problem.
    """
    cameras: dict[str, SceneCamera] = {}
    for index, model in enumerate(scene.model.cameras):
        key = SceneKey(scene.label, f"cameras[{index}]")
        lens, motion = _lens(model, key), _motion(model, scene, rigs, world, key)
        sensor = None if model.sensor is None else Sensor(**model.sensor.model_dump())
        for eye, (name, aside) in enumerate(model.eyes.items()):
            if name in cameras:
                raise (key / ".name").fault(
                    f"the names of cameras must be different (got {name!r} twice). Rename one camera."
                )
            cameras[name] = SceneCamera(name, lens, motion, sensor, (seed, index, eye), aside)
    return tuple(cameras.values())


def _lens(model: SceneCameraModel, key: SceneKey) -> LensModel:
    width, height = model.size
    if limit_message := excess("pixels", width * height, "draw a smaller picture"):
        raise (key / ".size").fault(limit_message)
    with key.blamed((ValueError, InputError)):
        match model.lens:
            case "pinhole":
                intrinsics = _intrinsics(model, _focal(model))
                return Lens(*intrinsics, _distortion(model, COEFFICIENTS), near=model.near, far=model.far)
            case "fisheye":
                return _fisheye(model)
            case "equirectangular":
                return EquirectangularLens(model.size, near=model.near, far=model.far)
            case "orthographic":
                assert model.view_width is not None
                return OrthographicLens(model.size, model.view_width, near=model.near, far=model.far)
            case _:
                assert_never(model.lens)


def _fisheye(model: SceneCameraModel) -> FisheyeLens:
    circle = math.radians(model.image_circle_degrees or math.degrees(MOST_VIEW))
    bent = _distortion(model, FISHEYE_COEFFICIENTS)
    degrees = model.vertical_fov_degrees or model.horizontal_fov_degrees or FISHEYE_FOV
    across = model.size if model.vertical_fov_degrees is None else model.size[::-1]
    focal = FisheyeLens.of_view(across, math.radians(degrees), distortion=bent, field_of_view=circle).fx
    return FisheyeLens(*_intrinsics(model, focal), bent, circle, near=model.near, far=model.far)


def _distortion(model: SceneCameraModel, names: Sequence[str]) -> tuple[float, ...]:
    return tuple(getattr(model.distortion, name) for name in names)


def _intrinsics(model: SceneCameraModel, focal: float) -> tuple[tuple[int, int], float, float, float, float]:
    """Return the size, fx, fy, cx and cy [pixel] of a lens. Without the key fx, the focal length is `focal`."""
    width, height = model.size
    fx = model.fx or focal
    cx, cy = width / 2 if model.cx is None else model.cx, height / 2 if model.cy is None else model.cy
    return model.size, fx, model.fy or fx, cx, cy


def _focal(model: SceneCameraModel) -> float:
    """Return the focal length [pixel] for the field of view of a pinhole camera. Pixels are square."""
    width, height = model.size
    if model.horizontal_fov_degrees is not None:
        return width / 2 / float(tan(math.radians(model.horizontal_fov_degrees) / 2))
    return height / 2 / float(tan(math.radians(model.vertical_fov_degrees or VERTICAL_FOV) / 2))


def _motion(
    model: SceneCameraModel, scene: SceneFile, rigs: Mapping[str, LoadedRig], world: World, key: SceneKey
) -> CameraMotion:
    if model.mount is not None:
        return _mounted(model.mount, scene, rigs, world, key / ".mount")
    if model.follow is not None:
        return _following(model.follow, scene, world, key / ".follow")
    with key.blamed((ValueError, InputError)):
        if model.path is not None:
            return _path(model)
        if model.orbit is not None:
            return _orbit(model.orbit)
        if model.matrix is not None:
            return Fixed(_inverse_pose(model))
        assert model.eye is not None
        assert model.look_at is not None
        return Fixed(*look_at_pose(model.eye, model.look_at, model.up or UP))


def _inverse_pose(model: SceneCameraModel) -> Reals:
    """Return the camera pose: the inverse of the matrix in the scene file.

    The matrix in the scene file converts world space to camera space.
    """
    matrix = np.array(model.matrix, np.float64)
    if model.axes == "opencv":
        matrix *= OPENCV[:, None]
    turn = rotation_of("matrix", matrix[:, :3]).T
    return affine.join(turn, -applied(turn, matrix[:, 3])).astype(np.float64)


def _orbit(model: OrbitTable) -> Fixed:
    camera = OrbitCamera(
        np.array(model.target, np.float32),
        model.distance,
        math.radians(model.azimuth_degrees),
        math.radians(model.elevation_degrees),
    )
    return Fixed(orbit_pose(camera), model.distance)


def _path(model: SceneCameraModel) -> OnPath:
    """Return the path through the points of a camera. Raises ValueError for a point without a view direction.

    Between two points of the path, the camera can also be without a view direction. At such a time, `OnPath.at` raises
    ValueError.
    """
    points = model.path or []
    path = OnPath(
        np.array([point.at_seconds for point in points], np.float64),
        np.array([[*point.eye, *point.look_at, *point.up] for point in points], np.float64),
    )
    for number, point in enumerate(points):
        try:
            path.at(point.at_seconds)
        except ValueError as error:
            raise ValueError(f"path[{number}]: {error}") from None
    return path


def _mounted(
    mount: MountTable, scene: SceneFile, rigs: Mapping[str, LoadedRig], world: World, key: SceneKey
) -> Mounted:
    """Return the mount that the table `mount` describes. The mount fixes a camera to an actor."""
    loaded = rigs[_crowd_of(mount, scene, key).rig]
    names = loaded.rig.skeleton.joint_names
    if mount.joint is not None:
        require_joint(loaded, mount.joint, key / ".joint")
    joint = -1 if mount.joint is None else names.index(mount.joint)
    lift = loaded.ground_offset if joint < 0 else 0.0
    with (key / ".joint").blamed((ValueError, InputError)):  # the joint's rest pose can be degenerate (a scale of 0)
        pose = _mount_pose(mount, loaded, joint)
    return Mounted(_told(mount), _id_of(mount, world), joint, pose, lift)


def _following(table: FollowTable, scene: SceneFile, world: World, key: SceneKey) -> Following:
    _crowd_of(table, scene, key)
    actor_id = _id_of(table, world)
    values = table.model_dump(exclude={"actor"})
    with key.blamed((ValueError, InputError)):
        return following(Follow(actor_id=actor_id, **values), _told(table), actor_id, stage_of(world).camera)


def _crowd_of(table: CarrierTable, scene: SceneFile, key: SceneKey) -> CrowdModel:
    """Return the crowd that a table names. Raises InputError if the crowd or the actor does not exist."""
    described = {crowd.called: crowd for crowd in reversed(scene.model.crowds)}
    (key / ".crowd").require_among(table.crowd, described, "there is no crowd", "crowds are")
    count = described[table.crowd].count
    if table.actor >= count:
        raise (key / ".actor").fault(
            f"the index of the actor must be 0 to {count - 1}, because crowd {table.crowd!r} has {count}"
            f" actors (got {table.actor})"
        )
    return described[table.crowd]


def _told(table: CarrierTable) -> str:
    return f"actor {table.actor} of crowd {table.crowd!r}"


def _id_of(table: CarrierTable, world: World) -> int:
    """Return the id of the actor whose number the table states. If no actor has this number, return 0."""
    crowds = [crowd for _, (crowd,) in world.query(Crowd) if crowd.name == table.crowd]
    return int(crowds[0].ids[table.actor]) if crowds and table.actor < crowds[0].actor_count else 0


@reusable
def _mount_pose(mount: MountTable, loaded: LoadedRig, joint: int) -> Reals:
    """Return the transform from camera space to joint space in the rest pose, in units of the rig."""
    facing = quaternion.to_matrix(quaternion.from_axis_angle([0.0, 1.0, 0.0], loaded.facing))
    turned = product(product(facing, _turn(mount)), AHEAD)
    position = applied(facing, mount.position) / loaded.scale
    if joint < 0:
        return affine.join(turned, position).astype(np.float64)
    skeleton = loaded.rig.skeleton
    rest = model_matrices(skeleton, skeleton.rest_pose)[joint].astype(np.float64)
    return affine.multiply(affine.inverse(rest), affine.join(turned, rest[:, 3] + position)).astype(np.float64)


def _turn(mount: MountTable) -> Reals:
    """Return the rotation of a mount in actor space.

    Yaw rotates the camera to the left, pitch rotates the camera upwards, and roll rotates the camera clockwise.

    An actor faces +Z. The left side of the actor is at +X.
    """
    yaw, pitch, roll = (math.radians(own) for own in (mount.yaw_degrees, -mount.pitch_degrees, mount.roll_degrees))
    turns = zip(np.eye(3)[[1, 0, 2]], (yaw, pitch, roll), strict=True)
    first, second, third = (quaternion.to_matrix(quaternion.from_axis_angle(axis, angle)) for axis, angle in turns)
    return np.asarray(product(product(first, second), third), np.float64)
