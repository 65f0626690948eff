"""Contact sheets for retargeted clips: one row per body, one column per phase, all seen from the front."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.pictures import save_png
from ecs_anim.systems.rendering import render
from ecs_anim.view.camera import CameraChange

PHASES = 8
APART, ROWS_APART = 1.35, 60.0  # distance between phases, and between clips [m]
HEADING = -50.0  # heading of bodies [degrees]: from south, 40 to the left
HEIGHT = 1.75  # [m]
FAR, FOV = 40.0, 3.3  # distance [m] and field of view [degrees] of a camera that sees a row with almost no perspective
SIZE = (1180, 250)  # size of a row [pixel]


def write_sheets(motion: str, clips: Sequence[str], models: Sequence[str], hands: bool, folder: Path) -> None:
    """Write one PNG per clip in the file `motion` into `folder`: `FILE-CLIP.png`."""
    sheets: dict[str, list[NDArray[np.uint8]]] = {clip: [] for clip in clips}
    for model in models:
        with load_scene(_scene(motion, clips, model, hands)) as world:
            for row, clip in enumerate(clips):
                sheets[clip].append(_row(world, row))
    for clip, rows in sheets.items():
        name = "".join(letter if letter.isalnum() else "_" for letter in clip)
        save_png(folder / f"{Path(motion).stem}-{name}.png", np.concatenate(rows))


def _row(world: World, row: int) -> NDArray[np.uint8]:
    middle = (PHASES - 1) / 2 * APART
    camera: CameraChange = {
        "target": (row * ROWS_APART + middle, 1.0, 0.0),
        "distance": FAR,
        "azimuth_degrees": 180.0,
        "elevation_degrees": 6.0,
        "vertical_fov_degrees": FOV,
    }
    return render(world, SIZE, camera)


def _scene(motion: str, clips: Sequence[str], model: str, hands: bool) -> dict[str, Any]:
    lent = {} if model == motion else {"clips_from": [motion], "root_motion": "extract", "hands": hands}
    crowds = [
        {
            "name": f"{row} {column}",
            "rig": "body",
            "layout": {"kind": "points", "points": [[row * ROWS_APART + column * APART, 0.0]]},
            "heading_degrees": HEADING,
            "clips": [{"name": clip, "phase": column / PHASES}],
        }
        for row, clip in enumerate(clips)
        for column in range(PHASES)
    ]
    return {
        "rigs": {"body": {"model": model, "height": HEIGHT, "facing_degrees": _facing(model), **lent}},
        "crowds": crowds,
    }


def _facing(model: str) -> float:
    """Return the facing [degrees] of the body in `model`, measured from its limbs and rounded to a quarter turn."""
    return 90.0 * round(find_roles(load_model(model)).facing / (math.pi / 2))
