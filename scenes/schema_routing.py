"""Schema of routing in scene files: doors, areas, and the grid for route search."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import Place2, Table

Corners = Annotated[list[Place2], Field(min_length=3)]
AreaShape = str | Corners  # well-known text of polygons, or the corners of one polygon


class GoalArea(Table):
    """An area as a goal.

    Actors have arrived when they enter the area. Then each actor walks to its own point in the area.
    """

    area: AreaShape = Field(description="well-known text of polygons, or corners [[x, y], ...] [m]")


class AreaModel(Table):
    """An area with another walking speed, such as stairs."""

    area: AreaShape = Field(description="well-known text of polygons, or corners [[x, y], ...] [m]")
    speed_factor: Annotated[float, Field(ge=0.05, le=5.0)] = Field(
        description="of the desired speed; where areas overlap, the smallest factor counts"
    )


class RoutingModel(Table):
    """Settings of the route search around walls."""

    cell_size: Annotated[float, Field(ge=0.02, le=10.0)] = Field(
        0.2, description="[m] of the grid; gaps as wide as bodies are found if the size is at most that"
    )
    congestion_interval_seconds: Annotated[float, Field(ge=0.1, le=1000.0)] | None = Field(
        None,
        description="[s] between measurements of congestion, which delays the routes through it; default: routes"
        " ignore other actors",
    )


class DoorModel(Table):
    """A door: a wall segment that exists while the door is closed."""

    name: str = Field(min_length=1, description="by which the timeline and Python call it")
    shape: str | Annotated[list[Place2], Field(min_length=2)] = Field(
        description="well-known text, or corners [[x, y], ...] [m]; two are a line, as thick as other walls"
    )
    open: bool = Field(False, description="as the scene begins")
