"""The camera that a window shows: the camera that the user moves, or a named camera of the scene."""

from ecs_anim.ecs.world import World
from ecs_anim.support.errors import InputError
from ecs_anim.systems.cameras import camera, cameras, own_size
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.pinhole import ViewCamera


class CameraCycle:
    """The selected camera of a world. The user switches from camera to camera.

    The name None selects the camera that the user moves. Raises InputError if no camera of the scene has the given
    name.
    """

    def __init__(self, world: World, name: str | None = None) -> None:
        self._world, self.name, self._fault = world, name, ""
        own_size(world, name)

    def advance(self) -> None:
        """Select the next camera."""
        names = [None, *cameras(self._world)]
        self.name = names[(names.index(self.name) + 1) % len(names)]

    def seen_from(self) -> ViewCamera:
        """Return the selected camera at its current position.

        If an absent actor carries the selected camera, return the camera that the user moves.
        """
        self._fault = ""
        if self.name is not None:
            try:
                return camera(self._world, self.name)
            except InputError as error:
                self._fault = str(error)
        return stage_of(self._world).camera

    def text(self) -> str:
        """Return text such as "camera: door", or an error. The text is empty for the camera that the user moves."""
        return self._fault or (f"camera: {self.name}" if self.name is not None else "")
