"""People in MuJoCo simulations: each part of each body is a capsule on a mocap body.

    spec = mujoco.MjSpec.from_file("robot.xml")
    with ea.load_scene("crossing") as world:
        people = ea.mujoco.People(spec, world)
        model = spec.compile()
        data = mujoco.MjData(model)
        while world.time < 60:
            world.step(model.opt.timestep)
            people.place(data)
            mujoco.mj_step(model, data)

MuJoCo's axes are the plan and the height: x east, y north, z up [m]. Robots touch the capsules, and cannot push them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine, quaternion
from ecs_anim.support.arguments import brief
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.systems.joints import joint_matrices

__all__ = ["People"]

Reals = NDArray[np.float64]

LEAST = 0.012  # least radius of a capsule as a share of the body height; smaller parts such as fingers get no capsule
WIDTH = 0.8  # quantile of the distances from the axis that is the radius
AWAY: Reals = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -100]])  # pose of actors that have left
W_FIRST = [3, 0, 1, 2]  # order of the numbers of a quaternion in MuJoCo
# The linear map from the axes of the world (x east, y up, z south) to those of MuJoCo (x east, y north, z up)
TO_MUJOCO = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


class Capsule(NamedTuple):
    """A capsule around the vertices that follow one joint. Its axis is the z axis of `frame`."""

    joint: int
    frame: Reals  # [3, 4], capsule space to joint space
    radius: float  # [rig units]
    half_length: float  # [rig units], of the cylinder


class _Crowd(NamedTuple):
    """The bodies of one crowd in a specification."""

    entity: int
    ids: NDArray[np.int64]  # [actor]
    capsules: list[Capsule]
    names: list[str]  # names of the bodies, actor by actor


class People:
    """The people of a world in a MuJoCo specification.

    The constructor adds a mocap body with a capsule for each body part of each actor. The name of a body is
    `CROWD/ID/JOINT`. The capsules fit the meshes of the rig. `place` moves the bodies. The actors of the world at this
    time get bodies, but not actors that enter the world later.

    Raises TypeError if `spec` is not a `mujoco.MjSpec`. Raises InputError if the 'mujoco' extra is not installed, if no
    actor has a mesh, and if the specification has people already.
    """

    @checked
    def __init__(self, spec: Any, world: World) -> None:
        library = _library()
        if not isinstance(spec, library.MjSpec):
            raise TypeError(f"spec must be a mujoco.MjSpec (got {brief(spec)})")
        world.require_open()
        self._world = world
        self._crowds = [_crowd(world, entity) for entity, _ in world.query(Crowd, Character)]
        self._numbers: NDArray[np.intp] | None = None  # mocap number of each body
        names = [name for own in self._crowds for name in own.names]
        taken = {body.name for body in spec.bodies} & {*names}
        if taken or not names:
            problem = f"the specification has a body {min(taken)!r} already" if taken else "no actor has a mesh"
            raise InputError(f"People(): {problem}. Add each world with bodies once to each specification.")
        for own in self._crowds:
            _add(library, spec, world, own)

    @checked
    def place(self, data: Any) -> None:
        """Move the bodies in a `mujoco.MjData` to the present poses. Bodies of actors that have left move far down.

        Raises ValueError if the model of `data` does not have the bodies.
        """
        if self._numbers is None:
            self._numbers = _mocap_numbers(data, [name for own in self._crowds for name in own.names])
        poses = np.concatenate([_poses(self._world, own).reshape(-1, 3, 4) for own in self._crowds])
        data.mocap_pos[self._numbers] = poses[..., 3]
        data.mocap_quat[self._numbers] = quaternion.from_scaled_matrix(poses[..., :3])[:, W_FIRST]


def _library() -> Any:
    try:
        import mujoco
    except ImportError:
        raise InputError("MuJoCo needs the mujoco extra. Install it: pip install 'ecs-anim[mujoco]'") from None
    return mujoco


def _crowd(world: World, entity: int) -> _Crowd:
    crowd, rig = world.get(entity, Crowd), world.get(entity, Character).rig
    capsules = capsules_of(rig)
    joints = [rig.skeleton.joint_names[own.joint] for own in capsules]
    return _Crowd(
        entity, crowd.ids.copy(), capsules, [f"{crowd.name}/{actor}/{own}" for actor in crowd.ids for own in joints]
    )


def _add(library: Any, spec: Any, world: World, crowd: _Crowd) -> None:
    """Add the bodies of a crowd. Their geoms touch robots, but not each other."""
    scales = world.get(crowd.entity, Transforms).scale
    sizes = [(own, scale) for scale in scales.tolist() for own in crowd.capsules]
    for name, (own, scale) in zip(crowd.names, sizes, strict=True):
        body = spec.worldbody.add_body(name=name, mocap=True)
        size = [own.radius * scale, own.half_length * scale, 0.0]
        body.add_geom(type=library.mjtGeom.mjGEOM_CAPSULE, size=size, contype=1, conaffinity=0)


def _mocap_numbers(data: Any, names: list[str]) -> NDArray[np.intp]:
    try:
        return np.array([data.model.body(name).mocapid[0] for name in names], np.intp)
    except (AttributeError, KeyError):
        raise ValueError("data must be a mujoco.MjData of the specification with the people") from None


def _poses(world: World, crowd: _Crowd) -> Reals:
    """Return the frames of the capsules in MuJoCo's axes, [actor, capsule, 3, 4]."""
    rows = world.get(crowd.entity, Crowd).index.find(crowd.ids)
    present = rows >= 0
    frames = np.array([own.frame for own in crowd.capsules])
    joints = joint_matrices(world, crowd.entity, rows[present])[:, [own.joint for own in crowd.capsules]]
    placed = TO_MUJOCO @ affine.multiply(joints, frames)
    poses: Reals = np.tile(AWAY, (len(rows), len(frames), 1, 1))
    poses[present] = placed
    return poses


def capsules_of(rig: Rig) -> list[Capsule]:
    """Return a capsule for each joint with enough vertices. A vertex follows the joint with its largest weight."""
    skeleton = rig.skeleton
    points, entries = _bound_points(rig)
    owners = skeleton.skin_joints[entries]
    local = affine.transform_points(skeleton.inverse_bind[entries].astype(np.float64), points)
    least = LEAST * np.ptp(points[:, 1]) if len(points) else 0.0
    found = [_capsule(joint, local[owners == joint]) for joint in np.unique(owners).tolist()]
    return [own for own in found if own.radius >= least]


def _bound_points(rig: Rig) -> tuple[Reals, NDArray[np.intp]]:
    """Return the vertices of the finest meshes, [n, 3] in bind space, and the palette entry that each follows, [n]."""
    meshes = [mesh for mesh in rig.meshes if mesh.level == 0 and mesh.vertex_count]
    if not meshes:
        return np.zeros((0, 3)), np.zeros(0, np.intp)
    entries = [own.palette_indices[np.arange(own.vertex_count), np.argmax(own.weights, axis=1)] for own in meshes]
    points = np.concatenate([own.positions for own in meshes])
    return points.astype(np.float64), np.concatenate(entries).astype(np.intp)


def _capsule(joint: int, points: Reals) -> Capsule:
    """Return the capsule along the principal axis of the points [n, 3]. The axes come from the points' covariance."""
    middle = points.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov(points.T, bias=True))  # columns, by ascending variance
    axes *= np.linalg.det(axes)  # right-handed
    along = (points - middle) @ axes
    across = np.sqrt(np.sum(along[:, :2] ** 2, axis=1))
    low, high = along[:, 2].min(), along[:, 2].max()
    radius = float(np.quantile(across, WIDTH))
    center = middle + axes[:, 2] * (low + high) / 2
    return Capsule(joint, np.column_stack([axes, center]), radius, max((high - low) / 2 - radius, 0.0))
