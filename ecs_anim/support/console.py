"""A console for tables, with rich. Text from files has no effect on the terminal."""

from typing import Any

from rich import console
from rich.text import Text

from ecs_anim.support.terminal import printable


class Console(console.Console):
    """A console of rich without markup and emoji codes. Characters that are not visible become escapes."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text of a string for rich. Titles can have several lines."""
        return super().render_str("\n".join(map(printable, text.split("\n"))), **options)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, as other output does if the reader of a pipe has closed the pipe."""
        raise BrokenPipeError
