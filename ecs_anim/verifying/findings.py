"""Findings of a verification: the deviations, grouped by rule."""

import math
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple


class Rule(NamedTuple):
    """A comparison of labels with data from which the labels follow."""

    text: str  # names both sides of the comparison
    bound: float = 0.0  # largest difference that is no deviation
    unit: str = ""  # of differences and of the bound


@dataclass
class Deviation:
    """All differences that exceed the bound of a rule."""

    rule: Rule
    first: str  # place of the first difference
    count: int = 0
    worst: float = 0.0

    def __str__(self) -> str:
        """Return one line for the terminal."""
        unit = f" {self.rule.unit}" if self.rule.unit else ""
        return (
            f"{self.rule.text}: {self.count} deviation{'s' if self.count > 1 else ''}, worst {self.worst:.4g}{unit}"
            f" (bound {self.rule.bound:.4g}{unit}), first: {self.first}"
        )


class Findings:
    """The results of all comparisons."""

    def __init__(self) -> None:
        self.checks = Counter[Rule]()  # number of comparisons by rule
        self._found: dict[Rule, Deviation] = {}

    @property
    def deviations(self) -> list[Deviation]:
        """Return the deviations, one for each rule that has any, in the order in which they were found."""
        return [*self._found.values()]

    def measure(self, rule: Rule, difference: float, place: str) -> None:
        """Compare a difference with the bound of a rule. A difference of NaN is a deviation."""
        self.checks[rule] += 1
        if not difference <= rule.bound:
            own = self._found.setdefault(rule, Deviation(rule, place))
            own.count += 1
            own.worst = max(own.worst, math.inf if math.isnan(difference) else float(difference))

    def require(self, rule: Rule, holds: bool, place: str) -> None:
        """Count a deviation of 1 if a condition does not hold."""
        self.measure(rule, 0.0 if holds else 1.0, place)
