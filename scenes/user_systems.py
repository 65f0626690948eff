"""User systems. A scene file names user systems, or a Python program passes user systems to `load_scene`."""

import inspect
from collections.abc import Sequence
from typing import Any

from ecs_anim.ecs.world import World
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.schema import SystemModel
from ecs_anim.scenes.user_code import Code
from ecs_anim.scenes.user_modules import faults_told
from ecs_anim.support.errors import InputError
from ecs_anim.systems.chunk import Side
from ecs_anim.systems.placement import Placed, System


def own_systems(scene: SceneFile, code: Code, brought: Sequence[tuple[System, Side, str]]) -> tuple[Placed, ...]:
    """Return the user systems that the scene names, in the order of the scene file.

    The systems in the argument `brought` follow. Raises InputError.
    """
    placed = []
    for index, model in enumerate(scene.model.systems):
        origin = f"{scene.label}: systems[{index}]"
        placed.append(Placed(_construct(model, code, origin), *_place(model), origin))
    return (*placed, *(_brought(index, entry) for index, entry in enumerate(brought)))


def set_up(placed: Sequence[Placed], world: World) -> None:
    """Call the `setup` methods of user systems before the first poses of the world. Raises InputError if a method
    raises an error.
    """
    for own in placed:
        if hasattr(own.system, "setup"):
            kind = type(own.system)
            with faults_told(own.origin, f"{kind.__name__}.setup", kind.__module__):
                own.system.setup(world)


def _construct(model: SystemModel, code: Code, origin: str) -> Any:
    kind = code.find_class(model.module, model.system, origin, "system")
    _require_options(model, kind, origin)
    with faults_told(origin, model.module, code.name_of(model.module)):
        return kind(**model.options)


def _require_options(model: SystemModel, kind: type, origin: str) -> None:
    """Raise InputError if the scene contains an option that the constructor of the class does not have."""
    try:
        signature = inspect.signature(kind)
    except (TypeError, ValueError):  # Python does not know the signature of the constructor
        return
    try:
        signature.bind(**model.options)
    except TypeError as error:
        takes = ", ".join(map(str, signature.parameters.values())) or "none"
        raise InputError(
            f"{origin}.options: {model.system} rejects the options ({error}). Use only the options of"
            f" {model.system}: {takes}"
        ) from None


def _place(model: SystemModel) -> tuple[Side, str]:
    if model.before is not None:
        return "before", model.before
    assert model.after is not None  # the schema requires `after` or `before`
    return "after", model.after


def _brought(index: int, entry: tuple[System, Side, str]) -> Placed:
    """Check a tuple of the caller, and return the placed system.

    The tuple contains a system, "before" or "after", and the name of another system.
    """
    origin = f"load_scene: systems[{index}]"
    if not (isinstance(entry, tuple) and len(entry) == 3 and entry[1] in ("before", "after")):
        raise InputError(
            f"{origin}: the entry must be a tuple of a system, 'before' or 'after', and the name of another"
            f" system (got {entry!r}). Write a tuple such as (Wind(), 'after', 'steering')."
        )
    if isinstance(entry[0], type):
        raise InputError(
            f"{origin}: {entry[0].__name__} must be an instance of the class (got the class). Write"
            f" {entry[0].__name__}(...)."
        )
    return Placed(*entry, origin)
