"""The text and the picture that show a world in a notebook."""

from ecs_anim.components.stage import Stage
from ecs_anim.ecs.world import World
from ecs_anim.support.pictures import png_bytes
from ecs_anim.systems.queries import actor_count

SIZE = (640, 360)  # [pixel]


class WorldPortrait:
    """The `Portrait` of a world that was loaded from a scene."""

    def text(self, world: World) -> str:
        """Return a text such as "'Plaza', 500 actors"."""
        titles = [repr(stage.title) for _, (stage,) in world.query(Stage)]
        count = actor_count(world)
        return ", ".join([*titles, f"{count:,} actor{'' if count == 1 else 's'}"])

    def png(self, world: World) -> bytes | None:
        """Return a picture from the world's camera. If drawing fails, return None.

        If the result is None, the notebook shows the text.
        """
        from ecs_anim.systems.rendering import render  # imported only when a picture is needed

        try:
            return png_bytes(render(world, SIZE))
        except Exception:
            return None
