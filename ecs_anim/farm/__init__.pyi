# The public names of this package, each with its home; all else may change. The package reads this table too.

from ecs_anim.farm.job import Job as Job
from ecs_anim.farm.mapping import map as map
from ecs_anim.farm.save import Outcome as Outcome
from ecs_anim.farm.save import run as run
