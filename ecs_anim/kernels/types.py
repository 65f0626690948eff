"""Numba types for the signatures of kernels. Arrays are C-contiguous, and input arrays can be read-only. Any other
array is an error, because numba would compile the kernel again for it.
"""

from typing import Any

from numba import from_dtype, types

from ecs_anim.body.gait_plan import GaitPlan
from ecs_anim.body.movers import MoverColumns
from ecs_anim.body.paths import Paths
from ecs_anim.body.state import BodyState
from ecs_anim.body.treads import Treads
from ecs_anim.ecs.records import fields_of_record
from ecs_anim.external.records import Discs, Movements
from ecs_anim.ground.arrays import GroundArrays
from ecs_anim.ik.arrays import ChainArrays
from ecs_anim.ik.grounding import FootState, GroundingSettings
from ecs_anim.ik.legs import LegArrays
from ecs_anim.ik.look_at import LookChain, LookSettings, LookState
from ecs_anim.kernels.columns import Columns
from ecs_anim.routing.arrays import Destinations, RouteCells, RouteFields
from ecs_anim.runtime import records
from ecs_anim.runtime.clip_table import ClipArrays
from ecs_anim.runtime.gait_clips import GaitClips
from ecs_anim.runtime.inertia import InertiaState
from ecs_anim.runtime.morph_tables import MorphArrays
from ecs_anim.runtime.motion import MotionArrays
from ecs_anim.runtime.state_machine import MachineArrays
from ecs_anim.runtime.traversal import TraversalArrays
from ecs_anim.steering.agents import Agents, Cells, Turn
from ecs_anim.steering.columns import JourneyColumns, SteeringColumns
from ecs_anim.steering.rooms import Deciders
from ecs_anim.support.array_layouts import Layout
from ecs_anim.view.cull_view import CullSettings
from ecs_anim.view.instances import BakedColumns, BakedRows
from ecs_anim.walls.arrays import WallArrays

BOOLS = types.Array(types.boolean, 1, "C", readonly=True)
INTS = types.Array(types.int32, 1, "C", readonly=True)
LONGS = types.Array(types.int64, 1, "C", readonly=True)
LONGS_2D = types.Array(types.int64, 2, "C", readonly=True)
INTS_2D = types.Array(types.int32, 2, "C", readonly=True)
INTS_3D = types.Array(types.int32, 3, "C", readonly=True)
BYTES_2D = types.Array(types.uint8, 2, "C", readonly=True)
WORDS_2D = types.Array(types.uint32, 2, "C", readonly=True)
FLOATS = types.Array(types.float32, 1, "C", readonly=True)
FLOATS_2D = types.Array(types.float32, 2, "C", readonly=True)
FLOATS_3D = types.Array(types.float32, 3, "C", readonly=True)
SHORTS_2D = types.Array(types.uint16, 2, "C", readonly=True)
OUT_BYTES = types.Array(types.uint8, 1, "C")
OUT_INTS = types.Array(types.int32, 1, "C")
OUT_INTS_2D = types.Array(types.int32, 2, "C")
OUT_LONGS = types.Array(types.int64, 1, "C")
OUT_LONGS_2D = types.Array(types.int64, 2, "C")
OUT_SHORTS_2D = types.Array(types.uint16, 2, "C")
OUT_BOOLS = types.Array(types.boolean, 1, "C")
OUT = types.Array(types.float32, 1, "C")
REALS = types.Array(types.float64, 1, "C", readonly=True)
REALS_2D = types.Array(types.float64, 2, "C", readonly=True)
REALS_3D = types.Array(types.float64, 3, "C", readonly=True)
OUT_REALS = types.Array(types.float64, 1, "C")
OUT_REALS_2D = types.Array(types.float64, 2, "C")
OUT_REALS_3D = types.Array(types.float64, 3, "C")
OUT_2D = types.Array(types.float32, 2, "C")
OUT_3D = types.Array(types.float32, 3, "C")
OUT_4D = types.Array(types.float32, 4, "C")
COUNT = types.int64
REAL = types.float64
FLAG = types.boolean
void = types.void

NUMBERS = {int: COUNT, float: REAL, bool: FLAG}


def record(kind: type, *, written: bool = False) -> Any:
    """Return the numba type of a record with the declared fields: all columns read-only, or all writable."""
    return types.BaseTuple.from_types(_types(kind, written), kind)


def columns(kind: type, *, written: bool = True) -> Any:
    """Return the type of an argument that is a record in the kernel, and a plain tuple in Python."""
    return Columns(kind, _types(kind, written))


def _types(kind: type, written: bool) -> list[Any]:
    return [_type(field, written) for field in fields_of_record(kind).values()]


def _type(field: Layout | type, written: bool) -> Any:
    if isinstance(field, Layout):
        return types.Array(from_dtype(field.dtype), len(field.axes), "C", readonly=not written)
    return NUMBERS[field]


# Arrays of assets, which are read-only.
MOTIONS = record(MotionArrays)
CLIPS = columns(ClipArrays, written=False)
MORPHS = record(MorphArrays)
TRAVERSAL = record(TraversalArrays)
MACHINE = record(MachineArrays)
EVENTS = record(records.EventArrays)
GROUND = record(GroundArrays)
WALLS = record(WallArrays)
ROUTE_CELLS = record(RouteCells, written=True)  # written while the cells are built
ROUTE_FIELDS = record(RouteFields, written=True)
DESTINATIONS = record(Destinations, written=True)
LEGS = record(LegArrays)
LOOK_CHAIN = record(LookChain)
CHAIN = record(ChainArrays)
GAIT_CLIPS = record(GaitClips)
# Columns with one row for each actor. Kernels can write these columns.
QUEUE = columns(records.FadeQueue)
PLACEMENT = columns(records.Placement)
PARAMETERS = columns(records.ParameterColumns)
FEET = columns(FootState)
GAZE = columns(LookState)
BODY = columns(BodyState)
TREADS = record(Treads, written=True)  # writable arrays of the crowd
INERTIA = columns(InertiaState)
MOVERS = columns(MoverColumns)
STEERING = columns(SteeringColumns)
JOURNEYS = columns(JourneyColumns)
AGENTS = columns(Agents)
CELLS = columns(Cells)
PATHS = record(Paths, written=True)  # writable arrays of the crowd
# Records of external agents.
MOVEMENTS, DISCS = record(Movements, written=True), record(Discs, written=True)
BAKED_COLUMNS = record(BakedColumns, written=True)
BAKED_ROWS = record(BakedRows, written=True)
GAIT_PLAN, LOOK_SETTINGS = record(GaitPlan), record(LookSettings)
# Records of numbers.
TURN = record(Turn, written=True)  # writable arrays of the rooms
DECIDERS = columns(Deciders)
REQUEST = record(records.FadeRequest)
FRAME = record(records.Frame)
AREA = columns(records.WalkingArea)
GROUNDING = record(GroundingSettings)
CULL_SETTINGS = record(CullSettings)
