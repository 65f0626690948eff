"""Systems of the user's own: those that a scene file names, and those that a caller brings."""

import inspect
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from ecs_anim.ecs.world import World
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.schema import SystemModel
from ecs_anim.scenes.user_modules import faults_told, find_module, run_module
from ecs_anim.support.errors import InputError, nearest
from ecs_anim.systems.placement import Placed, Side, System


def own_systems(scene: SceneFile, allow_code: bool, brought: Sequence[tuple[System, Side, str]]) -> tuple[Placed, ...]:
    """The scene's systems, in the file's order, then those that the caller brings.

    Without `allow_code` no module of the scene is imported. Raises InputError.
    """
    files = find_modules(scene)
    if files and not allow_code:
        code = ", ".join(named_modules(scene))
        raise InputError(
            f"{scene.label}: systems[0].module: the scene wants to run code from {code};"
            " read it, then allow it: --allow-code, or allow_code=True from Python"
        )
    modules: dict[str, ModuleType] = {}  # one module for all its systems, so that they share its components
    placed = []
    for index, (model, file) in enumerate(zip(scene.model.systems, files, strict=True)):
        origin = f"{scene.label}: systems[{index}]"
        if model.module not in modules:
            modules[model.module] = run_module(model.module, file, origin)
        system = _construct(model, modules[model.module], origin)
        placed.append(Placed(system, *_place(model), origin))
    return (*placed, *(_brought(index, entry) for index, entry in enumerate(brought)))


def set_up(placed: Sequence[Placed], world: World) -> None:
    """Let the systems that want it prepare the world: once, before its first pose. Raises InputError."""
    for own in placed:
        if hasattr(own.system, "setup"):
            kind = type(own.system)
            with faults_told(own.origin, f"{kind.__name__}.setup", kind.__module__):
                own.system.setup(world)


def find_modules(scene: SceneFile) -> list[Path | None]:
    """The file of each system's module, None for an importable one; nothing is run. Raises InputError."""
    files = []
    for index, model in enumerate(scene.model.systems):
        try:
            files.append(find_module(model.module, scene.folder))
        except (ValueError, OSError, RuntimeError) as error:  # the last for a loop of links
            raise InputError(f"{scene.label}: systems[{index}].module: {error}") from None
    return files


def named_modules(scene: SceneFile) -> list[str]:
    """What code a scene names, for people: each file with its folder, each importable module by its name."""
    names = {model.module: None for model in scene.model.systems}  # each once, in order
    return [str(scene.folder / name) if name.endswith(".py") else f"the module {name}" for name in names]


def without_systems(scene: SceneFile) -> SceneFile:
    """The scene without the code that it names."""
    return replace(scene, model=scene.model.model_copy(update={"systems": []}))


def _construct(model: SystemModel, module: ModuleType, origin: str) -> Any:
    """An instance of the class that the scene names, with its options."""
    kind = getattr(module, model.system, None)
    if not isinstance(kind, type):
        own = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise InputError(
            f"{origin}.system: {model.module} has no class {model.system!r};{nearest(model.system, own)}"
            f" its classes are: {', '.join(own) or 'none'}"
        )
    _require_options(model, kind, origin)
    with faults_told(origin, model.module, module.__name__):
        return kind(**model.options)


def _require_options(model: SystemModel, kind: type, origin: str) -> None:
    """Options that the constructor does not know are told before it is called."""
    try:
        signature = inspect.signature(kind)
    except (TypeError, ValueError):  # it does not tell
        return
    try:
        signature.bind(**model.options)
    except TypeError as error:
        takes = ", ".join(map(str, signature.parameters.values())) or "none"
        raise InputError(f"{origin}.options: {model.system}: {error}; its options are: {takes}") from None


def _place(model: SystemModel) -> tuple[Side, str]:
    if model.before is not None:
        return "before", model.before
    assert model.after is not None  # the schema sees to it
    return "after", model.after


def _brought(index: int, entry: tuple[System, Side, str]) -> Placed:
    """A caller's (system, "before" or "after", place)."""
    origin = f"load_scene: systems[{index}]"
    if not (isinstance(entry, tuple) and len(entry) == 3 and entry[1] in ("before", "after")):
        raise InputError(f"{origin}: should be (system, 'before' or 'after', place) (got {entry!r})")
    if isinstance(entry[0], type):
        raise InputError(f"{origin}: {entry[0].__name__} is a class; give an instance, {entry[0].__name__}(...)")
    return Placed(*entry, origin)
