"""The clock system: it writes the world's time into the movers.

Positions on paths depend on the time.
"""

from typing import ClassVar

from ecs_anim.components.movers import Movers
from ecs_anim.ecs.world import World
from ecs_anim.systems.chunk import Forgetful


class TellTime(Forgetful):
    """Write the end time of the step into the movers of each crowd."""

    name: ClassVar[str] = "clock"

    def run(self, world: World, dt: float) -> None:
        """Write `movers.clock`."""
        for _, (movers,) in world.query(Movers):
            movers.clock.now = world.time + dt
