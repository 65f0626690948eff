"""A Sphinx extension: parts of pages that are written by the code they describe.

A line `<!-- from code: NAME -->` in a page stands for what the function of that name returns, as MyST Markdown. So such
a part cannot fall behind the code, and no page that is made lies in the repository.
"""

import re
from collections.abc import Callable
from typing import Any

from pages_from_code.command_line import commands
from pages_from_code.docstrings import as_restructured_text, with_short_names
from pages_from_code.frame import component_table, frame_diagram, frame_table
from pages_from_code.public_names import public_names
from pages_from_code.scene_keys import scene_keys
from pages_from_code.snapshot_columns import snapshot_columns
from pages_from_code.steering_models import steering_models

WRITERS: dict[str, Callable[[], str]] = {
    writer.__name__: writer
    for writer in (
        commands,
        component_table,
        frame_diagram,
        frame_table,
        public_names,
        scene_keys,
        snapshot_columns,
        steering_models,
    )
}
MARK = re.compile(r"^<!-- from code: (\w+) -->$", re.MULTILINE)


def fill(text: str) -> str:
    """The page with each mark replaced by what the code says. Raises KeyError for a name that no writer has."""
    return MARK.sub(lambda mark: WRITERS[mark[1]](), text)


def _fill_page(_app: Any, _page: str, source: list[str]) -> None:
    source[0] = fill(source[0])


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx of all hooks."""
    app.connect("source-read", _fill_page)
    app.connect("autodoc-process-docstring", as_restructured_text)
    app.connect("autodoc-process-signature", with_short_names)
    return {"parallel_read_safe": True}
