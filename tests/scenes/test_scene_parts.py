"""Parts: built-in ones say all that is asked of them, and one of the user's own counts as much, from one file."""

import json
import re
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.stage import Stage
from ecs_anim.ecs.columns import Restarts, Role, fields_of
from ecs_anim.ecs.world import World
from ecs_anim.ik.grounding import new_foot_state
from ecs_anim.kernels.compiling import kernel_modules
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.scenes.crowds import DRAWN, PARTS, CrowdModel
from ecs_anim.scenes.parts.part import Part
from ecs_anim.scenes.schema_base import CrowdTable, Table
from ecs_anim.support.errors import InputError
from ecs_anim.systems.chunk import MEMORIES
from ecs_anim.systems.schedule import ORDER, split_order
from ecs_anim.view.camera import OrbitCamera
from tests.helpers import needs_compiler
from tests.test_cli import assert_one_line, ecs_anim

DT = 1 / 30
SWAY = '''
"""All of a part: its component, its systems, its keys."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.components.palette import Palette
from ecs_anim.ecs.bounds import SHARE, ShareColumn
from ecs_anim.ecs.columns import Column, Restarts
from ecs_anim.scenes.parts.part import Part
from ecs_anim.scenes.schema_base import NotNegative, Table


@dataclass
class Sway:
    reach: float
    ease: ShareColumn  # [actor_count] f32
    steps: Column[np.int32]  # [actor_count] i32, taken
    posed: Annotated[Column[np.int32], Restarts(0)]  # [actor_count] i32, one after the other


class SwayTable(Table):
    ease: tuple[float, float] = (0.25, 0.75)
    reach: NotNegative = 1.0


class SwayKeys(Table):
    sway: SwayTable | None = None
    sway_poses: bool = False


class CountSteps:
    name, components = "count_steps", (Sway,)

    def run(self, chunk, sway):
        sway.steps[chunk.rows] += chunk.dt > 0

    def can_skip(self, sway):
        return True

    def skip(self, chunk, steps, sway):
        sway.steps[chunk.rows] += steps


class Counts:
    """Whether poses are counted."""


class CountPoses:
    name, components = "count_poses", (Sway, Counts)

    def run(self, chunk, sway, counts):
        posed = chunk.write(sway.posed)
        posed += 1


class Swaying(Part[SwayKeys]):
    keys = SwayKeys
    kernels = ("nearest",)
    systems = ((CountSteps, "after", "playback"), (CountPoses, "after", "sampling"))

    def parameters(self, crowd):
        yield ".sway", "gust"

    def build(self, crowd, making):
        low, high = crowd.sway.ease
        if high > 1:
            raise (making.key / ".sway.ease").fault(f"should be 1 at most (got {high:g})")
        ease = making.rng.uniform(low, high, making.count).astype(np.float32)
        yield Sway(crowd.sway.reach, ease, np.zeros(making.count, np.int32), np.zeros(making.count, np.int32))
        if crowd.sway_poses:
            yield Counts()

    def draw(self, crowd, joining):
        yield joining.making.get(Sway), "ease", joining.rng.uniform(*crowd.sway.ease, joining.count)
'''
SCENE = """
[rigs.people]
model = "mannequin"
[[parts]]
module = "sway.py"
part = "Swaying"
[[crowds]]
rig = "people"
count = 12
layout = { kind = "grid", spacing = 3.0 }
clips = [{ name = "walk" }]
sway = { reach = 2.0 }
"""


@pytest.fixture
def scene(tmp_path):
    """Write the scene with its one module; returns the scene's path."""

    def write(more="", old="", new="", code=SWAY):
        (tmp_path / "sway.py").write_text(code)
        assert old in SCENE
        (tmp_path / "scene.toml").write_text(SCENE.replace(old, new, 1) + more)
        return tmp_path / "scene.toml"

    return write


def load(path, **options):
    return ea.load_scene(path, threads=1, allow_code=True, **options)


def own(world: World, name: str):
    """The crowd's component of a class that only the scene's module has."""
    ((entity, _),) = world.query(Crowd)
    return next(part for part in world.components(entity) if type(part).__name__ == name)


def state(world: World) -> dict[str, bytes]:
    """All that a snapshot holds of the actors."""
    fields = [field for entity in world.entities for field in fields_of(world.components(entity))]
    return {
        field.path: field.value.tobytes() if isinstance(field.value, np.ndarray) else repr(field.value)
        for field in fields
    }


class TestOwn:
    def test_it_is_built_from_its_keys_and_runs(self, scene):
        with load(scene()) as world:
            sway = own(world, "Sway")
            assert sway.reach == 2.0
            assert ((sway.ease >= 0.25) & (sway.ease <= 0.75)).all()
            assert len(set(sway.ease.tolist())) > 6
            assert next(world.query(Parameters))[1][0].names == ("gust",)
            for _ in range(5):
                world.step(DT)
            assert sway.steps.tolist() == [5] * 12

    def test_a_crowd_that_does_not_ask_has_nothing_of_it(self, scene):
        path = scene(old="sway = { reach = 2.0 }\n")
        with load(path) as world:
            world.step(DT)
            assert "Sway" not in str(list(state(world)))

    def test_seeds_decide_and_threads_do_not(self, scene):
        def run(**options):
            with ea.load_scene(scene(), allow_code=True, **options) as world:
                world.step(DT)
                ea.crowds(world)[0].add(3)
                return state(world)

        assert run(threads=1) == run(threads=3, chunk_size=5)
        assert run(threads=1)["Sway.ease"] != run(threads=1, seed=5)["Sway.ease"]

    def test_it_is_saved_and_read_back(self, scene, tmp_path):
        path = scene()
        with load(path) as world:
            for _ in range(3):
                world.step(DT)
            ea.crowds(world)[0].add(2)
            world.save(tmp_path / "x.npz")
            world.step(DT)
            expected = state(world)
        with ea.load_world(tmp_path / "x.npz", path, threads=1, allow_code=True) as world:
            assert own(world, "Sway").steps.tolist() == [3] * 12 + [0] * 2
            world.step(DT)
            assert state(world) == expected
        changed = scene(old="reach = 2.0", new="reach = 3.0")
        with pytest.raises(InputError, match=r"x.npz: the snapshot must be from .*or an older version"):
            ea.load_world(tmp_path / "x.npz", changed, threads=1, allow_code=True)

    def test_what_a_snapshot_says_of_it_is_held_against_its_bounds(self, scene, tmp_path):
        path = scene()
        with load(path) as world:
            own(world, "Sway").ease[3] = 1.5
            world.save(tmp_path / "x.npz")
        with pytest.raises(InputError, match=r"Sway.ease must be 0 to 1 \(got 1.5\)"):
            ea.load_world(tmp_path / "x.npz", path, threads=1, allow_code=True)

    def test_it_is_skipped(self, scene):
        with load(scene()) as world, load(scene()) as stepped:
            world.skip(500, DT)
            assert world.jump is not None
            assert world.jump.stepped == 0
            for _ in range(500):
                stepped.step(DT, posed=False)
            stepped_state, skipped = state(stepped), state(world)
            assert own(world, "Sway").steps.tolist() == [500] * 12
            for path in ("Sway.steps", "Playback.phase", "Transforms.translation"):
                assert stepped_state[path] == skipped[path], path

    def test_what_goes_on_from_poses_has_every_step_posed(self, scene):
        with load(scene("sway_poses = true\n")) as world:
            ((entity, _),) = world.query(Crowd)
            assert world.needs_poses(entity) == ("count_poses",)
            begin = own(world, "Sway").posed.copy()
            world.skip(20, DT)
            assert world.jump is not None
            assert world.jump.stepped == 19
            assert (own(world, "Sway").posed - begin).tolist() == [20] * 12
        code = SWAY.replace("(Sway, Counts)\n", '(Sway, Counts)\n    remembers = "nothing"\n')
        with load(scene("sway_poses = true\n", code=code)) as world:
            world.skip(20, DT)
            assert world.jump is not None
            assert world.jump.stepped == 0

    def test_its_rows_move_come_and_go_with_their_actors(self, scene):
        with load(scene()) as world:
            (people,) = ea.crowds(world)
            for _ in range(3):
                world.step(DT)
            ease = dict(zip(people.ids.tolist(), own(world, "Sway").ease.tolist(), strict=True))
            people.remove([0, 4, 11])
            came = people.add(40)
            world.step(DT)
            sway, ids = own(world, "Sway"), people.ids.tolist()
            assert len(sway.ease) == len(sway.steps) == len(ids) == 49
            for row, name in enumerate(ids):
                is_new = name in came
                assert sway.steps[row] == (1 if is_new else 4)
                assert 0.25 <= sway.ease[row] <= 0.75 if is_new else sway.ease[row] == np.float32(ease[name])
            assert len(set(sway.ease.tolist())) > 40

    def test_copies_have_their_models_rows(self, scene):
        with load(scene()) as world:
            (people,) = ea.crowds(world)
            world.step(DT)
            people.add(like=[3, 3, 5])
            assert own(world, "Sway").ease[-3:].tolist() == own(world, "Sway").ease[[3, 3, 5]].tolist()
            assert own(world, "Sway").steps.tolist() == [1] * 15

    def test_what_it_remembers_of_poses_restarts_with_them(self, scene):
        """Compare with a count of the steps in which each actor is near, while the camera goes back and forth."""
        path = scene('sway_poses = true\npath = "auto"\nnear_actors = { count = 4, fade_seconds = 0.0 }\n')
        with load(path) as world:
            ((_, (near,)),) = world.query(Nearness)
            ((_, (stage,)),) = world.query(Stage)
            sway, count = own(world, "Sway"), dict.fromkeys(near.rows.tolist(), 1)
            assert sway.posed[near.rows].tolist() == [1] * 4
            seen = set()
            for step in range(12):
                stage.camera = OrbitCamera(target=(4.0 * (-1) ** (step // 3), 0.0, 0.0), distance=3.0)
                world.step(DT)
                rows = near.rows.tolist()
                count = {row: count.get(row, 0) + 1 for row in rows}
                seen |= set(rows)
                assert sway.posed.tolist() == [count.get(row, 0) for row in range(12)]
            assert len(seen) > 4
            assert max(count.values()) == 3

    def test_baked_crowds_refuse_it_unless_it_says_that_they_can(self, scene):
        with pytest.raises(InputError, match=r"scene.toml: crowds\[0\].sway: a baked crowd can play only plain clips"):
            load(scene('path = "baked"\n'))
        code = SWAY.replace("    keys = SwayKeys\n", '    keys = SwayKeys\n    cpu_only = ("sway_poses",)\n')
        with load(scene('path = "baked"\n', code=code)) as world:
            world.step(DT)
            assert own(world, "Sway").steps.tolist() == [1] * 12
        with pytest.raises(InputError, match=r"crowds\[0\].sway_poses: a baked crowd"):
            load(scene('path = "baked"\nsway_poses = true\n', code=code))

    def test_the_first_run_compiles_its_kernels_together(self, scene, monkeypatch):
        asked = []

        def imported_meanwhile(names):
            asked.append(set(names))
            return nullcontext()

        monkeypatch.setattr("ecs_anim.scenes.build.imported_meanwhile", imported_meanwhile)
        load(scene()).close()
        load(scene(old="sway = { reach = 2.0 }\n")).close()
        assert asked[0] - asked[1] == {"nearest"}
        assert "sampling" in asked[1]

    @needs_compiler
    def test_kernels_of_its_own_compile_as_its_module_is_run(self, scene):
        code = SWAY + (
            "\nfrom ecs_anim.kernels import kernel\n\n\n@kernel('void(int32[::1])')\ndef count(steps):\n"
            "    for row in range(len(steps)):\n        steps[row] += 1\n\n\n"
            "def run(self, chunk, sway):\n    assert count.signatures\n    count(sway.steps[chunk.rows])\n\n\n"
            "CountSteps.run = run\n"
        )
        with load(scene(code=code)) as world:
            assert own(world, "Sway").steps.tolist() == [1] * 12

    def test_from_python_a_class_is_enough(self, scene, tmp_path, monkeypatch):
        path = scene(old='[[parts]]\nmodule = "sway.py"\npart = "Swaying"\n')
        with pytest.raises(InputError, match=r"crowds\[0\].sway: unknown key;"):
            load(path)
        module = ModuleType("sway")
        monkeypatch.setitem(sys.modules, "sway", module)  # where dataclasses look
        exec(SWAY, vars(module))
        with ea.load_scene(path, threads=1, parts=[module.Swaying]) as world:
            world.step(DT)
            world.save(tmp_path / "x.npz")
            expected = state(world)
        with ea.load_world(tmp_path / "x.npz", path, threads=1, parts=[module.Swaying]) as world:
            assert own(world, "Sway").steps.tolist() == [1] * 12
            assert state(world) == expected
        with pytest.raises(InputError, match=r"load_scene: parts\[0\]: Table must be a subclass of the class Part"):
            ea.load_scene(path, parts=[Table])


@pytest.mark.exhaustive
def test_it_shows_in_profile_and_needs_leave(scene, tmp_path):
    scene()
    arguments = ("profile", "scene.toml", "--no-draw", "--frames", 3, "--warmup", 1, "--json", "-")
    result = ecs_anim(*arguments, "--allow-code", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    names = [system["name"] for system in json.loads(result.stdout)["systems"]]
    assert names.index("count_steps") == names.index("playback") + 1
    assert_one_line(
        ecs_anim(*arguments, cwd=tmp_path), "scene.toml: parts[0].module: ", "run code from sway.py", "--allow-code"
    )


@pytest.mark.exhaustive
def test_check_says_which_keys_it_left_alone(scene, tmp_path):
    scene()
    result = ecs_anim("check", "scene.toml", cwd=tmp_path)
    assert result.stdout == (
        "scene.toml: ok, 12 actors. Its Python code was not checked, because this check needs --allow-code: sway.py."
        " The crowd keys that this code defines were not checked either: sway\n"
    )
    assert ecs_anim("check", "scene.toml", "--allow-code", cwd=tmp_path).stdout == "scene.toml: ok, 12 actors\n"


class TestMistakes:
    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("reach = 2.0", "reach = -2.0", "crowds[0].sway.reach: should be greater than or equal to 0 (got -2.0)"),
            ("reach =", "reech =", "crowds[0].sway.reech: unknown key; did you mean 'reach'?"),
            ("{ reach = 2.0 }", "3", "crowds[0].sway: should be a table"),
            ("{ reach = 2.0 }", "{ ease = [0.5] }", "crowds[0].sway.ease"),
            ("{ reach = 2.0 }", "{ ease = [0.5, 1.5] }", "crowds[0].sway.ease: should be 1 at most (got 1.5)"),
            ("sway = {", "swey = {", "crowds[0].swey: unknown key; did you mean 'sway'?"),
            ("layout =", "layuot =", "crowds[0].layuot: unknown key; did you mean 'layout'?"),
            ('"Swaying"', '"Swayin"', "parts[0].part: sway.py has no class 'Swayin'; did you mean 'Swaying'?"),
            (
                '"Swaying"',
                '"CountSteps"',
                "parts[0]: CountSteps must be a subclass of the class Part. Derive CountSteps from",
            ),
            ("part =", "prat =", "parts[0].prat: unknown key; did you mean 'part'?"),
            ("sway.py", "swey.py", "parts[0].module: there is no file"),
            (
                "sway = {",
                "parameters = { gust = 1.0 }\ntriggers = ['gust']\nsway = {",
                "'gust' is already the name of a trigger",
            ),
        ],
    )
    def test_in_the_scene(self, scene, old, new, message):
        with pytest.raises(InputError) as caught:
            load(scene(old=old, new=new))
        assert str(caught.value).startswith(str(scene(old=old, new=new)))
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("    keys = SwayKeys\n", "", "parts[0]: Swaying.keys must be a class with the keys of crowds"),
            ("sway_poses: bool = False", "sway_poses: bool", "Swaying.keys: the key sway_poses must have a default"),
            ("sway_poses: bool = False", "sway_poses: 'Bool' = False", "Swaying.keys: PydanticUndefinedAnnotation: "),
            ("sway_poses: bool = False", "count: int = 3", "parts[0]: crowds already have a key 'count'"),
            ("sway_poses: bool = False", "reach: int = 3", "parts[0]: crowds already have a key 'reach'"),
            (
                '("nearest",)',
                '("neerest",)',
                "there is no module 'neerest' in ecs_anim.kernels; did you mean 'nearest'?",
            ),
            (
                '"after", "sampling"',
                '"behind", "sampling"',
                "Swaying.systems[1]: the entry must be a tuple of a system class, 'before' or 'after'",
            ),
            ('"after", "sampling"', '"after", "samplin"', "Swaying.systems[1].after: there is no system 'samplin'"),
            ("(CountSteps, ", "(CountSteps(), ", "Swaying.systems[0]: the entry must be a tuple of a system class,"),
            (
                "low, high = crowd.sway.ease\n",
                "low, high = 1\n",
                "parts[0]: Swaying, line 68: TypeError: cannot unpack",
            ),
            ("yield Counts()", "yield Sway(1, 1, 1, 1)", "the crowd already has a component of the type Sway"),
            ('yield ".sway", "gust"', 'yield ".sway", "elapsed"', "crowds[0].sway: 'elapsed' is a reserved word"),
            (
                "    def run(self, chunk, sway, c",
                '    remembers = "all"\n    def run(self, chunk, sway, c',
                "remembers must",
            ),
        ],
    )
    def test_in_the_module(self, scene, old, new, message):
        assert old in SWAY
        with pytest.raises(InputError) as caught:
            load(
                scene(
                    "sway_poses = true\n" if "count:" not in new and "reach:" not in new else "",
                    code=SWAY.replace(old, new),
                )
            )
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_rows_of_what_is_no_column_are_told(self, scene):
        with load(scene(code=SWAY.replace('"ease", joining', '"reach", joining'))) as world:
            with pytest.raises(ValueError, match=r"Sway.reach must be a column of the crowd"):
                ea.crowds(world)[0].add(2)
            assert ea.crowds(world)[0].actor_count == 12


class TestTheDocument:
    TEXT = (Path(__file__).resolve().parents[2] / "docs/user-systems.md").read_text("utf-8").split("## A part")[1]

    def test_its_example_does_what_it_says(self, tmp_path):
        (tmp_path / "aging.py").write_text(re.search(r"```python\n(.*?)```", self.TEXT, re.DOTALL)[1])
        (tmp_path / "crossing.toml").write_text(re.search(r"```toml\n(.*?)```", self.TEXT, re.DOTALL)[1])
        with load(tmp_path / "crossing.toml") as world, load(tmp_path / "crossing.toml") as jumped:
            ((_, (looks,)),) = world.query(Appearance)
            young, old = (np.array([*hex_to_linear(color), 1.0]) for color in ("#3d6fa5", "#dddddd"))
            np.testing.assert_allclose(looks.tint, np.tile(young, (40, 1)), atol=1e-6)
            for _ in range(60):
                world.step(DT)
            seconds = own(world, "Aging").seconds[:, None]
            assert 4 <= seconds.min() < seconds.max() <= 9
            np.testing.assert_allclose(looks.tint, young + (old - young) * 60 * DT / seconds, atol=1e-5)
            jumped.skip(60, DT)
            assert jumped.jump is not None
            assert jumped.jump.stepped == 0
            assert state(jumped) == state(world)
            ea.crowds(world)[0].add(5)
            assert own(world, "Aging").age.tolist() == [60] * 40 + [0] * 5
            assert ((own(world, "Aging").seconds >= 4) & (own(world, "Aging").seconds <= 9)).all()


class TestBuiltIn:
    def test_each_key_is_one_parts(self):
        own = {part.keys: part.own_keys for part in PARTS}  # events and curves stand in the tables of clips
        keys = sorted([key for names in own.values() for key in names] + [*CrowdTable.model_fields])
        assert keys == sorted(CrowdModel.model_fields)

    def test_all_are_drawn_from(self):
        assert len(DRAWN) == len(PARTS) == len(set(PARTS))
        assert set(DRAWN) == set(PARTS)

    @pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
    def test_what_it_names_is_there(self, part: Part):
        assert set(part.kernels) <= {*kernel_modules()}
        assert {*part.cpu_keys, *part.cpu_shown} <= {*part.keys.model_fields}
        assert issubclass(part.keys, Table)

    def test_systems_that_make_poses_say_what_they_remember(self):
        _, poses = split_order(ORDER)
        assert all(vars(type(system))["remembers"] in MEMORIES for system in poses)

    def test_feet_restart_as_they_begin(self):
        feet = new_foot_state(3, 2)
        grounding = Grounding(None, None, None, np.ones(3, np.float32), -1, feet)
        columns = [column for column in fields_of([grounding]) if column.item]
        assert [column.item for column in columns] == [*feet._fields]
        for column in columns:
            restarts = column.told(Restarts)
            assert restarts is not None
            np.testing.assert_array_equal(column.value, np.full_like(column.value, restarts.value))
            assert column.role is Role.ACTOR
