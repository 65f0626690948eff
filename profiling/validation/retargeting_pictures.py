"""Pictures of retargeted clips from the front. Each row shows one body, and each column shows one phase."""

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
APART, ROWS_APART = 1.35, 60.0  # distance between two phases, and distance between two clips [m]
HEADING = -50.0  # heading of the bodies [degrees]: 40 degrees to the left of south
HEIGHT = 1.75  # [m]
FAR, FOV = 40.0, 3.3  # distance [m] and field of view [degrees] of the camera; such a picture has little perspective
SIZE = (1180, 250)  # size of the picture of a row [pixel]


def write_sheets(motion: str, clips: Sequence[str], models: Sequence[str], hands: bool, folder: Path) -> None:
    """Write a PNG file `FILE-CLIP.png` for each clip of the file `motion` into `folder`."""
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
    """Return the `facing` of the body in `model` [degrees].

    The function measures the facing from the limbs, and rounds the facing to 90 degrees.
    """
    return 90.0 * round(find_roles(load_model(model)).facing / (math.pi / 2))
