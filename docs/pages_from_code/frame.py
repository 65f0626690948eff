"""Generate the diagram and the tables of the systems and components in a time step, from the schedule."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import ecs_anim.components
from ecs_anim.systems import schedule
from ecs_anim.systems.schedule import AFTER, BEFORE, FIRST_POSE, ORDER
from pages_from_code.markdown import code, codes, table

COLUMN, ROW, GAP, TOP = 168, 20, 28, 46  # sizes in the diagram [pixels]
SYSTEMS = (*BEFORE, *ORDER, *AFTER)


def frame_diagram() -> str:
    """Return an SVG image of a time step. The order is from left to right, and from top to bottom in each group.

    The image shows four groups of systems. The drawing of a picture follows at the right end.
    """
    names = [system.name for system in ORDER]
    first_pose = names.index(FIRST_POSE)
    groups = (
        ("world, once", [system.name for system in BEFORE]),
        ("chunks: state of all", names[:first_pose]),
        ("chunks: poses", names[first_pose:]),
        ("world, once", [system.name for system in AFTER]),
        ("when asked for", ["drawing"]),
    )
    height = TOP + ROW * max(len(group) for _, group in groups) + 16
    width = len(groups) * (COLUMN + GAP) - GAP
    boxes = "".join(_group(i * (COLUMN + GAP), title, group) for i, (title, group) in enumerate(groups))
    arrows = "".join(_arrow(i * (COLUMN + GAP) - GAP) for i in range(1, len(groups)))
    says = f"Systems in order: {', '.join(name for _, group in groups for name in group)}"
    return (
        f'<svg viewBox="-1 0 {width + 2} {height}" role="img" aria-label="{says}" style="max-width:100%" fill="none"'
        f' stroke="currentColor" font-family="sans-serif" font-size="13">{boxes}{arrows}</svg>'
    )


def frame_table() -> str:
    """Return a table of the systems in running order.

    A row states the purpose, the inputs and the outputs of a system, and the reason for its position.
    """
    reasons = _reasons()
    rows = [
        (
            code(system.name),
            _sentence(type(system)),
            codes(component.__name__ for component in getattr(system, "components", ())),
            _sentence(getattr(system, "stages", None) or type(system).run),
            reasons[type(system).__name__],
        )
        for system in SYSTEMS
    ]
    return table(("system", "does", "takes", "writes", "why there"), rows)


def component_table() -> str:
    """Return a table of the components, with their contents and with the systems that write or read each component."""
    rows = []
    for component, about in components():
        written = re.search(r"Written by: (.*?)\.\s+Read by: (.*?)\.?$", about, re.DOTALL)
        does, _, _ = about.partition("Written by:")
        takers = [system.name for system in ORDER if component in system.components]
        writers, readers = written.groups() if written else ("", "")
        if written or takers:
            rows.append((code(component.__name__), _flat(does), _flat(writers), codes(takers), _flat(readers)))
    return table(("component", "holds", "written by", "systems that take it", "read by, besides"), rows)


def components() -> Iterator[tuple[type, str]]:
    """Yield the classes in `ecs_anim.components` with their docstrings, module by module."""
    for module in pkgutil.iter_modules(ecs_anim.components.__path__, "ecs_anim.components."):
        for _, found in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if found.__module__ == module.name:
                yield found, inspect.getdoc(found) or ""


def _reasons() -> dict[str, str]:
    """Return the reason for the position of each system in the schedule, by class name.

    The reason is the comment after the system in the lists of the schedule.
    """
    lines = Path(inspect.getfile(schedule)).read_text("utf-8").splitlines()
    return {found[1]: found[2] for line in lines if (found := re.match(r"    (\w+)\(\),  # (.*)", line))}


def _sentence(thing: Any) -> str:
    first, _, _ = (inspect.getdoc(thing) or "").partition("\n\n")
    return _flat(first)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _group(left: int, title: str, names: Sequence[str]) -> str:
    height = ROW * len(names) + 10
    lines = [
        f'<text x="{left + 12}" y="{TOP + 4 + ROW * (i + 0.5):g}" fill="currentColor" stroke="none">{name}</text>'
        for i, name in enumerate(names)
    ]
    return (
        f'<text x="{left}" y="{TOP - 16}" fill="currentColor" stroke="none" font-weight="bold">{title}</text>'
        f'<rect x="{left}" y="{TOP - 6}" width="{COLUMN}" height="{height}" rx="6"/>{"".join(lines)}'
    )


def _arrow(left: int) -> str:
    middle = TOP + 9
    tip = left + GAP - 4
    return f'<path d="M{left + 4} {middle}H{tip}m-6 -5l6 5l-6 5"/>'
