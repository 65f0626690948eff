"""The spaces of observations and actions."""

from typing import Any

import numpy as np

from ecs_anim.gymnasium.library import gymnasium
from ecs_anim.gymnasium.settings import Settings
from ecs_anim.gymnasium.sights import PERSON, ROBOT
from ecs_anim.support.arguments import FARTHEST

LIMIT = 2 * FARTHEST  # largest distance, velocity or angle in an observation
Box = gymnasium.spaces.Box


def action_space() -> Any:
    """Return the space of the actions of one robot, as shares of the greatest speeds."""
    return Box(-1.0, 1.0, (2,), np.float32)


def observation_space(settings: Settings) -> Any:
    """Return the space of the observations of one robot, a dictionary."""
    spaces: dict[str, Any] = {}
    if "state" in settings.observations:
        spaces["robot"] = Box(-LIMIT, LIMIT, (ROBOT,), np.float32)
        spaces["people"] = Box(-LIMIT, LIMIT, (settings.people, PERSON), np.float32)
    if "lidar" in settings.observations:
        spaces["lidar"] = Box(0.0, settings.range_m, (settings.rays,), np.float32)
    if "camera" in settings.observations:
        width, height = settings.camera_size
        spaces["camera"] = Box(0, 255, (height, width, 3), np.uint8)
    return gymnasium.spaces.Dict(spaces)
