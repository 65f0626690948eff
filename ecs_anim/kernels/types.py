"""Array types of the kernels' explicit signatures: C-contiguous; inputs may be read-only arrays.

An array of another dtype or with strides is an error, not a silent recompilation.
"""

from numba import from_dtype, types

from ecs_anim.body.gait_plan import GaitPlan
from ecs_anim.body.movers import Moved, Played
from ecs_anim.body.paths import Paths
from ecs_anim.body.state import BodyState
from ecs_anim.ground.arrays import GroundArrays
from ecs_anim.ik.arrays import ChainArrays
from ecs_anim.ik.grounding import FootState, GroundingSettings
from ecs_anim.ik.legs import LegArrays
from ecs_anim.ik.look_at import LookChain, LookSettings
from ecs_anim.runtime.motion import MEMBER, MOTION, MotionArrays
from ecs_anim.runtime.state_machine import MachineArrays
from ecs_anim.runtime.walk import WalkArrays
from ecs_anim.view.cull_view import CullSettings

BOOLS = types.Array(types.boolean, 1, "C", readonly=True)
INTS = types.Array(types.int32, 1, "C", readonly=True)
INTS_2D = types.Array(types.int32, 2, "C", readonly=True)
FLOATS = types.Array(types.float32, 1, "C", readonly=True)
FLOATS_2D = types.Array(types.float32, 2, "C", readonly=True)
FLOATS_3D = types.Array(types.float32, 3, "C", readonly=True)
SHORTS_2D = types.Array(types.uint16, 2, "C", readonly=True)
DOUBLES_2D = types.Array(types.float64, 2, "C", readonly=True)
OUT_INTS = types.Array(types.int32, 1, "C")
OUT_INTS_2D = types.Array(types.int32, 2, "C")
OUT_SHORTS_2D = types.Array(types.uint16, 2, "C")
OUT = types.Array(types.float32, 1, "C")
OUT_2D = types.Array(types.float32, 2, "C")
OUT_3D = types.Array(types.float32, 3, "C")
OUT_4D = types.Array(types.float32, 4, "C")
COUNT = types.int64
REAL = types.float64
FLAG = types.boolean
void = types.void

# Named tuples match exactly, so their arrays are read-only without exception.
MOTIONS = types.NamedTuple(
    (
        types.Array(from_dtype(MOTION), 1, "C", readonly=True),
        types.Array(from_dtype(MEMBER), 1, "C", readonly=True),
        FLOATS_2D,
        FLOATS_3D,
    ),
    MotionArrays,
)
WALK = types.NamedTuple((FLOATS_3D, INTS, INTS_2D, INTS_2D), WalkArrays)
MACHINE = types.NamedTuple((INTS, INTS, INTS, FLOATS, BOOLS, INTS, INTS, INTS, FLOATS, BOOLS), MachineArrays)
GROUND = types.NamedTuple((COUNT, *[REAL] * 6, COUNT, COUNT, FLOATS_2D, INTS, INTS, FLOATS_2D), GroundArrays)
LEGS = types.NamedTuple((INTS_2D, FLOATS_3D, FLOATS, INTS, INTS_2D, INTS), LegArrays)
GROUNDING = types.NamedUniTuple(REAL, len(GroundingSettings._fields), GroundingSettings)
FEET = types.NamedTuple((OUT_2D, OUT_4D, OUT_3D, OUT_3D, OUT_INTS_2D), FootState)  # written
LOOK_CHAIN = types.NamedTuple((INTS, FLOATS, FLOATS_2D, FLOATS, FLOATS, INTS, INTS), LookChain)
LOOK_SETTINGS = types.NamedUniTuple(REAL, len(LookSettings._fields), LookSettings)
CHAIN = types.NamedTuple((INTS, INTS, DOUBLES_2D, INTS, DOUBLES_2D, DOUBLES_2D, INTS, INTS), ChainArrays)
CULL_SETTINGS = types.NamedTuple((*[REAL] * 5, *[COUNT] * 4, FLAG), CullSettings)
GAIT_PLAN = types.NamedTuple((*[REAL] * 7, FLAG, *[COUNT] * 3), GaitPlan)
BODY = types.NamedTuple((OUT_2D, OUT_3D), BodyState)  # written, as are these
MOVED = types.NamedTuple((OUT_2D, OUT_2D, OUT, OUT_INTS, OUT_INTS, OUT_2D, OUT_2D), Moved)
PLAYED = types.NamedTuple((OUT_INTS, OUT_INTS_2D, *[OUT_2D] * 6), Played)
PATHS = types.NamedTuple((types.Array(REAL, 1, "C"), OUT_INTS, OUT_2D, OUT_INTS, OUT_2D), Paths)
