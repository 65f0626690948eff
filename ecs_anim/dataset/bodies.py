"""Bodies of actors for labels: joints, gaze, foot contacts and an oriented box around the skin."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import BLENDS, LAYOUTS, Method
from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.foot_notes import UNKNOWN
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.palette import Palette
from ecs_anim.components.spawner import Spawner
from ecs_anim.dataset.looks import figure_meshes, figures_of
from ecs_anim.dataset.rounding import METRE_DIGITS, UNIT_DIGITS, rounded
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine, elementary, quaternion
from ecs_anim.maths.small_matrices import applied, length, orthonormal, product, unit
from ecs_anim.roles.roles import find_roles
from ecs_anim.support.owner_cache import cached_by_owner
from ecs_anim.systems.foot_strikes import contacts_of, feet_of
from ecs_anim.systems.joints import actor_matrices, model_joints

Reals = NDArray[np.float64]
Rows = NDArray[np.int32]
MOST_AT_ONCE = 16  # number of actors; the matrices of their vertices take about 10 MB


def body_facts(world: World, entity: int, rows: Rows) -> dict[str, list[Any]]:
    """Return the joints, the gaze, the box and the foot contacts of the actors in `rows` [n]: a list [n] for each."""
    spawner, rig = world.find(entity, Spawner), world.get(entity, Character).rig
    facing = spawner.facing if spawner else 0.0
    joints, places = model_joints(world, entity, rows), actor_matrices(world, entity, rows)
    turns = orthonormal(places[:, :, :3])
    in_space = affine.multiply(places[:, None], joints)
    rotations = quaternion.from_matrix(orthonormal(in_space[..., :3]))
    return {
        "box_3d": _boxes(places, turns, _axes(facing), _extents(world, entity, rows, joints, _axes(facing))),
        "joints": [
            {"positions": points, "rotations": turned}
            for points, turned in zip(
                rounded(in_space[..., 3], METRE_DIGITS), rounded(rotations, UNIT_DIGITS), strict=True
            )
        ],
        "gaze": rounded(applied(turns, _gazes(rig, facing, joints)), UNIT_DIGITS),
        "foot_contacts": _foot_contacts(world, entity, rows),
    }


def _axes(facing: float) -> Reals:
    """Return the axes of a box in the space of the rig, [3, 3]: forward, left and up. `facing` [rad] is from +Z."""
    ahead, aside = float(elementary.cos(facing)), float(elementary.sin(facing))
    return np.array([[aside, 0.0, ahead], [ahead, 0.0, -aside], [0.0, 1.0, 0.0]])


def _boxes(places: Reals, turns: Reals, axes: Reals, extents: tuple[Reals, Reals]) -> list[dict[str, Any] | None]:
    """Return the oriented box around each actor's skin, [n]. If the rig has no meshes, the result is None.

    `places` [n, 3, 4] and `turns` [n, 3, 3] are the matrices and the rotations from the space of the rig to space.
    `extents` are the lowest and the highest coordinates [n, 3] along `axes` [3, 3]: the heading, left, and up.
    """
    low, high = extents
    if not np.isfinite(low).all():
        return [None] * len(places)
    centers = affine.transform_points(places, applied(axes.T, (low + high) / 2))
    sizes = (high - low) * length(places[:, :, 1])[:, None]
    rotations = quaternion.from_matrix(product(turns, axes.T))
    columns = rounded(centers, METRE_DIGITS), rounded(sizes, METRE_DIGITS), rounded(rotations, UNIT_DIGITS)
    return [
        {"center": center, "size": size, "rotation": rotation} for center, size, rotation in zip(*columns, strict=True)
    ]


def _extents(world: World, entity: int, rows: Rows, joints: Reals, axes: Reals) -> tuple[Reals, Reals]:
    """Return the lowest and the highest coordinate of each actor's skin along `axes` [3, 3], [n, 3] [rig units]."""
    rig, palette, morphs = world.get(entity, Character).rig, world.find(entity, Palette), world.find(entity, Morphs)
    method: Method = palette.method if palette is not None else "linear"
    figures = figures_of(world, entity, rows)
    low, high = np.full((len(rows), 3), np.inf), np.full((len(rows), 3), -np.inf)
    for figure in np.unique(figures).tolist():
        of_figure = np.flatnonzero(figures == figure)
        for own in np.array_split(of_figure, -(-len(of_figure) // MOST_AT_ONCE)):
            weights = None if morphs is None else morphs.weights[rows[own]]
            points = applied(axes, _skin(rig, figure, joints[own], method, weights))
            low[own], high[own] = points.min(axis=1, initial=np.inf), points.max(axis=1, initial=-np.inf)
    return low, high


def _skin(rig: Rig, figure: int, joints: Reals, method: Method, weights: NDArray[np.float32] | None) -> Reals:
    """Return all skinned vertices of actors with one figure, [n, vertex, 3] [rig units].

    `joints` [n, joint, 3, 4] are joint matrices, and `weights` [n, target] are morph weights.
    """
    skeleton, layout = rig.skeleton, LAYOUTS[method]
    matrices = affine.multiply(joints[:, skeleton.skin_joints], skeleton.inverse_bind.astype(np.float64))
    entries = np.asarray(layout.from_matrices(matrices, skeleton))
    found: list[NDArray[np.floating]] = [np.zeros((len(joints), 0, 3))]
    for mesh in figure_meshes(rig, figure):
        points = mesh.positions.astype(np.float64)[None]
        if mesh.morphs is not None and weights is not None:  # `add_morphs` uses BLAS, whose results differ by machine
            own = weights[:, mesh.morphs.columns].astype(np.float64)
            points = points + np.sum(own[:, :, None, None] * mesh.morphs.positions, axis=1)
        found.append(affine.transform_points(BLENDS[method](mesh, entries), points))
    return np.concatenate(found, axis=1)


def _gazes(rig: Rig, facing: float, joints: Reals) -> Reals:
    """Return the direction in which each actor's head looks, [n, 3] in the space of the rig. NaN = no head."""
    head, ahead = _head(rig, facing)
    if head < 0:
        return np.full((len(joints), 3), np.nan)
    return unit(applied(joints[:, head, :, :3], ahead))


@cached_by_owner
def _head(rig: Rig, facing: float) -> tuple[int, Reals]:
    """Return the head joint, or -1 without a head, and the forward direction [3] in the coordinate frame of the head.

    In the rest pose, the head looks forward.
    """
    head = find_roles(rig, facing).head
    if head is None:
        return -1, np.zeros(3)
    rest = model_matrices(rig.skeleton, rig.skeleton.rest_pose)[head].astype(np.float64)
    return head, applied(orthonormal(rest[:, :3]).T, _axes(facing)[0])


def _foot_contacts(world: World, entity: int, rows: Rows) -> list[dict[str, bool] | None]:
    """Return for each actor which feet stand on the ground, [n], by the name of the foot's joint.

    The result for an actor without known contacts is None.
    """
    if world.find(entity, Body) is None and world.find(entity, FootContacts) is None:
        return [None] * len(rows)
    contacts, names = contacts_of(world, entity), [name for name, _ in feet_of(world, entity)]
    return [
        dict(zip(names, stands, strict=True)) if source != UNKNOWN else None
        for stands, source in zip(contacts.stands[rows].tolist(), contacts.source[rows].tolist(), strict=True)
    ]
