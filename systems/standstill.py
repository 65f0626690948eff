"""Standstill: the detection of a run in which no actor moves and no change is due."""

from collections import Counter
from math import isinf

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.lifts import Lifts
from ecs_anim.components.sources import Sources
from ecs_anim.components.steering import Steering
from ecs_anim.components.timeline import Timeline
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.systems.unfolding import level_names

LONGEST = 120.0  # [s], duration of a standstill that ends a run
BETWEEN = 1.0  # [s], time between two samples of the positions
MOVED = 0.5  # [m], an actor has moved if it is farther than this distance from its earlier position
MOST_PLACES = 3  # largest number of places in a message


class Standstill:
    """Detector of standstills of the crowds `entities`. Call `lasts` after each step."""

    def __init__(self, world: World, entities: list[int]) -> None:
        self._entities = entities
        self._ids, self._places = _sampled(world, entities)
        self._clocks = _clocks(world, entities)
        self._looked = self.since = world.time  # [s], world times of the last sample and of the last change

    def lasts(self, world: World) -> bool:
        """Return whether the crowds have stood still for so long that no actor will leave.

        The crowds stand still while no actor moves, arrives, leaves or waits for a fixed time, no lift moves, and no
        later change of the timeline and no later arrival are due.
        """
        if world.time - self._looked < BETWEEN:
            return False
        self._looked = world.time
        if self._has_changed(world) or _is_change_due(world, self._entities):
            self.since = world.time
        return world.time - self.since >= max(LONGEST, 2 * _longest_period(world))

    def _has_changed(self, world: World) -> bool:
        """Return whether an actor or a lift has moved, or a waiting time has become shorter, since the last call."""
        clocks, before = _clocks(world, self._entities), self._clocks
        self._clocks = clocks
        ids, places = _sampled(world, self._entities)
        if np.array_equal(ids, self._ids):
            have_moved = bool((np.linalg.norm(places - self._places, axis=1) > MOVED).any())
        else:
            have_moved = True
        if have_moved:
            self._ids, self._places = ids, places
        return have_moved or not np.array_equal(clocks, before)


def _sampled(world: World, entities: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the crowds and the ids [n, 2] of all actors, and their points in space [n, 3] [m]."""
    ids, places = [np.zeros((0, 2), np.int64)], [np.zeros((0, 3), np.float32)]
    for entity in entities:
        own = world.get(entity, Crowd).ids.astype(np.int64)
        order = np.argsort(own)
        ids.append(np.stack([np.full(len(own), entity), own[order]], axis=1))
        places.append(world.get(entity, Transforms).translation[order])
    return np.concatenate(ids), np.concatenate(places)


def _clocks(world: World, entities: list[int]) -> NDArray[np.float64]:
    """Return the waiting times of all actors [s], and the heights of all lifts [m]."""
    rests = [world.get(entity, Journeys).rest for entity in entities]
    heights = [lifts.height for _, (lifts,) in world.query(Lifts)]
    return np.concatenate([*rests, *heights, np.zeros(0)]).astype(np.float64)


def _is_change_due(world: World, entities: list[int]) -> bool:
    """Return whether an entry of the timeline has its first run later, or a source adds more actors later."""
    cues = [cue for _, (timeline,) in world.query(Timeline) for cue in timeline.cues]
    found = [world.find(entity, Sources) for entity in entities]
    sources = [source for own in found if own is not None for source in own.sources]
    arrive = any(source.due(world.time) < source.total for source in sources)
    return arrive or any(cue.at > world.time for cue in cues)


def _longest_period(world: World) -> float:
    """Return the longest time [s] between two runs of a repeated entry of the timeline, or 0 without such entries."""
    every = [cue.every for _, (timeline,) in world.query(Timeline) for cue in timeline.cues]
    return max((period for period in every if not isinf(period)), default=0.0)


def standing_places(world: World, entities: list[int]) -> str:
    """Return a text with the number and the place of the actors that remain, for the crowds and levels with most
    actors.
    """
    places: Counter[tuple[str, str]] = Counter()
    points: dict[tuple[str, str], list[NDArray[np.float64]]] = {}
    for entity in entities:
        crowd, at = world.get(entity, Crowd), plan_from_space(world.get(entity, Transforms).translation)
        for level, point in zip(level_names(world, entity, len(at)), at, strict=True):
            places[crowd.name, level] += 1
            points.setdefault((crowd.name, level), []).append(point)
    told = [_place(*key, count, np.array(points[key])) for key, count in places.most_common(MOST_PLACES)]
    more = len(places) - len(told)
    return "; ".join(told) + (f"; and {more} more places" if more else "")


def _place(crowd: str, level: str, count: int, points: NDArray[np.float64]) -> str:
    """Return a text with the name of a crowd, its number of actors, and the point of its most central actor."""
    central = points[np.linalg.norm(points - np.median(points, axis=0), axis=1).argmin()]
    on = f" on level {level!r}" if level else ""
    return f"{crowd}: {count} near [{central[0]:.1f}, {central[1]:.1f}]{on}"


def count_cut_off(world: World, entities: list[int]) -> int:
    """Return the number of actors to whose goals no route leads."""
    return sum(int(world.get(entity, Steering).cut_off.sum()) for entity in entities)
