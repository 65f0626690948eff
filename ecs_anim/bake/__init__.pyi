# This file lists the public names of this package and the module of each name. `__init__.py` also reads this file. All
# other names can change in any version.

from ecs_anim.bake.bake import Bake as Bake
from ecs_anim.bake.build import bake_rig as bake_rig
from ecs_anim.bake.cache import cached_bake as cached_bake
from ecs_anim.bake.file import load_bake as load_bake
from ecs_anim.bake.file import save_bake as save_bake
from ecs_anim.bake.options import BakeOptions as BakeOptions
