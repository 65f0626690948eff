"""SMPL-X poses of actors for labels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import Frames
from ecs_anim.assets.rig import Rig
from ecs_anim.components.character import Character
from ecs_anim.components.transforms import Transforms
from ecs_anim.dataset.rounding import METRE_DIGITS, UNIT_DIGITS, rounded
from ecs_anim.ecs.world import World
from ecs_anim.maths import quaternion
from ecs_anim.maths.small_matrices import orthonormal
from ecs_anim.roles.roles import find_roles
from ecs_anim.support.owner_cache import cached_by_owner
from ecs_anim.systems.joints import model_joints
from ecs_anim.systems.smpl_poses import Places, SmplFigure


def smpl_facts(world: World, entity: int, rows: NDArray[np.int32]) -> list[dict[str, Any] | None]:
    """Return the SMPL-X poses of the actors in `rows` [n]. The pose of an actor that is not a humanoid is None."""
    figure = _figure(world.get(entity, Character).rig)
    if figure is None:
        return [None] * len(rows)
    joints, transforms = model_joints(world, entity, rows), world.get(entity, Transforms)
    moving = Frames(quaternion.from_matrix(orthonormal(joints[..., :3])), joints[..., 3])
    scale = transforms.scale[rows].astype(np.float64)
    found = figure.poses(moving, Places(transforms.translation[rows], transforms.rotation[rows], scale))
    rest = figure.rest * scale[:, None, None]
    columns = {
        "poses": rounded(quaternion.to_rotation_vector(found.local), UNIT_DIGITS),
        "trans": rounded(found.pelvis - rest[:, 0], METRE_DIGITS),
        "rest_joints": rounded(rest, METRE_DIGITS),
        "error": rounded(found.errors, METRE_DIGITS),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@cached_by_owner
def _figure(rig: Rig) -> SmplFigure | None:
    """Return the SMPL-X skeleton of a rig, or None if the rig is not a humanoid."""
    return SmplFigure.of(rig, rig.name) if find_roles(rig).is_humanoid else None
