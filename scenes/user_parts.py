"""User parts. A scene file names user parts, or a Python program passes user parts to `load_scene`."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel

from ecs_anim.kernels.compiling import kernel_modules
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loader import SceneFile, key_path, unknown_key, validated
from ecs_anim.scenes.parts.part import Asked, Part
from ecs_anim.scenes.user_code import Code
from ecs_anim.scenes.user_modules import faults_told
from ecs_anim.support.errors import InputError, nearest
from ecs_anim.systems.chunk import Side
from ecs_anim.systems.placement import Placed


@dataclass(frozen=True)
class OwnPart:
    """An instance of a user's part for one world."""

    part: Part[Any]
    origin: str  # name in messages, such as "x.toml: parts[0]"

    def told(self) -> AbstractContextManager[None]:
        """Return a context manager that converts an error in the code of the part to an InputError.

        The context manager does not change an InputError that the part raises about the scene.
        """
        kind = type(self.part)
        return faults_told(self.origin, kind.__name__, kind.__module__, keeps=True)

    @property
    def keys(self) -> type[BaseModel]:
        """Return the pydantic model with the keys of the part."""
        return self.part.keys


def own_parts(scene: SceneFile, code: Code, brought: Sequence[type[Part[Any]]]) -> tuple[OwnPart, ...]:
    """Return the user parts that the scene names, in the order of the scene file.

    The parts in the argument `brought` follow. Raises InputError.
    """
    origins = [f"{scene.label}: parts[{index}]" for index in range(len(scene.model.parts))]
    named = [
        (code.find_class(model.module, model.part, origin, "part"), origin)
        for model, origin in zip(scene.model.parts, origins, strict=True)
    ]
    named += [(kind, f"load_scene: parts[{index}]") for index, kind in enumerate(brought)]
    found: list[OwnPart] = []
    known = [*CrowdModel.model_fields]
    for kind, origin in named:
        own = _made(kind, origin)
        for key in own.keys.model_fields:
            if key in known:
                raise InputError(f"{origin}: crowds already have a key {key!r}. Rename the key of {kind.__name__}.")
            known.append(key)
        found.append(own)
    return tuple(found)


def own_part_systems(parts: Sequence[OwnPart]) -> Iterator[Placed]:
    """Yield the systems that the classes of `parts` declare. Raises InputError if a declaration is wrong."""
    for own in parts:
        for index, entry in enumerate(own.part.systems):
            origin = f"{own.origin}: {type(own.part).__name__}.systems[{index}]"
            if not (
                isinstance(entry, tuple)
                and len(entry) == 3
                and isinstance(entry[0], type)
                and entry[1] in get_args(Side)
            ):
                raise InputError(
                    f"{origin}: the entry must be a tuple of a system class, 'before' or 'after', and the name of a"
                    f" system (got {entry!r}). Write a tuple such as (Wind, 'after', 'steering')."
                )
            kind, side, place = entry
            with faults_told(origin, kind.__name__, kind.__module__):
                system = kind()
            yield Placed(system, side, place, origin)


def asked_of(parts: Sequence[OwnPart], scene: SceneFile, index: int) -> list[Asked]:
    """Return the user parts that the crowd `index` uses, with the values of each part's keys. Raises InputError."""
    crowd, where = scene.model.crowds[index], ("crowds", index)
    said = crowd.model_extra or {}
    known = [*type(crowd).model_fields, *(key for own in parts for key in own.keys.model_fields)]
    for key in said:
        if key not in known:
            problem = unknown_key(key_path((*where, key)), key, known, [type(crowd)])
            raise InputError(f"{scene.label}: {problem}")
    asked = []
    for own in parts:
        written = {key: value for key, value in said.items() if key in own.keys.model_fields}
        keys = validated(own.keys, written, scene.label, where)
        with own.told():
            if own.part.is_wanted(keys):
                asked.append(Asked(own.part, keys, own.told))
    return asked


def own_kernels(asked: Sequence[Sequence[Asked]]) -> list[str]:
    """Return the modules of `ecs_anim.kernels` that the parts of all crowds need."""
    found: list[str] = []
    for part, keys, told in (own for crowd in asked for own in crowd):
        with told():
            found += part.needed_kernels(keys)
    return list(dict.fromkeys(found))


def _made(kind: type[Part[Any]], origin: str) -> OwnPart:
    if not (isinstance(kind, type) and issubclass(kind, Part)):
        name = getattr(kind, "__name__", repr(kind))
        raise InputError(
            f"{origin}: {name} must be a subclass of the class Part. Derive {name} from"
            " ecs_anim.scenes.parts.part.Part."
        )
    name, keys = kind.__name__, getattr(kind, "keys", None)
    if not (isinstance(keys, type) and issubclass(keys, BaseModel)):
        raise InputError(
            f"{origin}: {name}.keys must be a class with the keys of crowds. Derive the class from"
            " ecs_anim.scenes.schema_base.Table."
        )
    with faults_told(origin, f"{name}.keys", kind.__module__):
        keys.model_rebuild()
    needed = [key for key, info in keys.model_fields.items() if info.is_required()]
    if needed:
        raise InputError(
            f"{origin}: {name}.keys: the key {needed[0]} must have a default, because most crowds do not set this "
            "key. Give the key a default."
        )
    modules = kernel_modules()
    for module in kind.kernels:
        if module not in modules:
            raise InputError(
                f"{origin}: {name}.kernels: there is no module {module!r} in"
                f" ecs_anim.kernels;{nearest(module, modules)} list only modules of ecs_anim.kernels. Do not list your"
                " own kernels, because they compile when your module runs."
            )
    with faults_told(origin, name, kind.__module__):
        return OwnPart(kind(), origin)
