"""Schema of the lidar of a scene."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import NotNegative, Point3, Positive, Table
from ecs_anim.scenes.schema_rules import least_first, rule

Elevation = Annotated[float, Field(ge=-90, le=90)]
MOST_RANGE = 10_000.0  # [m]


class LidarModel(Table):
    """A lidar at the position of each camera, for the pass `lidar`, see docs/passes.md."""

    rings: Annotated[int, Field(ge=1, le=256)] = Field(32, description="number of rings")
    elevation_degrees: tuple[Elevation, Elevation] = Field(
        (-25.0, 15.0), description="elevation of the lowest and of the highest ring. Rings have equal distances"
    )
    ring_elevations_degrees: Annotated[list[Elevation], Field(min_length=1, max_length=256)] | None = Field(
        None, description="elevation of each ring, in place of rings and elevation_degrees"
    )
    azimuth_steps: Annotated[int, Field(ge=4, le=8192)] = Field(1024, description="number of rays of a ring")
    range: tuple[NotNegative, Annotated[Positive, Field(le=MOST_RANGE)]] = Field(
        (0.5, 100.0), description="smallest and largest distance of a return [m]"
    )
    offset: Point3 = Field(
        (0.0, 0.0, 0.0), description="position relative to the camera: ahead, to the left and up [m]"
    )

    _lowest_first = least_first("elevation_degrees")
    _range_rises = rule(
        "range: the smallest distance must be less than the largest", lambda own: own.range[0] < own.range[1]
    )
    _elevations_once = rule(
        "write either ring_elevations_degrees, or rings and elevation_degrees",
        lambda own: own.ring_elevations_degrees is None or not own.model_fields_set & {"rings", "elevation_degrees"},
    )
