"""Schema of layouts: positions of the actors of a crowd."""

from typing import Annotated, Literal

from pydantic import Field

from ecs_anim.scenes.schema_base import Finite, NotNegative, Place2, Positive, Table

Number = Annotated[int, Field(ge=1, le=10_000_000)]


class GridLayout(Table):
    """Rows from north to south, and columns from west to east."""

    kind: Literal["grid"]
    spacing: Positive = Field(1.5, description="[m] between neighbours")
    columns: Number | None = Field(None, description="default: as many as rows")
    center: Place2 = Field((0.0, 0.0), description="x, y of its middle [m]")


class DiscLayout(Table):
    """A disc that is filled evenly from its middle outwards (sunflower spiral)."""

    kind: Literal["disc"]
    spacing: Positive = Field(1.2, description="[m] between neighbours, roughly")
    center: Place2 = Field((0.0, 0.0), description="x, y of its middle [m]")


class ScatterLayout(Table):
    """Random points in a disc with the minimum distance `min_distance`."""

    kind: Literal["scatter"]
    radius: Positive = Field(description="[m]; `--actors` scales it so that the density stays")
    min_distance: Positive = Field(0.7, description="[m]")
    center: Place2 = Field((0.0, 0.0), description="x, y of its middle [m]")


class PointsLayout(Table):
    """Given points, used in turn."""

    kind: Literal["points"]
    points: Annotated[list[Place2], Field(min_length=1)] = Field(description="x, y of each actor [m]")


class BlocksLayout(Table):
    """A formation that faces south: blocks of ranks and files with gaps between them."""

    kind: Literal["blocks"]
    files: Number = Field(10, description="of a block: actors side by side")
    ranks: Number = Field(10, description="of a block: actors one behind the other")
    spacing: tuple[Positive, Positive] = Field((1.0, 1.2), description="[m] between files and between ranks")
    gaps: tuple[NotNegative, NotNegative] = Field(
        (3.0, 4.0), description="[m] between blocks side by side and one behind the other, beyond the spacing"
    )
    across: Number | None = Field(None, description="blocks side by side; default: as many as one behind the other")
    center: Place2 = Field(
        (0.0, 0.0), description="x, y of the middle of the first rank [m]; the others are north of it"
    )


class SeatsLayout(Table):
    """Random seats of the ground's stands.

    If there are fewer actors than the scene states, they sit nearer to the pitch.
    """

    kind: Literal["seats"]
    sector_degrees: tuple[Finite, Finite] = Field(
        (0.0, 360.0),
        description="round the pitch, from and to, counter-clockwise from east; crowds of one sector share its seats",
    )


Layout = Annotated[
    GridLayout | DiscLayout | ScatterLayout | PointsLayout | BlocksLayout | SeatsLayout, Field(discriminator="kind")
]
