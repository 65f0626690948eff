"""The camera that a window shows: the one that a hand moves, or one of the scene's others."""

from ecs_anim.ecs.world import World
from ecs_anim.support.errors import InputError
from ecs_anim.systems.cameras import camera, cameras, own_size
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.pinhole import ViewCamera


class CameraCycle:
    """One of a world's cameras after the other. None is the name of the one that a hand moves.

    Raises InputError for a name that no camera of the scene has.
    """

    def __init__(self, world: World, name: str | None = None) -> None:
        self._world, self.name, self._fault = world, name, ""
        own_size(world, name)

    def advance(self) -> None:
        """Go on to the next."""
        names = [None, *cameras(self._world)]
        self.name = names[(names.index(self.name) + 1) % len(names)]

    def seen_from(self) -> ViewCamera:
        """Return the camera at its current place; the hand-moved camera if no actor carries the named one."""
        self._fault = ""
        if self.name is not None:
            try:
                return camera(self._world, self.name)
            except InputError as error:
                self._fault = str(error)
        return stage_of(self._world).camera

    def text(self) -> str:
        """Such as "camera: door"; empty for the one that a hand moves."""
        return self._fault or (f"camera: {self.name}" if self.name is not None else "")
