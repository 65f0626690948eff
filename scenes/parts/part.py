"""Parts: the features that a crowd can have. For each part, one class declares all facts about the part.

A part declares:

* Keys: the keys of a crowd that the part reads.
* Components: the components that the part builds from its keys. The part also sets the column values of actors that
join the crowd later.
* Kernels: the kernels that the systems of the part call.
* Keys for the CPU: the keys that a crowd cannot have if the GPU computes its poses.

Components and systems declare all other facts. The fields of a component declare which arrays a snapshot contains, and
which arrays a reset clears. A system declares its own state, and how the world can skip its time steps.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic.fields import FieldInfo

from ecs_anim.ecs.columns import Role, fields_of
from ecs_anim.ground.ground import Ground
from ecs_anim.runtime.motion import Motion, MotionSet
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import CrowdTable, Table
from ecs_anim.systems.chunk import Side
from ecs_anim.walls.walls import Walls

if TYPE_CHECKING:  # these modules read trajectory files, which few scenes need
    from ecs_anim.scenes.recordings import Recorded
    from ecs_anim.storeys.unfolded import Unfolded  # this module imports shapely

Keys = TypeVar("Keys", bound=Table, contravariant=True)
Component = TypeVar("Component")

Drawn = tuple[object, str, NDArray[Any]]  # component or a part of it, name of the column, rows of new actors
Demand = tuple[str, int, str, str]  # name of the budget, amount, key of the crowd, advice for the error
NOTHING: tuple[object, ...] = (None, [], {})  # values that mean that a key is not set


@dataclass(frozen=True, eq=False)
class Making:
    """A crowd during its construction: the inputs that parts need, and the components that parts have already built."""

    key: SceneKey  # key of the crowd in its scene
    crowd: CrowdTable
    crowds: Sequence[CrowdTable]  # all crowds of the scene
    loaded: LoadedRig
    rigs: Mapping[str, LoadedRig]  # all rigs of the scene
    terrain: Ground
    names: tuple[str, ...]  # names of the crowd's parameters
    motions: MotionSet
    count: int  # number of actors; `crowd.count` is the number in the scene file
    rng: np.random.Generator
    recorded: "Recorded | None" = None  # recorded people that the crowd follows
    # probability of each figure of the rig; None = the rig has no figures
    figure_shares: NDArray[np.float64] | None = None
    variants: NDArray[np.int32] | None = None  # [count], variant of each actor if the rig has figures
    walls: Walls | None = None  # walls of the scene
    unfolded: "Unfolded | None" = None  # the unfolded plan of the levels; None = the scene has no levels
    # [n, 2] plan points of actors of other crowds, which additional actors avoid; None = actors ignore other crowds
    occupied: NDArray[np.float64] | None = None
    components: dict[type, Any] = field(default_factory=dict)  # components built so far, by type
    kept: dict["Part[Any]", Any] = field(default_factory=dict)  # data that a part keeps for new actors, by part

    def add(self, component: object) -> None:
        """Add `component` to the crowd. Raises ValueError if the crowd already has a component of this type."""
        if type(component) in self.components:
            raise ValueError(
                f"the crowd already has a component of the type {type(component).__name__}. Add each component"
                " only once."
            )
        self.components[type(component)] = component

    def find(self, kind: type[Component]) -> Component | None:
        """Return the component of the type `kind`, or None if the crowd has no such component."""
        return self.components.get(kind)

    def get(self, kind: type[Component]) -> Component:
        """Return the component of the type `kind`. Raises KeyError if the component does not exist yet."""
        found: Component = self.components[kind]
        return found

    def parameter(self, name: str, key: SceneKey) -> int:
        """Return the column number of the parameter `name`.

        For an unknown name, raises InputError with the most similar known name.
        """
        key.require_among(name, self.names, "the crowd has no parameter")
        return self.names.index(name)

    def weight(self, written: float | str, key: SceneKey) -> tuple[NDArray[np.float32], int]:
        """Return a weight for each actor [count], and the column number of the parameter that sets the weights.

        `written` is a number or the name of a parameter. If `written` is a number, all weights equal `written`, and the
        column number is -1. If `written` is the name of a parameter, all weights are 0. Raises InputError for an
        unknown name.
        """
        if isinstance(written, str):
            return np.zeros(self.count, np.float32), self.parameter(written, key)
        return np.full(self.count, written, np.float32), -1


@dataclass(frozen=True)
class Joining:
    """New actors that join an existing crowd."""

    making: Making  # the crowd's inputs and all its components
    have: int  # number of actors in the crowd now
    count: int  # number of new actors
    positions: NDArray[np.float64]  # [count, 2] plan points [m]
    middle: NDArray[np.float64]  # [2] plan point [m], middle of the actors at the start
    rng: np.random.Generator
    variants: NDArray[np.int32] | None = None  # [count], variant of each new actor if the rig has figures


class Asked(NamedTuple):
    """A part that a crowd uses, with the values of the part's keys."""

    part: "Part[Any]"
    keys: Any  # values of the part's keys in the crowd
    # context for calls of the part: it reports errors of user code
    told: Callable[[], AbstractContextManager[None]] = nullcontext


class Part(Generic[Keys]):
    """Base class of all features of crowds.

    `PARTS` (scenes/crowds.py) lists the built-in parts. `ORDER` (systems/schedule.py) lists the systems of the parts.
    """

    # the keys that the part adds, each with a default; inherited keys belong to another part
    keys: ClassVar[type[Table]]
    # The keys that need poses from the CPU. Crowds with path = "baked" cannot have these keys. None = all keys.
    cpu_only: ClassVar[tuple[str, ...] | None] = None
    # The keys that palettes from the GPU cannot show. Hybrid crowds cannot have these keys either.
    cpu_shown: ClassVar[tuple[str, ...]] = ()
    always: ClassVar[bool] = False  # whether all crowds have this part
    kernels: ClassVar[tuple[str, ...]] = ()  # modules of `ecs_anim.kernels` that the part's systems call
    # Built-in parts only: the modules of stages that correct model matrices.
    corrections: ClassVar[tuple[str, ...]] = ()
    # User parts only: systems, constructed without arguments, and their order relative to another system.
    systems: ClassVar[Sequence[tuple[type, Side, str]]] = ()

    @property
    def own_keys(self) -> Mapping[str, FieldInfo]:
        """Return the scene keys that this part defines, without the keys that its class inherits."""
        inherited = {name for base in self.keys.__bases__ for name in getattr(base, "model_fields", ())}
        return {name: info for name, info in self.keys.model_fields.items() if name not in inherited}

    @property
    def cpu_keys(self) -> tuple[str, ...]:
        """Return the keys that baked crowds cannot have."""
        return tuple(self.own_keys) if self.cpu_only is None else self.cpu_only

    def says(self, crowd: Keys, key: str) -> bool:
        """Return whether the value of the key `key` in a crowd differs from the default."""
        value = getattr(crowd, key)
        return value not in NOTHING and value != self.keys.model_fields[key].get_default(call_default_factory=True)

    def is_wanted(self, crowd: Keys) -> bool:
        """Return whether a crowd uses this part.

        A crowd uses a part if the crowd sets a key of the part, or if all crowds have the part.
        """
        return self.always or any(self.says(crowd, key) for key in self.own_keys)

    def parameters(self, crowd: Keys) -> Iterator[tuple[str, str]]:
        """Yield the scene key and the name of each parameter that this part adds to a crowd."""
        return iter(())

    def motions(self, crowd: Keys, loaded: LoadedRig, key: SceneKey) -> Iterator[Motion]:
        """Yield the motions that a built-in part adds to a crowd, with their parameters. Raises InputError.

        Crowds with equal motion keys (`CrowdModel.said_of_motions`) share motions.
        """
        return iter(())

    def demands(self, crowd: Keys) -> Iterator[Demand]:
        """Yield the amounts of a crowd that budgets limit. Only built-in parts have such amounts.

        The loader calls this method while it reads the scene.
        """
        return iter(())

    def needed_kernels(self, crowd: Keys) -> Iterable[str]:
        """Return the modules of `ecs_anim.kernels` that must be compiled before the construction of a crowd."""
        return self.kernels if self.is_wanted(crowd) else ()

    def require_showable(self, crowd: Keys, making: Making) -> None:
        """Raise InputError if a crowd sets a key that cannot work with skin matrices from the GPU."""
        for key in self.cpu_shown:
            if self.says(crowd, key):
                text = (
                    'this key has no effect on poses that the GPU computes. Leave out the key, or write path = "pose"'
                )
                raise (making.key / f".{key}").fault(text)

    def require_bakeable(self, crowd: Keys, making: Making) -> None:
        """Raise InputError if a crowd with path = "baked" sets one of the part's keys that the GPU does not support."""
        for key in self.cpu_keys:
            if self.says(crowd, key):
                raise (making.key / f".{key}").fault(
                    'a baked crowd can play only plain clips. Leave out this key, or write path = "auto": then near'
                    " actors can use this key."
                )

    def build(self, crowd: Keys, making: Making) -> Iterator[object]:
        """Yield the components that the part builds for a crowd. Raises InputError.

        The caller adds each component to `making.components` before the method builds the next component.
        """
        raise NotImplementedError

    def draw(self, crowd: Keys, joining: Joining) -> Iterator[Drawn]:
        """Yield the values [count or 1, ...] of some columns for new actors.

        In all other columns, each new actor gets the initial values of the crowd's first actor.
        """
        return iter(())


def drawn_rows(owner: object, like: object) -> Iterator[Drawn]:
    """Yield the values of all actor columns of `owner` for new actors.

    The values come from `like`, a component with only the new actors.
    """
    return ((owner, column.name, column.value) for column in fields_of([like]) if column.role is Role.ACTOR)
