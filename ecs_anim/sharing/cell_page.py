"""The shared page that shows a world in a notebook cell. The world does not change."""

import tempfile
from pathlib import Path

from ecs_anim.ecs.world import World
from ecs_anim.sharing.frames import frame_of
from ecs_anim.sharing.share import PAGE, share
from ecs_anim.support.files import read_bytes
from ecs_anim.systems.history import copy_of, restore_copy
from ecs_anim.systems.queries import actor_count

SECONDS, FPS = 3.0, 10  # duration and pictures per second of the page
MOST_ACTORS = 100  # for a world with more actors, the function makes no page, because it would take many seconds
MOST_BYTES = 4_000_000  # size limit of a page, because a notebook stores the page of each cell
STYLE = "width: 100%; max-width: 960px; height: 540px; border: 0"


def cell_page(world: World) -> str | None:
    """Return HTML with a page that plays the next `SECONDS` seconds of a world.

    Return None for a large world, and for a world with handlers of the event "stepped". For example, a running widget
    has such a handler, and steps the world itself. To record the motion, the function takes steps of the world without
    calling any handler. After the recording, the function restores the state of the world. Raises InputError for disk
    errors.
    """
    if not 0 < actor_count(world) <= MOST_ACTORS or world.hears("stepped"):
        return None
    before = copy_of(world)
    with tempfile.TemporaryDirectory() as folder, world.without_handlers():
        path = Path(folder) / "world.html"
        try:
            size = share(world, path, seconds=SECONDS, fps=FPS).bytes
        finally:
            restore_copy(world, before)
        if size > MOST_BYTES:
            return None
        return frame_of(read_bytes(path, PAGE).decode(), "Recording of a crowd", STYLE)
