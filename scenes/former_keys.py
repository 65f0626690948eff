"""Former names of scene keys. If a scene contains a former name, the error message states the current name."""

from collections.abc import Iterable

from pydantic import BaseModel

from ecs_anim.scenes.parts.body import BodyModel
from ecs_anim.scenes.parts.controller import TransitionModel
from ecs_anim.scenes.parts.goals import GoalModel
from ecs_anim.scenes.parts.grounding import GroundingModel
from ecs_anim.scenes.parts.layers import LayerModel
from ecs_anim.scenes.parts.locomotion import LocomotionModel
from ecs_anim.scenes.parts.look_at import LookAtModel
from ecs_anim.scenes.parts.parameters import ParameterModel
from ecs_anim.scenes.parts.playback import ClipModel, CurveModel
from ecs_anim.scenes.parts.posing import PosingKeys
from ecs_anim.scenes.parts.sources import SourceModel
from ecs_anim.scenes.parts.standing import StandingKeys
from ecs_anim.scenes.parts.steering import SteeringModel
from ecs_anim.scenes.parts.targets import OrbitTarget
from ecs_anim.scenes.schema import CueModel, LightModel
from ecs_anim.scenes.schema_bake import BakeModel, NearActorsModel
from ecs_anim.scenes.schema_cameras import PathPoint
from ecs_anim.scenes.schema_ground import BlockModel, GroundKeys, MeshGround
from ecs_anim.scenes.schema_layout import BlocksLayout
from ecs_anim.scenes.schema_routing import AreaModel, RoutingModel
from ecs_anim.scenes.schema_trajectories import TrajectoryModel

# present name of each former key, by table
FORMER_KEYS: dict[type[BaseModel], dict[str, str]] = {
    AreaModel: {"pace": "speed_factor"},
    BakeModel: {"rate": "rate_hz"},
    BlockModel: {"turn_degrees": "rotation_degrees"},
    BlocksLayout: {"lanes": "gaps"},
    BodyModel: {"acceleration": "acceleration_m_s2"},
    ClipModel: {"events": "event_seconds", "ground_speed": "ground_speed_m_s"},
    CueModel: {"at": "at_seconds", "every": "every_seconds", "fade": "fade_seconds"},
    CurveModel: {"times": "seconds"},
    GoalModel: {"line": "queue", "wait": "wait_seconds"},
    GroundKeys: {"grid": "material"},
    GroundingModel: {"range": "fade_distance"},
    LayerModel: {"reference": "reference_seconds"},
    LightModel: {"haze": "fog"},
    LocomotionModel: {"turn_rate_degrees": "turn_rate_degrees_s"},
    LookAtModel: {"max_speed_degrees": "max_speed_degrees_s"},
    MeshGround: {"facing_degrees": "rotation_degrees"},
    NearActorsModel: {"actors": "count", "fade": "fade_seconds"},
    OrbitTarget: {"turn_degrees": "rotation_degrees"},
    ParameterModel: {"rate": "max_change_per_second"},
    PathPoint: {"at": "at_seconds"},
    PosingKeys: {"near": "near_actors"},
    RoutingModel: {"cell": "cell_size", "jams": "congestion_interval_seconds"},
    SourceModel: {"from": "from_seconds", "most": "max_count", "rate": "rate_per_second", "to": "to_seconds"},
    StandingKeys: {"size_variation": "scale_range"},
    SteeringModel: {
        "choose": "exit_choice or route_choice",
        "empty": "starts_empty",
        "near": "waypoint_radius",
        "rate": "decision_rate_hz",
        "speed": "desired_speed_m_s",
        "spread": "goal_radius",
        "start": "premovement_seconds",
    },
    TrajectoryModel: {"start": "start_seconds"},
    TransitionModel: {"fade": "fade_seconds"},
}


def present_key(former: str, tables: Iterable[type[BaseModel]]) -> str | None:
    """Return the current name of the former key `former`, or None if `former` is not a former key.

    The function searches the classes in `tables` and the base classes of these classes.
    """
    lists = (FORMER_KEYS.get(base, {}) for table in tables for base in table.__mro__)
    return next((keys[former] for keys in lists if former in keys), None)
