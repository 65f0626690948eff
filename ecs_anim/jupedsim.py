"""JuPedSim simulations that run while bodies walk: agents are actors, and their geometry is the world's walls.

    with ea.jupedsim.world_of(simulation) as world:
        ea.video(world, 20.0, "people.mp4")

Simulations are the caller's own, of any of JuPedSim's models (the 'jupedsim' extra); nothing here imports it.
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

ROUNDING = 1e-9  # [s] by which times that are meant to be the same may differ
HEIGHT = 1.75  # [m]
ASPECT = 16 / 9

Array = NDArray[np.float64]
Pair = tuple[float, float]


class Agent(Protocol):
    """An agent of JuPedSim's, as far as it is looked at."""

    @property
    def id(self) -> int: ...
    @property
    def position(self) -> Pair: ...
    @property
    def orientation(self) -> Pair: ...


class Geometry(Protocol):
    """Where agents may walk."""

    def boundary(self) -> list[Pair]: ...
    def as_wkt(self) -> str: ...


@runtime_checkable
class Simulation(Protocol):
    """A `jupedsim.Simulation`, as far as it is used."""

    def agents(self) -> Iterable[Agent]: ...
    def elapsed_time(self) -> float: ...
    def get_geometry(self) -> Geometry: ...
    def iterate(self, count: int = 1) -> None: ...


class Moment(NamedTuple):
    """Where all agents are at a time of the simulation."""

    time: float  # [s]
    ids: NDArray[np.int64]  # [n], rising
    xy: Array  # [n, 2] [m]
    looks: Array  # [n, 2], directions


class FollowSimulation:
    """A world system whose crowd is the agents of a simulation, to be placed before "chunks":

        own = ea.jupedsim.FollowSimulation(simulation, "people")
        world = ea.load_scene("hall.toml", systems=[(own, "before", "chunks")])

    The crowd needs `body = {}`. Agents replace the actors of the scene, and look as the scene says. Each step of the
    world takes the steps of the simulation up to the world's time. `each(simulation)` is called before every step of
    the simulation: it can add and remove agents, and open doors. An agent that leaves the simulation leaves the world.
    Roots are at the agents' positions at the world's own time, without a lag, on straight ways between the simulation's
    steps. Bodies turn and step by their roots' speeds, with a lag of 0.1 s. A world without walls has the walls of the
    simulation's geometry, which can change.

    Raises TypeError for what is no simulation, InputError where the crowd has no body.
    """

    name: ClassVar[str] = "jupedsim"

    @checked
    def __init__(self, simulation: Any, crowd: str = "people", each: Callable[[Any], object] | None = None) -> None:
        if not isinstance(simulation, Simulation):
            raise TypeError(f"simulation must be a jupedsim.Simulation (got {brief(simulation)})")
        self._simulation: Simulation = simulation
        self._crowd, self._each = crowd, each
        self._outline: (
            str | None
        )  # WKT of the walls that are there because of the geometry; None = the scene has its own
        self._actors: dict[int, int]  # ids of actors by agents'
        self._later: float  # [s], by which the simulation's clock is ahead of the world's
        self._before: Moment  # the simulation's step, within which the world is
        self._after: Moment

    def setup(self, world: World) -> None:
        """Replace the crowd's actors by agents, and walls, where there are none, by the geometry."""
        people = crowd(world, self._crowd)
        if world.find(_entity(world, self._crowd), Movers) is None:
            raise InputError(f"crowd {self._crowd!r} must have a body that can walk. Write body = {{}} in its scene")
        people.remove(ALL)
        self._before = self._after = _moment(self._simulation)
        self._later = self._after.time - world.time
        self._actors, self._outline = {}, "" if stage_of(world).walls is None else None
        self._follow(world, 0.0)

    def run(self, world: World, dt: float) -> None:
        """Take the simulation to the end of the step, and lead the crowd to where its agents are then."""
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
    """Return a world of people that walk as the agents of a simulation, within the walls of its geometry.

    The camera has all of the geometry in its picture. `each` is that of `FollowSimulation`; `rig` is "mannequin" or the
    path of a model. Raises TypeError for what is no simulation, InputError as `load_scene` does.
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
    """Return points [n, 2] at a time, of the agents of the later moment. New agents are at their first point."""
    if after.time <= before.time or not len(before.ids):
        return after.xy
    row = np.minimum(np.searchsorted(before.ids, after.ids), len(before.ids) - 1)
    from_xy = np.where((before.ids[row] == after.ids)[:, None], before.xy[row], after.xy)
    share = np.clip((time - before.time) / (after.time - before.time), 0.0, 1.0)
    return from_xy + share * (after.xy - from_xy)


def _entity(world: World, name: str) -> int:
    return next(entity for entity, (own,) in world.query(Crowd) if own.name == name)
