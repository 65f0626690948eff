"""A Sphinx extension that generates parts of pages from the source code.

A page contains lines of the form `NOTE <!-- from code: name -->`. The extension replaces each of these lines with the
text that the function `name` returns (MyST Markdown). If a second word follows `name`, this word is the argument of the
function. The generated parts of pages always agree with the code, because the extension generates them again for each
build of the site. NOTE tells readers of the repository how to read the generated part.
"""

import re
from collections.abc import Callable
from typing import Any

from pages_from_code.command_line import commands
from pages_from_code.docstrings import as_restructured_text
from pages_from_code.frame import component_table, frame_diagram, frame_table
from pages_from_code.gallery import PAGE, as_gallery, copy_films, front_film
from pages_from_code.public_names import index_of_names, public_names
from pages_from_code.scene_keys import scene_keys
from pages_from_code.signatures import shorten_annotations, with_names_alone
from pages_from_code.snapshot_columns import snapshot_columns
from pages_from_code.steering_models import steering_models
from pages_from_code.window_controls import notebook_controls, window_controls

WRITERS: dict[str, Callable[..., str]] = {
    writer.__name__: writer
    for writer in (
        commands,
        component_table,
        frame_diagram,
        frame_table,
        front_film,
        index_of_names,
        notebook_controls,
        public_names,
        scene_keys,
        snapshot_columns,
        steering_models,
        window_controls,
    )
}
NOTE = (
    "*A script generates this part of the page when the site is built. To read this part, run `./dev docs` and open "
    "`build/docs/index.html`.*"
)
MARK = re.compile(rf"^{re.escape(NOTE)} <!-- from code: (\w+)(?: ([\w-]+))? -->$", re.MULTILINE)


def fill(text: str) -> str:
    """Return the text of a page in which generated parts replace all lines of the form `MARK`.

    The function `name` in a line generates the part for this line.

    Raises KeyError if no function has this name.
    """
    return MARK.sub(lambda mark: WRITERS[mark[1]](*filter(None, [mark[2]])), text)


def _fill_page(_app: Any, page: str, source: list[str]) -> None:
    source[0] = as_gallery(source[0]) if page == PAGE else fill(source[0])


def setup(app: Any) -> dict[str, bool]:
    """Register the event handlers of this extension in Sphinx."""
    app.connect("source-read", _fill_page)
    app.connect("autodoc-process-docstring", as_restructured_text)
    app.connect("autodoc-process-signature", with_names_alone)
    app.connect("doctree-read", shorten_annotations)
    app.connect("build-finished", copy_films)
    return {"parallel_read_safe": True}
