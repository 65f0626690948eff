"""The public names, by what they are for: Sphinx's autodoc writes each from its docstring."""

import inspect
from types import ModuleType

import ecs_anim

GROUPS = (
    (
        "Worlds and crowds",
        ("scenes", "ecs", "systems.crowd_handle", "systems.skinning", "systems.trajectory_saving", "support"),
    ),
    ("Pictures", ("systems", "view", "dataset")),
    ("Characters and poses", ("assets", "maths")),
    ("Clip tables", ("runtime",)),
)


def public_names() -> str:
    """A section for each group of `ecs_anim`'s own names, and one for each of its public packages."""
    things = {name: getattr(ecs_anim, name) for name in ecs_anim.__all__}
    packages = {name: thing for name, thing in things.items() if inspect.ismodule(thing)}
    own = {name: thing for name, thing in things.items() if name not in packages}
    groups = {name: _group(getattr(thing, "__module__", type(thing).__module__)) for name, thing in own.items()}
    sections = []
    for title in (*(title for title, _ in GROUPS), "Others"):
        names = [name for name in own if groups[name] == title]
        if names:
            sections.append(f"## {title}\n\n" + "\n\n".join(_entry(f"ecs_anim.{name}", own[name]) for name in names))
    return "\n\n".join([*sections, *(_package(name, package) for name, package in packages.items())])


def _package(name: str, package: ModuleType) -> str:
    """A section of a public package, with all its names."""
    entries = [_entry(f"ecs_anim.{name}.{inner}", getattr(package, inner)) for inner in package.__all__]
    return "\n\n".join([f"## `ea.{name}`", inspect.getdoc(package) or "", *entries])


def _group(module: str) -> str:
    """The group with the longest beginning of the module's name."""
    inner = module.removeprefix("ecs_anim.")
    fits = [(len(room), title) for title, rooms in GROUPS for room in rooms if f"{inner}.".startswith(f"{room}.")]
    return max(fits)[1] if fits else "Others"


def _entry(path: str, thing: object) -> str:
    if inspect.isclass(thing):
        return f"```{{eval-rst}}\n.. autoclass:: {path}\n   :members:\n```"
    kind = "autofunction" if inspect.isroutine(thing) else "autodata"
    return f"```{{eval-rst}}\n.. {kind}:: {path}\n```"
