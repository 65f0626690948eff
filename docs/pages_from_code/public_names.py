"""The public names, by what they are for: Sphinx's autodoc writes each from its docstring."""

import inspect

import ecs_anim

GROUPS = (
    ("Worlds and crowds", ("scenes", "ecs", "systems.crowd_handle", "systems.skinning", "support")),
    ("Pictures", ("systems", "view")),
    ("Characters and poses", ("assets", "maths")),
    ("Clip tables and bakes", ("runtime", "bake")),
    ("Inverse kinematics", ("ik",)),
)


def public_names() -> str:
    """A section for each group, and in it every name of `ecs_anim.__all__` whose module is of it."""
    homes = {name: getattr(ecs_anim, name) for name in ecs_anim.__all__}
    groups = {name: _group(thing.__module__) for name, thing in homes.items()}
    sections = []
    for title in (*(title for title, _ in GROUPS), "Others"):
        names = [name for name in homes if groups[name] == title]
        if names:
            sections.append(f"## {title}\n\n" + "\n\n".join(_entry(name, homes[name]) for name in names))
    return "\n\n".join(sections)


def _group(module: str) -> str:
    """The group with the longest beginning of the module's name."""
    inner = module.removeprefix("ecs_anim.")
    fits = [(len(room), title) for title, rooms in GROUPS for room in rooms if f"{inner}.".startswith(f"{room}.")]
    return max(fits)[1] if fits else "Others"


def _entry(name: str, thing: object) -> str:
    if inspect.isclass(thing):
        return f"```{{eval-rst}}\n.. autoclass:: ecs_anim.{name}\n   :members:\n```"
    return f"```{{eval-rst}}\n.. autofunction:: ecs_anim.{name}\n```"
