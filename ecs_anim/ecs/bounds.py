"""Rules for the values of components' changing fields.

The type hint of a field declares its rules. When a world is restored from a snapshot, the rules check the values in the
snapshot file.

    state: Annotated[Column[np.int32], Index("machine.state_names")]
    phase: ShareColumn

If the fields of a component depend on each other, the component also has a method `flaw(beside)`, which checks these
relations. Kernels do not check the values again, so a snapshot that breaks a rule must be rejected here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Column, Rule, fields_of
from ecs_anim.support.arguments import LARGEST

NEARLY_UNIT = 0.01  # largest error of the squared length of a unit quaternion


class Beside(NamedTuple):
    """The values beside a checked field: all components of the field's entity, and the time of the world."""

    components: Mapping[str, Any]  # components of the entity, by class name
    time: float  # [s], time of the world

    def find(self, owner: object, path: str) -> Any:
        """Return the value at a path such as "Character.motions".

        The path begins with a field of `owner` or with the class name of a component.
        """
        first, *names = path.split(".")
        found = getattr(owner, first) if hasattr(owner, first) else self.components[first]
        for name in names:
            found = getattr(found, name)
        return found


@dataclass(frozen=True)
class Within(Rule):
    """A rule: numbers must be between `low` and `high`, both included. NaN is valid only if `or_nan` is true."""

    low: float
    high: float
    or_nan: bool = False

    def flaw(self, value: Any, owner: object, beside: Beside) -> str:
        numbers = _extremes(value, self.or_nan) if isinstance(value, np.ndarray) else value
        for number in numbers if isinstance(numbers, list) else [numbers]:
            if not (isinstance(number, int | float | np.number) and self.low <= number <= self.high):
                return f"must be {self.low:.6g} to {self.high:.6g} (got {number!s:.40})"
        return ""


@dataclass(frozen=True)
class Index(Rule):
    """A rule: numbers must be valid indices of the object at `path`.

    The object at `path` is a container or an integer. An integer is the number of valid indices.
    """

    path: str
    or_none: bool = False  # true = -1 is valid
    first: int = 0  # smallest valid number; 1 = the numbers are counts, not indices

    def flaw(self, value: Any, owner: object, beside: Beside) -> str:
        found = beside.find(owner, self.path)
        count = found if isinstance(found, int) else len(found)
        low = -1 if self.or_none else self.first
        return Within(low, count - 1 + self.first).flaw(value, owner, beside)


@dataclass(frozen=True)
class OneOf(Rule):
    """A rule: the value must be an element of `values`."""

    values: tuple[object, ...]

    def flaw(self, value: Any, owner: object, beside: Beside) -> str:
        return "" if value in self.values else f"must be one of {', '.join(map(str, self.values))}"


@dataclass(frozen=True)
class Unit(Rule):
    """A rule: values must be unit quaternions [..., 4]."""

    def flaw(self, value: NDArray[Any], owner: object, beside: Beside) -> str:
        with np.errstate(over="ignore", invalid="ignore"):
            off = np.abs(np.sum(value * value, axis=-1) - 1)
        return "" if (off <= NEARLY_UNIT).all() else "must be unit quaternions"


SHARE = Within(0.0, 1.0)
NUMBER = Within(-LARGEST, LARGEST)
NOT_NEGATIVE = Within(0.0, LARGEST)
POSITIVE = Within(float(np.finfo(np.float32).tiny), LARGEST)
NUMBER_OR_NAN = Within(-LARGEST, LARGEST, or_nan=True)
FINITE = Within(float(np.finfo(np.float32).min), float(np.finfo(np.float32).max))
COUNT = Within(0, 2**31 - 1)  # counts of objects with int32 indices
TALLY = Within(0, 2**53)  # counts without a limit; some JSON readers cannot represent larger integers exactly

ShareColumn = Annotated[Column[np.float32], SHARE]
NumberColumn = Annotated[Column[np.float32], NUMBER]
NumberOrNanColumn = Annotated[Column[np.float32], NUMBER_OR_NAN]
NotNegativeColumn = Annotated[Column[np.float32], NOT_NEGATIVE]
PositiveColumn = Annotated[Column[np.float32], POSITIVE]


def flaws_of(components: Iterable[object], time: float) -> Iterator[tuple[str, str]]:
    """Yield the path of each invalid field in an entity's components, and a description of the error.

    Relations between fields are checked only if the value of each field is valid.
    """
    own = tuple(components)
    fields, beside = fields_of(own), Beside({type(part).__name__: part for part in own}, time)
    are_sound = True
    for field in fields:
        for rule in (_TRUTH, *field.rules):
            if text := rule.flaw(field.value, field.owner, beside):
                yield field.path, text
                are_sound = False
    if not are_sound:
        return
    owners = {id(field.owner): (field.path.rpartition(".")[0], field.owner) for field in fields}
    for path, owner in (*owners.values(), *((type(part).__name__, part) for part in own if id(part) not in owners)):
        ask = getattr(owner, "flaw", None)
        if callable(ask) and (text := ask(beside)):
            yield path, text


class _Truth(Rule):
    """A rule: each byte of a boolean array must be 0 or 1, as numpy requires."""

    def flaw(self, value: Any, owner: object, beside: Beside) -> str:
        if isinstance(value, np.ndarray) and value.dtype == np.bool_ and value.size and value.view(np.uint8).max() > 1:
            return "must contain only the bytes 0 and 1"
        return ""


_TRUTH = _Truth()


def _extremes(values: NDArray[Any], or_nan: bool) -> list[Any]:
    """Return the smallest and the largest number in `values`, or [] if `values` has no numbers.

    If `or_nan` is false and `values` contain NaN, the returned numbers are NaN.
    """
    if not values.size:
        return []
    least, most = (np.fmin, np.fmax) if or_nan else (np.minimum, np.maximum)
    found = [least.reduce(values, axis=None), most.reduce(values, axis=None)]
    return [] if or_nan and np.isnan(found[0]) else found
