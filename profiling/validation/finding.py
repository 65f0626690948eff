"""Findings of checks, and the declaration of a check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ecs_anim.profiling.validation.crowd_measures import Watched

LOOK = 0.05  # time between two samples [s]


@dataclass(frozen=True)
class Finding:
    """A measured value with its limits `least` and `most` (None = no limit)."""

    name: str
    value: float
    least: float | None = None
    most: float | None = None
    scene: str = ""  # name of the scene; empty = not known yet
    at: float | None = None  # x value in a plot, such as a density or a width; None = not in a plot

    @property
    def holds(self) -> bool:
        """Return whether the value is within its limits."""
        return (self.least is None or self.least <= self.value) and (self.most is None or self.value <= self.most)

    def as_json(self) -> dict[str, Any]:
        """Return the finding as JSON data. If the value is the time of an event that never happens, the JSON value is
        null.
        """
        values = {"value": self.value, "least": self.least, "most": self.most}
        finite = {key: None if value is None or not isfinite(value) else value for key, value in values.items()}
        return {"name": self.name, "holds": self.holds, **finite, "scene": self.scene}


@dataclass(frozen=True)
class Check:
    """A check: the name of a scene, a duration, and a function that measures the people of the scene."""

    name: str
    scene: str
    seconds: float
    measure: Callable[[Watched], Iterator[Finding]]
    source: str  # tests or publications, such as "RiMEA 1"
    look: float = LOOK  # time between two samples [s]
    # number of runs with different seeds; the result is the mean of all runs. Several runs are useful if single
    # people change the result.
    runs: int = 1
    poses: bool = False  # true = the run computes poses and records feet; then each step must be a sample
