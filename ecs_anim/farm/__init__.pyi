# This file lists the public names of this package and the module of each name. `__init__.py` also reads this file. All
# other names can change in any version.

from ecs_anim.farm.job import Job as Job
from ecs_anim.farm.mapping import map as map
from ecs_anim.farm.save import Outcome as Outcome
from ecs_anim.farm.save import run as run
