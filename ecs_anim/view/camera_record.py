"""Records of cameras for JSON files and labels. A record contains all parameters that project points to pixels."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ecs_anim.maths import affine
from ecs_anim.maths.small_matrices import applied
from ecs_anim.view.lens import Lens
from ecs_anim.view.orthographic import OrthographicLens
from ecs_anim.view.pinhole import PinholeCamera, ViewCamera, pinhole_of
from ecs_anim.view.wide_lenses import EquirectangularLens, FisheyeLens

LENSES: dict[str, type[Any]] = {lens.model: lens for lens in (Lens, FisheyeLens, EquirectangularLens, OrthographicLens)}
SHARED = ("world_to_view", "model", "depth_along", "focal_length", "center", "near", "far")  # of all lenses


def camera_facts(camera: ViewCamera, width: int, height: int) -> dict[str, Any]:
    """Return the pose and the lens of a camera as a dictionary for JSON files.

    `model` is the name of the lens model. `depth_along` states whether depths are distances along the optical axis or
    along the ray. `focal_length` and `center` repeat fy, cx and cy.
    """
    lens = pinhole_of(camera, (width, height)).lens
    own = lens.facts()
    repeated = {"focal_length": own["fy"], "center": [own["cx"], own["cy"]]} if "fy" in own else {}
    return {
        "world_to_view": camera.view_matrix().tolist(),
        "model": lens.model,
        "depth_along": lens.depth_along,
        **repeated,
        "near": lens.near,
        "far": lens.far,
        **own,
    }


def recorded_camera(facts: Mapping[str, Any], width: int, height: int) -> PinholeCamera:
    """Return the camera of a record by `camera_facts`, for pictures with `width` x `height` pixels."""
    view = np.array(facts["world_to_view"], np.float64)[:3]
    turn = view[:, :3].T
    own = {name: value for name, value in facts.items() if name not in SHARED}
    if "distortion" in own:
        own["distortion"] = list(own["distortion"].values())
    lens = LENSES[facts["model"]]((width, height), near=facts["near"], far=facts["far"], **own)
    return PinholeCamera(lens, affine.join(turn, -applied(turn, view[:, 3])).astype(np.float64))
