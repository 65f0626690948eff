# This file lists the public names of this package and the module of each name. `__init__.py` also reads this file. All
# other names can change in any version.

from ecs_anim.ik.limits import BallLimit as BallLimit
from ecs_anim.ik.limits import HingeLimit as HingeLimit
from ecs_anim.ik.limits import Limit as Limit
from ecs_anim.ik.solve import Solution as Solution
from ecs_anim.ik.solve import solve_ccd as solve_ccd
from ecs_anim.ik.solve import solve_fabrik as solve_fabrik
from ecs_anim.ik.solve import solve_two_bone as solve_two_bone
