"""The site of the documents is built without a warning. Its generated tables match the code."""

import re
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from inspect import isclass, ismodule
from itertools import pairwise

import pytest

import ecs_anim
from ecs_anim.commands.command_line import cli
from ecs_anim.ecs.columns import Role, fields_of
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.systems.schedule import AFTER, BEFORE, ORDER
from tests.helpers import EXHAUSTIVE
from tests.project.documents import ROOT

DOCS = ROOT / "docs"
ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)


@EXHAUSTIVE
def test_it_is_built_without_a_warning(site):
    frame = (site / "concepts/frame.html").read_text("utf-8")
    assert "<svg viewBox" in frame
    assert "from code:" not in frame
    assert not [path for path in site.rglob("*.html") if "generates this part of the page" in path.read_text("utf-8")]
    pages = {path.stem: path.read_text("utf-8") for path in (site / "reference/python").glob("*.html")}
    names = re.sub(r"<[^>]+>", "", "\n".join(pages.values()))
    assert "ArrayLike" in names
    assert "f32 array" in names
    assert not [
        raw
        for raw in ("_NestedSequence", "ndarray[", "dtype[", "&lt;factory&gt;", "alias for the type")
        if raw in names
    ]
    assert "<code" in pages["crowds"].partition("fade_to")[2]


def test_every_mark_has_a_writer_and_every_writer_a_mark(writers):
    pages = "\n".join(path.read_text("utf-8") for path in DOCS.rglob("*.md"))
    assert set(re.findall(r"<!-- from code: (\w+)(?: [\w-]+)? -->", pages)) == writers.keys()


def test_every_mark_tells_readers_of_the_repository_how_to_get_the_part(generators):
    pages = "\n".join(path.read_text("utf-8") for path in DOCS.rglob("*.md"))
    assert len(generators.MARK.findall(pages)) == pages.count("<!-- from code: ") > 20


def test_a_page_contains_the_generated_part_in_place_of_its_mark_and_note(generators, monkeypatch):
    monkeypatch.setattr(generators, "WRITERS", {"whole": lambda: "| a |", "part": lambda name: f"<{name}>"})
    note = generators.NOTE
    page = f"# Title\n\n{note} <!-- from code: whole -->\n\ntext\n\n{note} <!-- from code: part clip-tables -->\n"
    assert generators.fill(page) == "# Title\n\n| a |\n\ntext\n\n<clip-tables>\n"
    without_note = "<!-- from code: whole -->\n"
    assert generators.fill(without_note) == without_note, "a mark without the note is a mistake, so it stays visible"
    with pytest.raises(KeyError, match="nothing"):
        generators.fill(f"{note} <!-- from code: nothing -->")


@EXHAUSTIVE
def test_no_filled_page_contains_the_note(generators):
    pages = [path.read_text("utf-8") for path in DOCS.rglob("*.md")]
    marked = [page for page in pages if generators.NOTE in page]
    filled = "\n".join(map(generators.fill, marked))
    assert len(marked) > 15
    assert [mark for mark in (generators.NOTE, "<!-- from code:") if mark in filled] == []


@EXHAUSTIVE
def test_every_scene_key_is_there_as_the_schema_has_it(writers):
    page = writers["scene_keys"]()
    schema = SceneModel.model_json_schema()
    models = [schema, *schema["$defs"].values()]
    assert len(re.findall(r"^## ", page, re.MULTILINE)) == len(models)
    keys = [name for model in models for name in model["properties"] if name != "kind"]
    assert sorted(name for name, _ in ROW.findall(page)) == sorted(keys)


@EXHAUSTIVE
@pytest.mark.parametrize(
    ("key", "cells"),
    [
        ("turn_rate_degrees_s", ["number", "degrees/s", "≥ 0", "`60.0`"]),
        ("layout", ["table", "", "", ""]),
        ("path", ['`"pose"` or `"baked"` or `"auto"`', "", "", '`"pose"`']),
        ("vertical_fov_degrees", ["number", "degrees", "> 1 and < 150", "`40.0`"]),
        ("min_distance", ["number", "m", "> 0", "`0.7`"]),
        ("rig", ["text", "", "", "**needed**"]),
        ("tints", ["list of colour", "", "", ""]),
        ("fade_slots", ["whole number", "", "≥ 1 and ≤ 8", "`4`"]),
    ],
)
def test_a_key_tells_type_unit_range_and_default(writers, key, cells):
    """The expected cells were read from the source of the schema."""
    rows = [row for name, row in ROW.findall(writers["scene_keys"]()) if name == key]  # rows of all tables with the key
    assert cells in [row.split(" | ")[:4] for row in rows]


def test_the_frame_is_the_schedule(writers):
    names = [system.name for system in (*BEFORE, *ORDER, *AFTER)]
    rows = ROW.findall(writers["frame_table"]())
    assert [name for name, _ in rows] == names
    assert all(row.split(" | ")[0] and row.split(" | ")[3] for _, row in rows), "each says what it does, and why there"
    diagram = writers["frame_diagram"]()
    places = [diagram.index(f">{name}<") for name in names]
    assert all(before < after for before, after in pairwise(places))


def test_every_component_that_a_system_takes_is_told_of(writers):
    told = {name for name, _ in ROW.findall(writers["component_table"]())}
    assert {component.__name__ for system in ORDER for component in system.components} <= told
    assert "| Read by" not in writers["component_table"]()


@pytest.mark.parametrize("scene", ["throng", "hills"])
def test_a_snapshot_s_columns_are_those_of_a_world(writers, scene):
    told = dict(ROW.findall(writers["snapshot_columns"]()))
    with load_scene(scene, actors=5, threads=1) as world:
        for entity in world.entities:
            for field in fields_of(world.components(entity)):
                name = f"{field.name}.{field.item}" if field.item else field.name
                columns, kept = told[type(field.owner).__name__].split(" | ")
                assert f"`{name}`" in (columns if field.role is Role.ACTOR else kept), field.path


def test_every_public_name_and_every_command_is_there(writers):
    stems = [path.stem for path in (DOCS / "reference/python").glob("*.md")]
    page = "\n".join(map(writers["public_names"], stems))
    listed = re.findall(r"^\.\. (?:auto\w+|py:data):: ecs_anim\.([\w.]+)$", page, re.MULTILINE)
    names = set(listed)
    packages = {name for name in ecs_anim.__all__ if ismodule(getattr(ecs_anim, name))}
    inner = {f"{name}.{own}" for name in packages for own in getattr(ecs_anim, name).__all__}
    assert packages == {"bake", "components", "farm", "gymnasium", "ik", "jupedsim", "mujoco", "streaming", "systems"}
    assert names == (set(ecs_anim.__all__) - packages) | inner
    assert len(names) == len(listed), "each name is on one page"
    assert all(f"[`{name}`](python/" in writers["index_of_names"]() for name in names)
    commands = re.findall(r"^## `ecs-anim ?(.*)`$", writers["commands"](), re.MULTILINE)
    assert commands == ["", *cli.commands]


@EXHAUSTIVE
def test_the_fields_of_each_public_dataclass_are_there_with_their_whole_comments(generators):
    from pages_from_code.docstrings import fields

    things = [getattr(owner, name) for owner in (ecs_anim, ecs_anim.components) for name in owner.__all__]
    classes = [thing for thing in things if isclass(thing) and is_dataclass(thing)]
    assert len(classes) > 20
    for thing in classes:
        expected = [field.name for field in dataclass_fields(thing) if not field.name.startswith("_")]
        assert [name for name, _ in fields(thing)] == expected, thing
    told = dict(fields(ecs_anim.components.Steering))
    assert told["way"].startswith("[actor_count, 3] f32, x and z of the walking direction"), "the first line"
    assert told["way"].endswith("between these systems."), "the last line"
    assert told["route"] == "[actor_count] i32, index in ``asked``; -1 = none", "a type with an equals sign"
    assert dict(fields(ecs_anim.components.Arrival)).keys() >= {"actors", "ids", "time", "goal"}, "a base class"


def test_the_glossary_has_each_word_once_and_in_order():
    text = (DOCS / "concepts/glossary.md").read_text("utf-8")
    words = re.findall(r"^(\w[\w ]*)\n    \S", text, re.MULTILINE)
    assert len(words) > 60
    assert words == sorted(set(words), key=str.lower)


def test_notebooks_are_those_that_the_tutorial_names():
    named = re.findall(r"\(\.\./(notebooks/[\w-]+\.ipynb)\)", (DOCS / "tutorial/notebook.md").read_text("utf-8"))
    assert sorted(named) == sorted(f"notebooks/{path.name}" for path in (DOCS / "notebooks").glob("*.ipynb"))
