"""The order of user systems among the built-in systems."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ecs_anim.support.errors import InputError, nearest
from ecs_anim.systems.chunk import MEMORIES, ChunkSystem, Side, WorldSystem, memory_of
from ecs_anim.systems.schedule import AFTER, BEFORE, ORDER

System = ChunkSystem | WorldSystem

CHUNKS = "chunks"  # name of all chunk systems together, for the placement of world systems
TAKEN = ("draw", CHUNKS)  # reserved names, because reports contain other times under these names


@dataclass(frozen=True)
class Placed:
    """A user's system. The system runs before or after the system with the name `place`."""

    system: System
    side: Side
    place: str
    origin: str  # description in messages, such as "x.toml: systems[0]"


class Stages(NamedTuple):
    """The arguments of `ChunkedSchedule`: the chunk systems, and the world systems before and after the chunks."""

    order: tuple[ChunkSystem, ...]
    before: tuple[WorldSystem, ...]
    after: tuple[WorldSystem, ...]


@dataclass(frozen=True)
class _Marker:
    """A placeholder for other systems in a list of systems."""

    name: str


def place_systems(placed: Sequence[Placed]) -> Stages:
    """Return the built-in systems together with the user systems in `placed`.

    If several systems have the same placement, they keep their order in `placed`.

    A chunk system can run before or after another chunk system. A world system can run before or after another world
    system, or before or after "chunks". The other system can be a built-in system or an earlier system in `placed`.
    Raises InputError if a system or its placement is invalid.
    """
    world_line: list[WorldSystem | _Marker] = [*BEFORE, _Marker(CHUNKS), *AFTER]
    known = {True: [system.name for system in ORDER], False: [system.name for system in world_line]}
    for own in placed:
        _require_shape(own)
        _require_new_name(own, [*known[True], *known[False]])
        _require_place(own, known)
        known[is_chunk_system(own.system)].append(own.system.name)
    order = _insert(ORDER, [own for own in placed if is_chunk_system(own.system)])
    whole = _insert(world_line, [own for own in placed if not is_chunk_system(own.system)])
    middle = [system.name for system in whole].index(CHUNKS)
    return Stages(tuple(order), tuple(whole[:middle]), tuple(whole[middle + 1 :]))


def is_chunk_system(system: object) -> bool:
    """Return whether a system runs on chunks. Only chunk systems declare types of components."""
    return hasattr(system, "components")


Beside = dict[tuple[Side, str], list[Any]]  # systems by side and by the name of their neighbour


def _insert(line: Iterable[Any], placed: Sequence[Placed]) -> list[Any]:
    """Return the systems in `line`, with each system in `placed` directly before or after its requested neighbour."""
    beside: Beside = defaultdict(list)
    for own in placed:
        beside[own.side, own.place].append(own.system)
    return _with_neighbours(line, beside)


def _with_neighbours(systems: Iterable[Any], beside: Beside) -> list[Any]:
    """Return the given systems, and all systems that are placed before or after one of the returned systems."""
    found: list[Any] = []
    for system in systems:
        found += _with_neighbours(beside["before", system.name], beside)
        found.append(system)
        found += _with_neighbours(beside["after", system.name], beside)
    return found


def _require_shape(own: Placed) -> None:
    """Raise InputError if the name, the component types or the method arguments of a system are invalid."""
    system, class_name = own.system, type(own.system).__name__
    name, components = getattr(system, "name", None), getattr(system, "components", None)
    if not (isinstance(name, str) and name):
        raise InputError(f"{own.origin}: {class_name} must have a name. Give the class a name, such as name = 'wind'.")
    if is_chunk_system(system) and not (
        isinstance(components, tuple) and all(isinstance(part, type) for part in components)
    ):
        raise InputError(
            f"{own.origin}: {class_name}.components must be a tuple of component classes. Write a tuple such as"
            " (Transforms,)."
        )
    wanted = ["chunk", *(part.__name__ for part in components)] if components is not None else ["world", "dt"]
    _require_method(own, "run", wanted)
    if hasattr(system, "setup"):
        _require_method(own, "setup", ["world"])
    _require_skipping(own, wanted)
    if is_chunk_system(system) and memory_of(system) not in MEMORIES:
        known = ", ".join(map(repr, MEMORIES))
        raise InputError(f"{own.origin}: {class_name}.remembers must be one of {known} (got {memory_of(system)!r})")


def _require_skipping(own: Placed, wanted: Sequence[str]) -> None:
    """Raise InputError if a system has only some of the methods for skipping steps."""
    if not is_chunk_system(own.system):
        if hasattr(own.system, "free_steps"):
            _require_method(own, "free_steps", ["world", "ends"])
    elif hasattr(own.system, "can_skip") or hasattr(own.system, "skip"):
        _require_method(own, "can_skip", wanted[1:])
        _require_method(own, "skip", ["chunk", "steps", *wanted[1:]])


def _require_method(own: Placed, name: str, wanted: Sequence[str]) -> None:
    method = getattr(own.system, name, None)
    if not (callable(method) and _takes(method, len(wanted))):
        where = _line_of(method) if callable(method) else ""
        class_name = type(own.system).__name__
        raise InputError(
            f"{own.origin}: {where}{class_name} must have a method {name}(self, {', '.join(wanted)}). Correct the"
            " class."
        )


def _takes(method: Callable[..., object], count: int) -> bool:
    """Return whether a method accepts `count` arguments."""
    try:
        inspect.signature(method).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # the signature is unknown
        return True
    return True


def _line_of(method: Callable[..., object]) -> str:
    """Return the position of a Python method, such as 'wind.py, line 12: ', or ''."""
    code = getattr(inspect.unwrap(method), "__code__", None)
    return f"{Path(code.co_filename).name}, line {code.co_firstlineno}: " if code else ""


def _require_new_name(own: Placed, taken: Sequence[str]) -> None:
    name = own.system.name
    if name in taken or name in TAKEN:
        raise InputError(
            f"{own.origin}: a system with the name {name!r} exists already. Give {type(own.system).__name__}"
            " another name."
        )


def _require_place(own: Placed, known: dict[bool, list[str]]) -> None:
    chunked = is_chunk_system(own.system)
    if own.place in known[chunked]:
        return
    class_name, places = type(own.system).__name__, ", ".join(known[chunked])
    if own.place in known[not chunked]:
        if chunked:
            reason = f"{class_name} has components and runs chunk by chunk"
        else:
            reason = f"{class_name} has no components and runs before or after all chunks"
        raise InputError(
            f"{own.origin}.{own.side}: {reason}, so the system cannot run next to {own.place!r}. Name one of the"
            f" systems: {places}"
        )
    hint = nearest(own.place, [*known[True], *known[False]])
    raise InputError(
        f"{own.origin}.{own.side}: there is no system {own.place!r};{hint} use one of these names: {places}"
    )
