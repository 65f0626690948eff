"""Egress times over several seeds: their distribution for all actors, for each exit and for each person."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ecs_anim.analysis.samples import Reals
from ecs_anim.systems.egress import ALL_EXITS, OWN_GOALS, Egress

Row = tuple[str | float, ...]
BAND = 5.0, 95.0  # percentiles over the runs
# fractions of the actors; the band contains the time at which each of these fractions has left
SHARES = np.linspace(0.01, 1.0, 100)
EXIT_HEAD = (
    "exit",
    "runs",
    "people, mean",
    "mean [s]",
    "mean: 5 % of runs",
    "mean: 95 % of runs",
    "last person: mean [s]",
    "last person: 5 % of runs",
    "last person: 95 % of runs",
)
PERSON_HEAD = ("person", "crowd", "runs", "mean [s]", "least [s]", "most [s]", "most frequent exit")


@dataclass(frozen=True)
class EgressRun:
    """The actors that left the scene in one run, with their egress times and exits."""

    seed: int
    found: Sequence[Egress]

    def times(self, exit_name: str = ALL_EXITS) -> Reals:
        """Return the egress times [n] [s] of an exit, ascending. The default is all exits."""
        return np.sort([own.egress_s for own in self.found if exit_name in (ALL_EXITS, own.exit or OWN_GOALS)])


def exits_of(runs: Sequence[EgressRun]) -> list[str]:
    """Return the names of all exits that an actor took, in alphabetical order."""
    return sorted({own.exit or OWN_GOALS for run in runs for own in run.found})


def pooled(runs: Sequence[EgressRun], exit_name: str = ALL_EXITS) -> Reals:
    """Return the egress times [n] [s] of all runs together, ascending."""
    return np.sort(np.concatenate([run.times(exit_name) for run in runs]))


def band(runs: Sequence[EgressRun], exit_name: str = ALL_EXITS) -> tuple[Reals, Reals]:
    """Return two curves: for each fraction in `SHARES`, the 5th and the 95th percentile over the runs of the time [s]
    at which this fraction of the actors has left.

    Runs in which no actor takes the exit are left out.
    """
    times = [own for run in runs if len(own := run.times(exit_name))]
    reached = np.stack([np.quantile(own, SHARES, method="inverted_cdf") for own in times])
    low, high = np.percentile(reached, BAND, axis=0)
    return low, high


def exit_rows(runs: Sequence[EgressRun]) -> list[Row]:
    """Return the figures of all exits together, then of each exit, over the runs. `EXIT_HEAD` names the columns."""
    rows: list[Row] = []
    for name in (ALL_EXITS, *exits_of(runs)):
        times = [own for run in runs if len(own := run.times(name))]
        means, lasts = np.array([own.mean() for own in times]), np.array([own[-1] for own in times])
        figures = (means.mean(), *np.percentile(means, BAND), lasts.mean(), *np.percentile(lasts, BAND))
        people = sum(map(len, times)) / len(runs)
        rows.append((name, len(times), round(people, 3), *(round(float(value), 3) for value in figures)))
    return rows


def person_rows(runs: Sequence[EgressRun]) -> list[Row]:
    """Return the egress times of each person over the runs. `PERSON_HEAD` names the columns.

    A person is the actor with a given id in all runs. The row names the exit that the person took most often. If two
    exits are equally frequent, the row names the first of them in alphabetical order.
    """
    people: dict[int, list[Egress]] = {}
    for run in runs:
        for own in run.found:
            people.setdefault(own.id, []).append(own)
    rows: list[Row] = []
    for number, found in sorted(people.items()):
        times = np.array([own.egress_s for own in found])
        taken = [own.exit or OWN_GOALS for own in found]
        figures = (round(float(value), 3) for value in (times.mean(), times.min(), times.max()))
        rows.append((number, found[0].crowd, len(found), *figures, max(sorted(set(taken)), key=taken.count)))
    return rows
