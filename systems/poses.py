"""Computation of the local poses of a crowd on request.

During a step, systems compute local poses chunk by chunk and do not store them.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.layers import Layers
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.ecs.world import World
from ecs_anim.maths.transform import Pose
from ecs_anim.systems.chunk import Workspace, chunk_of
from ecs_anim.systems.layers import ApplyLayers
from ecs_anim.systems.sampling import SampleMotions


def local_poses(world: World, entity: int, rows: NDArray[np.int32] | None = None) -> Pose:
    """Return the local poses [actor, joint] of all actors or of the actors in `rows`, with layers.

    The function changes no column.
    """
    character, every = world.get(entity, Character), slice(0, world.get(entity, Crowd).actor_count)
    count = every.stop if rows is None else len(rows)
    tables, workspace = character.motions.tables, Workspace()
    chunk = chunk_of(every if rows is None else rows, count, 0.0, workspace, every)
    chunk.begin(0.0, workspace, tables, skins_alone=False)
    SampleMotions().run(chunk, character, world.get(entity, Parameters), world.get(entity, Playback))
    layers = world.find(entity, Layers)
    if layers is not None:
        ApplyLayers().run(chunk, character, layers)
    return tables.layout.unpack(workspace.pose)
