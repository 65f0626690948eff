"""The world: crowds and other entities in a private esper world. A schedule advances the entities.

The package esper stores its active world in a global variable. Only this module changes the active world, and a lock
protects each change. Therefore, several worlds can exist together, and each world can run on a different thread. The
query results of esper have no order, and change when the world changes. The method `query` therefore stores sorted
copies of the results.
"""

import itertools
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar, overload

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.handlers import Handler, Handlers
from ecs_anim.ecs.interfaces import Portrait, Schedule
from ecs_anim.ecs.jump import MOST_AT_ONCE, Jump, step_ends
from ecs_anim.ecs.snapshot import save_snapshot
from ecs_anim.support.arguments import unknown
from ecs_anim.support.budgets import require
from ecs_anim.support.checked import checked, require_type
from ecs_anim.support.timings import NO_TIMINGS, Timings

Component = TypeVar("Component")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")

EVENTS = ("clip_event", "state_change", "foot_strike", "arrival", "stepped", "closed")
# [s]; upper limit, because the kernels compute each footstep of a body, so a longer step would take too much time
LONGEST_STEP = 1e4
_numbers = itertools.count()
_esper = threading.RLock()  # a thread must own this lock while it changes the active world
if hasattr(os, "register_at_fork"):  # a forked process has no other threads, so it must not wait for their locks
    os.register_at_fork(before=_esper.acquire, after_in_parent=_esper.release, after_in_child=_esper.release)


class World:
    """A simulation: entities with components, a clock, and a schedule that advances the components.

    Several worlds can advance in parallel, each on one thread. A forked process has its own copies of all worlds. The
    methods raise RuntimeError if the world is closed, or if two threads advance the world at the same time.
    """

    def __init__(
        self,
        schedule: Schedule,
        origin: Mapping[str, Any] | None = None,
        portrait: Portrait | None = None,
        restart: Callable[["World", int | None], None] | None = None,
    ) -> None:
        self._esper_name = f"ecs-anim-{next(_numbers)}"
        self._schedule, self._portrait, self._restart = schedule, portrait, restart
        self._end = weakref.finalize(self, _forget, self._esper_name, schedule)
        self._end.atexit = False
        self._handlers = Handlers(EVENTS)
        self._stepping = threading.RLock()
        self._created: list[int] = []
        self._answers: dict[tuple[Any, ...], Any] = {}  # stored results of `query` and `find`, by arguments
        self.origin = dict(origin or {})  # description of the world's source, such as a scene, in JSON types
        self.time, self.frame = 0.0, 0  # simulated time [s], number of completed steps
        self.jump: Jump | None = None  # report of the last `skip`
        self.resets = 0  # number of completed calls of `reset`

    @property
    def threads(self) -> int:
        """The number of threads that the schedule uses."""
        return self._schedule.threads

    def share(self, work: Callable[[int, Iterator[Any]], object], jobs: Sequence[Any]) -> None:
        """Distribute `jobs` over the threads.

        Each thread calls `work` with its thread number and an iterator of jobs.
        """
        self._schedule.share(work, jobs)

    def create(self, *components: object) -> int:
        """Create an entity with components of different types, and return the id of the entity."""
        with _esper:
            self._activate()
            self._answers.clear()
            self._created.append(esper.create_entity(*components))
            return self._created[-1]

    def attach(self, entity: int, *components: object) -> None:
        """Add components to an existing entity. A new component replaces a component of the same type.

        Use `attach` only during the setup of a world: each call clears the stored query results. Raises InputError.
        """
        with _esper:
            self.components(entity)
            self._answers.clear()
            for component in components:
                esper.add_component(entity, component)

    def detach(self, entity: int, *component_types: type) -> None:
        """Remove components from an entity. Call `detach` only during the setup of a world. Raises InputError."""
        with _esper:
            for component_type in component_types:
                self.get(entity, component_type)
                self._answers.clear()
                esper.remove_component(entity, component_type)

    @overload
    def query(self, a: type[A], /) -> Iterator[tuple[int, tuple[A]]]: ...
    @overload
    def query(self, a: type[A], b: type[B], /) -> Iterator[tuple[int, tuple[A, B]]]: ...
    @overload
    def query(self, a: type[A], b: type[B], c: type[C], /) -> Iterator[tuple[int, tuple[A, B, C]]]: ...
    @overload
    def query(self, a: type[A], b: type[B], c: type[C], d: type[D], /) -> Iterator[tuple[int, tuple[A, B, C, D]]]: ...
    @overload
    def query(
        self, a: type[A], b: type[B], c: type[C], d: type[D], e: type[E], /
    ) -> Iterator[tuple[int, tuple[A, B, C, D, E]]]: ...
    @overload
    def query(self, *component_types: type) -> Iterator[tuple[int, tuple[Any, ...]]]: ...
    def query(self, *component_types: type) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield the id and the components of each entity with all given component types, in the order of creation.

        For up to five component types, type checkers know the types of the results. Raises TypeError if an argument is
        not a class.
        """
        try:
            known = self._answers.get(component_types)  # a closed world has no stored results
        except TypeError:  # the argument is not hashable, for example a list, so it is not a class
            known = None
        return iter(self._answer(component_types) if known is None else known)

    def _answer(self, component_types: tuple[type, ...]) -> list[tuple[int, tuple[Any, ...]]]:
        """Return the sorted result of a query. The world stores the result until an entity gains or loses a
        component.
        """
        for component_type in component_types:
            require_type("the component type of a query", component_type, type)
        with _esper:
            self._activate()
            found = sorted(esper.get_components(*component_types), key=lambda row: row[0])
            answer = self._answers[component_types] = [(entity, tuple(components)) for entity, components in found]
        return answer

    def get(self, entity: int, component_type: type[Component]) -> Component:
        """Return a component of an entity. Raises InputError (also a KeyError) if the component does not exist."""
        found = self.find(entity, component_type)
        if found is not None:
            return found
        own = [type(component).__name__ for component in self.components(entity)]
        name = getattr(component_type, "__name__", component_type)
        raise unknown("component", name, own, of=f"entity {entity} has")

    def find(self, entity: int, component_type: type[Component]) -> Component | None:
        """Return a component of an entity. If the entity has no such component, return None. Raises InputError for an
        unknown entity.
        """
        found: Component | None = None
        try:
            found = self._answers[entity, component_type]
        except (KeyError, TypeError):  # not stored, or an argument such as a list is not hashable
            with _esper, suppress(TypeError):
                own: dict[type, Any] = {type(component): component for component in self.components(entity)}
                found = self._answers[entity, component_type] = own.get(component_type)
        return found

    def components(self, entity: int) -> tuple[object, ...]:
        """Return all components of an entity. Raises InputError (also a KeyError) if the entity is unknown."""
        with _esper:
            self._activate()
            try:
                return tuple(esper.components_for_entity(entity))
            except (KeyError, TypeError):
                pass
        raise unknown("entity", entity, map(str, self._created), of="entities are")

    @property
    def entities(self) -> tuple[int, ...]:
        """The ids of all entities, in the order of creation."""
        return tuple(self._created)

    @checked
    def step(self, dt: float, timings: Timings = NO_TIMINGS, *, posed: bool = True) -> None:
        """Run all systems for a step of `dt` seconds. If `dt` is 0, the step only computes poses.

        If `posed` is false, the step computes only poses that later steps need. All later results have the same bits as
        with `posed`. Until the next step with poses, the world keeps the old poses.
        """
        if not 0 <= dt <= LONGEST_STEP:
            raise ValueError(
                f"the time step dt must be 0 to {LONGEST_STEP:g} s (got {dt}). Take several shorter steps."
            )
        with self._alone():
            self._schedule.run(self, dt, timings, *(() if posed else (False,)))
            if dt > 0:
                self.time += dt
                self.frame += 1
        if dt > 0 and self._handlers.has("stepped"):  # a system can close the world; a closed world has no handlers
            self.dispatch("stepped", self)

    @checked
    def skip(self, steps: int, dt: float, progress: Callable[[int], object] = lambda steps: None) -> None:
        """Take `steps` steps of `dt` seconds. The result is bit-identical to `steps` calls of `step`.

        If the results of a step depend only on the time and not on previous steps, the world skips the step. The world
        takes all other steps one by one. Only the last step computes all poses. The attribute `World.jump` reports the
        number of single steps, and the systems that required these steps. The method calls all handlers that separate
        steps would call. During the jump, the method repeatedly calls `progress` with the number of steps since the
        previous call.
        """
        if steps < 0 or not 0 < dt <= LONGEST_STEP:
            rule = f"steps must be a whole number >= 0, and dt must be > 0 and at most {LONGEST_STEP:g} s"
            raise ValueError(f"{rule} (got {steps}, {dt})")
        require("steps", steps, "skip", "take fewer steps")
        with self._alone():
            self.jump, ahead = Jump(int(steps)), int(steps) - 1
            while ahead > 0:
                ends = step_ends(self.time, dt, min(ahead, MOST_AT_ONCE))
                ahead -= len(ends)
                while len(ends):
                    taken = self._skip_some(ends, dt, self.jump)
                    progress(taken)
                    ends = ends[taken:]
            if steps:
                self.step(dt)
                progress(1)

    @checked
    def reset(self, *, seed: int | None = None) -> None:
        """Return to the start of the scene. All columns get the same bits as in a new world from `load_scene`.

        By default, the seed does not change. The method does not load parts of the scene that are independent of the
        seed. Handlers and handles remain valid. The methods `setup` of user systems run again. Raises ValueError for a
        world without a scene, and the errors of `load_scene`. After an error, the world is unchanged.
        """
        if self._restart is None:
            raise ValueError("only a world from load_scene can start again. Build a new world.")
        if seed is not None and seed < 0:
            raise ValueError(f"seed must be at least 0 (got {seed}). Raise the number.")
        with self._alone():
            self._restart(self, seed)
            self.resets += 1

    def empty(self) -> None:
        """Delete all entities. The next entity gets the id of the first entity. Call `empty` only to fill a world."""
        with _esper:
            self._activate()
            esper.clear_database()
            self._answers.clear()
            self._created.clear()

    @checked
    def needs_poses(self, entity: int) -> tuple[str, ...]:
        """Return the names of the systems that need an entity's poses in every step."""
        return self._schedule.needs_poses(self, entity)

    @checked
    def pose_systems(self, entity: int) -> tuple[str, ...]:
        """Return the names of an entity's pose systems in the order of execution; () = the CPU computes no poses."""
        return self._schedule.pose_systems(self, entity)

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a snapshot file. `load_world` restores the state bit-identically. Raises InputError."""
        save_snapshot(self, Path(path))

    @checked
    def on(self, event: str, handler: Handler) -> Callable[[], None]:
        """Register `handler` for an event. The world calls handlers in the order of their registration.

        Return a function that removes the handler. The handler's argument depends on the event:

        - "clip_event", "state_change", "foot_strike" and "arrival": the argument is a `CrowdEvent` (docs/events.md).
        - "stepped": the argument is the world, after a step with dt > 0.
        - "closed": the argument is the world, before `close` deletes its entities. Garbage collection does not call the
          handler.

        Raises InputError (also a KeyError) for an undeclared event, and TypeError for a handler that is not callable.
        """
        self.require_open()
        return self._handlers.add(event, handler)

    @checked
    def declare(self, event: str) -> None:
        """Declare the name of an event for `on` and `dispatch`. User-defined systems can declare their own events."""
        self.require_open()
        self._handlers.declare(event)

    @checked
    def hears(self, event: str) -> bool:
        """Return whether an event has at least one handler. Raises InputError if the event is not declared."""
        self.require_open()
        return bool(self._handlers.of(event))

    @checked
    def dispatch(self, event: str, *arguments: object) -> None:
        """Call all handlers of an event. Raises InputError if the event is not declared."""
        self.require_open()
        self._handlers.call(event, *arguments)

    def close(self) -> None:
        """Delete all entities and stop the schedule's threads. Garbage collection of a world also closes the world."""
        if self.closed:
            return
        heard = self._handlers.of("closed")
        try:
            while heard:
                heard.pop(next(iter(heard)))(self)
        finally:
            self._handlers.clear()
            self._answers.clear()
            self._end()

    @property
    def closed(self) -> bool:
        """True if the world is closed."""
        return not self._end.alive

    def require_open(self) -> None:
        """Raise RuntimeError if the world is closed."""
        if self.closed:
            raise RuntimeError("this world is closed. Load the world again")

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<World: closed>"
        told = f"{self._portrait.text(self)}, " if self._portrait else ""
        return f"<World: {told}frame {self.frame}, {self.time:.2f} s>"

    def _repr_png_(self) -> bytes | None:
        """Return a PNG picture for a notebook. If the result is None, the notebook shows the text from `__repr__`."""
        return self._portrait.png(self) if self._portrait and not self.closed else None

    def _repr_html_(self) -> str | None:
        """Return HTML for a notebook. If the result is None, the notebook shows the picture from `_repr_png_`."""
        return self._portrait.html(self) if self._portrait and not self.closed else None

    def renewed_handlers(self) -> AbstractContextManager[None]:
        """Return a context manager. Its `with` block replaces the handlers of the previous such block."""
        return self._handlers.renewed()

    def without_handlers(self) -> AbstractContextManager[None]:
        """Return a context manager. Its `with` block calls no handlers, and cannot add or remove handlers."""
        return self._handlers.paused()

    def _skip_some(self, ends: NDArray[np.float64], dt: float, jump: Jump) -> int:
        """Advance by at least one of the steps that end at `ends` [s]. Return the number of steps that the method has
        computed or skipped.
        """
        heard = self._handlers.has("stepped")
        taken, holders = (0, (("", "stepped"),)) if heard else self._schedule.skip(self, ends, dt)
        if taken == 0:
            self.step(dt, posed=False)
            jump.count(holders)
            return 1
        self.time, self.frame = float(ends[taken - 1]), self.frame + taken
        return taken

    def __reduce__(self) -> NoReturn:
        raise TypeError("a World cannot be pickled or copied. Use world.save(path) and load_world(path, scene).")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Raise RuntimeError if another thread is advancing the world. Until the end of the `with` block, no other
        thread can advance the world.
        """
        self.require_open()
        if not self._stepping.acquire(blocking=False):
            raise RuntimeError("another thread is stepping this world. Use one thread only, or load another world")
        try:
            yield
        finally:
            self._stepping.release()

    def _activate(self) -> None:
        """Make this world the active world of esper. The caller must own the lock."""
        if esper.current_world != self._esper_name:  # a closed world is never the active world
            self.require_open()
            esper.switch_world(self._esper_name)


def _forget(name: str, schedule: Schedule) -> None:
    schedule.close()
    with _esper:
        if esper.current_world == name:
            esper.switch_world("default")
        if name in esper.list_worlds():  # esper creates a world only when the world becomes active for the first time
            esper.delete_world(name)
