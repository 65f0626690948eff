"""The notebook cell that calls a function, and the number of executed cells."""

import sys
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A run of a notebook cell."""

    cell: str  # id of the cell
    run: str  # id of the message that runs the cell


def present_cell() -> Cell | None:
    """Return the notebook cell that runs now. Return None outside of notebooks, and in a notebook program without cell
    ids.
    """
    shell = _shell()
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell, run = parent.get("metadata", {}).get("cellId"), parent.get("header", {}).get("msg_id")
    return Cell(str(cell), str(run)) if cell and run else None


def executed_count() -> int:
    """Return the number of executed cells. Outside of notebooks, return 0."""
    return getattr(_shell(), "execution_count", 0)


def _shell() -> Any:
    """Return the object that executes the cells, or None."""
    ipython = sys.modules.get("IPython")  # a notebook has imported IPython
    return ipython.get_ipython() if ipython else None
