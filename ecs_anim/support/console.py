"""A console that prints tables with the library rich.

Control characters in the text of files cannot change the terminal.
"""

from typing import Any

from rich import console
from rich.text import Text

from ecs_anim.support.terminal import printable


class Console(console.Console):
    """A rich console that ignores markup and emoji codes.

    In place of each invisible character, the console prints an escape sequence.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the string `text`, which can have several lines, as a rich Text."""
        return super().render_str("\n".join(map(printable, text.split("\n"))), **options)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, as `print` does, if the reader of a pipe has closed the pipe."""
        raise BrokenPipeError
