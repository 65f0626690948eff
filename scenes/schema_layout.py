"""Schema of layouts, which determine the positions of the actors of a crowd."""

from typing import Annotated, Literal

from pydantic import Field

from ecs_anim.scenes.schema_base import Finite, NotNegative, Place2, Positive, Table

Number = Annotated[int, Field(ge=1, le=10_000_000)]


class OnLevel(Table):
    """A layout that can be on a level of a building."""

    level: str | None = Field(None, description="name of the level. Default: the first level, if the scene has levels")


class GridLayout(OnLevel):
    """Rows from north to south, and columns from west to east."""

    kind: Literal["grid"]
    spacing: Positive = Field(1.5, description="distance between neighbouring actors [m]")
    columns: Number | None = Field(None, description="number of columns. Default: about the number of rows")
    center: Place2 = Field((0.0, 0.0), description="x, y of the middle [m]")


class DiscLayout(OnLevel):
    """A disc with evenly spaced actors (sunflower spiral). The layout begins in the middle of the disc."""

    kind: Literal["disc"]
    spacing: Positive = Field(1.2, description="approximate distance between neighbouring actors [m]")
    center: Place2 = Field((0.0, 0.0), description="x, y of the middle [m]")


class ScatterLayout(OnLevel):
    """Random points in a disc. The distance between two points is at least `min_distance`."""

    kind: Literal["scatter"]
    radius: Positive = Field(
        description="radius of the disc [m]. With the option `--actors`, the program changes the radius so that the"
        " density stays constant"
    )
    min_distance: Positive = Field(0.7, description="smallest distance between two actors [m]")
    center: Place2 = Field((0.0, 0.0), description="x, y of the middle [m]")


class PointsLayout(OnLevel):
    """A list of points. The first actor stands at the first point, the next actor at the next point, and so on."""

    kind: Literal["points"]
    points: Annotated[list[Place2], Field(min_length=1)] = Field(description="plan point x, y of each actor [m]")


class BlocksLayout(OnLevel):
    """A formation that faces south. The formation has blocks of ranks and files, with gaps between the blocks."""

    kind: Literal["blocks"]
    files: Number = Field(10, description="number of actors side by side in a block")
    ranks: Number = Field(10, description="number of actors behind each other in a block")
    spacing: tuple[Positive, Positive] = Field((1.0, 1.2), description="distances between files and between ranks [m]")
    gaps: tuple[NotNegative, NotNegative] = Field(
        (3.0, 4.0),
        description="gaps between blocks [m]: the gap between blocks side by side, and the gap between blocks behind"
        " each other",
    )
    across: Number | None = Field(
        None, description="number of blocks side by side. Default: about the number of blocks behind each other"
    )
    center: Place2 = Field(
        (0.0, 0.0), description="x, y of the middle of the first rank [m]. All other ranks are north of the first rank"
    )


class SeatsLayout(Table):
    """Random seats in the stands of the ground.

    If `--actors` lowers the number of actors, the actors sit nearer to the pitch.
    """

    kind: Literal["seats"]
    sector_degrees: tuple[Finite, Finite] = Field(
        (0.0, 360.0),
        description="sector around the pitch that the crowd uses: first angle and last angle, counter-clockwise from"
        " east. Crowds with the same sector share the seats of the sector",
    )


Layout = Annotated[
    GridLayout | DiscLayout | ScatterLayout | PointsLayout | BlocksLayout | SeatsLayout, Field(discriminator="kind")
]
