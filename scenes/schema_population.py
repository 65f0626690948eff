"""Schema of populations: parts of a crowd that have their own walking speeds and radii."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from ecs_anim.scenes.schema_base import NotNegative, Positive, Table
from ecs_anim.scenes.schema_rules import least_first


class SpeedModel(Table):
    """A nearly normal distribution of speeds. No speed differs from the mean by more than six standard deviations."""

    mean: Positive = Field(description="mean of the distribution, in the unit of the key")
    deviation: NotNegative = Field(description="standard deviation of the distribution, in the unit of the key")


Speed = float | SpeedModel | tuple[float, float]
Radius = Annotated[float, Field(ge=0.05, le=1.0)]


class Kind(NamedTuple):
    """People with published walking speeds."""

    speed: Speed  # [m/s]
    source: str
    radius: float | None = None  # [m]; None = the radius of the crowd


BOYCE = "Boyce, Shields and Silcock 1999"
RIMEA = "RiMEA 4.1, after Weidmann 1993"
# [m]; ISO 7193 allows wheelchairs up to 0.7 m wide
WHEELCHAIR = 0.35
KINDS: Mapping[str, Kind] = {
    "adult": Kind(SpeedModel(mean=1.34, deviation=0.26), "Weidmann 1993"),
    "under_30": Kind((0.58, 1.61), RIMEA),
    "from_30_to_50": Kind((1.41, 1.54), RIMEA),
    "over_50": Kind((0.68, 1.41), RIMEA),
    "reduced_mobility": Kind((0.46, 0.76), RIMEA),
    "crutches": Kind(SpeedModel(mean=0.94, deviation=0.30), BOYCE),
    "walking_stick": Kind(SpeedModel(mean=0.81, deviation=0.38), BOYCE),
    "rollator": Kind(SpeedModel(mean=0.57, deviation=0.29), BOYCE),
    "manual_wheelchair": Kind(SpeedModel(mean=0.69, deviation=0.35), BOYCE, WHEELCHAIR),
    "electric_wheelchair": Kind(0.89, BOYCE, WHEELCHAIR),
}
WHEELCHAIRS = ("manual_wheelchair", "electric_wheelchair")
if TYPE_CHECKING:
    KindName = str
else:
    KindName = Literal[tuple(KINDS)]


class PopulationModel(Table):
    """A part of the population of a crowd. The program assigns each actor to one part at random."""

    share: Positive = Field(1.0, description="weight of this part, relative to the weights of all parts")
    kind: KindName | None = Field(
        None,
        description="people with published speeds. 'adult': Weidmann 1993. Ages and 'reduced_mobility': RiMEA 4.1."
        " Aids and wheelchairs: Boyce, Shields and Silcock 1999. A wheelchair has the radius 0.35 m",
    )
    desired_speed_m_s: Positive | SpeedModel | tuple[Positive, Positive] | None = Field(
        None, description="walking speed without other actors [m/s]. Default: the speed of `kind`, or of the crowd"
    )
    radius: Radius | None = Field(
        None, description="radius of an actor [m]. Default: the radius of `kind`, or of the crowd"
    )

    _speed_rises = least_first("desired_speed_m_s")

    @model_validator(mode="after")
    def _says_something(self) -> "PopulationModel":
        if self.kind is None and self.desired_speed_m_s is None and self.radius is None:
            raise ValueError(
                "kind: a part of a population needs a kind, a speed or a radius. Write kind = 'adult', for example."
            )
        return self

    def speed_or(self, speed: Speed) -> Speed:
        """Return the speed of the part [m/s]. Without a speed and a kind, return `speed`."""
        if self.desired_speed_m_s is not None:
            return self.desired_speed_m_s
        return speed if self.kind is None else KINDS[self.kind].speed

    def radius_or(self, radius: float) -> float:
        """Return the radius of the part [m]. Without a radius and a kind with a radius, return `radius`."""
        if self.radius is not None:
            return self.radius
        return (None if self.kind is None else KINDS[self.kind].radius) or radius
