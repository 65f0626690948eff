"""Schema of the ground of a scene."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from ecs_anim.assets.floor_material import FloorMaterial, SurfaceMaterial
from ecs_anim.scenes.schema_base import Color, Finite, Point2, Point3, Positive, Table
from ecs_anim.scenes.schema_picture import LaidPicture
from ecs_anim.scenes.schema_rules import exactly_one, needs

WINDOW_GAP = 0.2  # [m], least distance between windows; sills need this distance


class GroundKeys(Table):
    """The keys that all kinds of ground have."""

    color: Color = "#c4c0ba"
    line_color: Color = Field("#a29f9a", description="colour of the joints of a pavement, or of the lines of a grid")
    material: FloorMaterial = Field(
        "paving",
        description="pattern of the ground. 'paving': slabs of 1 m by 0.5 m. 'grid': lines at distances of 1 m and 10"
        " m. 'plain': a uniform colour",
    )


class OnFloor(GroundKeys):
    """The key `floor` of kinds of ground that an infinite floor can surround."""

    floor: Finite | None = Field(
        None,
        description="height of an infinite floor below and around the ground [m]. Default: no floor, so actors cannot"
        " stand outside the ground",
    )


class FlatGround(GroundKeys):
    """An infinite horizontal plane."""

    kind: Literal["flat"] = "flat"
    height: Finite = Field(0.0, description="height of the plane [m]")
    picture: LaidPicture | None = Field(None, description="picture of the floor, such as a plan or a satellite image")


class WindowsModel(Table):
    """Rows of windows in all sides of a block."""

    size: tuple[Annotated[float, Field(ge=0.3, le=50)], Annotated[float, Field(ge=0.3, le=50)]] = Field(
        (1.1, 1.5), description="width and height of a window [m]"
    )
    spacing: Annotated[float, Field(ge=0.4, le=100)] = Field(
        3.0, description="distance between the middles of neighbouring windows in a row [m]"
    )
    storey: Annotated[float, Field(ge=0.5, le=100)] = Field(
        3.0, description="distance between the sills of neighbouring rows [m]"
    )
    sill: Annotated[float, Field(ge=0.1, le=100)] = Field(
        1.0, description="height of the lowest sills above the lower end of the block [m]"
    )
    doors: bool = Field(True, description="true: the middle window of the lowest row is a door")

    @model_validator(mode="after")
    def _apart(self) -> "WindowsModel":
        gaps = self.spacing - self.size[0], self.storey - self.size[1]
        if min(gaps) < WINDOW_GAP:
            raise ValueError(
                f"windows must be at least {WINDOW_GAP} m apart (got gaps of {gaps[0]:g} m and {gaps[1]:g} m)."
                " Increase spacing or storey, or decrease size."
            )
        return self


class BlockModel(Table):
    """A box on the ground. Without the key `thickness`, the box reaches from its top down into the ground."""

    at: Point2 = Field(description="x, y of the middle of the block's top [m]")
    size: tuple[Positive, Positive] = Field(description="size along x and along y, before the rotation [m]")
    height: Finite = Field(description="height of the middle of the block's top [m]")
    thickness: Positive | None = Field(
        None,
        description="thickness of the block [m]. A thickness below the height makes a bridge. Default: the block"
        " reaches down to the floor, or to the height 0",
    )
    rotation_degrees: Finite = Field(0.0, description="rotation of the block, counter-clockwise when seen from above")
    tilt_degrees: tuple[Annotated[float, Field(gt=-80, lt=80)], Annotated[float, Field(gt=-80, lt=80)]] = Field(
        (0.0, 0.0),
        description="pitch and roll of the block, before its rotation. A positive pitch raises the north side, and a "
        "positive roll raises the east side",
    )
    color: Color | None = Field(None, description="colour of the block. Default: the colour of the ground")
    material: SurfaceMaterial | None = Field(
        None,
        description="material of the block. Default: a uniform colour for blocks with a colour, and the material of"
        " the ground for all other blocks",
    )
    windows: WindowsModel | None = Field(None, description="windows in the sides of the block, in rows. Default: none")


class HeightsGround(OnFloor):
    """A height field from a function or from a picture."""

    kind: Literal["heights"]
    size: tuple[Positive, Positive] = Field(description="size along x and along y [m]")
    center: Point2 = Field((0.0, 0.0), description="x, y of the middle of the height field [m]")
    function: str | None = Field(
        None,
        description="formula for the height [m] at the plan point x, y [m], such as '0.4 * sin(x / 3) + max(0, y /"
        " 10)'",
    )
    spacing: Positive | None = Field(
        None, description="with function: approximate distance between neighbouring heights [m]. Default: 0.5"
    )
    image: str | None = Field(
        None,
        description="path of a grey PNG image with 8 or 16 bits. The upper edge of the image is in the north",
    )
    lowest: Finite | None = Field(None, description="height of black pixels in the image [m]. Default: 0")
    highest: Finite | None = Field(None, description="height of white pixels in the image [m]. Default: 1")
    blocks: Annotated[list[BlockModel], Field(max_length=10_000)] = Field([], description="boxes on the ground")

    _one_source = exactly_one("write exactly one of the keys function and image", "function", "image")
    _spacing_of_function = needs("spacing needs a function", "spacing", "function")
    _lowest_of_image = needs("lowest needs an image", "lowest", "image")
    _highest_of_image = needs("highest needs an image", "highest", "image")


class MeshGround(OnFloor):
    """The triangles of a glTF file. The transforms of the file's nodes determine the positions of the triangles."""

    kind: Literal["mesh"]
    model: str = Field(description="path of a .gltf, .glb or .vrm file, relative to the folder of the scene file")
    scale: Positive = Field(1.0, description="factor from the length unit of the file to metres")
    at: Point3 = Field((0.0, 0.0, 0.0), description="x, y, z of the origin of the file [m]")
    rotation_degrees: Finite = Field(0.0, description="rotation of the ground, counter-clockwise when seen from above")


class BlocksGround(OnFloor):
    """Boxes as the ground."""

    kind: Literal["blocks"]
    blocks: Annotated[list[BlockModel], Field(min_length=1, max_length=10_000)]


class StandsGround(OnFloor):
    """Stands around a pitch: concrete steps in the colour of the ground, seats, and aisles.

    The layout 'seats' puts actors on the seats.
    """

    kind: Literal["stands"]
    pitch: tuple[Annotated[float, Field(ge=10, le=200)], Annotated[float, Field(ge=10, le=200)]] = Field(
        description="size along x and along y [m]"
    )
    margin: Annotated[float, Field(ge=1, le=50)] = Field(
        5.0, description="distance between the pitch and the stands [m]"
    )
    corner_radius: Annotated[float, Field(ge=1, le=100)] = Field(
        14.0, description="radius of the corners of the first row [m]"
    )
    rows: Annotated[int, Field(ge=1, le=100)] = Field(20, description="number of rows of seats")
    section_width: Annotated[float, Field(ge=3, le=100)] = Field(
        9.0, description="approximate distance between aisles [m]"
    )
    wall: Annotated[float, Field(ge=0.1, le=10)] = Field(1.2, description="height of the first row [m]")
    seat_color: Color = "#41618f"
    apron_color: Color = Field("#9c6a54", description="colour of the ground between pitch and stands")


def _kind(ground: Any) -> str:
    """Return the key `kind` of a ground table. The default is "flat"."""
    return str(ground.get("kind", "flat") if isinstance(ground, dict) else getattr(ground, "kind", "flat"))


GroundModel = Annotated[
    Annotated[FlatGround, Tag("flat")]
    | Annotated[HeightsGround, Tag("heights")]
    | Annotated[MeshGround, Tag("mesh")]
    | Annotated[BlocksGround, Tag("blocks")]
    | Annotated[StandsGround, Tag("stands")],
    Discriminator(_kind),
]
