"""Sources of new actors. The part builds the component `Sources` from the key `sources`."""

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field, model_validator

from ecs_anim.components.sources import Source, Sources
from ecs_anim.scenes.parts.goals import level_offset
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import NotNegative, Place2, Positive, Table
from ecs_anim.scenes.schema_rules import exactly_one, rule

if TYPE_CHECKING:  # this module imports shapely, which only scenes with walls or levels need
    from ecs_anim.storeys.unfolded import Unfolded

MOST = 10_000_000  # largest number of people from one source
Count = Annotated[int, Field(ge=1, le=MOST)]


class SourceModel(Table):
    """A source of people. A rate or a timetable determines the arrivals."""

    area: Annotated[list[Place2], Field(min_length=1)] = Field(
        description="place at which actors arrive: [[x, y], ...] [m], the corners of a polygon, the ends of a line, or"
        " one point"
    )
    level: str | None = Field(None, description="name of the level. Default: the first level, if the scene has levels")
    rate_per_second: Positive | None = Field(None, description="number of arriving actors per second [1/s]")
    from_seconds: NotNegative = Field(0.0, description="time of the world at which the arrivals start [s]")
    to_seconds: NotNegative | None = Field(
        None, description="time of the world at which the arrivals end [s]. Default: no end"
    )
    timetable: Annotated[list[tuple[NotNegative, Count]], Field(min_length=1)] | None = Field(
        None,
        description="arrivals, in place of `rate_per_second`: [[seconds, count], ...], the time of an arrival and the"
        " number of actors",
    )
    max_count: Count = Field(MOST, description="largest number of actors that arrive from this source")

    _comes_by_one_of_them = exactly_one(
        "rate_per_second: a source needs a rate. Write rate_per_second = 1.0 or timetable = [[seconds, count], ...]",
        "rate_per_second",
        "timetable",
    )

    @model_validator(mode="after")
    def _is_in_order(self) -> "SourceModel":
        if self.to_seconds is not None and self.to_seconds <= self.from_seconds:
            raise ValueError(
                f"to_seconds: the end must be later than from_seconds (got from_seconds = {self.from_seconds:g}"
                f" and to_seconds = {self.to_seconds:g}). Raise to_seconds."
            )
        times = [time for time, _ in self.timetable or []]
        if times != sorted(times):
            raise ValueError("timetable: times must not decrease. Sort the entries by time.")
        return self

    def build(self, together: int) -> Source:
        """Return the source in its state before the first arrival.

        If the source has a rate, actors arrive in groups of `together` actors.
        """
        if self.timetable is not None:
            times, counts = zip(*self.timetable, strict=True)
            rates = np.zeros(len(times))
        else:
            times, counts = (self.from_seconds, math.inf if self.to_seconds is None else self.to_seconds), (0, 0)
            rates = np.array([self.rate_per_second, 0.0], np.float64)
        return Source(
            np.array(self.area, np.float64),
            np.array(times, np.float64),
            rates,
            np.array(counts, np.float64),
            self.max_count,
            together,
        )


class SourceKeys(Table):
    """The sources of a crowd."""

    sources: list[SourceModel] = Field(
        [], description="sources of new actors. Each source has a place, and a rate or a timetable of arrivals"
    )
    starts_empty: bool = Field(
        False, description="true: the crowd has no actors at the start. All actors arrive from sources"
    )
    fade_seconds: NotNegative = Field(
        0.4, description="time in which arriving actors fade in and leaving actors fade out [s]"
    )

    _is_not_empty_for_ever = rule(
        "starts_empty: the crowd has no sources, so no actor would arrive. Add sources = [{ area = [[x, y]],"
        " rate_per_second = 1.0 }]",
        lambda crowd: bool(crowd.sources) or not crowd.starts_empty,
    )


def new_sources(
    said: SourceKeys, radius: float, together: int, key: SceneKey, unfolded: "Unfolded | None" = None
) -> Sources:
    """Return all sources of a crowd. If a source has a rate, actors arrive in groups of `together` actors.

    `key` is the scene key of the table `steering`. In a scene with levels, the areas are on the unfolded plan. Raises
    InputError for an unknown level.
    """
    sources = [source.build(together) for source in said.sources]
    for number, (written, source) in enumerate(zip(said.sources, sources, strict=True)):
        source.level, offset = level_offset(written.level, key / f".sources[{number}].level", unfolded)
        source.area = source.area + offset
    return Sources(radius, sources, said.starts_empty)
