"""External agents: the system that moves robots and other agents of user code among the people of a world."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.external_agents import ExternalAgents
from ecs_anim.components.stage import Stage
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.records import checked
from ecs_anim.ecs.world import World
from ecs_anim.external.records import (
    AGENT,
    C_AGENT,
    C_KIND,
    C_OTHER,
    CONTACT,
    D_RADIUS,
    DISC,
    PERSON,
    PERSONAL,
    PROP,
    WALL,
    Discs,
    Movements,
    contacts_of,
    discs_of_agents,
    in_one_room,
)
from ecs_anim.maths.arc import UP
from ecs_anim.maths.plan import mirrored, plan_from_space, yaw_from_heading
from ecs_anim.steering.agents import DX, EX, LEFT, MODEL, NOBODY, RADIUS, ROOM, SEEN, SPEED, VX, Agents, X
from ecs_anim.steering.rooms import rooms_of_ids
from ecs_anim.systems.queries import stage_of, who_is_there
from ecs_anim.systems.turning import directions
from ecs_anim.walls.arrays import WallArrays, no_walls

FEW = 64  # number of contacts for which the memory is sufficient at first
_NO_WALLS, _NO_ROWS, _NO_ROOMS = no_walls(), np.zeros((0, SEEN), np.float32), np.zeros(0, np.int32)


class OwnAgents(NamedTuple):
    """The components of a crowd of external agents."""

    crowd: Crowd
    external: ExternalAgents
    transforms: Transforms


class MoveExternalAgents:
    """Move external agents by their commands, after all people have moved, and find their contacts."""

    name: ClassVar[str] = "external_agents"

    def run(self, world: World, dt: float) -> None:
        """Write the transforms, the velocities and the contacts of external agents."""
        crowds = agents_of(world)
        if not crowds:
            return
        from ecs_anim.kernels.external_agents import move_agents  # compiled at first use

        moves, walls, discs = _movements(world, crowds), walls_of(world), discs_of(world)
        memory = np.empty((len(walls.segments) + len(discs.owner), CONTACT))
        found = np.empty((FEW * len(moves.drive), CONTACT))
        count = move_agents(moves, walls, discs, dt, memory, found)
        if count > len(found):
            found = np.empty((count, CONTACT))
            move_agents(moves, walls, discs, 0.0, memory, found)
        found, begin = found[:count], 0
        kinds, others = found[:, C_KIND].astype(np.int32), found[:, C_OTHER].astype(np.int64)
        mark_props(world, kinds, others)
        is_disc = (kinds == PERSON) | (kinds == AGENT)
        others[is_disc] = discs.ids[others[is_disc]]
        for own in crowds:
            end = begin + own.crowd.actor_count
            if dt > 0:
                stand(world, own, slice(None), moves.pose[begin:end])
                own.external.velocity[:] = moves.velocity[begin:end]
            mine = (found[:, C_AGENT] >= begin) & (found[:, C_AGENT] < end)
            own.external.contacts = contacts_of(found[mine], begin, kinds[mine], others[mine])
            begin = end

    def free_steps(self, world: World, ends: NDArray[np.float64]) -> int:
        """Return 0 if the world has external agents. Otherwise, return the number of all steps."""
        return 0 if agents_of(world) else len(ends)


def agents_of(world: World) -> list[OwnAgents]:
    """Return the crowds of external agents."""
    return [OwnAgents(*found) for _, found in world.query(Crowd, ExternalAgents, Transforms)]


def stand(world: World, own: OwnAgents, rows: slice | NDArray[np.int32], pose: NDArray[np.float64]) -> None:
    """Move agents to the poses [n, 3] (x, y [m], heading [rad]) on the ground."""
    translation = np.empty((len(pose), 3))
    translation[:, ::2] = mirrored(pose[:, :2])
    translation[:, 1] = stage_of(world).terrain.height_at(translation[:, ::2]) + own.external.height
    half = directions((yaw_from_heading(pose[:, 2]) - own.external.facing) / 2)
    own.transforms.translation[rows] = translation
    own.transforms.rotation[rows] = np.concatenate([UP * half[:, 1:], half[:, :1]], axis=1)
    own.external.heading[rows] = pose[:, 2]


def walls_of(world: World) -> WallArrays:
    """Return the walls of a world, including closed doors and props that are obstacles."""
    for _, (stage,) in world.query(Stage):
        return _NO_WALLS if stage.walls is None else stage.walls.arrays
    return next((around.walls for _, (around,) in world.query(Surroundings)), _NO_WALLS)


def discs_of(world: World) -> Discs:
    """Return the discs of all people that are present, and the discs of all external agents, by room."""
    parts, first = [people_discs(world)], 0
    for own in agents_of(world):
        parts.append(_discs(own, first))
        first += own.crowd.actor_count
    return _by_room(parts, room_count(world))


def _by_room(parts: list[Discs], rooms: int) -> Discs:
    """Return the discs of all parts, sorted by room. In each part, all rooms have the same number of discs."""
    circle, owner, ids = (_merged(columns, rooms) for columns in list(zip(*parts, strict=True))[:3])
    return Discs(circle, owner, ids, np.arange(rooms + 1, dtype=np.int32) * np.int32(len(ids) // rooms))


def _merged(columns: Sequence[NDArray[Any]], rooms: int) -> NDArray[Any]:
    """Return the rows of all columns [n, ...], first the rows of the first room. Columns have equal parts per room."""
    shape = columns[0].shape[1:]
    parts = [own.reshape(rooms, len(own) // rooms, *shape) for own in columns]
    return np.concatenate(parts, axis=1).reshape(-1, *shape)


def room_count(world: World) -> int:
    """Return the number of rooms. A world without rooms counts as one room."""
    return next((len(around.rooms.time) for _, (around,) in world.query(Surroundings) if around.rooms is not None), 1)


def rooms_of(world: World, ids: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the number of the room [n] of each actor, 0 in a world without rooms."""
    return rooms_of_ids(ids, room_count(world)).astype(np.int32)


def people_discs(world: World) -> Discs:
    """Return a disc for each actor that is present and is no external agent."""
    circles, ids = [np.zeros((0, DISC))], [np.zeros(0, np.int64)]
    for entity, (crowd, transforms) in world.query(Crowd, Transforms):
        if world.find(entity, ExternalAgents) is None:
            steering, there = world.find(entity, Steering), who_is_there(world, entity)
            circle = np.zeros((crowd.actor_count, DISC))
            circle[:, :D_RADIUS] = plan_from_space(transforms.translation)
            circle[:, D_RADIUS] = PERSONAL if steering is None else steering.radius
            circles.append(circle if there.all() else circle[there])
            ids.append(crowd.ids[there])
    count = sum(map(len, ids))
    return Discs(np.concatenate(circles), np.full(count, -1, np.int32), np.concatenate(ids), in_one_room(count))


class Avoided(NamedTuple):
    """The discs of agents that steered actors avoid."""

    seen: NDArray[np.float32]  # [disc, SEEN], columns `seen` of `Agents`
    room: NDArray[np.int32]  # [disc]


def avoided_agents(world: World, due: NDArray[np.bool_]) -> Avoided:
    """Return the discs of agents that steered actors avoid, in the rooms that are `due` [room]."""
    crowds = [(own, _discs(own)) for own in agents_of(world) if own.external.avoided]
    if not crowds:
        return Avoided(_NO_ROWS, _NO_ROOMS)
    room = rooms_of(world, np.concatenate([discs.ids for _, discs in crowds]))
    seen, is_due = np.concatenate([_seen(own, discs) for own, discs in crowds]), due[room]
    return Avoided(seen[is_due], room[is_due])


def _seen(own: OwnAgents, discs: Discs) -> NDArray[np.float32]:
    seen = np.zeros((len(discs.owner), SEEN), np.float32)
    seen[:, X : X + 2], seen[:, RADIUS] = discs.circle[:, :D_RADIUS], discs.circle[:, D_RADIUS]
    seen[:, VX : VX + 2] = own.external.velocity[discs.owner, :2]
    seen[:, EX : EX + 2] = ways_of(own)[discs.owner]
    seen[:, LEFT] = np.inf
    return seen


def add_avoided(agents: Agents, begin: int, avoided: Avoided) -> None:
    """Write agents that do not steer to the rows of `agents` from `begin` on."""
    if not len(avoided.seen):
        return
    seen, velocity = avoided.seen, avoided.seen[:, VX : VX + 2]
    rows, speed = slice(begin, begin + len(seen)), np.sqrt(np.sum(velocity * velocity, axis=1))
    agents.seen[rows], agents.identity[rows, MODEL], agents.identity[rows, ROOM] = seen, NOBODY, avoided.room
    agents.own[rows], agents.parameters[rows] = 0, 0
    agents.own[rows, DX : DX + 2] = np.where(speed[:, None] > 0, velocity, seen[:, EX : EX + 2])
    agents.own[rows, DX : DX + 2] /= np.where(speed > 0, speed, 1)[:, None]
    agents.own[rows, SPEED] = speed


def _discs(own: OwnAgents, first: int = 0) -> Discs:
    points, ways = plan_from_space(own.transforms.translation), ways_of(own)
    return discs_of_agents(own.external.footprint, points.astype(np.float64), ways, own.crowd.ids, first)


def pose_of(own: OwnAgents) -> NDArray[np.float64]:
    """Return the poses of agents, [n, 3]: x, y [m], heading [rad]."""
    points = plan_from_space(own.transforms.translation)
    return np.concatenate([points, own.external.heading[:, None]], axis=1).astype(np.float64)


def ways_of(own: OwnAgents) -> NDArray[np.float64]:
    """Return the directions of agents as unit vectors on the plan, [n, 2]."""
    return directions(own.external.heading.astype(np.float64))


def _movements(world: World, crowds: list[OwnAgents]) -> Movements:
    """Return the record of all agents for the kernel."""
    counts, external = [own.crowd.actor_count for own in crowds], [own.external for own in crowds]
    return checked(
        Movements(
            np.concatenate([pose_of(own) for own in crowds]),
            np.zeros((sum(counts), 3)),
            np.concatenate([own.drive for own in external]),
            np.concatenate([own.command for own in external]).astype(np.float64),
            np.repeat(np.array([own.footprint for own in external], np.float64), counts, axis=0),
            np.concatenate([rooms_of(world, own.crowd.ids) for own in crowds]),
            np.repeat(np.array([own.slides for own in external], np.int32), counts),
        )
    )


def mark_props(world: World, kinds: NDArray[np.int32], others: NDArray[np.int64]) -> None:
    """Change the kind of walls that belong to props to `PROP`. `others` [...] are the numbers of the wall segments."""
    walls = stage_of(world).walls
    if walls is not None and walls.of_props is not None:
        is_wall = kinds == WALL
        kinds[is_wall & walls.of_props[others * is_wall]] = PROP
