"""Changes of connections: stairs, ramps and escalators open, close, stop, start, or change their direction."""

from collections.abc import Sequence
from dataclasses import replace

from ecs_anim.body.treads import HALF
from ecs_anim.components.connections import Connections
from ecs_anim.components.routing import Routing
from ecs_anim.components.steering import Steering
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.timeline import Cue
from ecs_anim.components.treads import Treads
from ecs_anim.ecs.records import sealed
from ecs_anim.ecs.world import World
from ecs_anim.systems.routing import make_routes

NO_WIDTH = -1e3  # [m], half of the width of a flight without treads, so that no body is near the treads


def connections_of(world: World) -> Connections | None:
    """Return the connections of a world, or None in a world without connections."""
    return next((found for _, (found,) in world.query(Connections)), None)


def change_connections(world: World, cue: Cue) -> None:
    """Open, close, start, stop or reverse connections as a cue of the timeline requires. Then, update the routes."""
    found = connections_of(world)
    if found is None:
        return
    before = found.uses
    for names, column, value in (
        (cue.opens, found.is_open, True),
        (cue.closes, found.is_open, False),
        (cue.starts, found.moves, True),
        (cue.stops, found.moves, False),
    ):
        column[_numbers(found, names)] = value
    found.way[_numbers(found, cue.reverses)] *= -1
    if found.uses != before:
        use_connections(world)


def _numbers(found: Connections, names: Sequence[str]) -> list[int]:
    """Return the numbers of the connections whose names are in `names`.

    All other names in `names` are names of doors.
    """
    return [number for number, own in enumerate(found.names) if own in names]


def use_connections(world: World) -> None:
    """Update the routes, the walking speeds on the flights and the treads of a world after a change of connections."""
    found = connections_of(world)
    if found is None:
        return
    for _, (routing,) in world.query(Routing):
        if routing.connected is not None:
            made = routing.connected(found.uses)
            routing.links, routing.speed_factor, routing.on_belts = made.links, made.speed_factor, made.on_belts
            routing.lattices.clear()
            for _, (storeyed,) in world.query(Storeyed):
                arrays = sealed(storeyed.spaces.arrays._replace(slope=made.slope))
                storeyed.spaces = replace(storeyed.spaces, arrays=arrays)
    for _, (steering,) in world.query(Steering):
        steering.routes = None
    switch_treads(world)
    if any(world.query(Steering)):
        make_routes(world)  # lifts read arrival times in each step


def switch_treads(world: World) -> None:
    """Remove the treads of moving escalators, and restore the treads of all other escalators.

    Bodies on moving steps need no treads, because each body stands at the height of its root.
    """
    found = connections_of(world)
    if found is None:
        return
    for _, (treads,) in world.query(Treads):
        for number, own in enumerate(found.parts):
            if own.belt is not None:
                row = treads.numbers[own.name]
                moves = found.moves[number] or found.travel[number] > 0
                treads.flights.flight[row, HALF] = NO_WIDTH if moves else own.belt.width / 2
