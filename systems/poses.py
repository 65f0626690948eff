"""Poses of a crowd for whoever asks: systems make them chunk by chunk, and keep none."""

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.layers import Layers
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.ecs.world import World
from ecs_anim.maths.transform import Pose
from ecs_anim.systems.chunk import Chunk, Workspace
from ecs_anim.systems.layers import ApplyLayers
from ecs_anim.systems.sampling import SampleMotions


def local_poses(world: World, entity: int) -> Pose:
    """What the actors of a crowd play, layers on top, [actor_count, joint]; nothing of the world changes."""
    character, count = world.get(entity, Character), world.get(entity, Crowd).actor_count
    tables, every, workspace = character.motions.tables, slice(0, count), Workspace()
    workspace.fit(count, tables)
    chunk = Chunk(every, count, 0.0, workspace, every)
    SampleMotions().run(chunk, character, world.get(entity, Parameters), world.get(entity, Playback))
    layers = world.find(entity, Layers)
    if layers is not None:
        ApplyLayers().run(chunk, character, layers)
    return tables.layout.unpack(workspace.pose)
