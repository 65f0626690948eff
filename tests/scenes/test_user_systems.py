"""Users' own systems: the document's example, permission to run code, modules, and the message for each mistake."""

import json
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene, read_scene
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.support.errors import InputError
from ecs_anim.systems.schedule import AFTER, BEFORE, ORDER
from tests.helpers import DAILY, EXHAUSTIVE, FEW, some
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs/user-systems.md").read_text("utf-8")
CROWD = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 5
layout = { kind = "grid" }
clips = [{ name = "walk" }]
"""
WIND = """
from ecs_anim.components.transforms import Transforms

class Wind:
    name, components = "wind", (Transforms,)

    def __init__(self, speed=1.0):
        self.speed = speed

    def run(self, chunk, transforms):
        transforms.translation[chunk.rows, 0] += self.speed * chunk.dt

class Clock:
    name = "chimes"

    def run(self, world, dt):
        pass

NUMBER = 3
"""
COUNTING = """
from ecs_anim.components.crowd import Crowd

class Seen:
    count = 0

class Count:
    def __init__(self, name):
        self.name = name

    def setup(self, world):
        Seen.count += 1
        for entity, _ in world.query(Crowd):
            world.attach(entity, Seen())

    def run(self, world, dt):
        pass
"""
ENTRY = '[[systems]]\nmodule = "wind.py"\nsystem = "Wind"\nafter = "playback"\n'


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.fixture
def parade(tmp_path):
    """The document's example, in a folder."""
    (tmp_path / "follow_leader.py").write_text(blocks("python")[0])
    (tmp_path / "parade.toml").write_text(blocks("toml")[0])
    return tmp_path / "parade.toml"


@pytest.fixture
def scene(tmp_path):
    """Write a scene and its module; returns the scene's path."""

    def write(entry=ENTRY, code=WIND, crowd=CROWD):
        (tmp_path / "wind.py").write_text(code)
        (tmp_path / "scene.toml").write_text(crowd + entry)
        return tmp_path / "scene.toml"

    return write


@pytest.fixture
def counting(tmp_path):
    """Write a scene whose two systems count their worlds in a component of their module; returns its path."""

    def write(module):
        (tmp_path / f"{module}.py").write_text(COUNTING)
        entry = f'[[systems]]\nmodule = "{module}.py"\nsystem = "Count"\nafter = "chunks"\n'
        systems = [f'{entry}options = {{ name = "{name}" }}\n' for name in "ab"]
        (tmp_path / "scene.toml").write_text(CROWD + "".join(systems))
        return tmp_path / "scene.toml"

    return write


def places(world):
    return np.concatenate([t.translation for _, (t,) in world.query(Transforms)])


def steps(world, count=30, dt=1 / 60):
    for _ in range(count):
        world.step(dt)
    return places(world)


def mistake(path, **options):
    with pytest.raises(InputError) as caught:
        load_scene(path, threads=1, allow_code=True, **options)
    return str(caught.value)


class TestTheDocument:
    def test_the_crowd_follows_the_leader(self, parade):
        def distance(allowed):
            text = parade.read_text() if allowed else parade.read_text().split("[[systems]]")[0]
            scene = parse_scene(text, "x", parade.parent)
            with load_scene(scene, actors=20, allow_code=allowed, threads=1) as world:
                place = steps(world, 150, 0.1)[:, [0, 2]]
                angle = 2 * np.pi * world.time / 20
            return np.linalg.norm(place - 6 * np.array([np.sin(angle), np.cos(angle)]), axis=1).mean()

        assert distance(True) < 5
        assert distance(False) > 12

    @EXHAUSTIVE
    def test_it_changes_the_picture(self, parade):
        def draw(name, *options):
            out = parade.parent / f"{name}.png"
            result = ecs_anim(
                "run",
                name,
                "--frames",
                40,
                "--actors",
                20,
                "--size",
                "160x90",
                "--out",
                out,
                *options,
                cwd=parade.parent,
            )
            assert result.returncode == 0, result.stderr
            return np.asarray(Image.open(out))

        (parade.parent / "plain.toml").write_text(parade.read_text().split("[[systems]]")[0])
        with_systems, plain = draw("parade.toml", "--allow-code"), draw("plain.toml")
        assert np.count_nonzero((with_systems != plain).any(axis=-1)) > 100

    @EXHAUSTIVE
    def test_profile_lists_its_systems_in_their_places(self, parade):
        arguments = ("--allow-code", "--no-draw", "--frames", 5, "--warmup", 1, "--json", "-")
        result = ecs_anim("profile", "parade.toml", *arguments, cwd=parade.parent)
        assert result.returncode == 0, result.stderr
        names = [system["name"] for system in json.loads(result.stdout)["systems"]]
        assert names.index("move_leader") + 1 == names.index("parameters")
        assert names.index("follow_leader") + 1 == names.index("locomotion")

    @EXHAUSTIVE
    def test_the_bits_do_not_depend_on_threads_or_chunks(self, parade):
        def run(threads, chunk_size):
            options = {"actors": FEW or 60, "threads": threads, "chunk_size": chunk_size}
            with load_scene(parade, allow_code=True, **options) as world:
                return steps(world).tobytes()

        expected = run(1, 4096)
        for threads, chunk_size in [(1, 16), (2, 5), (3, 7), (2, 1)]:
            assert run(threads, chunk_size) == expected, (threads, chunk_size)

    def test_it_tells_the_order(self):
        names = re.findall(r"`(\w+)`", re.search(r"have this order:(.*?)If several", DOCUMENT, re.DOTALL)[1])
        assert names == [system.name for system in (*BEFORE, *ORDER, *AFTER)]

    def test_its_python_runs_without_a_file(self, parade, monkeypatch):
        monkeypatch.syspath_prepend(parade.parent)
        found = {}
        code = next(block for block in blocks("python") if "from follow_leader import" in block)
        exec(code.replace("600", "3").replace("100", "10"), found)
        assert found["world"].frame == 3
        del sys.modules["follow_leader"]

    def test_its_system_that_skips_does(self):
        found = {}
        exec(next(block for block in blocks("python") if "class GrowOld" in block), found)
        with load_scene("single", threads=1, systems=[(found["GrowOld"](), "after", "playback")]) as world:
            world.skip(1000, 1 / 60)
            assert next(world.query(found["Age"]))[1][0].steps.tolist() == [1000]
            assert world.jump.stepped == 0


class TestLeave:
    CODE = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n" + WIND

    @pytest.mark.parametrize("command", [("run", "--no-draw"), ("profile", "--no-draw")])
    def test_without_the_flag_nothing_is_run_and_one_line_says_so(self, scene, command, tmp_path):
        scene(code=self.CODE)
        result = ecs_anim(*command, "scene.toml", cwd=tmp_path)
        assert_one_line(
            result, "scene.toml: systems[0].module: ", "run code from wind.py", "--allow-code", "allow_code"
        )
        assert sorted(path.name for path in tmp_path.iterdir()) == ["scene.toml", "wind.py"]

    def test_with_the_flag_it_is_run(self, scene, tmp_path):
        scene(code=self.CODE)
        result = ecs_anim("run", "scene.toml", "--no-draw", "--frames", 2, "--allow-code", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert (tmp_path / "ran").exists()
        assert not (tmp_path / "__pycache__").exists()

    def test_a_module_by_name_is_not_even_looked_up(self, scene, tmp_path, monkeypatch):
        (tmp_path / "pack").mkdir()
        (tmp_path / "pack/__init__.py").write_text("raise SystemExit('imported')")
        monkeypatch.syspath_prepend(tmp_path)
        path = scene(ENTRY.replace("wind.py", "pack.wind"))
        with pytest.raises(InputError, match="run code from the module pack.wind. Read"):
            load_scene(path)

    @EXHAUSTIVE
    def test_check_says_what_it_did_not_check(self, scene, tmp_path):
        scene(code=self.CODE)
        result = ecs_anim("check", "scene.toml", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert result.stdout == (
            "scene.toml: ok, 5 actors."
            " Its Python code was not checked, because this check needs --allow-code: wind.py\n"
        )
        assert not (tmp_path / "ran").exists()
        assert ecs_anim("check", "scene.toml", "--allow-code", cwd=tmp_path).stdout == "scene.toml: ok, 5 actors\n"
        scene(code="x = 1 /")
        result = ecs_anim("check", "scene.toml", "--allow-code", cwd=tmp_path)
        assert_one_line(result, "systems[0]: wind.py, line 1: SyntaxError")

    @pytest.mark.parametrize("name", some(shipped_scenes(), *DAILY))
    def test_no_scene_that_ships_wants_it(self, name):
        assert read_scene(name).model.systems == []


class TestModules:
    @pytest.mark.parametrize(
        "module", ["../wind.py", "below/../../wind.py", "{above}/wind.py", "C:/wind.py", "..\\\\wind.py"]
    )
    @pytest.mark.parametrize("allow_code", [True, False])
    def test_a_path_out_of_the_folder_is_refused(self, tmp_path, module, allow_code):
        (tmp_path / "scenes/below").mkdir(parents=True)
        (tmp_path / "wind.py").write_text("raise SystemExit('imported')")
        text = CROWD + ENTRY.replace("wind.py", module.format(above=tmp_path.as_posix()))
        with pytest.raises(InputError, match=r"x.toml: systems\[0\].module: .* must be in the folder of the scene"):
            load_scene(parse_scene(text, "x.toml", tmp_path / "scenes"), allow_code=allow_code)

    def test_a_link_out_of_the_folder_is_refused(self, tmp_path):
        (tmp_path / "scenes").mkdir()
        (tmp_path / "wind.py").write_text(WIND)
        try:
            (tmp_path / "scenes/wind.py").symlink_to(tmp_path / "wind.py")
        except OSError:
            pytest.skip("links are not allowed here")
        with pytest.raises(InputError, match="must be in the folder of the scene"):
            load_scene(parse_scene(CROWD + ENTRY, "x.toml", tmp_path / "scenes"), allow_code=True)

    def test_a_loop_of_links_is_told(self, tmp_path):
        (tmp_path / "wind.py").symlink_to("wind.py")
        with pytest.raises(InputError, match=r"x.toml: systems\[0\].module: "):
            load_scene(parse_scene(CROWD + ENTRY, "x.toml", tmp_path), allow_code=True)

    @pytest.mark.parametrize(
        "module", ["", "wind", "no.py", "a b", "wind.txt", "x\\u0000.py", "\\u001b[2J.py", ".wind"]
    )
    def test_what_is_no_module_is_one_line(self, scene, module):
        line = mistake(scene(ENTRY.replace("wind.py", module)))
        assert "scene.toml: systems[0]" in line
        assert line.isprintable()

    def test_a_file_below_the_folder_is_fine(self, scene, tmp_path):
        path = scene(ENTRY.replace("wind.py", "parts/wind.py"))
        (tmp_path / "parts").mkdir()
        (tmp_path / "wind.py").rename(tmp_path / "parts/wind.py")
        with load_scene(path, threads=1, allow_code=True) as world:
            assert world.frame == 0

    def test_a_module_by_name_is_imported(self, scene, tmp_path, monkeypatch):
        path = scene(ENTRY.replace("wind.py", "own_package.wind"))
        (tmp_path / "own_package").mkdir()
        (tmp_path / "wind.py").rename(tmp_path / "own_package/wind.py")
        monkeypatch.syspath_prepend(tmp_path)
        with load_scene(path, threads=1, allow_code=True) as world:
            before = places(world)
            np.testing.assert_allclose(steps(world, 60)[:, 0], before[:, 0] + 1, atol=1e-4)

    def test_scenes_and_import_share_the_module_of_a_file(self, counting, monkeypatch, tmp_path):
        path = counting("gust")
        monkeypatch.syspath_prepend(tmp_path)
        with (
            load_scene(path, threads=1, allow_code=True) as one,
            load_scene(path, threads=1, allow_code=True) as other,
        ):
            from gust import Seen

            ((_, (seen,)),) = one.query(Seen)
            assert len(list(other.query(Seen))) == 1
            assert seen.count == 4, "two systems count in each of two worlds"
        del sys.modules["gust"]

    def test_a_scene_runs_the_module_that_was_imported_before(self, counting, monkeypatch, tmp_path):
        path = counting("gale")
        monkeypatch.syspath_prepend(tmp_path)
        from gale import Seen

        with load_scene(path, threads=1, allow_code=True) as world:
            assert len(list(world.query(Seen))) == 1
        del sys.modules["gale"]

    def test_a_file_with_the_name_of_another_module_hides_nothing(self, scene, tmp_path):
        import random

        path = scene(ENTRY.replace("wind.py", "random.py"))
        (tmp_path / "wind.py").rename(tmp_path / "random.py")
        with load_scene(path, threads=1, allow_code=True):
            assert sys.modules["random"] is random

    def test_a_file_that_has_changed_runs_again_with_a_warning(self, scene, recwarn):
        for speed in (1.0, 2.0, 2.0):
            with load_scene(scene(code=WIND.replace("1.0", str(speed))), threads=1, allow_code=True) as world:
                before = places(world)
                np.testing.assert_allclose(steps(world, 60)[:, 0], before[:, 0] + speed, atol=1e-4)
        (warning,) = recwarn
        assert "wind.py: the file has changed, so its code runs again" in str(warning.message)

    def test_a_module_that_fails_is_not_kept(self, scene):
        assert "SyntaxError" in mistake(scene(code="x = 1 /"))
        with load_scene(scene(), threads=1, allow_code=True) as world:
            assert world.frame == 0


class TestMistakes:
    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("1.0", "1 / 0", "systems[0]: wind.py, line 7: ZeroDivisionError: division by zero"),
            ("import Transforms", "import Transfroms", "systems[0]: wind.py, line 2: ImportError: cannot import name"),
            ("def run", "def run(", "systems[0]: wind.py, line 10: SyntaxError: "),
            ("NUMBER = 3", "raise SystemExit", "systems[0]: wind.py, line 19: SystemExit"),
            ("self.speed = speed", "self.speed = speed.x", "wind.py, line 8: AttributeError: 'float' object has no"),
            ("class Wind", "class Winde", "systems[0].system: wind.py has no class 'Wind'; did you mean 'Winde'?"),
            ("class Wind:", "Wind = 3\nclass Other:", "wind.py has no class 'Wind';"),
            (
                "speed=1.0",
                "",
                "systems[0].options: Wind rejects the options (got an unexpected keyword argument 'speed')",
            ),
            (
                "chunk, transforms",
                "chunk",
                "systems[0]: wind.py, line 10: Wind must have a method run(self, chunk, Transforms)",
            ),
            (
                "def run(self, chunk",
                "def step(self, chunk",
                "systems[0]: Wind must have a method run(self, chunk, Transforms)",
            ),
            ("(Transforms,)", "Transforms", "systems[0]: Wind.components must be a tuple of component classes"),
            ('"wind"', "3", "systems[0]: Wind must have a name. Give the class a name, such as name = 'wind'"),
            (
                '"wind"',
                '"sampling"',
                "systems[0]: a system with the name 'sampling' exists already. Give Wind another name",
            ),
            ('"wind"', '"draw"', "a system with the name 'draw' exists already"),
            ('"wind"', '"chunks"', "a system with the name 'chunks' exists already"),
        ],
    )
    def test_code_at_fault_is_one_line_with_its_module_and_line(self, scene, old, new, message):
        assert old in WIND
        line = mistake(scene(ENTRY + "options = { speed = 2.0 }", WIND.replace(old, new, 1)))
        assert message in line
        assert line.count("\n") == 0

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ('after = "playback"', "", "systems[0]: write either before or after"),
            ("after =", 'before = "playback"\nafter =', "systems[0]: write either before or after"),
            (
                "playback",
                "playbak",
                "systems[0].after: there is no system 'playbak'; did you mean 'playback'? use one of these names: ",
            ),
            (
                "playback",
                "timeline",
                "Wind has components and runs chunk by chunk, so the system cannot run next to 'timeline'",
            ),
            (
                '"Wind"',
                '"Clock"',
                "Clock has no components and runs before or after all chunks, so the system cannot",
            ),
            ("module", "modul", "systems[0].modul: unknown key; did you mean 'module'?"),
            ('"Wind"', '"wind"', "has no class 'wind'; did you mean 'Wind'?"),
            (ENTRY, ENTRY + ENTRY, "systems[1]: a system with the name 'wind' exists already. Give Wind another name"),
        ],
    )
    def test_an_entry_at_fault_is_one_line_with_its_key(self, scene, old, new, message):
        assert old in ENTRY
        assert message in mistake(scene(ENTRY.replace(old, new, 1)))

    def test_setup_is_told_with_its_line(self, scene):
        code = WIND.replace("class Wind:", "class Wind:\n    def setup(self, world):\n        world.attach(99, self)\n")
        assert "systems[0]: Wind.setup, line 6: UnknownName: no entity 99; entities are: " in mistake(scene(code=code))

    def test_an_error_of_the_users_own_keeps_its_words(self, scene):
        code = WIND.replace("self.speed = speed", "raise InputError('speed: too high')")
        line = mistake(scene(code="from ecs_anim.support.errors import InputError\n" + code))
        assert line.endswith("scene.toml: systems[0]: speed: too high")

    @EXHAUSTIVE
    def test_a_fault_in_run_is_a_traceback_of_the_users_code(self, scene, tmp_path):
        scene(code=WIND.replace("+= self.speed", "+= self.sped"))
        result = ecs_anim("run", "scene.toml", "--no-draw", "--allow-code", cwd=tmp_path)
        assert result.returncode == 1
        assert "wind.py" in result.stderr
        assert "transforms.translation[chunk.rows, 0] += self.sped" in result.stderr

    def test_a_world_that_fails_to_load_leaves_nothing_behind(self, scene):
        import esper

        worlds, threads = set(esper.list_worlds()), threading.active_count()
        with pytest.raises(AttributeError):
            load_scene(scene(code=WIND.replace("+= self.speed", "+= self.sped")), threads=3, allow_code=True)
        assert (set(esper.list_worlds()), threading.active_count()) == (worlds, threads)

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ("wind", r"load_scene: systems\[0\]: the entry must be a tuple of a system, 'before' or 'after'"),
            ((Crowd, "after", "playback"), r"systems\[0\]: Crowd must be an instance"),
            ((Crowd("a", 1), "after", "playback"), r"systems\[0\]: Crowd must have a method run\(self, world, dt\)"),
            ((Crowd("a", 1), "behind", "playback"), r"systems\[0\]: the entry must be"),
        ],
    )
    def test_what_a_caller_brings_is_looked_at_too(self, entry, message):
        with pytest.raises(InputError, match=message):
            load_scene("single", systems=[entry])
