"""How kernels become LLVM's instructions: as numba has it, with fewer for what counts references.

Numba takes a value apart, down to each number in it, to find what is counted, and again wherever a name is bound or
dropped: a third of all instructions of our kernels, for records of arrays travel through them. LLVM drops nearly
all of them, after they have been made, printed, parsed and optimised. Here only what is counted is taken out.
It goes into numba's insides, as `pipelines` does.
"""

from collections.abc import Iterator
from typing import Any

from numba.core import types
from numba.core.datamodel.models import DataModel, StructModel, UniTupleModel
from numba.core.lowering import Lower
from numba.core.types.misc import MemInfoPointer

COUNTED = MemInfoPointer(types.voidptr)
_PARTS: dict[DataModel, tuple[tuple[int, ...], ...] | None] = {}


def counted_parts(model: DataModel) -> tuple[tuple[int, ...], ...] | None:
    """Where in a value of this kind counted parts are, as indices from the outside in; None where numba has to ask."""
    if model not in _PARTS:
        _PARTS[model] = _find_parts(model)
    return _PARTS[model]


def _find_parts(model: DataModel) -> tuple[tuple[int, ...], ...] | None:
    inner = _members(model)
    if inner is None:
        return None
    parts = [counted_parts(member) for member in inner]
    if None in parts:
        return None
    own = [()] if model.has_nrt_meminfo() else []
    return (*own, *((at, *part) for at, found in enumerate(parts) for part in found or ()))


def _members(model: Any) -> tuple[DataModel, ...] | None:
    """What values of this kind are made of; None where numba does not take members out by their index."""
    match type(model).traverse:
        case StructModel.traverse:
            return tuple(model._models)
        case UniTupleModel.traverse:
            return (model._elem_model,) * int(model._count)
        case DataModel.traverse:
            return ()
        case _:
            return None


class ThriftyLower(Lower):
    """Lowering with as few instructions for references as there are references."""

    def incref(self, typ: types.Type, val: Any) -> None:
        parts = self._parts(typ)
        if parts is None:
            super().incref(typ, val)
        for counted in self._taken_out(parts, val):
            self.context.nrt.incref(self.builder, COUNTED, counted)

    def decref(self, typ: types.Type, val: Any) -> None:
        parts = self._parts(typ)
        if parts is None:
            super().decref(typ, val)
        for counted in self._taken_out(parts, val):
            self.context.nrt.decref(self.builder, COUNTED, counted)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """As numba's, but nothing is read of what is overwritten and holds no reference."""
        if self._is_plain(name) and name not in self._singly_assigned_vars:
            self.builder.store(value, self.getvar(name))
        else:
            super().storevar(value, name, argidx)

    def delvar(self, name: str) -> None:
        """As numba's, but what holds no reference is not overwritten by nothing."""
        if not self._is_plain(name):
            super().delvar(name)
        elif name not in self._blk_local_varmap:
            self._singly_assigned_vars.discard(name)

    def _parts(self, kind: types.Type) -> tuple[tuple[int, ...], ...] | None:
        return counted_parts(self.context.data_model_manager[kind]) if self.context.enable_nrt else ()

    def _is_plain(self, name: str) -> bool:
        """Whether a variable holds no reference, in code that nobody debugs."""
        return not self._disable_sroa_like_opt and self._parts(self.typeof(name)) == ()

    def _taken_out(self, parts: tuple[tuple[int, ...], ...] | None, value: Any) -> Iterator[Any]:
        for part in parts or ():
            yield self.builder.extract_value(value, part) if part else value
