"""Former names of scene keys. If a scene contains a former name, the error message states the current name."""

from collections.abc import Iterable

from pydantic import BaseModel

# Present names of former keys. A former key can have several present names, most of them in different tables.
FORMER_KEYS = {
    "acceleration": ("acceleration_m_s2",),
    "actors": ("count",),
    "at": ("at_seconds",),
    "cell": ("cell_size",),
    "choose": ("exit_choice", "route_choice"),
    "empty": ("starts_empty",),
    "events": ("event_seconds",),
    "every": ("every_seconds",),
    "facing_degrees": ("rotation_degrees",),
    "fade": ("fade_seconds",),
    "from": ("from_seconds",),
    "grid": ("material",),
    "ground_speed": ("ground_speed_m_s",),
    "haze": ("fog",),
    "jams": ("congestion_interval_seconds",),
    "lanes": ("gaps",),
    "line": ("queue",),
    "max_speed_degrees": ("max_speed_degrees_s",),
    "most": ("max_count",),
    "near": ("near_actors", "waypoint_radius"),
    "pace": ("speed_factor",),
    "range": ("fade_distance",),
    "rate": ("decision_rate_hz", "max_change_per_second", "rate_hz", "rate_per_second"),
    "reference": ("reference_seconds",),
    "size_variation": ("scale_range",),
    "speed": ("desired_speed_m_s",),
    "spread": ("goal_radius",),
    "start": ("premovement_seconds", "start_seconds"),
    "times": ("seconds",),
    "to": ("to_seconds",),
    "turn_degrees": ("rotation_degrees",),
    "turn_rate_degrees": ("turn_rate_degrees_s",),
    "wait": ("wait_seconds",),
}


def present_key(former: str, tables: Iterable[type[BaseModel]]) -> str:
    """Return a text with the current names of the former key `former` in `tables`. If `former` is not the former name
    of a key, the text is empty.
    """
    known = {field.alias or name for table in tables for name, field in table.model_fields.items()}
    return " or ".join(name for name in FORMER_KEYS.get(former, ()) if name in known)


def former_keys(present: str) -> set[str]:
    """Return the former names of the key `present`."""
    return {former for former, names in FORMER_KEYS.items() if present in names}
