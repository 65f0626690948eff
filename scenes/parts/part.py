"""Parts: what a crowd can have, each declared in one place.

A part declares:

* the keys of a crowd that it reads
* the components that it builds from them, and the rows of actors that come later
* the kernels that its systems call
* the keys that crowds posed by the GPU can have

Each owner declares the rest. The fields of a component declare what is saved and what begins anew. A system declares
what it remembers and how it skips.
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

if TYPE_CHECKING:  # they read files of trajectories, which few scenes have
    from ecs_anim.scenes.recordings import Recorded

Keys = TypeVar("Keys", bound=Table, contravariant=True)
Component = TypeVar("Component")

Drawn = tuple[object, str, NDArray[Any]]  # a component, or what it holds; the name of its column; rows of newcomers
Demand = tuple[str, int, str, str]  # a budget, how much of it, the key of the crowd that asks, and what to do
NOTHING: tuple[object, ...] = (None, [], {})  # values of a key that is not set


@dataclass(frozen=True, eq=False)
class Making:
    """A crowd in the making: what its parts are built from."""

    key: SceneKey  # of the crowd in its scene
    crowd: CrowdTable
    crowds: Sequence[CrowdTable]  # all of the scene's
    loaded: LoadedRig
    rigs: Mapping[str, LoadedRig]  # all of the scene's
    terrain: Ground
    names: tuple[str, ...]  # of the crowd's parameters
    motions: MotionSet
    count: int  # actors; `crowd.count` are those that the scene file was written for
    rng: np.random.Generator
    recorded: "Recorded | None" = None  # people of a file that the crowd follows
    figure_shares: NDArray[np.float64] | None = None  # how often it draws each figure of its rig; None = there are none
    variants: NDArray[np.int32] | None = None  # [count] of the actors, where the rig has figures
    walls: Walls | None = None  # of the scene
    components: dict[type, Any] = field(default_factory=dict)  # built so far, by type
    kept: dict["Part[Any]", Any] = field(default_factory=dict)  # what parts keep from building, to draw newcomers by

    def add(self, component: object) -> None:
        """Give the crowd a component. Raises ValueError for a second one of a type."""
        if type(component) in self.components:
            raise ValueError(f"the crowd has a component {type(component).__name__} already")
        self.components[type(component)] = component

    def find(self, kind: type[Component]) -> Component | None:
        """A component that the crowd has, if it has one of this type."""
        return self.components.get(kind)

    def get(self, kind: type[Component]) -> Component:
        """A component that every crowd has by now. Raises KeyError."""
        found: Component = self.components[kind]
        return found

    def parameter(self, name: str, key: SceneKey) -> int:
        """A parameter's column. Raises InputError with the nearest right name."""
        key.require_among(name, self.names, "the crowd has no parameter")
        return self.names.index(name)

    def weight(self, written: float | str, key: SceneKey) -> tuple[NDArray[np.float32], int]:
        """A weight [count] as it is written, or 0 and the column of the parameter that it is. Raises InputError."""
        if isinstance(written, str):
            return np.zeros(self.count, np.float32), self.parameter(written, key)
        return np.full(self.count, written, np.float32), -1


@dataclass(frozen=True)
class Joining:
    """Actors that join an existing crowd."""

    making: Making  # as the crowd was made, with all its components
    have: int  # actors that the crowd has now
    count: int  # of the newcomers
    positions: NDArray[np.float64]  # [count, 2] plan points [m]
    middle: NDArray[np.float64]  # [2] plan point [m], of the actors that the crowd began with
    rng: np.random.Generator
    variants: NDArray[np.int32] | None = None  # [count] of the newcomers, where the rig has figures


class Asked(NamedTuple):
    """A part that a crowd wants."""

    part: "Part[Any]"
    keys: Any  # what the crowd says of the part's keys
    told: Callable[[], AbstractContextManager[None]] = nullcontext  # context of calls: a user's part may fail


class Part(Generic[Keys]):
    """Something that a crowd can have.

    Built-in ones stand in `PARTS` (scenes/crowds.py), and their systems in `ORDER` (systems/schedule.py).
    """

    keys: ClassVar[type[Table]]  # the keys that crowds get, each with a default; what it inherits is another part's
    # The keys that only the CPU can apply to a pose. Crowds of path = "baked" cannot have them. None = all keys.
    cpu_only: ClassVar[tuple[str, ...] | None] = None
    # The keys that no palette of the GPU can show. Hybrid crowds cannot have them either.
    cpu_shown: ClassVar[tuple[str, ...]] = ()
    always: ClassVar[bool] = False  # whether all crowds have it
    kernels: ClassVar[tuple[str, ...]] = ()  # modules of `ecs_anim.kernels` that its systems call
    # Built-in parts only: the modules of stages that work on model matrices.
    corrections: ClassVar[tuple[str, ...]] = ()
    # User parts only: systems, constructed without arguments, each before or after another system by name.
    systems: ClassVar[Sequence[tuple[type, Side, str]]] = ()

    @property
    def own_keys(self) -> Mapping[str, FieldInfo]:
        """The keys that no other part has."""
        inherited = {name for base in self.keys.__bases__ for name in getattr(base, "model_fields", ())}
        return {name: info for name, info in self.keys.model_fields.items() if name not in inherited}

    @property
    def cpu_keys(self) -> tuple[str, ...]:
        """The keys that baked crowds cannot have."""
        return tuple(self.own_keys) if self.cpu_only is None else self.cpu_only

    def says(self, crowd: Keys, key: str) -> bool:
        """Return whether a crowd sets a key, to a value other than the default."""
        value = getattr(crowd, key)
        return value not in NOTHING and value != self.keys.model_fields[key].get_default(call_default_factory=True)

    def is_wanted(self, crowd: Keys) -> bool:
        """Return whether a crowd has this part: always, or because the crowd sets one of its keys."""
        return self.always or any(self.says(crowd, key) for key in self.own_keys)

    def parameters(self, crowd: Keys) -> Iterator[tuple[str, str]]:
        """Return the key and the name of each parameter that this part adds to a crowd."""
        return iter(())

    def motions(self, crowd: Keys, loaded: LoadedRig, key: SceneKey) -> Iterator[Motion]:
        """Return the motions that a built-in part adds to a crowd, with their parameters. Raises InputError.

        Crowds that say the same of their motions (`CrowdModel.said_of_motions`) share them.
        """
        return iter(())

    def demands(self, crowd: Keys) -> Iterator[Demand]:
        """Return the demands of a built-in part that budgets limit; called when a file is read."""
        return iter(())

    def needed_kernels(self, crowd: Keys) -> Iterable[str]:
        """Modules of `ecs_anim.kernels` to compile, before a crowd is made."""
        return self.kernels if self.is_wanted(crowd) else ()

    def require_showable(self, crowd: Keys, making: Making) -> None:
        """Raise InputError where no palette that the GPU makes can show what a crowd asks for."""
        for key in self.cpu_shown:
            if self.says(crowd, key):
                text = 'the GPU cannot show this of a bake; leave it out, or use path = "pose"'
                raise (making.key / f".{key}").fault(text)

    def require_bakeable(self, crowd: Keys, making: Making) -> None:
        """Raise InputError where the GPU cannot pose what a crowd of path = "baked" asks for."""
        for key in self.cpu_keys:
            if self.says(crowd, key):
                text = "a baked crowd plays plain clips, which the GPU poses; leave it out,"
                raise (making.key / f".{key}").fault(f'{text} or use path = "auto", which does it for near actors')

    def build(self, crowd: Keys, making: Making) -> Iterator[object]:
        """Yield the components; each is in `making.components` before the next is built. Raises InputError."""
        raise NotImplementedError

    def draw(self, crowd: Keys, joining: Joining) -> Iterator[Drawn]:
        """Yield rows [count or 1, ...] of newcomers. All other columns get the initial values of the first actor."""
        return iter(())


def drawn_rows(owner: object, like: object) -> Iterator[Drawn]:
    """Return all columns of a component, with the rows of another component that was made for newcomers."""
    return ((owner, column.name, column.value) for column in fields_of([like]) if column.role is Role.ACTOR)
