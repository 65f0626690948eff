"""A scene key contains its unit, if its description states one. Metres and pixels are the units of plain names."""

import re
from collections.abc import Iterator

import pytest
from pydantic import BaseModel, Field

from ecs_anim.scenes.loader import _tables_in
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.scenes.schema_base import Table

UNIT = re.compile(r"\[((?:1|m|mm|s|ms|Hz|degrees|radians|pixels)(?:/s(?:\^2)?)?)\]")
SUFFIXES = {
    "s": "seconds",
    "ms": "milliseconds",
    "Hz": "_hz",
    "1/s": "_per_second",
    "mm": "_mm",
    "m/s": "_m_s",
    "m/s^2": "_m_s2",
    "degrees": "_degrees",
    "degrees/s": "_degrees_s",
}
PLAIN = ("m", "pixels")


def keys(table: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[tuple[str, str]]:
    """Yield the key and the description of all fields of a table and of the tables in it."""
    if table in seen:
        return
    seen.add(table)
    for name, field in table.model_fields.items():
        yield field.alias or name, field.description or ""
        for inner in _tables_in(field.annotation):
            yield from keys(inner, seen)


def without_unit(table: type[BaseModel]) -> list[str]:
    """Return the keys whose descriptions state a unit that the key does not contain."""
    return [
        f"{key} [{unit}]"
        for key, description in keys(table, set())
        for unit in UNIT.findall(description)
        if unit not in PLAIN and not key.endswith(SUFFIXES[unit])
    ]


def test_keys_contain_their_units():
    assert without_unit(SceneModel) == []


@pytest.mark.parametrize("unit", SUFFIXES)
def test_a_key_without_its_unit_is_found(unit):
    class Inner(Table):
        wait: float = Field(0.0, description=f"[{unit}] of something")

    class Outer(Table):
        inner: list[Inner] = Field([], description="[m], as a list")

    assert without_unit(Outer) == [f"wait [{unit}]"]
