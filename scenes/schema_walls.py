"""Schema of the walls of a scene."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ecs_anim.scenes.schema_base import Color, Point2, Table
from ecs_anim.scenes.schema_picture import LaidPicture
from ecs_anim.scenes.schema_routing import DoorModel
from ecs_anim.scenes.schema_rules import exactly_one
from ecs_anim.support.names import repeated


class WallPicture(LaidPicture):
    """A picture from which the loader traces walls."""

    walls: Literal["dark", "light"] = Field("dark", description="pixels that are walls")
    threshold: Annotated[float, Field(gt=0, lt=1)] = Field(0.5, description="brightness between wall and floor")


class WallsModel(Table):
    """Walls around the walkable area, from a plan in metres. On the plan, x is east (+X), and y is north (-Z)."""

    wkt: str | None = Field(None, description="plan as well-known text, such as a JuPedSim walkable area")
    file: str | None = Field(
        None,
        description="path of the plan, relative to the scene file's folder: WKT, GeoJSON in metres, or JuPedSim's XML",
    )
    picture: WallPicture | None = Field(None, description="picture of the plan")
    origin: Point2 | None = Field(
        None,
        description="coordinates of the plan that become 0, 0 of the scene [m]. Set the same origin for trajectories"
        " in these coordinates. Keys of the scene, such as doors, are in the scene's coordinates",
    )
    level: str | int | None = Field(None, description="level of a GeoJSON plan with several levels")
    polygons: Literal["walkable", "obstacles"] | None = Field(
        None,
        description="meaning of the plan's polygons: walkable areas with holes as walls (default), or obstacles."
        " Polygons of a picture are obstacles. Lines are always walls",
    )
    height: Annotated[float, Field(ge=0.01, le=100)] = Field(1.0, description="[m]")
    thickness: Annotated[float, Field(ge=0.01, le=10)] = Field(
        0.2, description="thickness of lines, around their middle, and of the walls drawn outside a walkable area [m]"
    )
    color: Color = Field("#dcd7ce", description="colour of the tops. Sides are a little darker")
    drawn: bool = Field(True, description="draw the walls. false: invisible walls, for obstacles that the ground shows")
    doors: list[DoorModel] = Field([], description="parts of the walls that open and close, see docs/steering.md")

    _one_plan = exactly_one("give wkt, file or picture, one of them", "wkt", "file", "picture")

    @model_validator(mode="after")
    def _fits(self) -> "WallsModel":
        if self.picture is not None and (self.origin or self.level) is not None:
            raise ValueError("origin and level need wkt or file, because a picture has its own origin")
        if self.picture is not None and self.polygons is not None:
            raise ValueError("polygons needs wkt or file, because polygons of a picture are always obstacles")
        names = [door.name for door in self.doors]
        if twice := repeated(names):
            raise ValueError(f"doors: names must be different (got {twice!r} twice). Rename one door")
        return self
