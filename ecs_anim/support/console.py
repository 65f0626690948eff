"""A console that prints tables with the library rich.

Control characters in the text of files cannot change the terminal.
"""

from typing import Any

from rich import console
from rich.text import Text

from ecs_anim.support.terminal import printable


class Console(console.Console):
    """A rich console that ignores markup and emoji codes.

    The console prints an escape in place of each invisible character.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the string `text` as a rich Text. The string can have several lines."""
        return super().render_str("\n".join(map(printable, text.split("\n"))), **options)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError if the reader of a pipe has closed the pipe. `print` also raises BrokenPipeError."""
        raise BrokenPipeError
