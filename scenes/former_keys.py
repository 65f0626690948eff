"""Former keys of scene files. A former key is an error that names the present key."""

from collections.abc import Iterable

from pydantic import BaseModel

from ecs_anim.scenes.parts.goals import GoalModel
from ecs_anim.scenes.parts.posing import PosingKeys
from ecs_anim.scenes.parts.standing import StandingKeys
from ecs_anim.scenes.parts.steering import SteeringModel
from ecs_anim.scenes.schema import LightModel
from ecs_anim.scenes.schema_bake import NearActorsModel
from ecs_anim.scenes.schema_routing import AreaModel, RoutingModel

# by table, and then by former key: the present key
FORMER_KEYS: dict[type[BaseModel], dict[str, str]] = {
    AreaModel: {
        "pace": "speed_factor",
    },
    LightModel: {
        "haze": "fog",
    },
    NearActorsModel: {
        "actors": "count",
        "fade": "fade_seconds",
    },
    PosingKeys: {
        "near": "near_actors",
    },
    RoutingModel: {
        "jams": "congestion_interval_seconds",
    },
    StandingKeys: {
        "size_variation": "scale_range",
    },
    SteeringModel: {
        "choose": "exit_choice or route_choice",
        "near": "waypoint_radius",
        "rate": "decision_rate_hz",
        "spread": "goal_radius",
        "start": "premovement_seconds",
    },
    GoalModel: {
        "line": "queue",
        "wait": "wait_seconds",
    },
}


def present_key(former: str, tables: Iterable[type[BaseModel]]) -> str | None:
    """Return the present name of a former key in one of these tables or of a table that it extends, or None."""
    lists = (FORMER_KEYS.get(base, {}) for table in tables for base in table.__mro__)
    return next((keys[former] for keys in lists if former in keys), None)
