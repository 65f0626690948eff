"""What `ecs-anim walk` adds to the pictures of its scene: a camera that follows, a clock, what colours mean."""

from dataclasses import dataclass
from typing import ClassVar, Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.scenes.walked import TINTS
from ecs_anim.support.clock import with_clock
from ecs_anim.support.legend import Entry, with_legend
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.filming import Overlay
from ecs_anim.systems.queries import stage_of

FOLLOWED_FROM = 5.0  # [m]
# Colours of speeds [m/s]: from dark to light, so that they are told apart by colour-blind people too.
SPEEDS = {0.0: "#431a5c", 0.3: "#3b6fd0", 0.8: "#2aa889", 1.3: "#94d840", 1.8: "#fde725"}
Tint = Literal["id", "speed"]


@dataclass
class FollowPerson(Forgetful):
    """A world system that keeps the camera on one actor."""

    row: int
    name: ClassVar[str] = "follow_person"

    def run(self, world: World, dt: float) -> None:
        """Move the camera's target; `dt` is none of its business."""
        camera = stage_of(world).camera
        _, (transforms,) = next(world.query(Transforms))
        x, _, z = transforms.translation[self.row]
        camera.target, camera.distance = np.array([x, 0.9, z], np.float32), FOLLOWED_FROM


def overlay_of(tint: Tint, begin: float) -> Overlay:
    """The clock, which tells the file's time, and the legend; `begin` is when in the file the world begins [s]."""
    title, entries = _legend(tint)

    def overlaid(picture: NDArray[np.uint8], seconds: float) -> NDArray[np.uint8]:
        return with_legend(with_clock(picture, begin + seconds), title, entries)

    return overlaid


def _legend(tint: Tint) -> tuple[str, list[Entry]]:
    match tint:
        case "id":
            return "id ends in", [(color, f"{digit}") for digit, color in enumerate(TINTS)]
        case "speed":
            return "speed [m/s]", [(color, f"{speed:g}") for speed, color in SPEEDS.items()]
        case _:
            assert_never(tint)
