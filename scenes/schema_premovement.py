"""Schema of the time before an actor starts to walk: one time, a range, or a distribution."""

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Discriminator, Field, Tag, model_validator

from ecs_anim.maths import quantiles
from ecs_anim.scenes.schema_base import Finite, NotNegative, Positive, Table
from ecs_anim.scenes.schema_rules import exactly_one, least_first

Reals = NDArray[np.float64]
MOST_SECONDS = 1e6  # [s], about 11 days; a longer time is a mistake in the parameters
NEARLY_ALL = 1 - 2.0**-53  # largest share that a random number can have
Seconds = Annotated[NotNegative, Field(le=MOST_SECONDS)]


class PremovementModel(Table):
    """A distribution of pre-movement times. Each actor has its own random time."""

    lognormal: tuple[Finite, NotNegative] | None = Field(
        None,
        description="log-normal distribution [mu, sigma]: mean and standard deviation of the natural logarithm of the"
        " time in seconds",
    )
    uniform: tuple[Seconds, Seconds] | None = Field(
        None, description="uniform distribution [a, b]: shortest and longest time in seconds"
    )
    weibull: tuple[Positive, Positive] | None = Field(
        None, description="Weibull distribution [shape, scale]: the shape without a unit, and the scale in seconds"
    )
    triangular: tuple[Seconds, Seconds, Seconds] | None = Field(
        None,
        description="triangular distribution [low, mode, high]: shortest, most frequent and longest time in seconds",
    )
    sample: Annotated[list[Seconds], Field(min_length=1)] | None = Field(
        None,
        description="measured times in seconds [t1, t2, ...]. Each actor gets one of these times, with equal"
        " probability",
    )
    file: str | None = Field(
        None,
        description="path of a text file with one measured time in seconds per line, relative to the folder of the"
        " scene file",
    )

    _is_one = exactly_one(
        "premovement_seconds: give exactly one distribution. Write lognormal = [mu, sigma], uniform = [a, b], weibull ="
        ' [shape, scale], triangular = [low, mode, high], sample = [...] or file = "..."',
        "lognormal",
        "uniform",
        "weibull",
        "triangular",
        "sample",
        "file",
    )
    _uniform_rises = least_first("uniform")

    @model_validator(mode="after")
    def _is_possible(self) -> "PremovementModel":
        if self.triangular is not None and list(self.triangular) != sorted(self.triangular):
            low, mode, high = self.triangular
            raise ValueError(
                f"triangular: low, mode and high must be in increasing order (got {low:g}, {mode:g}, {high:g}). Sort"
                " the three numbers."
            )
        longest = 0.0 if self.file is not None else float(self.times(np.array([NEARLY_ALL]))[0])
        if not longest <= MOST_SECONDS:
            raise ValueError(
                f"premovement_seconds: times must be at most {MOST_SECONDS:g} s (the longest time is {longest:.3g} s)."
                " Reduce the parameters of the distribution."
            )
        return self

    def times(self, share: Reals) -> Reals:
        """Return the quantiles [n] [s] of the distribution at the probabilities `share` [n], 0 to 1."""
        return self._quantiles()(share)

    def _quantiles(self) -> Callable[[Reals], Reals]:
        if self.lognormal is not None:
            mu, sigma = self.lognormal
            return lambda share: quantiles.lognormal(share, mu, sigma)
        if self.uniform is not None:
            low, high = self.uniform
            return lambda share: quantiles.uniform(share, low, high)
        if self.weibull is not None:
            shape, scale = self.weibull
            return lambda share: quantiles.weibull(share, shape, scale)
        if self.triangular is not None:
            low, mode, high = self.triangular
            return lambda share: quantiles.triangular(share, low, mode, high)
        assert self.sample is not None  # the loader has replaced `file` with its times
        values = np.array(self.sample, np.float64)
        return lambda share: quantiles.sample(share, values)


def _kind(value: object) -> Literal["time", "range", "distribution"]:
    """Return the form of a value, so that an error message describes only a mistake in this form."""
    if isinstance(value, dict | PremovementModel):
        return "distribution"
    return "range" if isinstance(value, list | tuple) else "time"


Premovement = Annotated[
    Annotated[NotNegative, Tag("time")]
    | Annotated[tuple[NotNegative, NotNegative], Tag("range")]
    | Annotated[PremovementModel, Tag("distribution")],
    Discriminator(_kind),
]
