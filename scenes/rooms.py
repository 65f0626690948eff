"""Rooms: independent copies of a scene in the columns of one world."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked
from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.external_agents import ExternalAgents
from ecs_anim.components.footing import Footing
from ecs_anim.components.movers import Movers
from ecs_anim.components.pacing import Pacing
from ecs_anim.components.palette import Palette
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.population import Population
from ecs_anim.components.spawner import Spawner
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.components.timeline import Timeline
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.column_memory import ColumnMemory
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import mirrored
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile, Source, scene_of
from ecs_anim.steering.agents import ROOM_BIT, new_agents
from ecs_anim.steering.models import MODELS, ForceModel
from ecs_anim.steering.rooms import RoomClocks
from ecs_anim.support.arguments import whole_numbers
from ecs_anim.support.budgets import require
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import Faults, InputError
from ecs_anim.systems.crowd_handle import CrowdHandle
from ecs_anim.systems.population import add_actors, memories_of

# Components whose systems read only the rows of their own actors, or whose systems know rooms.
KNOWN = {
    *(Appearance, Baked, Body, Character, Crowd, Footing, Movers, Pacing, Palette, Parameters, Playback, Population),
    *(ExternalAgents, Spawner, Steering, Transforms),
}
MOST_BYTES = 1 << 28  # memory of the starts that `Rooms` keeps
IDS = "Crowd.index.ids"  # an id contains the number of the room


class Rooms:
    """Independent copies of a scene that one world advances together.

    A room equals a world from `load_scene` with the seed of the room, to the bit. Arrays [room, actor, ...] contain the
    actors of all crowds in the order of the scene. The world `world` contains all rooms at the same places.
    """

    def __init__(self, source: Source | SceneFile, count: int, seeds: Sequence[int], threads: int | None) -> None:
        scene = source if isinstance(source, SceneFile) else scene_of(source)
        _require_independent(scene)
        self.count = count
        self._single = load_scene(scene, seed=seeds[0], threads=1)  # one room, which each reset starts again
        self.world = load_scene(scene, seed=seeds[0], threads=threads)
        _require_known(scene.label, self._single)
        self._clocks, ((_, (around,)),) = RoomClocks.new(count), self.world.query(Surroundings)
        around.rooms, around.agents = self._clocks, new_agents(0)  # `fit` provides new memory
        self._sizes = {entity: crowd.actor_count for entity, (crowd,) in self.world.query(Crowd)}
        self._crowds = [entity for entity in self._sizes if self.world.find(entity, ExternalAgents) is None]
        self._starts = dict[int, list[NDArray[Any]]]()
        require("actors", count * sum(self._sizes.values()), f"{scene.label}: rooms", "use fewer rooms or fewer actors")
        for entity, size in self._sizes.items():
            _multiply(self.world, entity, size, count)
        self.reset(np.arange(count), seeds)

    @checked
    def step(self, dt: float, *, posed: bool = False) -> None:
        """Advance all rooms by `dt` [s]. By default, the step computes no poses."""
        if dt <= 0:
            raise ValueError(f"the time step of rooms must be > 0 s (got {dt}). Take a longer step.")
        self.world.step(dt, posed=posed)
        self._clocks.advance(dt)

    def reset(self, rooms: ArrayLike, seeds: ArrayLike) -> None:
        """Start the rooms `rooms` [n] again, each with a seed of `seeds` [n]. All other rooms do not change."""
        chosen, given = whole_numbers("rooms", rooms).tolist(), whole_numbers("seeds", seeds).tolist()
        if len(chosen) != len(given) or not all(0 <= room < self.count for room in chosen):
            raise ValueError(
                f"reset needs room numbers from 0 to {self.count - 1} and as many seeds (got {len(chosen)} rooms and"
                f" {len(given)} seeds). Pass one seed for each room."
            )
        if not chosen:
            return
        columns = [(to.column.value, size) for own, size in self._sizes.items() for to in _columns(self.world, own)]
        for room, seed in zip(chosen, given, strict=True):
            for (column, size), start in zip(columns, self._start(seed), strict=True):
                column[room * size : (room + 1) * size] = start
            self._clocks.begin(room, seed)

    def crowd(self, name: str) -> CrowdHandle:
        """Return the handle of a crowd. The actor a of the room r has the row r x (actors of the crowd) + a."""
        from ecs_anim.systems.crowd_handle import crowd

        return crowd(self.world, name)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """The time since the last reset of each room, [room] [s]."""
        return self._clocks.time.copy()

    @property
    def positions(self) -> NDArray[np.float32]:
        """The positions on the plan, [room, actor, 2] f32 [m], x east, y north."""
        return self._plan([self.world.get(entity, Transforms).translation[:, ::2] for entity in self._crowds])

    @property
    def velocities(self) -> NDArray[np.float32]:
        """The velocities of the last decisions, [room, actor, 2] f32 [m/s]."""
        return self._plan([self.world.get(entity, Movers).velocity for entity in self._crowds])

    @property
    def goals(self) -> NDArray[np.float32]:
        """The present goals, [room, actor, 2] f32 [m]."""
        return self._plan([self._steering(entity).goal for entity in self._crowds])

    @property
    def radii(self) -> NDArray[np.float32]:
        """The radii of the bodies in collision avoidance, [room, actor] f32 [m]."""
        return self._by_room([self._steering(entity).radius for entity in self._crowds])

    @property
    def headings(self) -> NDArray[np.float64]:
        """The headings, [room, actor] f64 [rad], counter-clockwise from east, in (-pi, pi]."""
        return self._by_room([CrowdHandle(self.world, entity).headings for entity in self._crowds])

    @property
    def done(self) -> NDArray[np.bool_]:
        """Whether each actor is at its last goal, [room, actor]: nearer than `waypoint_radius`."""
        ends = [self._steering(entity) for entity in self._crowds]
        near = self._by_room([np.full(len(own.radius), own.waypoint_radius, np.float32) for own in ends])
        last = self._by_room([(own.waypoint < 0) | (own.halts == 1) | (len(own.waypoints) == 1) for own in ends])
        offset = self.goals - self.positions
        found: NDArray[np.bool_] = last & ((offset * offset).sum(axis=-1) < near * near)
        return found

    def close(self) -> None:
        """Close the worlds of the rooms."""
        self.world.close()
        self._single.close()

    def __enter__(self) -> "Rooms":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Rooms: {self.count} rooms with {sum(self._sizes.values())} actors>"

    def _start(self, seed: int) -> list[NDArray[Any]]:
        """Return the columns of all crowds at the start with a seed. The latest starts stay in memory."""
        if seed not in self._starts:
            self._single.reset(seed=seed)
            _require_alike(self._single, self.world)
            begun = [entity for entity, _ in self._single.query(Crowd)]
            made = [start.column.value.copy() for own in begun for start in _columns(self._single, own)]
            size = sum(column.nbytes for column in made)
            while self._starts and (len(self._starts) + 1) * size > MOST_BYTES:
                del self._starts[next(iter(self._starts))]
            self._starts[seed] = made
        return self._starts[seed]

    def _steering(self, entity: int) -> Steering:
        return self.world.get(entity, Steering)

    def _by_room(self, columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Return columns of all crowds as one array [room, actor, ...]."""
        parts = [column.reshape(self.count, -1, *column.shape[1:]) for column in columns]
        return parts[0].copy() if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _plan(self, columns: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        return mirrored(self._by_room(columns))


@checked
def rooms(
    source: Source | SceneFile, count: int, *, seeds: ArrayLike | None = None, threads: int | None = None
) -> Rooms:
    """Return `count` independent copies of a scene, which one world advances together.

    `seeds` [count] are the seeds of the rooms, by default 0, 1, 2, ... The other arguments are the arguments of
    `load_scene`. Raises InputError if the scene has a feature that rooms do not support, and ValueError for a wrong
    number of seeds.
    """
    require("actors", count, "rooms", "use fewer rooms")
    chosen = np.arange(count) if seeds is None else whole_numbers("seeds", seeds)
    if count < 1 or len(chosen) != count:
        raise ValueError(f"rooms needs at least one room and one seed per room (got {count}, {len(chosen)} seeds).")
    return Rooms(source, count, chosen.tolist(), threads)


def _multiply(world: World, entity: int, size: int, count: int) -> None:
    """Add the actors of all rooms except the first one to a crowd."""
    add_actors(world, entity, size * (count - 1), lambda columns: {})
    index = world.get(entity, Crowd).index
    index.ids[:] = np.tile(index.ids[:size], count) + np.repeat(np.arange(count) << ROOM_BIT, size)
    index.next_id = int(index.ids.max(initial=0)) + 1
    index.rebuild()


def _columns(world: World, entity: int) -> list[ColumnMemory]:
    return [memory for memory in memories_of(world, entity) if memory.column.path != IDS]


def _require_independent(scene: SceneFile) -> None:
    """Raise InputError if the scene varies its values, because all rooms share the values that are not columns."""
    if scene.model.vary:
        raise InputError(f"{scene.label}: vary: rooms cannot vary the values of a scene. Leave out the key vary.")


def _require_known(label: str, world: World) -> None:
    """Raise InputError for each feature that rooms do not support."""
    with Faults() as faults:
        for entity, (crowd,) in world.query(Crowd):
            for name in sorted(type(own).__name__ for own in world.components(entity) if type(own) not in KNOWN):
                with faults.kept():
                    raise _unknown(label, f"crowd {crowd.name!r}", name.lower())
            if world.find(entity, Steering) is None and world.find(entity, ExternalAgents) is None:
                with faults.kept():
                    raise _unknown(label, f"crowd {crowd.name!r}", "actors without steering")
        for flaw in _flaws(world):
            with faults.kept():
                raise _unknown(label, "scene", flaw)


def _flaws(world: World) -> list[str]:
    """Return the features of the whole world that rooms do not support."""
    flaws = ["a timeline"] if any(own.cues for _, (own,) in world.query(Timeline)) else []
    steered = [own for _, (own,) in world.query(Steering)]
    known = [*MODELS.values()]
    if any(own.model >= len(known) or isinstance(known[own.model], ForceModel) for own in steered):
        flaws.append("force models and models in Python")
    if len({own.decision_rate for own in steered}) > 1:
        flaws.append("crowds with different values of decision_rate")
    if any(around.spaces is not None for _, (around,) in world.query(Surroundings)):
        flaws.append("levels")
    return flaws


def _unknown(label: str, place: str, feature: str) -> InputError:
    return InputError(f"{label}: {place}: rooms do not support this feature (got {feature}). Leave out the feature.")


def _require_alike(single: World, world: World) -> None:
    """Raise InputError if a seed changes the walls, because all rooms have the same walls."""
    ((_, (own,)),), ((_, (shared,)),) = single.query(Surroundings), world.query(Surroundings)
    if own.walls is not shared.walls and not all(
        np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(own.walls, shared.walls, strict=True)
    ):
        raise InputError("rooms: the walls depend on the seed. Give the obstacles fixed positions.")
