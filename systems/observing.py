"""Observations: the state of all people in a world as arrays, for the programs that control robots."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.movers import STEERED, VELOCITY
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.external_agents import ExternalAgents
from ecs_anim.components.groups import Groups
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.movers import Movers
from ecs_anim.components.steering import Steering
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.external.records import PERSONAL
from ecs_anim.maths.plan import direction_of_heading, mirrored, plan_from_space, wrapped
from ecs_anim.maths.small_matrices import length
from ecs_anim.steering.columns import ARRIVED
from ecs_anim.support.checked import checked
from ecs_anim.systems.actor_points import headings_of
from ecs_anim.systems.queries import who_is_there

Reals = NDArray[np.float64]


class Observation(NamedTuple):
    """The state of n people after the last step. Coordinates are on the plan: x east, y north."""

    id: NDArray[np.int64]  # [n], ids of the actors
    crowd: NDArray[np.int32]  # [n], number of the crowd in the order of `ea.crowds`
    position: Reals  # [n, 2], [m]
    velocity: Reals  # [n, 2], [m/s]; 0 for actors whose clips move them
    heading: Reals  # [n], [rad]
    radius: Reals  # [n], [m]
    goal: Reals  # [n, 2], the point to which the actor walks now [m]; NaN without steering, and with levels
    waypoint: NDArray[np.int32]  # [n], number of the waypoint of `goal`; -1 = none
    has_arrived: NDArray[np.bool_]  # [n], whether the actor has reached its last goal
    group: NDArray[np.int32]  # [n], number of the group in the crowd; -1 = no group

    def within(self, point: Reals, range_m: float) -> "Observation":
        """Return the people within `range_m` [m] of a plan point [2], the nearest first."""
        distance = length(self.position - point)
        rows = np.argsort(distance, kind="stable")
        rows = rows[distance[rows] <= range_m]
        return Observation._make(column[rows] for column in self)

    def seen_from(self, point: Reals, heading: float) -> "Observation":
        """Return the people in the frame of an observer at a plan point [2]: x ahead, y to the left."""
        (cosine, sine), turn = direction_of_heading(np.array(heading)), np.empty((2, 2))
        turn[:] = [[cosine, -sine], [sine, cosine]]

        def turned(vectors: Reals) -> Reals:
            return np.sum(vectors[:, :, None] * turn, axis=1)

        return self._replace(
            position=turned(self.position - point),
            velocity=turned(self.velocity),
            heading=wrapped(self.heading - heading),
            goal=turned(self.goal - point),
        )


@checked
def observe(world: World) -> Observation:
    """Return the state of all people that are present. External agents are not included."""
    parts = [_NO_PEOPLE]
    for number, (entity, (crowd, transforms)) in enumerate(world.query(Crowd, Transforms)):
        if world.find(entity, ExternalAgents) is None:
            there = who_is_there(world, entity)
            found = _observed(world, entity, number, crowd, transforms)
            parts.append(found if there.all() else Observation._make(column[there] for column in found))
    return Observation._make(np.concatenate(columns) for columns in zip(*parts, strict=True))


def _observed(world: World, entity: int, number: int, crowd: Crowd, transforms: Transforms) -> Observation:
    count, steering, groups = crowd.actor_count, world.find(entity, Steering), world.find(entity, Groups)
    points = plan_from_space(transforms.translation).astype(np.float64)
    goal = np.full((count, 2), np.nan)
    if steering is not None and world.find(entity, Storeyed) is None:
        goal = mirrored(steering.goal).astype(np.float64)
    return Observation(
        crowd.ids,
        np.full(count, number, np.int32),
        points,
        _velocities(world.find(entity, Movers), count),
        headings_of(world, entity),
        np.full(count, PERSONAL) if steering is None else steering.radius.astype(np.float64),
        goal,
        np.full(count, -1, np.int32) if steering is None else steering.waypoint,
        _arrived(steering, world.find(entity, Journeys), points, goal),
        np.full(count, -1, np.int32) if groups is None else groups.number,
    )


def _velocities(movers: Movers | None, count: int) -> Reals:
    if movers is None:
        return np.zeros((count, 2))
    is_velocity = (movers.kind == STEERED) | (movers.kind == VELOCITY)
    return mirrored(np.where(is_velocity[:, None], movers.velocity, movers.course)).astype(np.float64)


def _arrived(steering: Steering | None, journeys: Journeys | None, points: Reals, goal: Reals) -> NDArray[np.bool_]:
    if journeys is not None:
        return np.asarray(journeys.stage == ARRIVED)
    if steering is None or len(steering.waypoints) != 1:
        return np.zeros(len(points), np.bool_)
    return np.asarray(length(points - goal) < steering.waypoint_radius)


def _no_people() -> Observation:
    pair, one, whole = np.zeros((0, 2)), np.zeros(0), np.zeros(0, np.int32)
    return Observation(whole.astype(np.int64), whole, pair, pair, one, one, pair, whole, whole.astype(np.bool_), whole)


_NO_PEOPLE = _no_people()
