"""The public names, by what they are for: Sphinx's autodoc writes each from its docstring."""

import inspect
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import ecs_anim

GROUPS = (
    ("Worlds and crowds", ("scenes", "ecs", "systems.crowd_handle", "systems.skinning", "support")),
    ("Pictures", ("systems", "view")),
    ("Characters and poses", ("assets", "maths")),
    ("Clip tables and bakes", ("runtime", "bake")),
    ("Inverse kinematics", ("ik",)),
)


def public_names() -> str:
    """A section for each group: the names of `ecs_anim.__all__`, and the classes that only its functions bring."""
    things = {f"ecs_anim.{name}": getattr(ecs_anim, name) for name in ecs_anim.__all__}
    known = set(map(id, things.values()))
    brought = [kind for thing in things.values() for kind in _returned(thing) if id(kind) not in known]
    things |= {f"{kind.__module__}.{kind.__name__}": kind for kind in brought}
    sections = []
    for title in (*(title for title, _ in GROUPS), "Others"):
        entries = [_entry(path, thing) for path, thing in things.items() if _group(thing.__module__) == title]
        if entries:
            sections.append("\n\n".join([f"## {title}", *entries]))
    return "\n\n".join(sections)


def _returned(thing: Any) -> Iterator[type]:
    """Classes of ours that a function returns, alone or in a list."""
    hint = get_type_hints(thing).get("return") if inspect.isfunction(thing) else None
    for kind in (hint, *get_args(hint)):
        if inspect.isclass(kind) and kind.__module__.startswith("ecs_anim."):
            yield kind


def _group(module: str) -> str:
    """The group with the longest beginning of the module's name."""
    inner = module.removeprefix("ecs_anim.")
    fits = [(len(room), title) for title, rooms in GROUPS for room in rooms if f"{inner}.".startswith(f"{room}.")]
    return max(fits)[1] if fits else "Others"


def _entry(path: str, thing: object) -> str:
    if inspect.isclass(thing):
        return f"```{{eval-rst}}\n.. autoclass:: {path}\n   :members:\n```"
    return f"```{{eval-rst}}\n.. autofunction:: {path}\n```"
