"""Paths of keys in a scene file, for messages."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ecs_anim.support.errors import InputError, not_among


@dataclass(frozen=True)
class SceneKey:
    """The dotted path of a value in a scene file."""

    scene: str
    key: str

    def __truediv__(self, key: str) -> "SceneKey":
        return SceneKey(self.scene, f"{self.key}{key}")

    def __str__(self) -> str:
        return f"{self.scene}: {self.key}"

    def fault(self, message: str) -> InputError:
        """Return an InputError for this key."""
        return InputError(f"{self}: {message}")

    @contextmanager
    def blamed(self, kinds: tuple[type[Exception], ...] = (ValueError,)) -> Iterator[None]:
        """Convert errors of the types `kinds` in a `with` block to InputErrors with this key."""
        try:
            yield
        except kinds as error:
            raise self.fault(str(error)) from None

    def require_among(self, name: str, known: Collection[str], problem: str, listing: str = "it has") -> None:
        """Raise InputError if `name` is not in `known`.

        The message has `problem`, the nearest name and all known names.
        """
        if name not in known:
            raise self.fault(not_among(problem, name, known, listing))
