"""Walking speeds on stairs and ramps, relative to the speed on a level floor.

Sources: U. Weidmann, "Transporttechnik der Fussgänger", ETH Zürich, 1993; J. J. Fruin, "Pedestrian Planning and
Design", 1971; W. Tobler, "Three presentations on geographical analysis and modeling", NCGIA 93-1, 1993.
"""

from math import atan, degrees, exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # only for type checkers, because this import would import shapely, which most scenes do not need
    from ecs_anim.storeys.parts import FlightKind

FREE_SPEED = 1.34  # [m/s], mean speed on a level floor (Weidmann 1993)
STAIR_SPEEDS = 0.610, 0.694  # [m/s], mean horizontal speeds up and down stairs (Weidmann 1993)
STAIR_ANGLE = 30.0  # [degrees]; the mean speeds are for stairs with this slope
# [m/s] per degree: decrease of the horizontal speed with the slope, up and down (Fruin 1971: stairs with slopes of 27
# and 32 degrees)
PER_DEGREE = (0.57 - 0.51) / 5.3, (0.77 - 0.67) / 5.3
# On stairs, the parameter `time_gap` is multiplied by this factor. With this factor, flows on stairs of 0.17 m by 0.29
# m (0.85 to 0.88 up and 0.86 to 0.93 down) agree with the largest flows of Weidmann 1993: 0.85 up and 0.98 down [1/(m
# s)].
STAIR_TIME_GAP = 1.7
DIGITS = 3  # number of decimals of a factor; further decimals could differ between C libraries
LEAST, MOST = 0.2, 1.0  # limits of the factors on stairs
TOBLER, BEST_SLOPE = 3.5, 0.05  # Tobler's hiking function: exp(-3.5 |slope + 0.05|), slope is positive uphill


def slope_speed_factors(kind: "FlightKind", slope: float) -> tuple[float, float]:
    """Return the speed factors of actors that walk up and down.

    The factors apply to the speed on the plan. `slope` is the height difference divided by the length on the plan.
    """
    if kind == "ramp":
        level = exp(-TOBLER * BEST_SLOPE)
        up, down = (exp(-TOBLER * abs(signed + BEST_SLOPE)) / level for signed in (slope, -slope))
        return round(up, DIGITS), round(down, DIGITS)
    flatter = STAIR_ANGLE - degrees(atan(slope))
    up, down = (
        min(max((speed + flatter * change) / FREE_SPEED, LEAST), MOST)
        for speed, change in zip(STAIR_SPEEDS, PER_DEGREE, strict=True)
    )
    return round(up, DIGITS), round(down, DIGITS)
