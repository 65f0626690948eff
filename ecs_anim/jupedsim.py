"""Worlds that show running JuPedSim simulations.

Each agent of the simulation is an actor with a walking body. The geometry of the simulation defines the walls of the
world.

    with ea.jupedsim.world_of(simulation) as world:
        ea.video(world, 20.0, "people.mp4")

Your code creates the simulation with a JuPedSim model (the 'jupedsim' extra). The module `ecs_anim.jupedsim` does not
import JuPedSim.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.movers import Movers
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import heading_of_direction
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.walked import LOW, TINTS, camera_on
from ecs_anim.support.arguments import brief
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.systems.crowd_handle import ALL, crowd
from ecs_anim.systems.directing import lead
from ecs_anim.systems.queries import stage_of
from ecs_anim.walls.build import WallStyle, walls_from_text

__all__ = ["FollowSimulation", "world_of"]

ROUNDING = 1e-9  # largest difference of times that are meant to be equal [s]
HEIGHT = 1.75  # [m]
ASPECT = 16 / 9

Array = NDArray[np.float64]
Pair = tuple[float, float]


class Agent(Protocol):
    """The attributes of a JuPedSim agent that this module uses."""

    @property
    def id(self) -> int: ...
    @property
    def position(self) -> Pair: ...
    @property
    def orientation(self) -> Pair: ...


class Geometry(Protocol):
    """The area in which agents can walk."""

    def boundary(self) -> list[Pair]: ...
    def as_wkt(self) -> str: ...


@runtime_checkable
class Simulation(Protocol):
    """The methods of a `jupedsim.Simulation` that this module uses."""

    def agents(self) -> Iterable[Agent]: ...
    def elapsed_time(self) -> float: ...
    def get_geometry(self) -> Geometry: ...
    def iterate(self, count: int = 1) -> None: ...


class Moment(NamedTuple):
    """The positions of all agents at one moment of the simulation."""

    time: float  # [s]
    ids: NDArray[np.int64]  # [n], ascending
    xy: Array  # [n, 2] [m]
    looks: Array  # [n, 2], facing directions


class FollowSimulation:
    """A world system that moves the actors of a crowd with the agents of a simulation.

    Insert the system before "chunks":

        own = ea.jupedsim.FollowSimulation(simulation, "people")
        world = ea.load_scene("hall.toml", systems=[(own, "before", "chunks")])

    The crowd needs `body = {}`. New actors, one for each agent of the simulation, replace the actors of the crowd. The
    scene defines the appearance of the new actors. Each time step of the world runs the simulation up to the time of
    the world. The system calls `each(simulation)` before each time step of the simulation. `each` can add agents,
    remove agents, and open doors. If an agent leaves the simulation, its actor leaves the world. The root of an actor
    is at the position of its agent at the time of the world, without a lag. Between two time steps of the simulation,
    the root of the actor moves on a straight line. The rotation and the steps of a body follow the velocity of its root
    with a lag of 0.1 s. If the world has no walls, the system creates walls from the geometry of the simulation. If the
    geometry of the simulation changes during the run, these walls change too.

    Raises TypeError if `simulation` is not a simulation, and InputError if the crowd has no body.
    """

    name: ClassVar[str] = "jupedsim"

    @checked
    def __init__(self, simulation: Any, crowd: str = "people", each: Callable[[Any], object] | None = None) -> None:
        if not isinstance(simulation, Simulation):
            raise TypeError(f"simulation must be a jupedsim.Simulation (got {brief(simulation)})")
        self._simulation: Simulation = simulation
        self._crowd, self._each = crowd, each
        self._outline: str | None  # WKT of the geometry that the walls come from; None = the scene has its own walls
        self._actors: dict[int, int]  # actor id by agent id
        self._later: float  # [s], simulation time minus world time
        self._before: Moment  # the simulation's steps before and after the world's time
        self._after: Moment

    def setup(self, world: World) -> None:
        """Replace all actors of the crowd by one new actor for each agent of the simulation.

        If the world has no walls, create walls from the geometry of the simulation.
        """
        people = crowd(world, self._crowd)
        if world.find(_entity(world, self._crowd), Movers) is None:
            raise InputError(f"crowd {self._crowd!r} must have a walking body. Add body = {{}} to this crowd.")
        people.remove(ALL)
        self._before = self._after = _moment(self._simulation)
        self._later = self._after.time - world.time
        self._actors, self._outline = {}, "" if stage_of(world).walls is None else None
        self._follow(world, 0.0)

    def run(self, world: World, dt: float) -> None:
        """Run the simulation up to the end of the world's step, and move each actor of the crowd to its agent."""
        end = world.time + dt + self._later
        while self._after.time < end - ROUNDING:
            if self._each is not None:
                self._each(self._simulation)
            self._simulation.iterate()
            self._before, self._after = self._after, _moment(self._simulation)
        self._follow(world, dt)

    def _follow(self, world: World, dt: float) -> None:
        self._build_walls(world)
        people, agents = crowd(world, self._crowd), self._after
        there = set(agents.ids.tolist())
        gone = [agent for agent in self._actors if agent not in there]
        if gone:
            people.remove(ids=[self._actors.pop(agent) for agent in gone])
        xy = _between(self._before, agents, world.time + dt + self._later)
        new = np.flatnonzero([agent not in self._actors for agent in agents.ids.tolist()])
        if len(new):
            came = people.add(positions=xy[new], headings=heading_of_direction(agents.looks[new]))
            self._actors |= zip(agents.ids[new].tolist(), came.tolist(), strict=True)
        if len(agents.ids):
            rows = people.rows([self._actors[agent] for agent in agents.ids.tolist()])
            lead(world, _entity(world, self._crowd), rows, xy, dt)

    def _build_walls(self, world: World) -> None:
        if self._outline is None:
            return
        outline = self._simulation.get_geometry().as_wkt()
        if outline != self._outline:
            self._outline = outline
            stage = stage_of(world)
            stage.walls = walls_from_text(outline, WallStyle(height=LOW), terrain=stage.terrain)


@checked
def world_of(
    simulation: Any,
    *,
    each: Callable[[Any], object] | None = None,
    rig: str = "mannequin",
    threads: int | None = None,
) -> World:
    """Return a world with one actor for each agent of `simulation`, and with walls from the geometry of `simulation`.

    The camera shows the whole geometry. `FollowSimulation` explains `each`. `rig` is "mannequin" or the path of a model
    file. Raises TypeError if `simulation` is not a simulation. Raises InputError in the same cases as `load_scene`.
    """
    system = FollowSimulation(simulation, each=each)
    camera = camera_on(np.array(simulation.get_geometry().boundary(), np.float64), "side", ASPECT)
    height = {"height": HEIGHT} if rig == "mannequin" else {}
    scene = {
        "title": "JuPedSim",
        "rigs": {"people": {"model": rig, **height}},
        "crowds": [{"name": "people", "rig": "people", "tints": list(TINTS), "body": {}}],
    }
    world = load_scene(scene, threads=threads, systems=[(system, "before", "chunks")])
    stage_of(world).camera = camera
    return world


def _moment(simulation: Simulation) -> Moment:
    found = sorted((agent.id, *agent.position, *agent.orientation) for agent in simulation.agents())
    table = np.array(found, np.float64).reshape(-1, 5)
    return Moment(simulation.elapsed_time(), table[:, 0].astype(np.int64), table[:, 1:3], table[:, 3:])


def _between(before: Moment, after: Moment, time: float) -> Array:
    """Return the positions [n, 2] at `time` of the agents in `after`. For an agent that is not in `before`, the
    function returns the position in `after`.
    """
    if after.time <= before.time or not len(before.ids):
        return after.xy
    row = np.minimum(np.searchsorted(before.ids, after.ids), len(before.ids) - 1)
    from_xy = np.where((before.ids[row] == after.ids)[:, None], before.xy[row], after.xy)
    share = np.clip((time - before.time) / (after.time - before.time), 0.0, 1.0)
    return from_xy + share * (after.xy - from_xy)


def _entity(world: World, name: str) -> int:
    return next(entity for entity, (own,) in world.query(Crowd) if own.name == name)
