"""Generate the lists of public names. Sphinx (autodoc) makes the entry of each name from the docstring of the name."""

import inspect
from collections.abc import Iterator
from types import ModuleType

import ecs_anim
from pages_from_code.markdown import table

# Each name of `ecs_anim` that is not a package is on one page.
PAGES = {
    "worlds": "load_scene load_world World rooms Rooms save_trajectories export share open_share "
    "InputError InputWarning",
    "crowds": "crowd crowds CrowdHandle PlayingClips ALL doors DoorsHandle",
    "robots": "agents AgentHandle Contacts observe Observation cast_rays RayHits",
    "pictures": "render video show Renderer",
    "cameras": "camera cameras PinholeCamera Lens FisheyeLens EquirectangularLens OrthographicLens OrbitCamera Follow "
    "CameraChange",
    "labels": "capture Capture SeenActors CrowdJoints save_dataset",
    "characters": "load_rig Rig Skeleton Mesh Material Texture retarget",
    "poses": "Clip Pose Transform blend add subtree_mask model_matrices skin_palette skin_linear skin_dual_quaternion "
    "Track ScalarTrack",
    "clip-tables": "build_tables ClipTables",
}

# These names have no docstring of their own.
ALIASES = {
    "ALL": "Selects all actors of a crowd.",
    "Pose": "`Transform` with one entry per joint: the local transforms of all joints.",
    "Limit": "`BallLimit` or `HingeLimit`.",
    "System": "`ChunkSystem` or `WorldSystem`.",
    "Side": '`"before"` or `"after"` another system.',
    "Column": "`Column[np.float32]` declares an array with one row per actor, which is saved with the crowd.",
    "Kept": "`Kept[int]` declares other data of a component that a saved world contains.",
    "NumberColumn": "A `Column` of f32 numbers that are finite.",
    "NotNegativeColumn": "A `Column` of f32 numbers that are 0 or more.",
    "PositiveColumn": "A `Column` of f32 numbers above 0.",
    "ShareColumn": "A `Column` of f32 numbers from 0 to 1.",
}


def public_names(page: str) -> str:
    """Return the entries of a reference page: the public names of one topic, or of one public package."""
    package = getattr(ecs_anim, page, None)
    about = [inspect.getdoc(package) or ""] if inspect.ismodule(package) else []
    return "\n\n".join([*about, *(_entry(path, thing) for path, thing in _things(page))])


def index_of_names() -> str:
    """Return a table of all public names, with the page and the first line of the docstring of each name."""
    rows = [
        (f"[`{path.removeprefix('ecs_anim.')}`](python/{page}.md)", ALIASES.get(_name(path)) or _first_line(thing))
        for page in (*PAGES, *packages())
        for path, thing in _things(page)
    ]
    return table(("name", "purpose"), rows)


def packages() -> dict[str, ModuleType]:
    """Return all public packages in `ecs_anim` by name."""
    things = {name: getattr(ecs_anim, name) for name in ecs_anim.__all__}
    return {name: thing for name, thing in things.items() if inspect.ismodule(thing)}


def _things(page: str) -> Iterator[tuple[str, object]]:
    package = packages().get(page)
    owner, names = (ecs_anim, PAGES[page].split()) if package is None else (package, package.__all__)
    for name in names:
        yield f"{owner.__name__}.{name}", getattr(owner, name)


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _name(path: str) -> str:
    return path.rpartition(".")[2]


def _entry(path: str, thing: object) -> str:
    if text := ALIASES.get(_name(path)):
        code_in_rst = text.replace("`", "``")
        return f"```{{eval-rst}}\n.. py:data:: {path}\n\n   {code_in_rst}\n```"
    kind = "autoclass" if inspect.isclass(thing) else "autofunction"
    return f"```{{eval-rst}}\n.. {kind}:: {path}\n" + ("   :members:\n```" if inspect.isclass(thing) else "```")
