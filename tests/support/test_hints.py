"""Type hints: an alias counts as the type that it names, whichever way a library declares the alias."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, Union

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from ecs_anim.ecs.columns import Role, _declared
from ecs_anim.support.array_layouts import Layout, Shape, layout_of
from ecs_anim.support.checked import checked
from ecs_anim.support.hints import classes_in, taken_apart

Scalar = TypeVar("Scalar", bound=np.generic)
Key, Item = TypeVar("Key"), TypeVar("Item")
AnyShape = TypeAliasType("AnyShape", tuple[Any, ...])
# The result of `type Array[Scalar] = ...` on Python 3.12; numpy 2.5 declares `NDArray` in this way.
Array = TypeAliasType("Array", np.ndarray[AnyShape, np.dtype[Scalar]], type_params=(Scalar,))
Swapped = TypeAliasType("Swapped", Mapping[Item, Key], type_params=(Key, Item))
Counts = TypeAliasType("Counts", Union[int, Mapping[str, int]])  # noqa: UP007
Rows = TypeAliasType("Rows", Annotated[Array[np.int32], Shape("actor"), Role.ACTOR])

ARRAYS = [NDArray[np.float32], Array[np.float32], np.ndarray[tuple[int], np.dtype[np.float32]]]


@pytest.mark.parametrize("array", ARRAYS, ids=str)
def test_an_array_is_taken_apart(array):
    assert taken_apart(array)[0] is np.ndarray
    assert np.float32 in classes_in(array)


@pytest.mark.parametrize("array", ARRAYS, ids=str)
def test_a_layout_has_the_type_of_numbers_of_its_array(array):
    assert layout_of(Annotated[array, Shape("row", 3)]) == Layout(np.dtype("float32"), ("row", 3))


def test_a_type_without_alias_is_its_own_origin():
    assert taken_apart(int) == (int, ())
    assert taken_apart(dict[str, int]) == (dict, (str, int))


def test_an_alias_is_its_type():
    assert taken_apart(AnyShape) == (tuple, (Any, ...))
    assert taken_apart(Counts) == (Union, (int, Mapping[str, int]))


def test_the_parameters_of_an_alias_keep_their_names():
    assert taken_apart(Swapped[str, int]) == (Mapping, (int, str))


def test_an_alias_of_a_declared_column_is_one():
    assert layout_of(Rows) == layout_of(Rows | None) == Layout(np.dtype("int32"), ("actor",))
    declared = _declared(Rows)
    assert declared is not None
    assert declared.role is Role.ACTOR


def test_arguments_are_checked_against_the_type_of_an_alias():
    @checked
    def grow(by: Counts) -> None:
        """Accept both types of the union."""

    grow(2)
    grow({"left": 1})
    with pytest.raises(TypeError, match=r"by must be a whole number or a dict, each a whole number \(got 'x'\)"):
        grow("x")
