"""Parameters: named numbers of each actor. The part builds the component `Parameters` from parameters and triggers."""

import math
from collections.abc import Iterable, Iterator

import numpy as np
from pydantic import Field

from ecs_anim.components.parameters import Parameters
from ecs_anim.runtime.state_machine import SUBJECTS
from ecs_anim.scenes.parts.part import Drawn, Joining, Making, Part, drawn_rows
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import Finite, Positive, Table

RESERVED = (*SUBJECTS, "time")  # words that a parameter cannot have as its name


class ParameterModel(Table):
    """A named number that each actor has."""

    initial: Finite | tuple[Finite, Finite] = Field(
        0.0, description="initial value, or a range of random initial values"
    )
    max_change_per_second: Positive | None = Field(
        None, description="largest change per second, in the unit of the parameter. Default: no limit"
    )


class ParameterKeys(Table):
    """The parameters and triggers of a crowd."""

    parameters: dict[str, Finite | tuple[Finite, Finite] | ParameterModel] = Field(
        {},
        description="numbers of each actor for blend spaces, layers and the controller: a value, a range of random"
        " values, or a table",
    )
    triggers: list[str] = Field(
        [],
        description="names of triggers. A trigger is a parameter that a program or the timeline sets to cause a"
        " transition. The transition resets the trigger",
    )


class ParameterPart(Part[ParameterKeys]):
    """The parameters of a crowd. Every crowd has this part. Other parts can add parameters to the crowd."""

    keys = ParameterKeys
    always = True
    cpu_only = ()

    def needed_kernels(self, crowd: ParameterKeys) -> tuple[str, ...]:
        """Return the kernels for parameters, if the crowd has parameters or triggers."""
        return ("parameters",) if crowd.parameters or crowd.triggers else ()

    def parameters(self, crowd: ParameterKeys) -> Iterator[tuple[str, str]]:
        """Yield the scene key and the name of each parameter in the scene file."""
        yield from ((".parameters", name) for name in crowd.parameters)
        yield from ((".triggers", name) for name in crowd.triggers)

    def build(self, crowd: ParameterKeys, making: Making) -> Iterator[object]:
        """Build one column for each parameter, with initial values."""
        yield _parameters(crowd, making, making.count, making.rng)

    def draw(self, crowd: ParameterKeys, joining: Joining) -> Iterator[Drawn]:
        """Yield the initial parameter values of new actors."""
        if joining.making.names:
            drawn = _parameters(crowd, joining.making, joining.count, joining.rng)
            yield from drawn_rows(joining.making.get(Parameters), drawn)


def parameter_names(crowd: ParameterKeys, found: Iterable[tuple[str, str]], key: SceneKey) -> tuple[str, ...]:
    """Return the parameter names in `found` without duplicates. The names are in the order of the parameter columns.

    Raises InputError with the scene key of an invalid name.
    """
    names = []
    for own, name in found:
        if name in RESERVED:
            raise (key / own).fault(f"{name!r} is a reserved word of conditions or layers. Choose another name.")
        if own != ".triggers" and name in crowd.triggers:
            raise (key / own).fault(f"{name!r} is already the name of a trigger. Choose another name.")
        names.append(name)
    return tuple(dict.fromkeys(names))


def _parameters(crowd: ParameterKeys, making: Making, count: int, rng: np.random.Generator) -> Parameters:
    names = making.names
    models = [_parameter(crowd.parameters.get(name, 0.0)) for name in names]
    drawn = rng.random((count, len(names)))
    ranges = [m.initial if isinstance(m.initial, tuple) else (m.initial, m.initial) for m in models]
    low, high = np.array(ranges, np.float64).reshape(-1, 2).T
    value = np.ascontiguousarray(low + (high - low) * drawn, np.float32)
    rate = np.array([model.max_change_per_second or math.inf for model in models], np.float32)
    return Parameters(names, frozenset(crowd.triggers), rate, value, value.copy())


def _parameter(written: float | tuple[float, float] | ParameterModel) -> ParameterModel:
    return written if isinstance(written, ParameterModel) else ParameterModel(initial=written)
