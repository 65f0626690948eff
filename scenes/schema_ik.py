"""Reaching for targets, and limits of joints, in a scene file."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ecs_anim.ik.arrays import Solver
from ecs_anim.scenes.schema_base import Point3, Positive, Table

Degrees = Annotated[float, Field(ge=-180, le=180)]


class BallLimitModel(Table):
    """A ball and socket: a cone about the bone's direction at rest, and a range of twist about the bone."""

    kind: Literal["ball"]
    swing_degrees: Annotated[float, Field(ge=0, le=180)] = Field(description="half the cone's opening")
    twist_degrees: tuple[Degrees, Degrees] = Field((-180.0, 180.0), description="from and to, 0 as at rest")

    @model_validator(mode="after")
    def _rises(self) -> "BallLimitModel":
        if self.twist_degrees[0] > self.twist_degrees[1]:
            raise ValueError("twist_degrees must rise, such as [-30, 30]")
        return self


class HingeLimitModel(Table):
    """A hinge: one axis, and a range of angles about it."""

    kind: Literal["hinge"]
    axis: Point3 = Field(description="in the joint's own frame at rest")
    range_degrees: tuple[Degrees, Degrees] = Field((-180.0, 180.0), description="from and to, 0 as at rest")

    @model_validator(mode="after")
    def _turns(self) -> "HingeLimitModel":
        if self.axis == (0, 0, 0):
            raise ValueError("axis must have a direction, such as [1, 0, 0]")
        if self.range_degrees[0] > self.range_degrees[1]:
            raise ValueError("range_degrees must rise, such as [0, 150]")
        return self


LimitModel = Annotated[BallLimitModel | HingeLimitModel, Field(discriminator="kind")]


class ReachModel(Table):
    """A chain of joints whose end reaches for a target."""

    target: str = Field(description="a name from the crowd's targets")
    root: str = Field(description="the first joint that turns, such as an upper arm")
    effector: str = Field(description="the joint that is brought to the target, such as a hand")
    solver: Solver = Field(
        "ccd", description="two_bone is exact, and for chains of three joints; where limits stop it, ccd goes on"
    )
    iterations: Annotated[int, Field(ge=0, le=1000)] = Field(30, description="the most that ccd and fabrik take")
    tolerance: Positive = Field(0.001, description="[m] from the target, which is near enough")
    weight: Annotated[float, Field(ge=0, le=1)] | str = Field(1.0, description="a share, or a parameter")
