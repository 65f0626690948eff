"""Keys of a scene file, for messages."""

from dataclasses import dataclass

from ecs_anim.support.errors import InputError


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
        """The error to raise for this key."""
        return InputError(f"{self}: {message}")
