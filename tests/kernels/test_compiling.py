"""Compiling ahead: what a scene needs, who compiles it, and what is said of it."""

import ast
import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from numba import njit

from ecs_anim.commands.command_line import cli
from ecs_anim.kernels import compiling
from ecs_anim.kernels.compiling import compile_modules, import_modules, imported_meanwhile, kernel_modules
from ecs_anim.scenes.kernels import needed_kernels
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.shipped import shipped_scenes
from tests.helpers import EXHAUSTIVE, needs_compiler

LINE = "ecs-anim: compiling kernels, only once on this computer; `ecs-anim warmup` compiles all kernels in advance"

# What some scenes call once somebody comes near, or goes far.
LATER = {
    "festival": {"targets"},
    "stadium": {"foot_contacts", "ground", "grounding", "locomotion", "palettes", "sampling", "stages"},
    "tower": {"entrances"},
}


@EXHAUSTIVE
@needs_compiler
def test_a_scene_needs_the_kernels_that_it_calls():
    command = [sys.executable, "-m", "tests.kernels.called_kernels", *shipped_scenes()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = {name: (set(needed), set(called)) for name, (needed, called) in json.loads(done.stdout).items()}
    assert {
        name for name, (needed, called) in modules.items() if not called <= needed <= set(kernel_modules())
    } == set()
    assert {name: needed - called for name, (needed, called) in modules.items() if needed != called} == LATER


@EXHAUSTIVE
@needs_compiler
def test_a_warm_start_imports_nothing_that_it_does_without():
    """Files of trajectories, and what shows windows."""
    import_modules(["playback", "palettes", "sampling"])
    program = """
import sys
from ecs_anim.commands.outcome import exit_code
code = exit_code(["run", "single", "--frames", "1", "--no-draw"])
print(code, *sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    code, *modules = done.stdout.split()
    assert code == "0"
    assert "ecs_anim.kernels.sampling" in modules
    unwanted = {"ecs_anim.trajectories", "ecs_anim.bvh.load", "ecs_anim.commands.window"}
    assert unwanted.isdisjoint(modules)


@EXHAUSTIVE
def test_all_modules_that_declare_kernels_are_found():
    """Python's parser finds the decorators."""
    folder = Path(importlib.import_module("ecs_anim.kernels").__file__).parent
    declaring = []
    for path in folder.glob("*.py"):
        functions = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)]
        decorators = [own.func.id for function in functions for own in function.decorator_list if hasattr(own, "func")]
        declaring += [path.stem] if any(own == "stage" or own.endswith("kernel") for own in decorators) else []
    assert len(declaring) > 30
    assert kernel_modules() == sorted(declaring)


# Modules that take little time to compile.
SOME = ["nearness", "parameters", "short_palette", "fading", "events"]
IMPORT = "from ecs_anim.kernels.compiling import import_module; "


def cold(tmp_path, code):
    """Run code in a process with an empty cache."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=100
    )


@needs_compiler
@EXHAUSTIVE
def test_it_is_told_once_and_only_when_something_is_compiled(tmp_path):
    code = "import_module('nearness'), import_module('parameters')"
    assert cold(tmp_path, IMPORT + code).stderr.splitlines() == [LINE]
    assert list((tmp_path / "cache").rglob("*.nbc"))
    assert cold(tmp_path, IMPORT + code).stderr == ""


@needs_compiler
@EXHAUSTIVE
def test_a_notebook_counts_the_compiled_modules(tmp_path):
    code = "import sys; sys.modules['ipykernel'] = sys; from ecs_anim.kernels.compiling import import_modules; "
    modules = "import_modules(['nearness', 'parameters', 'events'])"
    told = cold(tmp_path, code + modules).stderr  # carriage returns are line ends here
    assert [line for line in told.splitlines() if line.strip()] == [
        LINE,
        "compiling: 2 of 3 kernel modules",
        "compiling: 3 of 3 kernel modules",
    ]


CALLS = """
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import ecs_anim.kernels.parameters as parameters, ecs_anim.kernels.nearness
values, share = np.zeros((3, 2), np.float32), np.ones(3, np.float32)
def call(_):
    try:
        parameters.take_share({arguments})
    except TypeError as error:
        return str(error).splitlines()[0]
print(*set(ThreadPoolExecutor(4).map(call, range(8))), len(parameters.take_share.signatures))
"""


@needs_compiler
@EXHAUSTIVE
def test_kernels_of_modules_that_nobody_asked_for_are_compiled_as_they_are_called(tmp_path):
    """By whichever thread is first; for no arguments but those that they are declared for."""
    code = "import ecs_anim.kernels.nearness, ecs_anim.kernels.parameters"
    assert cold(tmp_path, code).stderr == ""
    assert not list((tmp_path / "cache").rglob("*.nbc"))
    assert cold(tmp_path, CALLS.format(arguments="values, 1, share")).stdout == "None 1\n"
    assert {path.name.split("-")[0] for path in (tmp_path / "cache").rglob("*.nbc")} == {"parameters.take_share"}
    told = cold(tmp_path, CALLS.format(arguments="values, 1j, share")).stdout
    assert told.startswith("No matching definition for argument type(s)")


@needs_compiler
@EXHAUSTIVE
def test_what_is_compiled_ahead_is_in_the_cache(tmp_path):
    code = (
        "from ecs_anim.kernels.compiling import compile_modules\n"
        "if __name__ == '__main__': print(sorted(compile_modules(['parameters', 'nearness'])))"
    )
    script = tmp_path / "ahead.py"
    script.write_text(code)
    assert (
        "['nearness', 'parameters']"
        in cold(tmp_path, f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')").stdout
    )
    assert cold(tmp_path, f"{IMPORT}import_module('nearness'), import_module('parameters')").stderr == ""


@needs_compiler
@EXHAUSTIVE
def test_others_help_from_the_end_of_the_list(tmp_path):
    code = (
        "import os, subprocess\n"
        "from ecs_anim.kernels import compiling\n"
        "os.cpu_count = lambda: 3\n"
        f"SOME = {SOME}\n"
        "asked, real = [], subprocess.Popen\n"
        "def start(command, **more):\n"
        "    asked.append(command[3:])\n"
        "    return real(command, **more)\n"
        "compiling.subprocess.Popen = start\n"
        "compiling.import_modules(SOME)\n"
        "print(asked)\n"
        "print([name for name in SOME if compiling.kernels.are_waiting(f'ecs_anim.kernels.{name}')])\n"
    )
    asked, waiting = cold(tmp_path, code).stdout.splitlines()
    _, *others = compiling._in_order(SOME)
    assert ast.literal_eval(asked) == [others[::-1][::2], others[::-1][1::2]]
    assert waiting == "[]"


MEANWHILE = """
import os, subprocess, sys
from numba import njit

from ecs_anim.kernels import compiling
os.cpu_count = lambda: 2
{change}
began, real = [], subprocess.Popen
def start(command, **more):
    began.append(real(command, **more))
    return began[-1]
compiling.subprocess.Popen = start
try:
    with compiling.imported_meanwhile({some}):
        print(len(began), [own.poll() for own in began])
        {does}
except OSError as error:
    print(error)
print([own.poll() is None for own in began], compiling.kernels.are_waiting('ecs_anim.kernels.events'))
"""


@needs_compiler
@EXHAUSTIVE
@pytest.mark.parametrize(
    ("change", "does", "told"),
    [
        ("", "pass", ["1 [None]", "[False] False"]),
        ("", "raise OSError('no such model')", ["1 [None]", "no such model", "[False] True"]),
        ("sys.executable = '/opt/painter/painter'", "pass", ["0 []", "[] False"]),
        ("sys.executable = '/nowhere/python3'", "pass", ["0 []", "[] False"]),
    ],
)
def test_others_help_while_something_else_is_done_and_end_with_it(tmp_path, change, does, told):
    """Where the program is Python, and others may be started; else it compiles alone."""
    assert cold(tmp_path, MEANWHILE.format(change=change, does=does, some=SOME)).stdout.splitlines() == told


def test_nothing_is_started_where_all_is_there(monkeypatch):
    def never(*_, **__):
        raise AssertionError("started a process")

    import_modules(["nearness", "parameters"])
    monkeypatch.setattr(subprocess, "Popen", never)
    import_modules(["nearness", "parameters"])


@needs_compiler
@pytest.mark.parametrize("names", [[], ["nearness", "parameters"]])
def test_what_users_compile_meanwhile_starts_nobody(names, monkeypatch):
    def never(*_, **__):
        raise AssertionError("started a process")

    import_modules(names)
    monkeypatch.setattr(subprocess, "Popen", never)
    with imported_meanwhile(names):
        assert njit(lambda x: x + 1)(1) == 2


def test_the_command_compiles_what_scenes_need(monkeypatch):
    asked = []

    def compiled(names):
        asked.extend(names)
        return iter(names)

    monkeypatch.setattr("ecs_anim.commands.warmup.compile_modules", compiled)
    result = CliRunner().invoke(cli, ["warmup", "single", "look_at"])
    assert result.exit_code == 0, result.output
    assert set(asked) == {*needed_kernels(read_scene("single").model), *needed_kernels(read_scene("look_at").model)}
    assert "compiling: 1 of" in result.stderr
    asked.clear()
    CliRunner().invoke(cli, ["warmup"])
    assert asked == kernel_modules()


def test_help_imports_no_compiler():
    code = (
        "import sys\n"
        "from ecs_anim.commands.command_line import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        "print('numba' in sys.modules, 'pyglet' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.endswith("False False\n")


def test_compile_modules_tells_what_goes_wrong():
    with pytest.raises(ModuleNotFoundError):
        list(compile_modules(["no_such_module"]))


@EXHAUSTIVE
@needs_compiler
def test_who_is_ahead_is_waited_for(tmp_path, monkeypatch):
    """They take the package from where this program has it, whatever the current folder has of that name."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "ecs_anim").mkdir()
    (tmp_path / "ecs_anim" / "__init__.py").write_text("raise ImportError", "utf-8")
    monkeypatch.chdir(tmp_path)
    helper = compiling._Helper(["nearness", "types"])
    with helper._news:
        assert helper._news.wait_for(lambda: helper._at == "nearness", 60)
    helper.finish("palette")  # somebody else's
    assert not list(tmp_path.rglob("*.nbc"))
    helper.finish("nearness")
    assert list(tmp_path.rglob("nearness.*.nbc"))
    helper.end()


@needs_compiler
def test_a_helper_that_dies_holds_nobody_up(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    helper = compiling._Helper(["reach"])
    with helper._news:
        assert helper._news.wait_for(lambda: helper._at == "reach", 60)
    helper._process.kill()
    helper.finish("reach")
    helper.end()
    assert not list(tmp_path.rglob("*.nbc"))


def test_an_interrupt_waits_for_the_end_of_a_module(monkeypatch):
    done = []

    def compiles(name):
        signal.raise_signal(signal.SIGINT)
        done.append(name)

    monkeypatch.setattr(importlib, "import_module", compiles)
    with pytest.raises(KeyboardInterrupt):
        compiling.import_module("nearness")
    assert done == ["ecs_anim.kernels.nearness"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_second_interrupt_is_heard_at_once(monkeypatch):
    def compiles(_):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("went on")

    monkeypatch.setattr(importlib, "import_module", compiles)
    with pytest.raises(KeyboardInterrupt):
        compiling.import_module("nearness")


NO_MORE = """
import os, subprocess
from ecs_anim.kernels import compiling
os.cpu_count = lambda: 2
began, real = [], subprocess.Popen
def start(command, **more):
    began.append(real(command, **more))
    return began[-1]
compiling.subprocess.Popen = start
compiled = compiling.compile_modules(['nearness', 'reach', 'look_at'])
print(next(compiled), [own.poll() for own in began])
compiled.close()
print([own.poll() is None for own in began])
"""


@EXHAUSTIVE
@needs_compiler
def test_a_caller_that_wants_no_more_waits_for_no_process(tmp_path):
    assert cold(tmp_path, NO_MORE).stdout.splitlines() == ["nearness [None]", "[False]"]
    assert len({path.name.split(".")[0] for path in (tmp_path / "cache").rglob("*.nbc")}) < 3  # the rest was given up


VERSION = """
from numba import types
from numba import njit

from ecs_anim.kernels import kernel
from {records} import Two

@kernel(types.float64(types.NamedUniTuple(types.float64, 2, Two)))
def total(two):
    return two.first + two.second

print(total(Two(1.0, {second})))
"""


@EXHAUSTIVE
def test_what_an_older_version_left_in_the_cache_is_compiled_anew(tmp_path):
    """It may name what has another name by now."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    said = []
    for records, second in (("former", 2.0), ("latter", 30.0), ("latter", 30.0)):
        (tmp_path / "former.py").unlink(missing_ok=True)
        text = "from typing import NamedTuple\nclass Two(NamedTuple):\n    first: float\n    second: float\n"
        (tmp_path / f"{records}.py").write_text(text)
        (tmp_path / "version.py").write_text(VERSION.format(records=records, second=second))
        run = [sys.executable, "version.py"]
        done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        said.append((float(done.stdout), "compiling" in done.stderr))
    assert said == [(3.0, True), (31.0, True), (31.0, False)]
