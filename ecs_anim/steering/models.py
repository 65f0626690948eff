"""Built-in models of steering: their parameters by name, with published defaults where there are any.

Anticipation velocity: Xu, Chraibi and Seyfried 2021, arXiv 2107.00624. Collision-free speed: Tordeux, Chraibi and
Seyfried 2016, arXiv 1512.05597, in which agents go where they face. The authors of the first model give two sets of
values. The defaults are the strength and the time gap of their bottleneck (3, 0.5 s): with the values for two people
that meet, crowds pass doors at a third of the recorded rate. The buffer to walls is our choice, fitted to that rate
(docs/validation.md).
"""

from collections.abc import Mapping

ANTICIPATION_VELOCITY, COLLISION_FREE_SPEED = 0, 1
MODELS = ("anticipation_velocity", "collision_free_speed")
OWN = len(MODELS)  # the first number of a model of somebody's own
PARAMETER_COUNT = 6  # most parameters of a model

DEFAULTS: Mapping[str, Mapping[str, float]] = {  # in the order of an agent's columns
    "anticipation_velocity": {
        "strength": 3.0,  # of what pushes aside, beside 1 of what is wanted
        "range": 0.1,  # [m] of the gap foreseen, over which that falls by a factor of e
        "time_gap": 0.5,  # [s] behind whoever is ahead
        "anticipation": 1.0,  # [s] that others are foreseen
        "reaction": 0.3,  # [s] in which agents turn
        "buffer": 0.005,  # [m] that they keep from walls
    },
    "collision_free_speed": {
        "strength": 8.0,
        "range": 0.1,  # [m] of the gap
        "time_gap": 1.0,  # [s]
        "wall_strength": 5.0,
        "wall_range": 0.02,  # [m]
    },
}


def _column(name: str, *models: str) -> int:
    """Return the column of a parameter in an agent's row. All `models` must have the parameter in that column."""
    (column,) = {[*DEFAULTS[model]].index(name) for model in models}
    return column


# Columns of an agent's parameters. A column has a meaning only for agents of the models that it is declared for.
STRENGTH = _column("strength", *MODELS)
RANGE = _column("range", *MODELS)
TIME_GAP = _column("time_gap", *MODELS)
ANTICIPATION = _column("anticipation", "anticipation_velocity")
REACTION = _column("reaction", "anticipation_velocity")
BUFFER = _column("buffer", "anticipation_velocity")
WALL_STRENGTH = _column("wall_strength", "collision_free_speed")
WALL_RANGE = _column("wall_range", "collision_free_speed")

# [s], in which actors come to rest at their last goal, by a model without a parameter `time_gap`.
ARRIVAL = 1.0


def arrival_seconds(parameters: Mapping[str, float]) -> float:
    """Return the time [s] in which actors with these parameters come to rest: their time gap, if the model has one.

    The wanted speed near the last goal is the distance divided by this time.
    """
    return parameters.get("time_gap", ARRIVAL)
