"""Python code that a scene names.

The functions of this module list the code, check the permission to run the code, and find classes in the code.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.parts.steering import OwnModel, SteeringModel
from ecs_anim.scenes.schema_base import CodeModel
from ecs_anim.scenes.user_modules import find_module, run_module
from ecs_anim.support.errors import Faults, InputError, not_among


class Named(NamedTuple):
    """A Python module that a scene names."""

    origin: str  # scene file and key, such as "x.toml: systems[0]"
    module: str


@dataclass
class Code:
    """The Python modules that may run for a scene.

    Each module runs only once, so the classes in a module use the same component types.
    """

    files: dict[str, Path | None]  # by name; None for an importable module
    _run: dict[str, ModuleType] = field(default_factory=dict)

    def find_class(self, module: str, name: str, origin: str, key: str) -> type:
        """Return the class `name` in the module `module`. The scene key `key` names the class. Raises InputError."""
        if module not in self._run:
            self._run[module] = run_module(module, self.files[module], origin)
        found = getattr(self._run[module], name, None)
        if not isinstance(found, type):
            own = [name for name, value in vars(self._run[module]).items() if isinstance(value, type)]
            problem = f"{origin}.{key}: {module} has no class"
            raise InputError(not_among(problem, name, own, "its classes are"))
        return found

    def name_of(self, module: str) -> str:
        """Return the Python name of the module `module`. The module must have run before."""
        return self._run[module].__name__


def require_leave(scene: SceneFile, allow_code: bool) -> Code:
    """Return the Python code that the scene names, for execution. Raises InputError if the scene names code and
    `allow_code` is False.
    """
    named, files = named_code(scene), find_modules(scene)
    if named and not allow_code:
        raise InputError(
            f"{named[0].origin}.module: the scene needs to run code from {', '.join(module_names(scene))}."
            " Read the code, and then allow it with --allow-code, or with allow_code=True in Python."
        )
    return Code(files)


def find_modules(scene: SceneFile) -> dict[str, Path | None]:
    """Return the file of each module that a scene names, by name of the module. Raises InputError if a module does not
    exist.

    If Python can import a module by its name, the dictionary contains None for this module. The function does not run
    code.
    """
    files = {}
    with Faults() as faults:
        for named in named_code(scene):
            with faults.kept():
                files[named.module] = _file_of(named, scene.folder)
    return files


def _file_of(named: Named, folder: Path) -> Path | None:
    try:
        return find_module(named.module, folder)
    except (ValueError, OSError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links
        raise InputError(f"{named.origin}.module: {error}") from None


def module_names(scene: SceneFile) -> list[str]:
    """Return the names of a scene's modules for messages. The name of a file includes the folder."""
    names = dict.fromkeys(named.module for named in named_code(scene))
    return [str(scene.folder / name) if name.endswith(".py") else f"the module {name}" for name in names]


def named_code(scene: SceneFile) -> list[Named]:
    """Return all scene keys that name a module."""
    lists: dict[str, list[CodeModel]] = {"parts": [*scene.model.parts], "systems": [*scene.model.systems]}
    listed = {f"{key}[{index}]": model for key, models in lists.items() for index, model in enumerate(models)}
    steering: dict[str, CodeModel] = {f"crowds[{at}].steering.model": own for at, own in steering_code(scene).items()}
    return [Named(f"{scene.label}: {key}", model.module) for key, model in (listed | steering).items()]


def steering_code(scene: SceneFile) -> dict[int, OwnModel]:
    """Return a dictionary from crowd index to steering model.

    The dictionary contains only crowds with a user's model.
    """
    said = [crowd.steering.model if crowd.steering else None for crowd in scene.model.crowds]
    return {index: model for index, model in enumerate(said) if isinstance(model, OwnModel)}


def own_keys(scene: SceneFile) -> list[str]:
    """Return the crowd keys that only user code defines."""
    return list(dict.fromkeys(key for crowd in scene.model.crowds for key in crowd.model_extra or {}))


def without_code(scene: SceneFile) -> SceneFile:
    """Return the scene without user code, and without the keys that only user code defines.

    In the returned scene, the default steering model replaces the user's steering models.
    """
    crowds = [
        CrowdModel.model_construct(**{name: getattr(crowd, name) for name in CrowdModel.model_fields})
        for crowd in scene.model.crowds
    ]
    plain: dict[str, object] = {"model": SteeringModel.model_fields["model"].default, "parameters": {}}
    for index in steering_code(scene):
        steering = crowds[index].steering
        assert steering is not None  # this crowd names a steering model
        crowds[index] = crowds[index].model_copy(update={"steering": steering.model_copy(update=plain)})
    return replace(scene, model=scene.model.model_copy(update={"parts": [], "systems": [], "crowds": crowds}))
