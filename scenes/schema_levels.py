"""Schema of the storeys of a scene: levels, and stairs, ramps and escalators between levels."""

from typing import Annotated, Literal

from pydantic import Field

from ecs_anim.assets.floor_material import SurfaceMaterial
from ecs_anim.buildings.features import Kind
from ecs_anim.scenes.schema_base import Color, Finite, Place2, Table
from ecs_anim.scenes.schema_routing import AreaShape, DoorModel, LevelPoint
from ecs_anim.scenes.schema_rules import exactly_one, rule
from ecs_anim.storeys.speeds import STAIR_TIME_GAP

Name = Annotated[str, Field(min_length=1, max_length=100)]
Factor = Annotated[float, Field(ge=0.05, le=2.0)]
Width = Annotated[float, Field(ge=0.6, le=50.0)]
Direction = Literal["both", "up", "down"]


class LevelModel(Table):
    """A horizontal floor at a height, with walls and doors."""

    name: Name = Field(description="name of the level. Goals, layouts and sources use this name")
    height: Annotated[float, Field(ge=-1000, le=1000)] = Field(description="height of the floor [m]")
    area: AreaShape | None = Field(
        None,
        description="shape of the floor: well-known text of polygons, or corners [[x, y], ...] [m]",
    )
    file: str | None = Field(
        None,
        description="path of a plan that contains the shape of the floor, relative to the folder of the scene file."
        " The formats are those of [walls]",
    )
    plan_level: str | int | None = Field(None, description="level (floor) of a GeoJSON plan with several levels")
    walls: str | list[Annotated[list[Place2], Field(min_length=2)]] = Field(
        [],
        description=(
            "walls on the level: well-known text of lines and polygons, or lists of corners [[[x, y], ...], ...] [m]. A"
            " line has the thickness of the walls"
        ),
    )
    columns: Annotated[list[Place2], Field(max_length=10_000)] = Field(
        [],
        description="middles [x, y] of square columns that reach up to the next level [m]. Actors walk around columns",
    )
    column_size: Annotated[float, Field(ge=0.05, le=10)] = Field(0.4, description="width of the columns [m]")
    doors: list[DoorModel] = Field([], description="doors in the walls, which open and close")
    slab_thickness: Annotated[float, Field(ge=0.02, le=5.0)] = Field(
        0.25, description="thickness of the floor slab [m]"
    )
    wall_height: Annotated[float, Field(ge=0.01, le=100)] = Field(1.0, description="height of the drawn walls [m]")
    wall_thickness: Annotated[float, Field(ge=0.01, le=10)] = Field(0.15, description="thickness of the walls [m]")
    color: Color = Field("#c9c2b6", description="colour of the floor")
    material: SurfaceMaterial = Field("plain", description="material of the floor")
    wall_color: Color = Field("#dcd7ce", description="colour of the tops of the walls")
    outer_walls: bool = Field(
        True, description="true: the program draws walls around the floor. false: the edge of the floor is open"
    )

    _one_floor = exactly_one("write exactly one of the keys area and file", "area", "file")


class RiseModel(Table):
    """The keys of all connections with a foot on one level and a head on a higher level."""

    name: Name | None = Field(None, description="name in messages and tables. Default: the key, such as stairs[0]")
    foot: LevelPoint = Field(
        description="middle of the lower end of the connection, such as { at = [x, y], level = 'ground' }"
    )
    to: Name = Field(description="name of the upper level")
    heading_degrees: Finite = Field(description="direction uphill, counter-clockwise from east")
    width: Width = Field(1.5, description="free width between the railings [m]")
    direction: Direction = Field("both", description="direction in which actors can walk")
    speed_factors: tuple[Factor, Factor] | None = Field(
        None,
        description=(
            "factors [up, down] on the walking speed of actors, measured on the plan. Default: published speeds for "
            "the slope, see docs/storeys.md"
        ),
    )
    color: Color = Field("#b9b2a6", description="colour of the steps or of the slope")
    railings: bool | Literal["left", "right"] = Field(
        True, description="railings on both sides, on no side (false), or on one side of the direction uphill"
    )


class StairsModel(RiseModel):
    """Straight stairs, or stairs with landings and half turns."""

    riser: Annotated[float, Field(ge=0.08, le=0.35)] = Field(
        0.17, description="approximate height of a riser [m]. All risers have the same height"
    )
    going: Annotated[float, Field(ge=0.15, le=1.0)] = Field(0.29, description="length of a tread on the plan [m]")
    landings: Annotated[int, Field(ge=0, le=20)] = Field(0, description="number of landings between the two levels")
    turn: Literal["none", "left", "right"] = Field(
        "none", description="direction of a half turn at each landing, on the way up"
    )
    gap: Annotated[float, Field(ge=0.12, le=10)] = Field(
        0.3, description="distance between the flights before and after a half turn [m]"
    )
    landing_length: Annotated[float, Field(ge=0.6, le=50)] | None = Field(
        None, description="length of a landing [m]. Default: the width of the stairs"
    )
    time_gap_factor: Annotated[float, Field(ge=0.5, le=10.0)] = Field(
        STAIR_TIME_GAP,
        description="factor by which the steering model multiplies its parameter time_gap on the stairs, see "
        "docs/storeys.md",
    )

    _turn_at_landing = rule(
        "turn needs at least one landing. Write landings = 1",
        lambda stairs: stairs.turn == "none" or stairs.landings > 0,
    )


class RampModel(RiseModel):
    """A straight slope."""

    length: Annotated[float, Field(ge=0.5, le=1000)] = Field(description="length on the plan [m]")


class EscalatorModel(RiseModel):
    """Moving stairs. A stopped escalator is a stair."""

    width: Annotated[float, Field(ge=0.4, le=2.0)] = Field(1.0, description="width of the steps [m]")
    direction: Literal["up", "down"] = Field("up", description="direction in which the steps move at the start")
    speed_m_s: Annotated[float, Field(ge=0.1, le=1.5)] = Field(
        0.5, description="speed of the steps along the slope [m/s]. EN 115-1 allows at most 0.75 m/s"
    )
    walking_share: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="share of the actors that walk on the moving steps, on the left side. All other actors stand"
    )
    riser: Annotated[float, Field(ge=0.08, le=0.35)] = Field(
        0.21, description="approximate height of a step [m]. All steps have the same height"
    )
    color: Color = Field("#5d6166", description="colour of the steps")


class LiftModel(Table):
    """A lift: a car that moves between levels."""

    name: Name | None = Field(
        None, description="name on the timeline and in messages. Default: the key, such as lifts[0]"
    )
    at: Place2 = Field(description="middle of the car, [x, y] [m]")
    heading_degrees: Finite = Field(description="direction from the car through its door, counter-clockwise from east")
    stops: Annotated[list[Name], Field(max_length=500)] = Field(
        description="names of the levels at which the lift stops, at least 2"
    )
    size: tuple[Annotated[float, Field(ge=0.8, le=10)], Annotated[float, Field(ge=0.8, le=10)]] = Field(
        (1.6, 1.7), description="width and depth of the car [m]"
    )
    door_width: Annotated[float, Field(ge=0.6, le=10)] = Field(1.0, description="width of the doors [m]")
    capacity: Annotated[int, Field(ge=1, le=200)] = Field(8, description="largest number of people in the car")
    speed_m_s: Annotated[float, Field(ge=0.1, le=20)] = Field(1.0, description="speed of the car [m/s]")
    dwell_seconds: Annotated[float, Field(ge=0.5, le=600)] = Field(
        5.0, description="time for which the doors of the lift stay open at a stop [s]"
    )
    color: Color = Field("#8f979e", description="colour of the car and of the doors")

    _door_fits = rule("door_width must be at most the width of the car", lambda lift: lift.door_width <= lift.size[0])


class LayerModel(Table):
    """The meaning of a layer of a DXF drawing."""

    level: Name | None = Field(None, description="name of the level. Default: all levels")
    kind: Kind | Literal["ignore"] = Field(description="kind of the lines on the layer")


class BuildingModel(Table):
    """A building in a file: its levels, walls, doors, stairs, escalators, ramps, lifts and named areas."""

    file: str = Field(
        description=(
            "path of a building in GeoJSON (IMDF, OSM indoor, or features with a level), in JuPedSim's XML, in DXF or"
            " in IFC, relative to the folder of the scene file. See docs/buildings.md"
        )
    )
    storey_height: Annotated[float, Field(ge=1.9, le=100)] = Field(
        3.4,
        description="height of a storey [m]. A level without a height in the file gets its number times this height",
    )
    heights: dict[str, Annotated[float, Field(ge=-1000, le=1000)]] = Field(
        {}, description="heights of floors [m], by name of the level, such as { mezzanine = 2.4 }"
    )
    coordinates: Literal["degrees", "metres", "millimetres"] | None = Field(
        None,
        description=(
            "unit of the coordinates. Default in DXF: the unit of the drawing. Default in GeoJSON: degrees if the "
            "file names WGS 84 or if the building is smaller than 0.3 units, otherwise metres"
        ),
    )
    origin: tuple[Finite, Finite] | None = Field(
        None,
        description=(
            "point of the file that becomes 0, 0: longitude and latitude, or x, y [m]. Default: for a building in "
            "degrees, its middle, otherwise [0, 0]"
        ),
    )
    layers: dict[str, LayerModel] = Field(
        {},
        description="level and kind of DXF layers, by name of the layer. Default: the program reads the kind from"
        " words in the name of the layer",
    )
    door_width: Annotated[float, Field(ge=0.5, le=10)] = Field(
        0.9, description="width of doors that the file gives as points [m]"
    )


class LevelKeys(Table):
    """The storeys of a scene."""

    building: BuildingModel | None = Field(None, description="building in a file, see docs/buildings.md")
    levels: Annotated[list[LevelModel], Field(max_length=500)] = Field(
        [], description="levels (storeys) of a building, see docs/storeys.md"
    )
    stairs: Annotated[list[StairsModel], Field(max_length=2000)] = Field([], description="stairs between two levels")
    ramps: Annotated[list[RampModel], Field(max_length=2000)] = Field([], description="ramps between two levels")
    escalators: Annotated[list[EscalatorModel], Field(max_length=500)] = Field(
        [], description="escalators between two levels"
    )
    lifts: Annotated[list[LiftModel], Field(max_length=100)] = Field([], description="lifts between levels")
