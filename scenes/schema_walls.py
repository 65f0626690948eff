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

    walls: Literal["dark", "light"] = Field(
        "dark", description="pixels of the picture that are walls: dark or light pixels"
    )
    threshold: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.5, description="brightness that separates wall pixels from floor pixels, 0 to 1"
    )


class WallsModel(Table):
    """Walls around the walkable area, from a plan in metres. On the plan, x is east (+X), and y is north (-Z)."""

    wkt: str | None = Field(None, description="plan as well-known text, such as a JuPedSim walkable area")
    file: str | None = Field(
        None,
        description="path of the plan, relative to the folder of the scene file. The format is WKT, GeoJSON in metres,"
        " or JuPedSim XML",
    )
    picture: WallPicture | None = Field(None, description="picture of the plan")
    origin: Point2 | None = Field(
        None,
        description="point in the coordinates of the plan [m] that becomes 0, 0 in the scene. For trajectories with"
        " the coordinates of the plan, set the same origin. Other scene keys, such as doors, use the coordinates of"
        " the scene",
    )
    level: str | int | None = Field(None, description="floor (level) of a GeoJSON plan with several floors")
    polygons: Literal["walkable", "obstacles"] | None = Field(
        None,
        description="meaning of the polygons in the plan: walkable areas whose holes are walls (default), or"
        " obstacles. Polygons from a picture are obstacles. Lines are always walls",
    )
    height: Annotated[float, Field(ge=0.01, le=100)] = Field(1.0, description="height of the walls [m]")
    thickness: Annotated[float, Field(ge=0.01, le=10)] = Field(
        0.2,
        description="thickness of walls [m]. A wall along a line extends to both sides of the line. A wall around a "
        "walkable area lies outside the area",
    )
    color: Color = Field("#dcd7ce", description="colour of the tops of walls. The sides are a little darker")
    drawn: bool = Field(
        True,
        description="true: the program draws the walls. false: the walls are invisible, for example if blocks of the"
        " ground show the obstacles",
    )
    doors: list[DoorModel] = Field([], description="doors in the walls, which open and close, see docs/steering.md")

    _one_plan = exactly_one("write exactly one of the keys wkt, file and picture", "wkt", "file", "picture")

    @model_validator(mode="after")
    def _fits(self) -> "WallsModel":
        if self.picture is not None and (self.origin or self.level) is not None:
            raise ValueError(
                "walls from a picture cannot have the keys origin and level, because a picture has its own origin."
                " Leave out these keys."
            )
        if self.picture is not None and self.polygons is not None:
            raise ValueError(
                "walls from a picture cannot have the key polygons, because polygons of a picture are always"
                " obstacles. Leave out this key."
            )
        names = [door.name for door in self.doors]
        if twice := repeated(names):
            raise ValueError(f"doors: the names of doors must be different (got {twice!r} twice). Rename one door.")
        return self
