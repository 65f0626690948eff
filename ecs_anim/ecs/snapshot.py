"""Snapshots: the changing state of a world in a file. A restored world continues bit-identically.

The header of the file has the world's origin and clock, and the changing fields that are not arrays. Each array is a
member of the archive. The name of a member has the number of the entity, in the order of creation, and the path of the
field: "2.Transforms.translation". A snapshot must fit the world into which it is restored. Names, types and shapes are
checked before an array is read. Values are checked by the rules of their fields before the world takes a step.
"""

from pathlib import Path
from typing import Any, Protocol, assert_never

import numpy as np

from ecs_anim.ecs.bounds import TALLY, flaws_of
from ecs_anim.ecs.columns import Field, Role, fields_of
from ecs_anim.ecs.snapshot_file import Header, Member, SnapshotFile, shown, write_snapshot

COUNT = "Crowd.actor_count"
LONGEST = 1e12  # [s], largest time of a clock

State = dict[str, Field]  # all changing fields, by their names in the file


class Saved(Protocol):
    """The interface of a world that snapshots need."""

    time: float
    frame: int
    origin: dict[str, Any]

    @property
    def entities(self) -> tuple[int, ...]:
        """All entities, in the order of creation."""

    def components(self, entity: int) -> tuple[object, ...]:
        """All components of one entity."""


def save_snapshot(world: Saved, path: Path) -> None:
    """Write a world's state to a file. The file appears when it is complete.

    Raises InputError if the file cannot be written.
    """
    values = {name: field.value for name, field in _state_of(world).items()}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    others = {name: value for name, value in values.items() if name not in arrays}
    write_snapshot(path, Header(world.origin, world.time, world.frame, others), arrays)


def restore(world: Saved, snapshot: SnapshotFile) -> None:
    """Restore a world from a snapshot. If the snapshot does not fit, raise InputError and leave the world unchanged."""
    state, header = _state_of(world), snapshot.header
    _require_clock(snapshot)
    _require_fit(snapshot, state)
    found = header.values | snapshot.read_arrays()
    before = {name: field.value for name, field in state.items()}
    try:
        for name, field in state.items():
            _put(snapshot, name, field, found[name])
        _require_sound(world, snapshot)
    except BaseException:
        for name, field in state.items():
            field.put(before[name])
        raise
    world.time, world.frame = float(header.time), int(header.frame)


def _state_of(world: Saved) -> State:
    return {
        f"{number}.{field.path}": field
        for number, entity in enumerate(world.entities)
        for field in fields_of(world.components(entity))
    }


def _require_clock(snapshot: SnapshotFile) -> None:
    if not 0 <= snapshot.header.time <= LONGEST:
        raise snapshot.fault(f"time must be 0 to {LONGEST:g} [s] (got {snapshot.header.time!s:.40})")
    if not TALLY.low <= snapshot.header.frame <= TALLY.high:
        raise snapshot.fault(f"frame must be 0 to {TALLY.high} (got {snapshot.header.frame!s:.40})")


def _require_fit(snapshot: SnapshotFile, state: State) -> None:
    """Raise InputError unless the file has the fields of the world, with equal types and shapes.

    Reads only the header and the descriptions of arrays.
    """
    members, values = snapshot.members, snapshot.header.values
    arrays = {name for name, field in state.items() if isinstance(field.value, np.ndarray)}
    odd = (arrays ^ members.keys()) | ((state.keys() - arrays) ^ values.keys())
    if odd:
        raise snapshot.fault(f"the fields must be those of this world ({shown(min(odd))} is in one of them only)")
    for name, field in state.items():
        if name not in arrays:
            if not _is_like(values[name], field.value):
                raise snapshot.fault(f"{name} must have the same type as in this world")
            continue
        member, now = members[name], field.value
        shape = _shape(field, member, values.get(f"{name.partition('.')[0]}.{COUNT}"))
        if member.dtype != now.dtype or member.shape != shape:
            wanted, got = f"{now.dtype} {[*shape]}", f"{member.dtype} {[*member.shape]}"
            raise snapshot.fault(f"{name} must be {wanted:.60}, as in this world (got {got:.60})")


def _shape(field: Field, member: Member, count: int | None) -> tuple[int, ...]:
    """Return the shape that the array of a field must have in the file.

    The column of a crowd must have `count` rows. If the entity is not a crowd, `count` is None, and a column must keep
    its number of rows. A kept array can have any length on its free axes.
    """
    match field.role:
        case Role.ACTOR:
            free = {} if count is None else {0: count}
        case Role.KEPT:
            free = {axis: member.shape[axis] for axis in field.free_axes if axis < len(member.shape)}
        case _:
            assert_never(field.role)
    return tuple(free.get(axis, length) for axis, length in enumerate(field.value.shape))


def _is_like(value: Any, now: Any) -> bool:
    """Return whether two JSON values have equal types. Dict values must also have equal types.

    Lists can have different lengths.
    """
    if isinstance(now, dict):
        return isinstance(value, dict) and value.keys() == now.keys() and all(_is_like(value[k], now[k]) for k in now)
    return type(value) is type(now)


def _put(snapshot: SnapshotFile, name: str, field: Field, value: Any) -> None:
    try:
        field.put(value)
    except Exception as error:  # the setter of a property can raise any error
        raise snapshot.fault(f"{name} cannot be set ({error})") from None


def _require_sound(world: Saved, snapshot: SnapshotFile) -> None:
    """Raise InputError if a value breaks a rule of its field."""
    for number, entity in enumerate(world.entities):
        for path, text in flaws_of(world.components(entity), snapshot.header.time):
            raise snapshot.fault(f"{number}.{path} {text}")
