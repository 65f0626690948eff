"""A study: one recording, or the runs of one scene with different seeds, and everything that a report shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ecs_anim.analysis.densities import Cells, Map, cells_of, mean_density
from ecs_anim.analysis.egress import EgressRun
from ecs_anim.analysis.flows import Crossings, Line, crossings_of
from ecs_anim.analysis.samples import Reals, Samples
from ecs_anim.analysis.service import shares
from ecs_anim.analysis.shared_player import Player


@dataclass(frozen=True)
class Run:
    """The people of one run or of one recording, and their measures."""

    seed: int | None  # None = a recording
    people: Samples
    digest: str  # SHA-256 of ids, times and positions
    lines: Mapping[str, Line] = field(default_factory=dict)
    egress: EgressRun | None = None  # the actors that left; None = a recording, or a scene that no crowd leaves
    floor: str = ""  # the floor of a recording with several floors

    @cached_property
    def cells(self) -> Cells:
        """The Voronoi cells of all people, at two times per second."""
        return cells_of(self.people)

    @cached_property
    def density(self) -> Map:
        """The mean density [1/m²] over time."""
        return mean_density(self.people, self.cells)

    @cached_property
    def crossings(self) -> tuple[Crossings, ...]:
        """The crossings of each line."""
        return tuple(crossings_of(self.people, name, line) for name, line in self.lines.items())

    @property
    def name(self) -> str:
        """The name of the run in tables."""
        if self.floor:
            return f"floor {self.floor}"
        return "recording" if self.seed is None else f"seed {self.seed}"

    @property
    def egress_times(self) -> Reals:
        """The times [s] from the start of the run at which people departed, ascending.

        People that are present at the end have no egress time.
        """
        if self.egress is not None:
            return self.egress.times()
        return np.sort(self.people.departures[self.people.departed] - self.people.begin)

    @property
    def summary(self) -> dict[str, float | int | None]:
        """Figures of the run by name. A figure is None if it does not exist."""
        people, egress = self.people, self.egress_times
        speeds, densities = people.speeds[np.isfinite(people.speeds)], self.cells.densities
        left = len(egress) == len(people.ids)
        return {
            "people": len(people.ids),
            "seconds": round(float(people.departures.max()) - people.begin, 3),
            "mean_speed_m_s": _rounded(speeds.mean() if len(speeds) else None),
            "median_density_per_m2": _rounded(np.median(densities) if len(densities) else None),
            "p95_density_per_m2": _rounded(np.percentile(densities, 95) if len(densities) else None),
            "departed": len(egress),
            "mean_egress_seconds": _rounded(egress.mean() if len(egress) else None),
            "p95_egress_seconds": _rounded(np.percentile(egress, 95) if len(egress) else None),
            "last_egress_seconds": _rounded(egress[-1] if left else None),
        }

    @property
    def service(self) -> dict[str, float]:
        """The fraction of the people's time at each level of service."""
        return shares(self.cells.densities)


@dataclass(frozen=True)
class Study:
    """All runs of a report."""

    title: str
    description: str
    runs: Sequence[Run]  # at least one
    command: str  # a command that writes the report again
    versions: Mapping[str, str]  # versions of programs and libraries, by name
    player: Player | None = None


def _rounded(value: float | np.floating | None) -> float | None:
    return None if value is None else round(float(value), 4)
