# This file lists the public names of this package and the module of each name. `__init__.py` also reads this file. All
# other names can change in any version.

from ecs_anim.systems.chunk import Chunk as Chunk
from ecs_anim.systems.chunk import ChunkSystem as ChunkSystem
from ecs_anim.systems.chunk import Forgetful as Forgetful
from ecs_anim.systems.chunk import Side as Side
from ecs_anim.systems.chunk import SkippingSystem as SkippingSystem
from ecs_anim.systems.chunk import SkippingWorldSystem as SkippingWorldSystem
from ecs_anim.systems.chunk import Workspace as Workspace
from ecs_anim.systems.chunk import WorldSystem as WorldSystem
from ecs_anim.systems.placement import System as System
from ecs_anim.systems.queries import Posing as Posing
from ecs_anim.systems.queries import stage_of as stage_of
from ecs_anim.systems.queries import who_poses as who_poses
