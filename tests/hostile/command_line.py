"""Every option and argument of every command, each with values that are not allowed or make no sense."""

import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

from ecs_anim.commands.command_line import cli
from ecs_anim.commands.outcome import exit_code
from ecs_anim.scenes import rigs

SCENE = '[rigs.a]\nmodel = "mannequin"\n[[crowds]]\nrig = "a"\nclips = [{ name = "idle" }]\ngrounding = {}\n'
JOB = "scene = 'scene.toml'\nranges.frames = [0, 2]\nmake.measures = ['density']\n"
# what a command is given beside the option at hand: little work
USUAL: dict[str, tuple[str, ...]] = {
    "view": ("chain", "--out", "out.png", "--size", "16x16"),
    "run": ("scene.toml", "--no-draw", "--frames", "1", "--threads", "1"),
    "dataset": ("scene.toml", "--out", "out", "--frames", "1", "--size", "8x8", "--pass", "ids"),
    "export": ("scene.toml", "--out", "out.glb", "--frames", "1", "--threads", "1"),
    "share": ("scene.toml", "--out", "out.html", "--seconds", "0.1", "--threads", "1"),
    "serve": ("scene.toml", "--port", "0", "--frames", "1", "--threads", "1"),
    "farm": ("job.toml", "--out", "out", "--plan", "--workers", "1", "--threads", "1"),
    "profile": ("scene.toml", "--no-draw", "--frames", "1", "--warmup", "0", "--threads", "1"),
    "feet": ("scene.toml", "--frames", "2", "--threads", "1"),
    "check": ("scene.toml",),
    "inspect": ("chain",),
    "bake": ("mannequin", "--out", "out.bake", "--clip", "idle", "--bake-rate", "15"),
    "retarget": ("mannequin", "mannequin", "--out", "out.glb", "--clip", "wave"),
    "people": ("--count", "1", "--out", "out.glb"),
    "warmup": ("missing",),
    "scenes": (),
    "new": ("new.toml",),
    "schema": (),
    "walk": ("people.csv", "--report", "--seconds", "0.2", "--threads", "1"),
    "report": ("people.csv", "--out", "out.html", "--no-player", "--threads", "1"),
    "validate": ("corridor",),
}
PLAIN = {"scenes", "schema"}  # take no value
# For the options that say where to, and how fast.
PEOPLE = "id,time [s],x_m,y_m\n" + "".join(f"{p},{k / 10},{k / 10},{p}\n" for p in (1, 2) for k in range(20))
DRAWING = ("scene.toml", "--headless", "--frames", "1", "--size", "16x16")
TEXTS = (
    "",
    " ",
    "\t",
    "-",
    "--",
    "-1",
    "--x=",
    "\x1b[31m",
    "\x1b]0;x\x07",
    "\u202e",
    "\udcff",
    "中文",
    "a\nb",
    "x" * 5000,
)
NUMBERS = (
    *("0", "-0", "+1", "1.5", "1e3", "1e999", "nan", "inf", "-inf", "infinity", "0x10", "1_0", "1 2", "None", "True"),
    *("\u00b2", "\uff11", "\u0663", "1\u00b2", "9" * 20, "9" * 400, "9" * 5000, "1e-400", "0.", "."),
    *("1,", ",1", "1,,2", "1,\u00b2", "1,0"),
)
SIZES = (
    *("x", "1x", "x1", "0x0", "1x-1", "1_0x10", "1.5x2", "1x1x1", "nanxnan", f"{'9' * 400}x1"),
    *("\u00b2x\u00b2", "\uff11x\uff11", "1\u00d71"),
)
FILES = (
    *(".", "..", "/", "/dev/null", "folder", "folder.png", "folder.mp4", "folder.gif", "missing/x.gif"),
    *(
        "empty",
        "binary",
        "nested.json",
        "missing/x.png",
        "missing/x.mp4",
        "missing/x",
        "scene.toml/x",
        "x.bmp",
        "loop",
        "loop/x.png",
        "/proc/x.png",
    ),
    *(f"{'n' * 300}.png", f"{'n' * 300}.mp4", "n" * 300, "\x1b[31m.svg", "\udcff.txt", "x.png\n", "CON:", "~", "*"),
    *("missing/x.toml", "scene.toml", "loop.toml", f"{'n' * 300}.toml", "\x1b[31m.toml", "\udcff.toml", "x y.toml"),
)
CHOICES = ("ID", "depth ", "id,depth", "0")


class Case(NamedTuple):
    """A command line, and what of it is hostile."""

    command: str
    option: str
    value: str

    @property
    def arguments(self) -> tuple[str, ...]:
        """As they are typed."""
        if not self.option.startswith("-"):
            return (self.command, *USUAL[self.command][1:], "--", self.value)
        usual = DRAWING if self.option in ("--out", "--speed") and self.command == "run" else USUAL[self.command]
        return (self.command, *_without(self.option, usual), f"{self.option}={self.value}")


def all_cases() -> list[Case]:
    """Every parameter that takes a value, with every value of its kind."""
    return [Case(name, option, value) for name, option, kind in parameters() for value in dict.fromkeys(_values(kind))]


def parameters() -> Iterator[tuple[str, str, click.ParamType]]:
    """Command, option or argument, and its type; flags take no value."""
    for name, command in cli.commands.items():
        for parameter in command.params:
            if not getattr(parameter, "is_flag", False):
                yield name, parameter.opts[-1], parameter.type


def _values(kind: click.ParamType) -> tuple[str, ...]:
    if isinstance(kind, click.Choice):
        return (*TEXTS, *CHOICES)
    if isinstance(kind, click.Path):
        return (*TEXTS, *FILES)
    return (*TEXTS, *NUMBERS, *SIZES)


def _without(option: str, usual: tuple[str, ...]) -> tuple[str, ...]:
    at = usual.index(option) if option in usual else len(usual)
    return usual[:at] + usual[at + 2 :]


def attempt(case: Case) -> str:
    """How a command line ends; raises what is neither done nor a line for each problem that leaves no file behind."""
    os.chdir(_folder())
    there, there_too = _files(), set(_folder().iterdir())
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = exit_code(case.arguments)
    told = err.getvalue()
    assert code in (0, 2), code
    lines = [line for line in told.splitlines() if line.startswith("ecs-anim: ") and "warning" not in line]
    assert told.replace("\n", "").isprintable(), told
    if code == 2:
        assert lines, told
        assert out.getvalue() == "", out.getvalue()
        assert _files() == there, _files() - there
    for path in set(_folder().iterdir()) - there_too:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in _files() - there:
        path.unlink()
    return f"{case.command} {code}"


@cache
def _folder() -> Path:
    """With something of every kind that a name may lead to."""
    folder = Path(tempfile.mkdtemp())
    (folder / "scene.toml").write_text(SCENE)
    (folder / "job.toml").write_text(JOB)
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "empty").touch()
    (folder / "binary").write_bytes(bytes(range(256)))
    (folder / "nested.json").write_text("[" * 5000)
    for name in ("folder", "folder.png", "folder.mp4", "folder.gif"):
        (folder / name).mkdir()
    (folder / "loop").symlink_to("loop")
    return folder


def _files() -> set[Path]:
    return {path for path in _folder().rglob("*") if not path.is_dir()}


def prepare() -> None:
    """Rigs are read once."""
    rigs.load_model = cache(rigs.load_model)
