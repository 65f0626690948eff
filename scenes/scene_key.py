"""Key paths such as `crowds[0].clips`, with which messages name a place in a scene file."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ecs_anim.support.errors import InputError, not_among


@dataclass(frozen=True)
class SceneKey:
    """The path of a key in a scene file, such as `crowds[0].clips`."""

    scene: str
    key: str

    def __truediv__(self, key: str) -> "SceneKey":
        return SceneKey(self.scene, f"{self.key}{key}")

    def __str__(self) -> str:
        return f"{self.scene}: {self.key}"

    def fault(self, message: str) -> InputError:
        """Return an InputError with this key and the text `message`."""
        return InputError(f"{self}: {message}")

    @contextmanager
    def blamed(self, kinds: tuple[type[Exception], ...] = (ValueError,)) -> Iterator[None]:
        """Convert errors in a `with` block to InputErrors with this key.

        `kinds` contains the types of the errors to convert.
        """
        try:
            yield
        except kinds as error:
            raise self.fault(str(error)) from None

    def require_among(self, name: str, known: Collection[str], problem: str, listing: str = "it has") -> None:
        """Raise InputError if `name` is not in `known`.

        The message contains `problem`, the most similar known name, and all known names.
        """
        if name not in known:
            raise self.fault(not_among(problem, name, known, listing))
