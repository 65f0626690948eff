"""Schema of the walls of a scene."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ecs_anim.scenes.schema_base import Color, Point2, Table
from ecs_anim.scenes.schema_picture import LaidPicture
from ecs_anim.scenes.schema_routing import DoorModel
from ecs_anim.scenes.schema_rules import exactly_one
from ecs_anim.support.names import repeated


class WallPicture(LaidPicture):
    """A picture from which walls are traced."""

    walls: Literal["dark", "light"] = Field("dark", description="which pixels are wall")
    threshold: Annotated[float, Field(gt=0, lt=1)] = Field(0.5, description="of brightness, between wall and floor")


class WallsModel(Table):
    """Bounds of the walkable area: a plan in metres, x to the east (+X), y to the north (-Z)."""

    wkt: str | None = Field(None, description="the plan as well-known text, such as a JuPedSim walkable area")
    file: str | None = Field(
        None, description="path of the plan, from the scene file's folder: WKT, GeoJSON in metres, or JuPedSim's XML"
    )
    picture: WallPicture | None = Field(None, description="a picture of the plan")
    origin: Point2 | None = Field(
        None,
        description="[m], coordinates of the plan that become 0, 0 of the scene; the same for trajectories in these"
        " coordinates. Keys of the scene, such as doors, are in the scene's coordinates",
    )
    level: str | int | None = Field(None, description="the level of a plan in GeoJSON that has several")
    polygons: Literal["walkable", "obstacles"] | None = Field(
        None,
        description="what the plan's polygons are: where people may be, holes being walls (default), or what stands"
        " in their way; a picture's are obstacles; lines are walls in any case",
    )
    height: Annotated[float, Field(ge=0.01, le=100)] = Field(1.0, description="[m]")
    thickness: Annotated[float, Field(ge=0.01, le=10)] = Field(
        0.2, description="[m] of lines, about their middle, and of what is drawn round a walkable area, outside of it"
    )
    color: Color = Field("#dcd7ce", description="of the tops; sides are a little darker")
    drawn: bool = Field(True, description="false: they only keep people away, from what the ground shows there")
    doors: list[DoorModel] = Field([], description="parts of the walls that open and close; docs/steering.md")

    _one_plan = exactly_one("give wkt, file or picture, one of them", "wkt", "file", "picture")

    @model_validator(mode="after")
    def _fits(self) -> "WallsModel":
        if self.picture is not None and (self.origin or self.level) is not None:
            raise ValueError("origin and level go with wkt or file; a picture has an origin of its own")
        if self.picture is not None and self.polygons is not None:
            raise ValueError("polygons goes with wkt or file; what is traced from a picture are obstacles")
        names = [door.name for door in self.doors]
        if twice := repeated(names):
            raise ValueError(f"doors: two are called {twice!r}; give each a name of its own")
        return self
