"""Budgets: absurd demands end in one line, before anything is made; what is asked for is counted by hand."""

import re
from pathlib import Path

import pytest

from ecs_anim.commands.tables import print_tables
from ecs_anim.components.character import Character
from ecs_anim.gltf.load import load_rig
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene, read_scene
from ecs_anim.support import budgets, memory
from ecs_anim.support.budgets import BUDGETS, Spending, excess, limit, memory_excess, variable
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import open_sink
from ecs_anim.systems.crowd_handle import crowd
from ecs_anim.systems.queries import actor_count
from tests.builders.gltf_builder import GltfBuilder
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line

RIG = '[rigs.a]\nmodel = "mannequin"\n'
CROWD = '[[crowds]]\nname = "c{}"\nrig = "a"\ncount = {}\nclips = [{{ name = "walk" }}]\n'
DOCS = Path(__file__).parents[2] / "docs" / "limits.md"


def load(text, **options):
    return load_scene(parse_scene(text, "x.toml", Path()), threads=options.pop("threads", 1), **options)


def test_the_page_lists_every_budget_with_its_default():
    rows = re.findall(r"^\| `ECS_ANIM_LIMIT_(\w+)` \| ([\d,]+) \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert {name.lower(): int(most.replace(",", "")) for name, most in rows} == {
        name: budget.most for name, budget in BUDGETS.items()
    }


def test_a_budget_is_told_beyond_its_limit_and_raised_by_its_variable(monkeypatch):
    assert excess("crowds", 1000, "have fewer") is None
    text = excess("crowds", 1001, "have fewer")
    assert text == "1,001 crowds, but the limit is 1,000. Have fewer, or raise ECS_ANIM_LIMIT_CROWDS"
    monkeypatch.setenv(variable("crowds"), "1001")
    assert excess("crowds", 1001, "have fewer") is None
    assert "over 10^15 crowds" in excess("crowds", 10**5000, "have fewer")


@pytest.mark.parametrize("text", ["", "0", "-5", "many", "1e9"])
def test_a_variable_that_is_no_limit_is_told(monkeypatch, text):
    monkeypatch.setenv("ECS_ANIM_LIMIT_ACTORS", text)
    with pytest.raises(
        InputError, match=rf"ECS_ANIM_LIMIT_ACTORS: the value must be a positive integer .*got {text!r}"
    ):
        limit("actors")


def test_spending_adds_up():
    spending = Spending("meshes", "join them")
    assert spending.excess(19_999) is None
    assert spending.excess(1) is None
    assert spending.excess(1).startswith("20,001 meshes")


# Memory


def test_memory_is_the_least_of_what_is_free_and_the_limit(monkeypatch):
    monkeypatch.setattr(budgets, "available_bytes", lambda: 2_000_000_000)
    assert memory_excess(2_000_000_000, "ask for less") is None
    assert memory_excess(3_000_000_000, "ask for less") == "3 GB of memory, but only 2 GB are free. Ask for less"
    monkeypatch.setenv("ECS_ANIM_LIMIT_MEMORY", "1000000000")
    text = "1.5 GB of memory, but the limit is 1 GB. Ask for less, or raise ECS_ANIM_LIMIT_MEMORY"
    assert memory_excess(1_500_000_000, "ask for less") == text
    monkeypatch.setattr(budgets, "available_bytes", lambda: None)
    assert memory_excess(1_500_000_000, "ask for less") == text
    assert memory_excess(900_000_000, "ask for less") is None


def put(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


MACHINE = {"proc/meminfo": "MemTotal: 100 kB\nMemAvailable: 1000000 kB\n", "proc/self/status": "VmSize: 50 kB\n"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 1_024_000_000),
        ({"cgroup/memory.max": "max", "cgroup/memory.current": "5"}, 1_024_000_000),
        ({"cgroup/memory.max": "9000", "cgroup/memory.current": "5000"}, 4000),
        (  # pages of files are freed when they are needed
            {"cgroup/memory.max": "9000", "cgroup/memory.current": "5000", "cgroup/memory.stat": "inactive_file 300\n"},
            4300,
        ),
        (  # a slice's limit holds for the services in it
            {"proc/self/cgroup": "0::/a/b\n", "cgroup/a/memory.max": "700", "cgroup/a/memory.current": "100"},
            600,
        ),
        (  # version 1
            {
                "proc/self/cgroup": "9:cpu:/\n4:memory:/box\n",
                "cgroup/memory/box/memory.limit_in_bytes": "800",
                "cgroup/memory/box/memory.usage_in_bytes": "500",
                "cgroup/memory/box/memory.stat": "inactive_file 1\ntotal_inactive_file 50\n",
            },
            350,
        ),
        ({"cgroup/memory.max": "9000", "cgroup/memory.current": "9500"}, 0),
    ],
)
def test_available_memory_is_what_machine_and_container_leave(tmp_path, monkeypatch, files, expected):
    put(tmp_path, MACHINE | files)
    monkeypatch.setattr(memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "CGROUP", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "_of_hardware", lambda: 10**12)
    assert memory.available_bytes() == expected


def test_available_memory_knows_ulimit(tmp_path, monkeypatch):
    resource = pytest.importorskip("resource")
    put(tmp_path, MACHINE)
    monkeypatch.setattr(memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "CGROUP", tmp_path / "cgroup")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (1_000_000, 1_000_000))
    assert memory.available_bytes() == 1_000_000 - 50 * 1024


# Scenes


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (CROWD.format(0, 1), {"actors": 10**20}, r"--actors: over 10\^15 actors, but the limit is 10,000,000"),
        (CROWD.format(0, 1), {"threads": 10**6}, r"--threads: 1,000,000 threads, but the limit is 1,024"),
        (
            CROWD.format(0, 5) + CROWD.format(1, 10**9),
            {},
            r"x\.toml: crowds\[1\]\.count: 1,000,000,005 actors, but the limit is 10,000,000. Lower",
        ),
        (CROWD.format(0, 10**20), {}, r"crowds\[0\]\.count: over 10\^15 actors"),
        (
            CROWD.format(0, 1) + "".join(f"[rigs.b{k}]\nmodel = 'ball'\n" for k in range(200)),
            {},
            r"x\.toml: rigs: 201 rigs, but the limit is 200",
        ),
        (
            CROWD.format(0, 1) + 257 * "[[crowds.layers]]\nclip = 'lean_left'\n",
            {},
            r"crowds\[0\]\.layers: 257 layers, but the limit is 256",
        ),
        (
            CROWD.format(0, 1)
            + "[crowds.controller]\nstart = 'a'\nstates = { a = 'walk' }\ntransitions = ["
            + 2001 * "{ from = 'any', to = 'a', when = ['finished'] },"
            + "]",
            {},
            r"crowds\[0\]\.controller\.transitions: 2,001 transitions, but the limit is 2,000",
        ),
        (
            CROWD.format(0, 1)
            + "parameters = { v = 0.0 }\n"
            + "".join(
                f"[[crowds.blend_spaces]]\nname = 's{k}'\nparameters = ['v']\n"
                "members = [{ clip = 'idle', at = 0 }, { clip = 'walk', at = 1 }]\n"
                for k in range(101)
            ),
            {},
            r"crowds\.blend_spaces: 101 blend spaces, but the limit is 100",
        ),
        (
            CROWD.format(0, 1) + "variants = [" + 1001 * "'a.png'," + "]",
            {},
            r"crowds\[0\]\.variants: 1,001 images, but the limit is 1,000",
        ),
        (
            CROWD.format(0, 1) + "[ground]\nkind = 'stands'\npitch = [200, 200]\nrows = 100\nsection_width = 3\n",
            {},
            r"ground\.rows: [\d,]+ rows of sections, but the limit is 10,000",
        ),
        (
            "".join(CROWD.format(k, 1) for k in range(1001)),
            {},
            r"x\.toml: crowds: 1,001 crowds, but the limit is 1,000",
        ),
        (
            CROWD.format(0, 1) + "[[timeline]]\nat_seconds = 0.0\nsweep = { seconds = 1.0, sections = 1000 }\n" * 21,
            {},
            r"timeline: 21,000 cues, but the limit is 20,000",
        ),
        (  # 50 crowds, 150 sections, each a thousand times a second at 60 steps
            "".join(CROWD.format(k, 1) for k in range(50))
            + "[[timeline]]\nat_seconds = 0.0\nevery_seconds = 0.001\nsweep = { seconds = 1.0, sections = 150 }\n",
            {},
            r"timeline: 125,125 firings a step, but the limit is 10,000",
        ),
        (  # all at once
            "".join(CROWD.format(k, 1) for k in range(101)) + "[[timeline]]\nat_seconds = 2.0\nset = {}\n" * 100,
            {},
            r"timeline: 10,100 firings a step",
        ),
    ],
)
def test_a_scene_that_asks_for_too_much_is_told(text, options, message):
    with pytest.raises(InputError, match=message):
        load(RIG + text, **options)


def test_a_scene_file_that_never_ends_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_SCENE_BYTES", "100")
    path = tmp_path / "long.toml"
    path.write_text("# " + 99 * "x")
    with pytest.raises(InputError, match=r"long\.toml: .* 101 bytes of scene file, but the limit is 100"):
        read_scene(path)


@pytest.mark.parametrize("text", ["a = " + 100_000 * "[", "a = 1" + 5000 * "0"])
def test_numbers_and_lists_beyond_what_toml_readers_take_are_told(text):
    with pytest.raises(InputError, match=r"x\.toml: (not valid TOML|tables or lists are nested)"):
        parse_scene(text, "x.toml", Path())


def test_crowds_that_play_the_same_share_their_tables():
    motions = RIG + CROWD.format(0, 1) + CROWD.format(1, 2)
    other = CROWD.format(2, 1).replace('"walk"', '"walk", loop = false')
    with load(motions + other) as world:
        first, second, third = (character.motions for _, (character,) in world.query(Character))
    assert first is second
    assert third is not first
    assert [bool(motion.motions[0].loops) for motion in (first, third)] == [True, False]


def test_more_actors_than_there_may_be_are_not_added(monkeypatch):
    with load(RIG + CROWD.format(0, 3)) as world:
        people = crowd(world, "c0")
        with pytest.raises(
            InputError,
            match=r"crowd 'c0' cannot have 1,000,000,000 more actors: 1,000,000,003 actors, but the limit is 10,000,0",
        ):
            people.add(10**9)
        monkeypatch.setattr(budgets, "available_bytes", lambda: 100_000_000)
        with pytest.raises(
            InputError, match=r"1,000,000 more actors: 1.6 GB of memory, but only 0.1 GB are free. Add fewer"
        ):
            people.add(10**6)
        assert actor_count(world) == 3
        people.add(5)
        assert actor_count(world) == 8


# Models


def test_a_model_of_too_many_joints_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_JOINTS", "3")
    builder = GltfBuilder(nodes=[{}] * 4)
    with pytest.raises(InputError, match=r"model\.glb: nodes: 4 joints, but the limit is 3"):
        load_rig(builder.write(tmp_path / "model.glb"))


@pytest.mark.parametrize(
    ("name", "most", "message"),
    [
        ("VERTICES", 9, None),
        (
            "VERTICES",
            8,
            r"too large. The mesh of nodes\[2\] exceeds a limit: 9 vertices and corners, but the limit is 8",
        ),
        ("MESHES", 3, None),
        (
            "MESHES",
            2,
            r"too large. The mesh of nodes\[2\] exceeds a limit: 3 meshes, but the limit is 2. Join",
        ),
    ],
)
def test_copies_of_a_mesh_count(tmp_path, monkeypatch, name, most, message):
    """Three nodes draw one triangle without indices."""
    monkeypatch.setenv(f"ECS_ANIM_LIMIT_{name}", str(most))
    builder = GltfBuilder()
    triangle = builder.triangle()
    for _ in range(3):
        builder.add("nodes", mesh=triangle)
    path = builder.write(tmp_path / "model.glb")
    if message is None:
        assert len(load_rig(path).meshes) == 3
    else:
        with pytest.raises(InputError, match=message):
            load_rig(path)


def test_a_clip_that_never_ends_is_told(tmp_path):
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.triangle())
    times = builder.accessor([0, 1e6], min=[0], max=[1e6])
    turns = builder.accessor([[0, 0, 0, 1], [0, 0, 1, 0]], kind="VEC4")
    channel = {"sampler": 0, "target": {"node": 0, "path": "rotation"}}
    builder.add("animations", name="long", samplers=[{"input": times, "output": turns}], channels=[channel])
    rig = load_rig(builder.write(tmp_path / "model.glb"))
    with pytest.raises(
        InputError, match=r"clip 'long' of 1e\+06 s needs too many rows .15000000 rows of .* but the limit is"
    ):
        build_tables(rig.skeleton, list(rig.clips.values()))


# The command


@pytest.mark.parametrize("name", ["frames", "film.mp4", "film.gif"])
def test_too_many_pictures_are_told_before_any_is_made(tmp_path, name):
    with pytest.raises(InputError, match=rf"{name}: 100,001 pictures, but the limit is 100,000. Draw fewer"):
        open_sink(tmp_path / name, 60, 64, 64, 100_001)
    assert not list(tmp_path.iterdir())
    with open_sink(tmp_path / "last.png", 60, 64, 64, 100_001):
        pass


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--size", "100000x100000"], "10,000,000,000 pixels, but the limit is 268,435,456"),
        (["--size", "1" + 5000 * "0" + "x10"], "must be a width and a height of at least 1 pixel, such as 1280x720"),
        (["--actors", "1" + 20 * "0"], "over 10^15 actors, but the limit is 10,000,000"),
        (["--threads", "1000000"], "1,000,000 threads, but the limit is 1,024"),
        (["--frames", "1" + 12 * "0"], "1,000,000,000,000 steps, but the limit is 1,000,000,000"),
    ],
)
def test_absurd_options_end_in_one_line(options, message):
    assert_one_line(ecs_anim("run", "single", *options), message)


def test_long_tables_show_their_first_rows_and_tell_of_the_others(capsys):
    print_tables({"joints": [{"name": f"joint-{k}"} for k in range(10_000)], "clips": [{"name": "walk"}]})
    out = capsys.readouterr().out
    assert re.findall(r"joint-\d+", out) == [f"joint-{k}" for k in range(100)]
    assert "and 9,900 more joints. List all with --json" in out
    assert out.count("--json") == 1


def test_crowds_that_share_their_blend_spaces_count_once():
    space = (
        "parameters = {{ v = 0.0 }}\n[[crowds.blend_spaces]]\nname = 'gait'\nparameters = ['v']\nweight = {}\n"
        "members = [{{ clip = 'idle', at = 0 }}, {{ clip = 'walk', at = 1 }}]\n"
    )
    parse_scene(RIG + "".join(CROWD.format(k, 1) + space.format(k) for k in range(101)), "x.toml", Path())
