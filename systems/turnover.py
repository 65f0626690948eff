"""The turnover system: actors that have arrived leave their crowds, and sources add new actors."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.alarms import Alarms
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.movers import Movers
from ecs_anim.components.presence import FOR_GOOD, Presence
from ecs_anim.components.sources import Source, Sources
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.maths.small_matrices import length
from ecs_anim.steering.columns import ARRIVED
from ecs_anim.systems.newcomers import add_newcomers
from ecs_anim.systems.population import remove_actors
from ecs_anim.systems.unfolding import folded_points, level_names, unfolded_points

People = tuple[NDArray[np.float32], NDArray[np.float64]]

# largest number of new actors of a source in one step, because each of them is compared with all actors nearby
AT_ONCE = 256
NOWHERE = 1e-6  # [m]; actors within this distance of their goal do not turn towards it


class RenewCrowds:
    """Remove the actors that leave their crowds after their arrival. Add new actors from sources.

    In each step, this system runs before all systems that read the columns of actors.
    """

    name: ClassVar[str] = "turnover"

    def run(self, world: World, dt: float) -> None:
        """Write all columns of crowds in which actors are added or removed."""
        if dt <= 0:
            return
        for entity, (_, journeys) in world.query(Crowd, Journeys):
            if journeys.leaves:
                _see_off(world, entity, journeys)
        _let_in(world)

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return 0 if the world has crowds with journeys or sources.

        Without journeys and sources, return the number of all steps.
        """
        return 0 if any(world.query(Journeys)) or any(world.query(Sources)) else len(ends)


def empty_crowds(world: World) -> None:
    """Remove all actors from crowds that must be empty until their sources add actors."""
    for entity, (crowd, sources) in world.query(Crowd, Sources):
        if sources.begins_empty:
            remove_actors(world, entity, np.arange(crowd.actor_count, dtype=np.int32))


def _see_off(world: World, entity: int, journeys: Journeys) -> None:
    """Begin to fade out actors that have arrived or are in their exit area. Remove actors that have faded out."""
    gone, presence = journeys.stage == ARRIVED, world.find(entity, Presence)
    if len(journeys.exit):
        from ecs_anim.kernels.entrances import are_inside  # compiled at first use

        is_out = np.empty(len(gone), np.bool_)
        are_inside(journeys.exit, unfolded_points(world, entity), is_out)
        gone |= is_out
    if presence is not None:
        presence.end[gone & (presence.end == FOR_GOOD)] = world.time + presence.fade_seconds
        gone = presence.end <= world.time
    if gone.any():
        remove_actors(world, entity, np.flatnonzero(gone).astype(np.int32))


def _let_in(world: World) -> None:
    """Add the actors that each source must add now, if its area has free plan points. All other actors must wait."""
    sources = ((entity, own, source) for entity, (own,) in world.query(Sources) for source in own.sources)
    about: People | None = None
    for number, (entity, own, source) in enumerate(sources):
        count = min(source.due(world.time) - source.let_in, AT_ONCE)
        if count <= 0:
            continue
        about = about or _people(world)
        points = _find_room(world, about, source, number, count, own.radius)
        if points:
            _add(world, entity, source, np.array(points))
            source.let_in += len(points)
            about = None


def _find_room(
    world: World, about: People, source: Source, number: int, count: int, radius: float
) -> list[tuple[float, float]]:
    """Return free plan points for at most `count` new actors. Actors without a free point must wait."""
    from ecs_anim.kernels.entrances import find_entrance  # compiled at first use

    ((_, (around,)),) = world.query(Surroundings)
    taken, found = _taken(about, source.area, radius), np.zeros(3, np.float32)
    points: list[tuple[float, float]] = []
    for name in range(source.let_in, source.let_in + count):
        find_entrance(source.area, taken, around.walls, around.seed + number, name, world.frame, radius, found)
        if not found[2]:
            break
        points.append((float(found[0]), float(found[1])))
        taken = np.concatenate([taken, np.array([[*points[-1], radius]], np.float32)])
    return points


def _people(world: World) -> People:
    """Return two arrays for all steered actors: plan points with radii, and largest radii. All values are in metres.

    The array of plan points and radii is [n, 3] f32. The array of largest radii is [n, 1]. Each value is the largest
    radius in the actor's crowd.
    """
    rows, widest = [np.zeros((0, 3), np.float32)], [np.zeros((0, 1))]
    for entity, (steering,) in world.query(Steering):
        xy = plan_from_space(unfolded_points(world, entity))
        rows.append(np.concatenate([xy, steering.radius[:, None]], axis=1))
        widest.append(np.full((len(xy), 1), float(steering.radius.max(initial=0))))
    return np.concatenate(rows), np.concatenate(widest)


def _taken(about: People, area: NDArray[np.float64], radius: float) -> NDArray[np.float32]:
    """Return the plan points and radii [n, 3] of the actors in `about` that are near the area `area`."""
    rows, widest = about
    reach = 2 * radius + widest
    is_near = (rows[:, :2] > area.min(axis=0) - reach) & (rows[:, :2] < area.max(axis=0) + reach)
    taken: NDArray[np.float32] = rows[is_near.all(axis=1)]
    return taken


def _add(world: World, entity: int, source: Source, points: NDArray[np.float64]) -> None:
    """Add actors at plan points. The new actors face their goals."""
    count = len(points)
    add_newcomers(world, entity, count, {"positions": folded_points(world, entity, source.level, points)})
    steering, transforms = world.get(entity, Steering), world.get(entity, Transforms)
    if (alarms := world.find(entity, Alarms)) is not None:
        levels = level_names(world, entity, len(transforms.translation))[-count:]
        world.get(entity, Journeys).rest[-count:] += alarms.delays(points, levels, world.time).astype(np.float32)
    way = (steering.goal - unfolded_points(world, entity)[:, ::2])[-count:].astype(np.float64)
    far = length(way)
    way = np.where(far[:, None] > NOWHERE, way / np.maximum(far, NOWHERE)[:, None], (0.0, 1.0))
    steering.orientation[-count:] = way
    half = (elementary.arctan2(way[:, 0], way[:, 1]) - world.get(entity, Movers).facing) / 2
    transforms.rotation[-count:, 1], transforms.rotation[-count:, 3] = elementary.sin(half), elementary.cos(half)
    if (presence := world.find(entity, Presence)) is not None:
        presence.begin[-count:] = world.time
