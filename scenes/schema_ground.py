"""Schema of the ground of a scene."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from ecs_anim.scenes.schema_base import Color, Finite, Point2, Point3, Positive, Table
from ecs_anim.scenes.schema_picture import LaidPicture
from ecs_anim.scenes.schema_rules import exactly_one, needs


class _Ground(Table):
    """The keys that all kinds of ground share."""

    color: Color = "#c4c0ba"
    line_color: Color = Field("#a29f9a", description="of the grid, 1 m and 10 m")
    grid: bool = True


class OnFloor(_Ground):
    """A ground that can have a floor around it."""

    floor: Finite | None = Field(
        None,
        description="height [m] of an endless floor around and below; default: no floor, and no actor stands there",
    )


class FlatGround(_Ground):
    """An infinite horizontal plane."""

    kind: Literal["flat"] = "flat"
    height: Finite = Field(0.0, description="[m]")
    picture: LaidPicture | None = Field(None, description="a picture of the floor, such as a plan or a satellite's")


class BlockModel(Table):
    """A box that reaches from its top down into the ground."""

    at: Point2 = Field(description="x, y of the middle of its top [m]")
    size: tuple[Positive, Positive] = Field(description="[m] along x and along y, before its rotation")
    height: Finite = Field(description="of the middle of its top [m]")
    thickness: Positive | None = Field(
        None, description="[m]; less than the height makes a bridge; default: down to the floor, or to 0"
    )
    rotation_degrees: Finite = Field(0.0, description="counter-clockwise as seen from above")
    tilt_degrees: tuple[Annotated[float, Field(gt=-80, lt=80)], Annotated[float, Field(gt=-80, lt=80)]] = Field(
        (0.0, 0.0), description="pitch raises its north side, roll its east side, before its rotation"
    )
    color: Color | None = Field(None, description="default: the ground's")


class HeightsGround(OnFloor):
    """A height field: from a function or from a picture."""

    kind: Literal["heights"]
    size: tuple[Positive, Positive] = Field(description="[m] along x and along y")
    center: Point2 = Field((0.0, 0.0), description="x, y of its middle [m]")
    function: str | None = Field(
        None, description="height [m] at x, y [m] of the plan, such as '0.4 * sin(x / 3) + max(0, y / 10)'"
    )
    spacing: Positive | None = Field(None, description="function: [m] between heights, roughly; default 0.5")
    image: str | None = Field(
        None,
        description="path of a grey PNG, 8 or 16 bits; its upper edge lies in the north",
    )
    lowest: Finite | None = Field(None, description="image: height [m] of black; default 0")
    highest: Finite | None = Field(None, description="image: height [m] of white; default 1")
    blocks: Annotated[list[BlockModel], Field(max_length=10_000)] = Field([], description="boxes that stand in it")

    _one_source = exactly_one("give function or image, one of them", "function", "image")
    _spacing_of_function = needs("spacing goes with a function", "spacing", "function")
    _lowest_of_image = needs("lowest goes with an image", "lowest", "image")
    _highest_of_image = needs("highest goes with an image", "highest", "image")


class MeshGround(OnFloor):
    """The triangles of a glTF file, placed by its nodes."""

    kind: Literal["mesh"]
    model: str = Field(description="path of a .gltf, .glb or .vrm file, from the scene file's folder")
    scale: Positive = Field(1.0, description="factor from the file's units to metres")
    at: Point3 = Field((0.0, 0.0, 0.0), description="x, y, z [m] of the file's origin")
    rotation_degrees: Finite = Field(0.0, description="of the file, counter-clockwise as seen from above")


class BlocksGround(OnFloor):
    """Boxes."""

    kind: Literal["blocks"]
    blocks: Annotated[list[BlockModel], Field(min_length=1, max_length=10_000)]


class StandsGround(OnFloor):
    """Stands around a pitch: concrete steps in the ground's colour, seats and aisles.

    Layout 'seats' fills the seats.
    """

    kind: Literal["stands"]
    pitch: tuple[Annotated[float, Field(ge=10, le=200)], Annotated[float, Field(ge=10, le=200)]] = Field(
        description="[m] along x and along y"
    )
    margin: Annotated[float, Field(ge=1, le=50)] = Field(5.0, description="[m] between the pitch and the stands")
    corner_radius: Annotated[float, Field(ge=1, le=100)] = Field(14.0, description="[m] of the first row's corners")
    rows: Annotated[int, Field(ge=1, le=100)] = Field(20, description="of seats")
    section_width: Annotated[float, Field(ge=3, le=100)] = Field(9.0, description="[m] between aisles, roughly")
    wall: Annotated[float, Field(ge=0.1, le=10)] = Field(1.2, description="[m], how high the first row is")
    seat_color: Color = "#41618f"
    apron_color: Color = Field("#9c6a54", description="of the ground between pitch and stands")


def _kind(ground: Any) -> str:
    """Return the kind of a ground. The default kind is flat."""
    return str(ground.get("kind", "flat") if isinstance(ground, dict) else getattr(ground, "kind", "flat"))


GroundModel = Annotated[
    Annotated[FlatGround, Tag("flat")]
    | Annotated[HeightsGround, Tag("heights")]
    | Annotated[MeshGround, Tag("mesh")]
    | Annotated[BlocksGround, Tag("blocks")]
    | Annotated[StandsGround, Tag("stands")],
    Discriminator(_kind),
]
