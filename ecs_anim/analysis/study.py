"""A study: one recording, or the runs of one scene with different seeds, and everything that a report shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ecs_anim.analysis.densities import Cells, Maps, cells_of, maps_of
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
    # the actors that left the scene; None = a recording, or a scene in which no crowd leaves
    egress: EgressRun | None = None
    floor: str = ""  # name of the only floor in `people`; "" = all floors
    floors: Sequence["Run"] = ()  # the floors of a building; () = one floor
    # false = the report has no maps of the run, so the run does not keep the polygons of the cells, which fill memory
    has_maps: bool = True
    stairs: Sequence[Crossings] = ()  # people that arrive over stairs and lifts; `to_right` is true on the way up

    @cached_property
    def cells(self) -> Cells:
        """The Voronoi cells of all people, measured twice per second."""
        found = cells_of(self.people)
        return found if self.has_maps else replace(found, polygons=found.polygons[:0])

    @cached_property
    def maps(self) -> Maps:
        """The mean density, speed and flow over time."""
        return maps_of(self.people, self.cells)

    @property
    def by_floor(self) -> "Sequence[Run]":
        """The runs of the single floors. For a run on one floor, the tuple contains only the run itself."""
        return self.floors or (self,)

    @cached_property
    def densities(self) -> Reals:
        """The Voronoi density [1/m²] of each person at each measured time, on all floors."""
        return np.concatenate([own.cells.densities for own in self.by_floor])

    @cached_property
    def crossings(self) -> tuple[Crossings, ...]:
        """The crossings of each line."""
        return tuple(crossings_of(self.people, name, line) for name, line in self.lines.items())

    @property
    def name(self) -> str:
        """The name of the run in tables."""
        run = "recording" if self.seed is None else f"seed {self.seed}"
        if self.floor:
            return f"floor {self.floor}" if self.seed is None else f"{run}, floor {self.floor}"
        return run

    @property
    def _is_storey(self) -> bool:
        """Whether the run is one storey of a simulated building."""
        return bool(self.floor) and self.seed is not None

    @property
    def egress_times(self) -> Reals:
        """The times [s] from the start of the run at which people departed, ascending.

        People that are present at the end have no egress time.
        """
        if self.egress is not None:
            return self.egress.times()
        if self._is_storey:  # a person that leaves a storey goes to another storey, and has not left the building
            return np.zeros(0)
        return np.sort(self.people.departures[self.people.departed] - self.people.begin)

    @cached_property
    def summary(self) -> dict[str, float | int | None]:
        """The figures of the run by name. The value None means that the run does not have this figure."""
        people, egress = self.people, self.egress_times
        speeds, densities = people.speeds[np.isfinite(people.speeds)], self.densities
        left = len(egress) == len(people.ids)
        return {
            "people": len(people.ids),
            "seconds": round(float(people.departures.max()) - people.begin, 3),
            "mean_speed_m_s": _rounded(speeds.mean() if len(speeds) else None),
            "median_density_per_m2": _rounded(np.median(densities) if len(densities) else None),
            "p95_density_per_m2": _rounded(np.percentile(densities, 95) if len(densities) else None),
            "departed": None if self._is_storey else len(egress),
            "mean_egress_seconds": _rounded(egress.mean() if len(egress) else None),
            "p95_egress_seconds": _rounded(np.percentile(egress, 95) if len(egress) else None),
            "last_egress_seconds": _rounded(egress[-1] if left else None),
        }

    @property
    def service(self) -> dict[str, float]:
        """The fraction of the people's time at each level of service."""
        return shares(self.densities)


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
