# This file lists the public names of this package and the module of each name. `__init__.py` also reads this file. All
# other names can change in any version.

from ecs_anim.gymnasium.crowd_env import CrowdEnv as CrowdEnv
from ecs_anim.gymnasium.settings import Reward as Reward
from ecs_anim.gymnasium.vector_env import CrowdVectorEnv as CrowdVectorEnv
