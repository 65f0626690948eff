"""Generator of the tables of keys and drags, from the table of the window."""

from ecs_anim.gl.window.keys import CONTROLS, NOTEBOOK_CONTROLS
from pages_from_code.markdown import table

HEAD = ("key or mouse", "effect")


def window_controls() -> str:
    """Return a table of the keys and drags of the window."""
    return table(HEAD, [(control.label, control.effect) for control in CONTROLS])


def notebook_controls() -> str:
    """Return a table of the keys and drags of the notebook widget."""
    return table(HEAD, [(control.label, control.effect) for control in NOTEBOOK_CONTROLS])
