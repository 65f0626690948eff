"""Targets of a crowd in a scene file: what its actors look at and reach for."""

from typing import Annotated, Literal

from pydantic import Field

from ecs_anim.scenes.schema_base import Color, Finite, Point3, Positive, Table

Space = Annotated[
    Literal["world", "actor"],
    Field(description="'actor': from each actor's place, +Z ahead, +X to its left, +Y up, and as large as the actor"),
]
Phase = Annotated[
    Annotated[float, Field(ge=0, le=1)] | Literal["random"],
    Field(description="where on its way the target begins, 0 to 1; 'random': elsewhere for each actor"),
]


class TargetTable(Table):
    """What all targets share."""

    color: Color = "#e8b23a"
    marker_radius: Positive = Field(0.06, description="[m], of the ball that shows it")
    visible: bool = Field(True, description="shown where the crowd shows its targets")


class PointTarget(TargetTable):
    """A point that stays."""

    kind: Literal["point"]
    at: Point3 = Field(description="x, y, z [m]")
    space: Space = "world"


class OrbitTarget(TargetTable):
    """A point that runs round a circle."""

    kind: Literal["orbit"]
    center: Point3 = Field(description="x, y, z [m]")
    radius: Positive = Field(description="[m]")
    period_seconds: Positive = Field(4.0, description="[s], once round")
    tilt_degrees: Finite = Field(0.0, description="of the circle: 0 is level, 90 upright, across +Z")
    turn_degrees: Finite = Field(0.0, description="of the tilted circle about +Y")
    phase: Phase = 0.0
    space: Space = "world"


class PathTarget(TargetTable):
    """A point that runs along a closed smooth curve through points (Catmull-Rom)."""

    kind: Literal["path"]
    points: Annotated[list[Point3], Field(min_length=2)] = Field(
        description="x, y, z [m]; it takes the same time from each to the next, and back to the first"
    )
    period_seconds: Positive = Field(4.0, description="[s], once round")
    phase: Phase = 0.0
    space: Space = "world"


class ParametersTarget(TargetTable):
    """A point that three parameters say, so that timelines and curves can move it."""

    kind: Literal["parameters"]
    parameters: tuple[str, str, str] = Field(description="the crowd's parameters that are x, y, z [m]")
    space: Space = "world"


class CameraTarget(TargetTable):
    """The viewer's eye."""

    kind: Literal["camera"]
    visible: bool = Field(False, description="shown where the crowd shows its targets")


class ActorTarget(TargetTable):
    """An actor of this crowd or another, where it was a step ago."""

    kind: Literal["actor"]
    crowd: str | None = Field(None, description="default: this crowd")
    actor: Annotated[int, Field(ge=0)] | Literal["nearest"] = Field(
        "nearest", description="a number, from 0; or whoever stands nearest"
    )
    at: Point3 | None = Field(None, description="x, y, z [m] in that actor's space; default: the middle of its head")
    visible: bool = Field(False, description="shown where the crowd shows its targets")


TargetModel = Annotated[
    PointTarget | OrbitTarget | PathTarget | ParametersTarget | CameraTarget | ActorTarget,
    Field(discriminator="kind"),
]
