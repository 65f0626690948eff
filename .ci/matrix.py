"""Test the wheel: each Python version with the newest libraries, and the oldest Python with the oldest libraries.

    .venv/bin/python .ci/matrix.py [3.12 ...]    # Python versions to test; default: 3.11, 3.12 and 3.13
    .venv/bin/python .ci/matrix.py --ends        # only the two ends: all oldest versions, and all newest versions

The script builds a source distribution (sdist), then builds the wheel from the sdist. The script runs the tests in the
unpacked sdist. The tool `uv` chooses library versions that pyproject.toml allows.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(sys.executable).parent
PYTHONS = ("3.11", "3.12", "3.13")
VERSIONS = {"newest": "highest", "oldest": "lowest-direct"}  # uv's names for the two choices of versions
NOT_USERS = ("docs", "dev", "jupedsim", "mujoco", "gymnasium", "anny")  # extras that the script does not test
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "scipy", "motmetrics")  # test tools, always in their newest versions
PARTS = ("ecs_anim", "components", "systems", "scenes", "profiling")  # folders of the package in an sdist
# The list contains at least one test file for each library.
SMOKE = (
    "tests/support/test_hints.py",
    "tests/support/test_checked.py",
    "tests/kernels/test_sampling.py",
    "tests/kernels/test_playback.py",
    "tests/commands/test_outcome.py",
    "tests/gltf/test_gltf.py",
    "tests/scenes/test_images.py",
    "tests/walls/test_plans.py",
    "tests/buildings/test_dxf.py",
    "tests/buildings/test_ifc.py",
    "tests/systems/test_filming.py",
    "tests/trajectories/test_trajectory_files.py",
    "tests/labels/test_rle.py",
    "tests/gltf/test_draco.py",
    "tests/fbx/test_convert.py",
    "tests/support/test_ktx2.py",
    "tests/exporting/test_usd_file.py::test_people_are_where_they_were",
    "tests/levels/test_levels_made.py",
    "tests/systems/test_live_view.py",
    "tests/profiling/test_clip_plot.py",
    "tests/gl/test_renderer.py",
    "tests/farm/test_farm.py::test_addresses_where_nobody_is_are_told",
)
DRAWN = {
    "single.png": ("run", "single", "--headless", "--frames", "10", "--size", "320x180", "--out", "single.png"),
    "walk.png": ("walk", "people.csv", "--unit", "m", "--size", "320x180", "--out", "walk.png"),
}


class _FailedError(Exception):
    """Error of a test step that fails. The text of the error states the reason."""


def main() -> int:
    """Test all combinations of Python and library versions. Return 1 if a test fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pythons", nargs="*", default=PYTHONS, help="such as 3.12")
    parser.add_argument("--ends", action="store_true", help="test only the oldest and the newest combination")
    said = parser.parse_args()
    found = {name: find_python(name) for name in said.pythons}
    for name in (name for name, python in found.items() if not python):
        print(f"matrix: Python {name} is not on this machine: skipped", flush=True)
    with TemporaryDirectory(prefix="ecs-anim-matrix-") as folder:
        wheel, tests = built(Path(folder))
        pictures = drawn_here(Path(folder, "here"))
        passed = [
            passes(Path(folder, f"{name}-{versions}"), found[name], versions, wheel, tests, pictures)
            for name, versions in combinations([name for name, python in found.items() if python], said.ends)
        ]
    print(f"matrix: {passed.count(True)} passed, {passed.count(False)} failed", flush=True)
    return 0 if passed and all(passed) else 1


def combinations(pythons: Sequence[str], ends: bool) -> list[tuple[str, str]]:
    """Return the tested pairs: a Python version and a choice of library versions (newest or oldest).

    The test of one pair takes minutes. Therefore, only the first Python version is tested with the oldest libraries. If
    `ends` is True, only the last Python version is tested with the newest libraries.
    """
    newest = pythons[-1:] if ends else pythons
    return [(name, "newest") for name in newest] + [(name, "oldest") for name in pythons[:1]]


def find_python(version: str) -> str | None:
    """Return the path of a Python interpreter of the version `version`. If no such interpreter exists, return None.

    The function searches in PATH and among the versions that pyenv has installed.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    names = (shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python"))))
    say = "import sys; print('%d.%d' % sys.version_info[:2])"
    for name in filter(None, names):
        done = subprocess.run([name, "-c", say], capture_output=True, text=True, check=False)
        if done.stdout.strip() == version:
            return name
    return None


def built(folder: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from the sdist.

    Return the path of the wheel and the folder of the unpacked sdist. The function deletes the package itself from this
    folder, so that the tests must use the installed wheel.
    """
    run(HERE / "python", "-m", "build", "--no-isolation", "--outdir", folder / "dist", ROOT, where=folder)
    (wheel,), (sdist,) = folder.glob("dist/*.whl"), folder.glob("dist/*.tar.gz")
    with tarfile.open(sdist) as file:
        file.extractall(folder / "sdist", filter="data")
    (tests,) = (folder / "sdist").iterdir()
    for part in PARTS:
        shutil.rmtree(tests / part)
    return wheel, tests


def drawn_here(folder: Path) -> Mapping[str, np.ndarray]:
    """Return the reference pictures by name. The code in the checkout draws these pictures."""
    return {name: drawn(HERE, folder, name) for name in DRAWN}


def drawn(programs: Path, folder: Path, name: str) -> np.ndarray:
    """Return the picture `name` as the package in the folder `programs` draws it."""
    folder.mkdir(exist_ok=True)
    rows = [f"{i},{k / 10},{0.12 * k:.2f},{i}" for i in range(3) for k in range(60)]
    (folder / "people.csv").write_text("\n".join(["id,time,x,y", *rows]))
    run(programs / "ecs-anim", *DRAWN[name], where=folder)
    return np.asarray(Image.open(folder / name).convert("RGB"))


def passes(
    folder: Path, python: str, versions: str, wheel: Path, tests: Path, pictures: Mapping[str, np.ndarray]
) -> bool:
    """Test one combination of Python and library versions. Return False if a step fails.

    The function prints a line for each step.
    """
    folder.mkdir()
    programs = folder / "env" / "bin"
    steps: Mapping[str, Callable[[], object]] = {
        "install": lambda: install(folder, python, versions, wheel, tests),
        "check": lambda: run(programs / "ecs-anim", "check", "single", where=folder),
        **{name: lambda name=name: compare(drawn(programs, folder, name), pictures[name]) for name in DRAWN},
        "profile": lambda: profile(programs, folder),
        "tests": lambda: smoke(programs, tests),
    }
    for step, act in steps.items():
        begin = time.monotonic()
        try:
            act()
        except _FailedError as error:
            print(f"matrix: {folder.name}: {step} FAILED\n{error}", flush=True)
            return False
        print(f"matrix: {folder.name}: {step} ok ({time.monotonic() - begin:.0f} s)", flush=True)
    return True


def install(folder: Path, python: str, versions: str, wheel: Path, tests: Path) -> None:
    """Create an environment, and install the wheel with its extras and the test tools."""
    project = tomllib.loads((tests / "pyproject.toml").read_text())["project"]
    extras = {name: own for name, own in project["optional-dependencies"].items() if name not in NOT_USERS}
    lock, env = folder / "lock.txt", ("--python", folder / "env")
    run_uv("venv", "--python", python, folder / "env", where=folder)
    chosen = [option for name in extras for option in ("--extra", name)]
    resolve = ("pip", "compile", "--resolution", VERSIONS[versions], "--no-header", "--no-annotate")
    run_uv(*resolve, *chosen, *env, "--output-file", lock, tests / "pyproject.toml", where=folder)
    run_uv("pip", "install", *env, "--requirement", lock, "--constraint", lock, *TOOLS, where=folder)
    run_uv("pip", "install", *env, "--no-deps", wheel, where=folder)
    if folder.name == f"{PYTHONS[0]}-oldest":
        require_reached([*project["dependencies"], *(line for own in extras.values() for line in own)], lock)


def require_reached(requirements: Iterable[str], lock: Path) -> None:
    """Raise an error if a requirement does not have its lowest allowed version in the file `lock`.

    The tool uv wrote `lock`. The lowest allowed versions come from pyproject.toml.
    """
    chosen = dict(line.split("==") for line in lock.read_text().split() if "==" in line)
    for requirement in map(Requirement, requirements):
        lowest = next(own.version for own in requirement.specifier if own.operator == ">=")
        got = chosen[canonicalize_name(requirement.name)]
        if Version(got) != Version(lowest):
            raise _FailedError(
                f"{requirement}: the oldest version that can be installed is {got}. Set the lower bound to {got}"
            )


def compare(picture: np.ndarray, reference: np.ndarray) -> None:
    """Raise an error if a picture is empty or differs from `reference`, the picture that the checkout draws."""
    if np.ptp(picture) < 50:
        raise _FailedError("the picture is empty")
    if not np.array_equal(picture, reference):
        raise _FailedError(
            f"the picture differs from the picture of the checkout (sizes {picture.shape} and {reference.shape})"
        )


def profile(programs: Path, folder: Path) -> None:
    """Raise an error if the profile of a scene does not contain the system `sampling`."""
    run(programs / "ecs-anim", "profile", "single", "--no-draw", "--frames", "20", "--json", "p.json", where=folder)
    if "sampling" not in json.dumps(json.loads((folder / "p.json").read_text())):
        raise _FailedError("the profile does not name the system 'sampling'")


def smoke(programs: Path, tests: Path) -> None:
    """Run some tests of the sdist with the installed wheel.

    Raise an error if Python imports another copy of the package.
    """
    place = run(programs / "python", "-c", "import ecs_anim; print(ecs_anim.__file__)", where=tests)
    if not Path(place.strip()).is_relative_to(programs.parent):
        raise _FailedError(f"the tests would import the package from {place} instead of the installed wheel")
    run(programs / "python", "-m", "pytest", "-q", "--numprocesses", "auto", "--dist", "worksteal", *SMOKE, where=tests)


def run_uv(*arguments: object, where: Path) -> None:
    """Run uv. Do not allow uv to build libraries from source, because old libraries would need a compiler."""
    place = 2 if arguments[0] == "pip" else 1
    wheels_alone = ("--only-binary", ":all:") if arguments[0] == "pip" else ()
    run(HERE / "uv", "--quiet", *arguments[:place], *wheels_alone, *arguments[place:], where=where)


def run(*command: object, where: Path) -> str:
    """Run a program and return its output. If the program fails, raise an error with the end of the output."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    done = subprocess.run([*map(str, command)], cwd=where, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-60:])
        raise _FailedError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{last}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
