"""Structure of the code: which package can import which package, and limits that keep files readable."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("ecs_anim", "components", "systems", "scenes", "profiling")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
MAX_LINES = 400


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts if parts[0] == "ecs_anim" else ("ecs_anim", *parts)).removesuffix(".__init__")


MODULES = [module for module in map(module_name, FILES) if module != "ecs_anim"]

# Packages ("rooms") by rank. A module imports only from its own room and from rooms of lower rank.
RANKS = (
    ("maths", "support", "meshopt", "gl.shaders"),
    ("ecs", "assets", "mannequin", "trajectories", "fbx"),
    ("roles",),
    ("gltf", "bvh", "runtime", "ik", "ground", "rigs", "view"),
    ("walls", "body", "steering", "labels", "retargeting", "external", "smpl"),
    ("routing",),
    ("bake", "simd", "storeys", "buildings"),
    ("kernels",),
    ("levels", "components"),
    ("gl.device", "anny"),
    ("gl.model", "gl.window"),
    ("gl.impostors",),
    ("gl.crowds", "gl.picture"),
    ("systems",),
    ("scenes",),
    ("jupedsim", "mujoco", "streaming", "gymnasium", "dataset", "exporting"),
    ("sharing", "verifying"),
    ("profiling.validation",),
    ("profiling",),
    ("profiling.bench", "analysis"),
    ("farm",),
    ("commands",),
    ("cli",),
)
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}


def room(module: str) -> str:
    """Return the room of a module: its folder. In `gl` and `profiling`, a room is a folder of that package."""
    parts = module.split(".")[1:]
    inner = ".".join(parts[:2])
    return inner if inner in RANK or (parts[0] == "gl" and len(parts) > 1) else parts[0]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.add(node.module)
    return found


@pytest.mark.exhaustive
def test_imports_go_down_only():
    upward = set()
    for path in FILES:
        module = module_name(path)
        if module in ("ecs_anim", "ecs_anim.gl"):
            continue  # the public package imports all rooms lazily
        own = room(module)
        found = {room(name) for name in imports(path) if name.startswith("ecs_anim.")} - {own}
        upward |= {(module, other) for other in found if RANK[other] >= RANK[own]}
    assert upward == set()


def test_every_room_has_a_rank():
    there = {room(module) for module in MODULES}
    assert there - {"gl"} == set(RANK)


# External libraries, and the only modules that can import each. A name with "." or "_" at its end is a prefix.
HOMES = {
    "pyglet": ("ecs_anim.gl.",),
    "pygltflib": ("ecs_anim.gltf.", "ecs_anim.profiling.bench.subjects.gltf"),
    "shapely": (
        "ecs_anim.labels.polygons",
        "ecs_anim.walls.",
        "ecs_anim.storeys.",
        "ecs_anim.buildings.",
        "ecs_anim.analysis.",
    ),
    "esper": ("ecs_anim.ecs.world",),
    "h5py": ("ecs_anim.trajectories.hdf5",),
    "pyarrow": ("ecs_anim.trajectories.parquet", "ecs_anim.trajectories.parquet_writer"),
    "ifcopenshell": ("ecs_anim.buildings.ifc",),
    "ezdxf": ("ecs_anim.buildings.dxf",),
    "pxr": ("ecs_anim.exporting.usd_",),
    "ufbx": ("ecs_anim.fbx.convert",),
    "distributed": ("ecs_anim.farm.engines",),
    "mujoco": ("ecs_anim.mujoco",),
    "gymnasium": ("ecs_anim.gymnasium.library", "ecs_anim.gymnasium.registration"),
    "websockets": ("ecs_anim.streaming.websocket",),
    "jupedsim": (),  # the caller passes the simulation
    "ipywidgets": ("ecs_anim.scenes.live_box", "ecs_anim.scenes.playback_row", "ecs_anim.scenes.rig_view"),
    "jupyter_rfb": ("ecs_anim.systems.live_view",),
    "numba": ("ecs_anim.kernels", "ecs_anim.kernels.", "ecs_anim.simd", "ecs_anim.simd."),
}


def is_home(module: str, home: str) -> bool:
    return module.startswith(home) if home.endswith((".", "_")) else module == home


@pytest.mark.exhaustive
def test_outside_libraries_have_one_home():
    strays, used = set(), set()
    for path in FILES:
        module = module_name(path)
        found = {name.split(".")[0] for name in imports(path)} & set(HOMES)
        used |= found
        strays |= {(module, name) for name in found if not any(is_home(module, home) for home in HOMES[name])}
    assert strays == set()
    assert used == {library for library, homes in HOMES.items() if homes}


# The documented modules of numba and llvmlite.
PUBLIC = {"numba", "numba.extending", "numba.types", "llvmlite", "llvmlite.ir", "llvmlite.binding"}
COMPILERS = {"numba", "llvmlite"}


def imported_from(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each module of numba or llvmlite that a file imports, and the imported name."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((own.name, "") for own in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, own.name) for own in node.names)


@pytest.mark.exhaustive
def test_no_private_part_of_numba_is_imported():
    """`from numba import core` also imports a private module."""
    found = [(module, name) for path in FILES for module, name in imported_from(path)]
    ours = [(module, name) for module, name in found if module.split(".")[0] in {*COMPILERS, "_dynfunc"}]
    assert len(ours) > 20
    private = {"core", "_dynfunc", "np", "cpython", "experimental", "misc", "typed"}
    assert [own for own in ours if own[0] not in PUBLIC or own[1] in private or own[1].startswith("_")] == []


def test_no_private_attribute_of_numbas_objects_is_used():
    """In kernels, only `self` has private attributes. `_getvalue` is allowed, because numba's documentation uses it."""
    found = []
    for path in FILES:
        if not module_name(path).startswith(("ecs_anim.kernels", "ecs_anim.simd")):
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Attribute) and re.match(r"_(?!_|getvalue)", node.attr):
                owner = ast.unparse(node.value)
                found += [(module_name(path), f"{owner}.{node.attr}")] if owner not in {"self", "cls"} else []
    assert found == []


def test_every_module_says_what_it_is_and_stays_small():
    assert [path for path in FILES if not ast.get_docstring(parsed(path))] == [], "a module begins with what it is"
    assert [path for path in FILES if path.read_text("utf-8").count("\n") > MAX_LINES] == []


# Functions that open files, and the modules that can call them, with a reason. All other modules use `files.py`. It
# accepts only regular files up to a size limit.
OPENERS = {"open", "fdopen", "read_text", "read_bytes", "fromfile", "memmap", "mmap", "loadtxt", "genfromtxt"}
ALLOWED = {
    ("ecs_anim.anny.package", "read_bytes"): "data that ships in a package",
    ("ecs_anim.support.files", "open"): "the gate itself",
    ("ecs_anim.support.files", "fdopen"): "the gate itself",
    ("ecs_anim.ecs.snapshot_file", "open"): "zipfile, of a stream that the gate opened",
    ("ecs_anim.support.archives", "open"): "zipfile, of bytes",
    ("ecs_anim.profiling.bench.subjects.trajectories", "loadtxt"): "a file of its own",
    ("ecs_anim.profiling.validation.detectors", "read_bytes"): "a model that ships in a package",
    ("ecs_anim.trajectories.text_fields", "loadtxt"): "numpy, of lines that the gate opened",
    ("ecs_anim.support.images", "open"): "Pillow, of bytes",
    ("ecs_anim.support.pictures", "open"): "PyAV, to write",
    ("ecs_anim.streaming.memory", "memmap"): "shared memory: a new file, or a regular file with the right head",
    ("ecs_anim.cli", "open"): "the null device",
    ("ecs_anim.cli", "fdopen"): "standard streams",
    ("ecs_anim.support.terminal", "open"): "the null device, to write",
    ("ecs_anim.scenes.shipped", "read_text"): "a scene that ships",
    ("ecs_anim.gl.device.source", "read_text"): "a shader that ships",
    ("ecs_anim.support.front_door", "read_text"): "a stub that ships",
    ("ecs_anim.sharing.build_page", "read_text"): "the template of a page, which ships",
    ("ecs_anim.kernels.cache", "read_bytes"): "our own sources, and compiled kernels",
    ("ecs_anim.kernels.compiling", "read_text"): "our own sources",
    ("ecs_anim.support.folder_lock", "open"): "the lock's own file",
    ("ecs_anim.support.memory", "read_text"): "the kernel's figures",
    ("ecs_anim.profiling.soak", "read_text"): "the kernel's figures",
    ("ecs_anim.analysis.page", "read_text"): "a file of the package",
}


@pytest.mark.exhaustive
def test_files_are_opened_in_one_place():
    found = set()
    for path in FILES:
        for node in ast.walk(parsed(path)):
            match node:
                case ast.Call(ast.Name("open")):
                    found.add((module_name(path), "open"))
                case ast.Call(ast.Attribute(_, name) as called):
                    names = {name, ast.unparse(called)} & OPENERS
                    found |= {(module_name(path), own) for own in names}
    assert found == set(ALLOWED)


def shown(path: Path) -> set[str]:
    """Return the functions with which a module writes to standard output or standard error."""
    calls = [node.func for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
    ways = {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}
    return {ast.unparse(call) for call in calls} & ways | imports(path) & {"rich.console"}


@pytest.mark.exhaustive
def test_lines_for_people_have_one_way_out():
    """Some modules also print: benchmarks print figures, the progress bar moves the cursor, compiling uses pipes."""
    own = ("ecs_anim.support.terminal", "ecs_anim.support.progress", "ecs_anim.kernels.compiling")
    figures = ("ecs_anim.profiling.bench.", "ecs_anim.profiling.soak")
    found = {module_name(path): shown(path) for path in FILES}
    assert all(found.pop(module) for module in own)  # the search finds these modules
    assert {module: ways for module, ways in found.items() if ways and not module.startswith(figures)} == {}


# The stem and the folder of each test. A folder that is no room contains tests of the whole project.
TESTS = {(path.stem.removeprefix("test_"), path.parent.name) for path in (ROOT / "tests").rglob("test_*.py")}
NO_ROOMS = {"tests", "project", "hostile", "characters"}
HELPERS = {"helpers", "builders", "oracles", "people"}


def test_every_kernel_module_has_its_test():
    kernels = {path.stem for path in (ROOT / "ecs_anim/kernels").glob("*.py")} - {"__init__", "types", "packing"}
    assert kernels <= {stem for stem, _ in TESTS}


def test_folders_of_tests_are_rooms():
    rooms = {room(module).split(".")[0] for module in MODULES}
    folders = {path.parent.name for path in (ROOT / "tests").rglob("*.py")}
    assert folders <= rooms | NO_ROOMS | HELPERS
    assert {folder for _, folder in TESTS} & HELPERS == set()


def test_tests_with_a_modules_name_lie_in_its_room():
    owners: dict[str, set[str]] = {}
    for module in MODULES:
        owners.setdefault(module.split(".")[-1], set()).add(room(module).split(".")[0])
    strays = {(stem, folder) for stem, folder in TESTS if folder not in owners.get(stem, {folder}) | NO_ROOMS}
    assert strays == set()


def test_every_package_is_declared():
    import tomllib

    declared = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    there = {module_name(path) for path in FILES if path.name == "__init__.py"}
    assert declared == there
