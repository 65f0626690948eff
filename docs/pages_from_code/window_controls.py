"""Generate the tables of keys and mouse drags from the table that the window uses."""

from ecs_anim.gl.window.keys import CONTROLS, NOTEBOOK_CONTROLS
from pages_from_code.markdown import table

HEAD = ("key or mouse", "effect")


def window_controls() -> str:
    """Return a table of the keys and mouse drags of the window."""
    return table(HEAD, [(control.label, control.effect) for control in CONTROLS])


def notebook_controls() -> str:
    """Return a table of the keys and mouse drags of the notebook widget."""
    return table(HEAD, [(control.label, control.effect) for control in NOTEBOOK_CONTROLS])
