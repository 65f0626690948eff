"""Snapshots: files with the changing state of a world.

A world that is restored from a snapshot continues bit-identically.

The header contains the origin and the clock of the world, and all changing fields that are not arrays. Each array is a
separate member of the archive. The name of a member contains the number of the entity and the path of the field, such
as "2.Transforms.translation". Entities are numbered in the order of creation. The fields in a snapshot must match the
fields of the restored world. The reader checks names, types and shapes before it reads an array. Then, the reader
checks the values in each array with the rules of the array's field.
"""

from pathlib import Path
from typing import Any, Protocol, assert_never

import numpy as np

from ecs_anim.ecs.bounds import TALLY, flaws_of
from ecs_anim.ecs.columns import Field, Role, fields_of
from ecs_anim.ecs.snapshot_file import Header, Member, SnapshotFile, shown, write_snapshot

COUNT = "Crowd.actor_count"
LONGEST = 1e12  # [s], largest time of a clock

State = dict[str, Field]  # all changing fields, by name of the archive member


class Saved(Protocol):
    """The methods of a world that snapshots use."""

    time: float
    frame: int
    origin: dict[str, Any]

    @property
    def entities(self) -> tuple[int, ...]:
        """The ids of all entities, in the order of creation."""

    def components(self, entity: int) -> tuple[object, ...]:
        """Return all components of an entity."""


def save_snapshot(world: Saved, path: Path) -> None:
    """Write the changing state of a world to a file. The file appears only after all data is written.

    Raises InputError if the file cannot be written.
    """
    values = {name: field.value for name, field in state_of(world).items()}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    others = {name: value for name, value in values.items() if name not in arrays}
    write_snapshot(path, Header(world.origin, world.time, world.frame, others), arrays)


def restore(world: Saved, snapshot: SnapshotFile) -> None:
    """Restore the state of a world from a snapshot.

    If the snapshot does not fit the world, raise InputError and leave the world unchanged.
    """
    state, header = state_of(world), snapshot.header
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


def state_of(world: Saved) -> State:
    """Return all changing fields of a world. The names contain the number of the entity and the path of the field."""
    return {
        f"{number}.{field.path}": field
        for number, entity in enumerate(world.entities)
        for field in fields_of(world.components(entity))
    }


def _require_clock(snapshot: SnapshotFile) -> None:
    if not 0 <= snapshot.header.time <= LONGEST:
        raise snapshot.fault(
            f"the time in the header of the snapshot must be 0 to {LONGEST:g} s (got {snapshot.header.time!s:.40})"
        )
    if not TALLY.low <= snapshot.header.frame <= TALLY.high:
        raise snapshot.fault(
            f"the frame number in the header of the snapshot must be 0 to {TALLY.high} (got"
            f" {snapshot.header.frame!s:.40})"
        )


def _require_fit(snapshot: SnapshotFile, state: State) -> None:
    """Raise InputError if the file and the world have different fields, or if a field has a different type or shape.

    The function reads only the header and the descriptions of the arrays.
    """
    members, values = snapshot.members, snapshot.header.values
    arrays = {name for name, field in state.items() if isinstance(field.value, np.ndarray)}
    odd = (arrays ^ members.keys()) | ((state.keys() - arrays) ^ values.keys())
    if odd:
        raise snapshot.fault(
            f"the snapshot and this world must have the same fields (the field {shown(min(odd))} is in only one of the"
            " two)"
        )
    for name, field in state.items():
        if name not in arrays:
            if not _is_like(values[name], field.value):
                raise snapshot.fault(f"the value of the field {name} must have the same type as in this world")
            continue
        member, now = members[name], field.value
        shape = _shape(field, member, values.get(f"{name.partition('.')[0]}.{COUNT}"))
        if member.dtype != now.dtype or member.shape != shape:
            wanted, got = f"{now.dtype} {[*shape]}", f"{member.dtype} {[*member.shape]}"
            raise snapshot.fault(f"the field {name} must be an array of {wanted:.60}, as in this world (got {got:.60})")


def _shape(field: Field, member: Member, count: int | None) -> tuple[int, ...]:
    """Return the required shape of a field's array in the file.

    For a crowd, a column must have `count` rows. For any other entity, `count` is None, and the number of rows must not
    change. If the field is not a column, its free axes can have any length.
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
    """Return whether two values from JSON have the same types.

    The values in two dictionaries must also have the same types.

    Two lists can have different lengths.
    """
    if isinstance(now, dict):
        return isinstance(value, dict) and value.keys() == now.keys() and all(_is_like(value[k], now[k]) for k in now)
    return type(value) is type(now)


def _put(snapshot: SnapshotFile, name: str, field: Field, value: Any) -> None:
    try:
        field.put(value)
    except Exception as error:  # setters of properties belong to components of users, so they can raise any error
        raise snapshot.fault(f"this world cannot use the value of the field {name} ({error})") from None


def _require_sound(world: Saved, snapshot: SnapshotFile) -> None:
    """Raise InputError if a value in the snapshot breaks the rules of its field."""
    for number, entity in enumerate(world.entities):
        for path, text in flaws_of(world.components(entity), snapshot.header.time):
            raise snapshot.fault(f"{number}.{path} {text}")
