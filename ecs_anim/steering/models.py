"""Models of steering, by name: what each knows of an agent, with values that were published, or are said not to be.

Anticipation velocity: Xu, Chraibi and Seyfried 2021, arXiv 2107.00624. Collision-free speed: Tordeux, Chraibi and
Seyfried 2016, arXiv 1512.05597, in which agents go where they face. Of the former's two sets of values, those are
the defaults whose strength and time gap its authors took for crowds that pass a bottleneck (3, 0.5 s): with the
others, of two who meet, crowds pass doors at a third of the rate that was recorded. The buffer to walls is ours, chosen
by that rate (docs/validation.md).
"""

from collections.abc import Mapping

ANTICIPATION_VELOCITY, COLLISION_FREE_SPEED = 0, 1
MODELS = ("anticipation_velocity", "collision_free_speed")
OWN = len(MODELS)  # the first number of a model of somebody's own
# Columns of an agent's parameters; the last three mean something else in each model.
STRENGTH, RANGE, TIME_GAP = 0, 1, 2
ANTICIPATION, REACTION, BUFFER = 3, 4, 5
WALL_STRENGTH, WALL_RANGE = 3, 4
PARAMETER_COUNT = 6

DEFAULTS: Mapping[str, Mapping[str, float]] = {  # in the order of the columns
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
