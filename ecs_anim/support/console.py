"""Tables for people, through rich; what stands in files is shown and never acts."""

from typing import Any

from rich import console
from rich.text import Text

from ecs_anim.support.terminal import printable


class Console(console.Console):
    """rich's console for strings as they are: no markup, no emoji codes, and escapes for all but visible characters."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """A string as rich shows it; titles have several lines."""
        return super().render_str("\n".join(map(printable, text.split("\n"))), **options)

    def on_broken_pipe(self) -> None:
        """End the command as everywhere else: the reader of the pipe has left."""
        raise BrokenPipeError
