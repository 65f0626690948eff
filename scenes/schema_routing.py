"""Schema of routing in scene files: doors, areas, and the grid for route search."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import Place2, Table

Corners = Annotated[list[Place2], Field(min_length=3)]
AreaShape = str | Corners  # well-known text of polygons, or the corners of one polygon


class GoalArea(Table):
    """An area as a goal.

    An actor arrives when it enters the area. Then, the actor walks on to a point inside the area.
    """

    area: AreaShape = Field(description="well-known text of polygons, or corners [[x, y], ...] [m]")
    level: str | None = Field(None, description="name of the level. Default: the first level, if the scene has levels")


class LevelPoint(Table):
    """A plan point on a level."""

    at: Place2 = Field(description="x, y [m]")
    level: str = Field(description="name of the level")


class AreaModel(Table):
    """An area with another walking speed, such as stairs."""

    area: AreaShape = Field(description="well-known text of polygons, or corners [[x, y], ...] [m]")
    speed_factor: Annotated[float, Field(ge=0.05, le=5.0)] = Field(
        description="factor by which the area multiplies the desired walking speed. If areas overlap, the smallest"
        " factor applies"
    )
    level: str | None = Field(None, description="name of the level. Default: the first level, if the scene has levels")


class RoutingModel(Table):
    """Settings for the search of routes around walls."""

    cell_size: Annotated[float, Field(ge=0.02, le=10.0)] = Field(
        0.2,
        description="size of the cells of the grid [m]. If cells are larger than the default, routes cannot lead"
        " through some narrow gaps",
    )
    congestion_interval_seconds: Annotated[float, Field(ge=0.1, le=1000.0)] | None = Field(
        None,
        description="time between two measurements of congestion [s]. Actors then avoid routes with congestion."
        " Default: routes do not depend on other actors",
    )


class DoorModel(Table):
    """A door: a wall segment that exists while the door is closed."""

    name: str = Field(min_length=1, description="name of the door in the timeline and in Python")
    shape: str | Annotated[list[Place2], Field(min_length=2)] = Field(
        description="shape of the closed door: well-known text, or corners [[x, y], ...] [m]. Two corners are a line"
        " with the thickness of the walls"
    )
    open: bool = Field(False, description="true: the door is open at the start")
