"""Egress: the simulation until all actors have left, and the times at which actors leave."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.presence import FOR_GOOD, Presence
from ecs_anim.components.sources import Sources
from ecs_anim.components.steering import Steering
from ecs_anim.ecs.world import World
from ecs_anim.steering.columns import READY
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import complete_file
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.standstill import Standstill, count_cut_off, standing_places

MOST_SECONDS = 3600.0  # [s], default of the longest run
ENDINGS = (".csv", ".parquet")
ALL_EXITS, OWN_GOALS = "all exits", "own goals"  # names in tables and plots
Until = Literal["empty"]
Exits = Mapping[str, Sequence[str]]  # names of the goals of each crowd


@dataclass(frozen=True)
class Egress:
    """An actor that has left the scene."""

    id: int
    crowd: str
    entered_s: float  # [s], world time at which the actor entered the scene
    premovement_s: float  # [s], from the entry to the start of the walk
    egress_s: float  # [s], world time at which the actor left
    exit: str  # name of its last goal; empty = the actor had its own goal


@dataclass
class _Inside:
    """The actors of a crowd that are in the scene, with their entry times and pre-movement times."""

    ids: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    waypoint: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    entered: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    premovement: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


class EgressRecorder:
    """A list of all actors that have left. Call `take` at the start and after each step."""

    def __init__(self, exits: Exits) -> None:
        self.found: list[Egress] = []
        self._exits, self._inside, self._turns = exits, dict[int, _Inside](), dict[int, int]()
        self._before = 0.0  # [s], world time of the last call

    def take(self, world: World) -> None:
        """Add the actors that have left since the last call."""
        for entity, crowd, journeys in _leaving_crowds(world):
            steering, there = world.get(entity, Steering), _are_present(world, entity, crowd)
            before, ids = self._inside.get(entity, _Inside()), crowd.ids[there]
            if entity in self._inside and np.array_equal(ids, before.ids):  # no actor has entered or left
                before.waypoint[:] = steering.waypoint[there]
            else:
                self._leave(crowd.name, before, np.flatnonzero(~np.isin(before.ids, ids)))
                has_decided = steering.turns != self._turns.get(entity, steering.turns)
                late = 1 / steering.decision_rate if has_decided else 0.0  # [s], the decision has reduced `rest`
                rest = np.where(journeys.stage == READY, journeys.rest + late, 0.0)[there].astype(np.float64)
                now = _Inside(ids, steering.waypoint[there], np.full(len(ids), self._before), rest)
                _copy_times(before, now)
                self._inside[entity] = now
            self._turns[entity] = steering.turns
        self._before = world.time

    def records(self, world: World) -> bool:
        """Return whether the world has a crowd whose actors leave."""
        return any(_leaving_crowds(world))

    def left(self, world: World) -> dict[str, int]:
        """Return the number of actors that had not left at the last call of `take`, by crowd.

        The number includes actors that will arrive.
        """
        found = {}
        for entity, crowd, _ in _leaving_crowds(world):
            sources = world.find(entity, Sources)
            coming = sum(own.total - own.let_in for own in sources.sources) if sources else 0
            if count := len(self._inside[entity].ids) + coming:
                found[crowd.name] = count
        return found

    def _leave(self, crowd: str, before: _Inside, rows: NDArray[np.intp]) -> None:
        """Add the actors in `rows`. Their egress time is the time of the last `take`."""
        names = self._exits.get(crowd, ())
        for row in rows[np.argsort(before.ids[rows])].tolist():
            goal = int(before.waypoint[row])
            name = names[goal] if 0 <= goal < len(names) else ""
            own = float(before.entered[row]), float(before.premovement[row]), self._before, name
            self.found.append(Egress(int(before.ids[row]), crowd, *own))


def _leaving_crowds(world: World) -> Iterator[tuple[int, Crowd, Journeys]]:
    """Yield the entity, the crowd and the journeys of each crowd whose actors leave."""
    for entity, (crowd, journeys) in world.query(Crowd, Journeys):
        if journeys.leaves:
            yield entity, crowd, journeys


def _are_present(world: World, entity: int, crowd: Crowd) -> NDArray[np.bool_]:
    """Return which actors of a crowd have not left, [actor_count]. An actor that fades out has already left."""
    presence = world.find(entity, Presence)
    return np.ones(crowd.actor_count, bool) if presence is None else presence.end == FOR_GOOD


def _copy_times(before: _Inside, now: _Inside) -> None:
    """Copy the entry times and pre-movement times of the actors that are in `before` and in `now`."""
    _, old, new = np.intersect1d(before.ids, now.ids, assume_unique=True, return_indices=True)
    now.entered[new], now.premovement[new] = before.entered[old], before.premovement[old]


def run_until_empty(
    world: World,
    exits: Exits,
    place: str,
    most_seconds: float = MOST_SECONDS,
    progress: Callable[[int], object] = lambda count: None,
) -> list[Egress]:
    """Advance the world until all actors of the crowds with `leave` have left.

    Return these actors, sorted by egress time.

    `exits` contains the names of the goals. The function calls `progress` after each step with the number of actors
    that have left in this step. Messages begin with `place`. Raises InputError if no crowd has `leave`, if
    actors are in the scene after `most_seconds` seconds, or if all remaining actors stand still for too long (see
    `Standstill`).
    """
    entities = [entity for entity, _, _ in _leaving_crowds(world)]
    if not entities:
        raise InputError(f"{place}: no crowd leaves the scene. Add leave = true to the steering of a crowd.")
    recorder, dt = EgressRecorder(exits), 1 / stage_of(world).frame_rate
    standstill = Standstill(world, entities)
    recorder.take(world)
    while left := recorder.left(world):
        if world.time + dt > most_seconds + dt / 2:
            names = ", ".join(f"{crowd}: {count}" for crowd, count in left.items())
            raise InputError(
                f"{place}: actors are still in the scene after {world.time:g} s ({names}). Set a longer time, or make"
                " sure that all actors can reach an exit and that each source ends."
            )
        world.step(dt, posed=False)
        before = len(recorder.found)
        recorder.take(world)
        progress(len(recorder.found) - before)
        if standstill.lasts(world):
            raise InputError(f"{place}: {_standstill_text(world, standstill, entities, sum(left.values()))}")
    return sorted(recorder.found, key=lambda own: (own.egress_s, own.id))


def leaving_count(world: World) -> int:
    """Return the number of actors that must leave, with the actors that will arrive."""
    recorder = EgressRecorder({})
    recorder.take(world)
    return sum(recorder.left(world).values())


def _standstill_text(world: World, standstill: Standstill, entities: list[int], count: int) -> str:
    """Return a message about the `count` actors that will not leave."""
    cut_off = count_cut_off(world, entities)
    routes = f" No route leads to the goals of {cut_off} of these actors." if cut_off else ""
    return (
        f"{count} actors cannot leave. The last movement was at {standstill.since:.0f} s of world time"
        f" ({standing_places(world, entities)}).{routes} Make sure that all actors can reach an exit."
    )


def egress_figures(found: Sequence[Egress]) -> dict[str, float]:
    """Return the figures of `egress_summary` as one dictionary. The keys of an exit begin with the name of the exit."""
    if not found:
        return {"people": 0}
    (_, figures), *by_exit = egress_summary(found)
    more = {f"{name}.{figure}": value for name, own in by_exit for figure, value in own.items()}
    return figures | more


def egress_summary(found: Sequence[Egress]) -> list[tuple[str, dict[str, float]]]:
    """Return the figures of all actors, then the figures of each exit by name.

    The figures are the number of actors, and the mean, the 95th percentile and the maximum of their egress times [s].
    Without actors, the list is empty.
    """
    if not found:
        return []
    summary = [(ALL_EXITS, _figures([own.egress_s for own in found]))]
    for name in sorted({own.exit for own in found}):
        summary.append((name or OWN_GOALS, _figures([own.egress_s for own in found if own.exit == name])))
    return summary


def _figures(times: Sequence[float]) -> dict[str, float]:
    values = float(np.mean(times)), float(np.percentile(times, 95)), max(times)
    return {"people": len(times)} | dict(zip(("mean_s", "p95_s", "last_s"), (round(v, 4) for v in values), strict=True))


def require_egress_format(path: Path) -> None:
    """Raise InputError if the file ending of `path` is not supported, or if a Parquet file needs pyarrow."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{path}: the name of an egress table must end in .csv or .parquet. Use another file name.")
    if path.suffix.lower() == ".parquet":
        from ecs_anim.trajectories.parquet import pyarrow_for  # imports all formats of trajectories

        pyarrow_for(path)


def write_egress(path: Path, found: Sequence[Egress], seeds: Sequence[int] = ()) -> None:
    """Write one row per actor that has left, as CSV or Parquet. Raises InputError if the file cannot be written.

    `seeds` [n] contains the seed of each row. With `seeds`, the first column of the table is `seed`.
    """
    require_egress_format(path)
    with complete_file(path) as file:
        if path.suffix.lower() == ".csv":
            file.write(egress_csv(found, seeds))
            return
        columns = {name: [getattr(own, name) for own in found] for name in Egress.__dataclass_fields__}
        write_parquet(file, path, ({"seed": [*seeds]} if seeds else {}) | columns)


def write_parquet(file: IO[bytes], path: Path, columns: Mapping[str, Sequence[object]]) -> None:
    """Write columns of equal length as Parquet to an open file.

    Raises InputError, with `path`, if the writing fails.
    """
    from ecs_anim.trajectories.parquet import pyarrow_for

    pyarrow = pyarrow_for(path)
    pyarrow.parquet.write_table(pyarrow.table(dict(columns)), file)


def egress_csv(found: Sequence[Egress], seeds: Sequence[int] = ()) -> bytes:
    """Return the table as CSV with a heading. With `seeds` [n], the first column is the seed of each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(["seed"] if seeds else []), *Egress.__dataclass_fields__])
    for row, own in enumerate(found):
        times = (f"{value:.4f}" for value in (own.entered_s, own.premovement_s, own.egress_s))
        writer.writerow([*seeds[row : row + 1], own.id, own.crowd, *times, own.exit])
    return text.getvalue().encode("utf-8")
