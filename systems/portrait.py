"""The text, the picture and the page that show a world in a notebook."""

from importlib import import_module

from ecs_anim.components.stage import Stage
from ecs_anim.ecs.world import World
from ecs_anim.support.pictures import png_bytes
from ecs_anim.systems.queries import actor_count

SIZE = (640, 360)  # [pixel]


class WorldPortrait:
    """The `Portrait` of a world that was loaded from a scene.

    `is_repeatable` is false if a system of the user takes part in the steps. The world then has no page, because the
    state of such a system cannot be restored.
    """

    def __init__(self, is_repeatable: bool = True) -> None:
        self._is_repeatable = is_repeatable

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

    def html(self, world: World) -> str | None:
        """Return HTML that plays the next seconds of the world. For a large world, or after an error, return None."""
        if not self._is_repeatable:
            return None
        page = import_module("ecs_anim.sharing.cell_page")  # a higher layer, which only notebooks need
        try:
            return page.cell_page(world)
        except Exception:
            return None
