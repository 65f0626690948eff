"""A former key of a scene file is an error that names the present key."""

import pytest

from ecs_anim.scenes.former_keys import FORMER_KEYS, present_key
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
steering = { goal = [4.0, 0.0], start = 2.0 }
"""
ROWS = [(table, former, present) for table, keys in FORMER_KEYS.items() for former, present in keys.items()]


def keys_of(table):
    return {field.alias or name for name, field in table.model_fields.items()}


@pytest.mark.parametrize(("table", "former", "present"), ROWS, ids=lambda own: getattr(own, "__name__", own))
def test_a_present_key_is_in_its_table_and_a_former_key_is_not(table, former, present):
    assert set(present.split(" or ")) <= keys_of(table)
    assert former not in keys_of(table)


def test_a_former_key_is_an_error_that_names_the_present_key(tmp_path):
    with pytest.raises(InputError) as caught:
        parse_scene(SCENE, "x.toml", tmp_path)
    where = "crowds[0].steering.start"
    assert str(caught.value) == f"x.toml: {where}: this key is now premovement_seconds. Use the new name."


def test_tables_that_extend_a_table_have_its_former_keys():
    table, former, present = ROWS[0]
    assert present_key(former, [type("Extended", (table,), {})]) == present
    assert present_key("rgi", [table]) is None
