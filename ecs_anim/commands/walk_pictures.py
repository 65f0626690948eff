"""Additions of `ecs-anim walk` to pictures: a camera that follows a person, a clock, and a legend of colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.mannequin.paint import SHIRT
from ecs_anim.maths.color import hex_to_linear, linear_to_hex, srgb_to_linear
from ecs_anim.scenes.rigs import CLOTHED
from ecs_anim.scenes.walked import TINTS
from ecs_anim.support.clock import clock_box, with_clock
from ecs_anim.support.legend import Entry, emptiest_corner, with_legend
from ecs_anim.systems.chunk import Forgetful
from ecs_anim.systems.filming import Addition
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.lit_color import lit_color
from ecs_anim.view.style import View

FOLLOWED_FROM = 5.0  # [m], camera distance
CHEST = 0.9  # [m], height of the camera target above the feet
MOST_LETTERS = 40  # largest number of letters of an id in a legend
# Colours of speeds [m/s], from dark to light, so that colour-blind people can distinguish them.
SPEEDS = {0.0: "#431a5c", 0.3: "#3b6fd0", 0.8: "#2aa889", 1.3: "#94d840", 1.8: "#fde725"}
Tint = Literal["id", "speed"]
Bodies = NDArray[np.float64]  # [n, 2, 3], [m], feet and heads


@dataclass
class FollowPerson(Forgetful):
    """A world system that keeps the camera on one actor."""

    row: int
    name: ClassVar[str] = "follow_person"

    def run(self, world: World, dt: float) -> None:
        """Move the camera's target to the followed person. The function does not use `dt`."""
        camera = stage_of(world).camera
        _, (transforms,) = next(world.query(Transforms))
        x, y, z = transforms.translation[self.row]
        camera.target, camera.distance = np.array([x, y + CHEST, z], np.float32), FOLLOWED_FROM


@dataclass(frozen=True)
class Clocked:
    """Two times of a trajectory file [s]: the time at which the world starts, and the last time in the pictures."""

    begin: float
    last: float


def overlay_of(
    tint: Tint, rig: str, clock: Clocked, stage: Stage, size: tuple[int, int], people: Bodies, names: Sequence[str] = ()
) -> Addition:
    """Return an overlay that shows a legend and the time in the file.

    The overlay shows the legend in the corner where the legend covers the fewest people. The colours of the legend are
    the tints as they appear on a shirt in the light of the stage. `size` is the size of the picture [pixel]. For a
    fixed camera, `people` [n, 2, 3] [m] contains the positions of feet and heads at all shown times. If the ids in the
    file are texts, `names` contains the id of each person by the number of the person.
    """
    title, raw = _legend(tint, names)
    entries = [(_as_worn(color, rig, stage), text) for color, text in raw]
    empty = np.empty((size[1], size[0], 3), np.uint8)
    points = _pixels_of(people, stage, size)
    panel = clock_box(empty, clock.last)
    corner = emptiest_corner(empty, title, entries, points, panel)

    def overlaid(picture: NDArray[np.uint8], seconds: float) -> NDArray[np.uint8]:
        return with_legend(with_clock(picture, clock.begin + seconds), title, entries, corner, panel)

    return overlaid


def _as_worn(color: str, rig: str, stage: Stage) -> str:
    """Return the colour that the tint `color` has on a shirt in the light of the stage."""
    shirt = np.array(SHIRT) / 255 if rig in CLOTHED else np.ones(3)
    red, green, blue = (srgb_to_linear(shirt) * hex_to_linear(color)).tolist()
    return linear_to_hex(lit_color((red, green, blue), stage.lighting, stage.camera.axes()[2]))


def _pixels_of(people: Bodies, stage: Stage, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return the pixel positions [m, 2] of points on bodies, from the feet to the head."""
    bodies = people[:, :1] + np.linspace(0, 1, 5)[:, None] * (people[:, 1:] - people[:, :1])
    whole = View.of(stage.camera, size[0] / size[1]).view_projection
    clip = np.concatenate([bodies.reshape(-1, 3), np.ones((bodies.size // 3, 1))], axis=1) @ whole.T
    ahead = clip[clip[:, 3] > 0]
    across, up = ahead[:, 0] / ahead[:, 3], ahead[:, 1] / ahead[:, 3]
    return np.stack([(1 + across) / 2 * size[0], (1 - up) / 2 * size[1]], axis=-1)


def _legend(tint: Tint, names: Sequence[str]) -> tuple[str, list[Entry]]:
    """Return the title and the entries of a legend for the tint `tint`.

    If the ids in the file are texts, `names` contains the id of each person by the number of the person.
    """
    match tint:
        case "id" if 0 < len(names) <= len(TINTS) and sum(map(len, names)) <= MOST_LETTERS:
            return "id", list(zip(TINTS, names, strict=False))
        case "id":
            title = "last digit of the id's position in the file" if names else "last digit of the id"
            return title, [(color, f"{digit}") for digit, color in enumerate(TINTS)]
        case "speed":
            return "speed [m/s]", [(color, f"{speed:g}") for speed, color in SPEEDS.items()]
        case _:
            assert_never(tint)
