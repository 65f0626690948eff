"""The camera whose picture a window shows: the user's camera, or a camera with a name in the scene."""

from ecs_anim.ecs.world import World
from ecs_anim.support.errors import InputError
from ecs_anim.systems.cameras import camera, cameras, own_size
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.pinhole import ViewCamera


class CameraCycle:
    """The selected camera of a world. The user can switch to the next camera.

    The name None selects the user's camera. Raises InputError if the scene has no camera with the given name.
    """

    def __init__(self, world: World, name: str | None = None) -> None:
        self._world, self.name, self._fault = world, name, ""
        own_size(world, name)

    def advance(self) -> None:
        """Select the next camera in the list."""
        names = [None, *cameras(self._world)]
        self.name = names[(names.index(self.name) + 1) % len(names)]

    def seen_from(self) -> ViewCamera:
        """Return the selected camera at its current position.

        If the selected camera is mounted on an absent actor, return the user's camera.
        """
        self._fault = ""
        if self.name is not None:
            try:
                return camera(self._world, self.name)
            except InputError as error:
                self._fault = str(error)
        return stage_of(self._world).camera

    def text(self) -> str:
        """Return a text such as "camera: door", or an error message.

        The text is empty if the user's camera is selected.
        """
        return self._fault or (f"camera: {self.name}" if self.name is not None else "")
