"""`ecs-anim scenes` and `ecs-anim new`: what ships, and a scene of one's own to go on from."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from ecs_anim.commands.command_line import cli
from ecs_anim.commands.new import write_scene
from ecs_anim.commands.outcome import exit_code
from ecs_anim.commands.starter import STARTER
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene, read_scene
from ecs_anim.scenes.shipped import shipped_folder
from ecs_anim.support.errors import InputError

SCENES = Path(__file__).resolve().parents[2] / "scenes"
SHIPPED = sorted(path.stem for path in SCENES.glob("*.toml"))
OFF = re.compile(r"^ *#(?=[^ #\n])")  # before what is switched off


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys, *arguments):
    """The one line that a command line is refused with."""
    assert exit_code(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    (line,) = shown.err.splitlines()
    return line


def options():
    """Line numbers of what is switched off in the starter: a table with all its lines, any other line by itself."""
    lines, found, inside = STARTER.splitlines(), [], False
    for number, line in enumerate(lines):
        inside = inside and bool(OFF.match(line))
        if inside:
            found[-1].append(number)
        elif OFF.match(line):
            found.append([number])
            inside = line.startswith("#[")
    return found


def switched_on(numbers):
    lines = STARTER.splitlines()
    return "\n".join(OFF.sub("", line) if i in numbers else line for i, line in enumerate(lines))


def test_scenes_are_listed_a_line_each():
    lines = CliRunner().invoke(cli, ["scenes"], catch_exceptions=False).stdout.splitlines()
    assert [line.split()[0] for line in lines] == SHIPPED
    assert re.fullmatch(r"march +50,000  Fifty thousand people march in step, .*\w", lines[SHIPPED.index("march")])
    assert re.fullmatch(r"single +1  One mannequin, walking in place", lines[SHIPPED.index("single")])


def test_scenes_as_json_agree_with_the_files():
    told = json.loads(CliRunner().invoke(cli, ["scenes", "--json"], catch_exceptions=False).stdout)["scenes"]
    assert [scene["name"] for scene in told] == SHIPPED
    for scene in told:
        text = (SCENES / f"{scene['name']}.toml").read_text("utf-8")
        data = tomllib.loads(text)
        there = [crowd for crowd in data["crowds"] if not crowd.get("steering", {}).get("starts_empty")]
        assert scene["actors"] == sum(crowd.get("count", 1) for crowd in there)
        assert scene["shows"].count(" ") >= 2, "a name shows nothing"
        assert scene["shows"] == data["title"] or text.replace("\n# ", " ").startswith(f"# {scene['shows']}.")


def test_the_new_scene_is_right_and_says_how_to_go_on(folder, capsys):
    assert exit_code(["new", "park.toml"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "wrote park.toml\n"
    assert shown.out.splitlines() == ["ecs-anim check park.toml", "ecs-anim run park.toml"]
    text = (folder / "park.toml").read_text("utf-8")
    for command in shown.out.splitlines():
        assert command in text
    assert exit_code(shlex.split(shown.out.splitlines()[0])[1:]) == 0
    assert capsys.readouterr().out == "park.toml: ok, 60 actors\n"


@pytest.mark.parametrize("numbers", options(), ids=lambda numbers: STARTER.splitlines()[numbers[0]].split(" ")[0])
def test_what_the_new_scene_has_switched_off_works_by_itself(folder, numbers):
    scene = parse_scene(switched_on(numbers), "x.toml", folder)
    assert scene.model != parse_scene(STARTER, "x.toml", folder).model
    with load_scene(scene, actors=12, threads=1) as world:
        world.step(2.5)


def test_what_the_new_scene_has_switched_off_works_together(folder):
    every = [number for numbers in options() for number in numbers]
    assert len(options()) >= 10
    text = switched_on(every)
    assert not any(OFF.match(line) for line in text.splitlines())
    with load_scene(parse_scene(text, "x.toml", folder), actors=12, threads=1) as world:
        for _ in range(3):
            world.step(1.0)


@pytest.mark.parametrize("like", SHIPPED)
def test_a_copy_is_the_scene_that_ships(folder, like):
    assert exit_code(["new", "mine.toml", "--like", like]) == 0
    copy = read_scene("mine.toml")
    assert copy.model == read_scene(like).model
    text = (folder / "mine.toml").read_text("utf-8")
    assert text.endswith((SCENES / f"{like}.toml").read_text("utf-8"))
    assert f"'{like}'" in text.splitlines()[3]


@pytest.mark.parametrize("content", ["x = 1\n", ""])
def test_nothing_is_replaced(folder, capsys, content):
    (folder / "mine.toml").write_text(content)
    assert "mine.toml: a file with this name exists" in refused(capsys, "new", "mine.toml")
    assert (folder / "mine.toml").read_text() == content


def test_a_link_that_leads_nowhere_is_not_replaced(folder, capsys):
    (folder / "mine.toml").symlink_to("gone")
    assert "a file with this name exists" in refused(capsys, "new", "mine.toml")
    assert (folder / "mine.toml").is_symlink()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("mine",), ("mine: ", "must end in .toml")),
        (("mine.glb",), ("mine.glb: ", "must end in .toml")),
        ((".toml",), (".toml: ", "must end in .toml")),
        (("gone/mine.toml",), ("the folder gone does not exist",)),
        (("mine.toml", "--like", "plazza"), ("--like: plazza: ", "did you mean 'plaza'?", "march")),
        (("mine.toml", "--like", "other.toml"), ("--like: other.toml: the scene file does not exist", "stadium")),
    ],
)
def test_what_cannot_be_is_told_in_one_line(folder, capsys, arguments, parts):
    line = refused(capsys, "new", *arguments)
    for part in parts:
        assert part in line
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["two words.toml", "-x.toml", "a'b.toml", "中.toml", "x\ny.toml", "\x1b[31m.toml"])
def test_odd_names_make_commands_that_work_and_comments_that_hold(folder, capsys, name):
    assert exit_code(["new", "--", name]) == 0
    check, _ = capsys.readouterr().out.splitlines()
    assert check.isprintable()
    if name.isprintable():
        assert exit_code(shlex.split(check)[1:]) == 0
    parse_scene((folder / name).read_text("utf-8"), name, folder)


@pytest.mark.parametrize(("scene", "names"), [("corner", ["corner.csv"]), ("streets", ["streets.csv", "streets.png"])])
def test_a_copy_brings_the_files_that_it_names(tmp_path, scene, names):
    write_scene(tmp_path / "my.toml", scene)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["my.toml", *names])
    for name in names:
        assert (tmp_path / name).read_bytes() == (shipped_folder() / name).read_bytes()
    assert read_scene(tmp_path / "my.toml").model == read_scene(scene).model
    with pytest.raises(InputError, match=rf"{names[0]}: a file with this name exists"):
        write_scene(tmp_path / "other.toml", scene)
    assert not (tmp_path / "other.toml").exists()
