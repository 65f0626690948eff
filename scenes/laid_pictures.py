"""Placement of pictures on the floor. From the keys of a scene, this module computes the homography that maps a picture
to the plan.
"""

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Texture
from ecs_anim.maths import homography, small_matrices
from ecs_anim.scenes.images import read_picture
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_picture import LaidPicture
from ecs_anim.support.arguments import FARTHEST
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.files import Kind, read_text
from ecs_anim.view.style import GroundPicture

HOMOGRAPHY = Kind("homography", "plan_bytes", ("trajectories", "unknown"))
UNIT_SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])  # clockwise, because v grows downwards
COLLAPSED = "these numbers map the picture onto a line or a point. Write numbers that map the picture onto an area"
SMALLEST = 1e-9  # [m^2], smallest area of a picture


def picture_onto_plan(laid: LaidPicture, size: tuple[int, int], folder: Path, key: SceneKey) -> NDArray[np.float64]:
    """Return the homography [3, 3] from the picture's unit square to the plan [m].

    (0, 0) is the upper left corner of the picture. `size` contains width and height [pixel]. The denominator of the
    homography is positive on the whole picture. Raises InputError if the picture would be mirrored, too far away, or
    cut by the horizon.
    """
    matrix = _matrix(laid, size, folder, key)
    if small_matrices.determinant(matrix) == 0:
        raise key.fault(COLLAPSED)
    depth = small_matrices.applied(matrix, np.concatenate([UNIT_SQUARE, np.ones((4, 1))], axis=1))[:, 2]
    if not (depth > 0).all() and not (depth < 0).all():
        raise key.fault(
            "all corners of the picture must show the floor, but some corners are above the horizon. Name the corners"
            " in order around the picture, or crop the picture to the floor."
        )
    corners = homography.applied(matrix, UNIT_SQUARE)
    if np.abs(corners).max() > FARTHEST:
        x, y = corners[np.abs(corners).max(axis=-1).argmax()]
        raise key.fault(
            f"all corners of the picture must be at most {FARTHEST:g} m from the point 0, 0 (got a corner at x"
            f" = {x:g}, y = {y:g}). Move the picture nearer."
        )
    area = _turned_area(corners)
    if abs(area) < SMALLEST:
        raise key.fault(COLLAPSED)
    if area > 0:
        text = "these numbers mirror the picture. Write plan points as seen from above, with x east and y north"
        warnings.warn(f"{key}: {text}", InputWarning, stacklevel=2)
    signed: NDArray[np.float64] = matrix * np.sign(depth[0])
    return signed


def ground_picture(scene: SceneFile, laid: LaidPicture) -> GroundPicture:
    """Return the picture on the flat ground of a scene. Raises InputError if the picture or its position is invalid."""
    key = SceneKey(scene.label, "ground.picture")
    pixels = read_picture(scene.folder / laid.file, f"{key}")
    height, width = pixels.shape[:2]
    onto_plan = picture_onto_plan(laid, (width, height), scene.folder, key)
    from_plan = small_matrices.inverse(onto_plan)
    depth = small_matrices.applied(from_plan, [*homography.applied(onto_plan, [[0.5, 0.5]])[0], 1.0])[2]
    return GroundPicture(Texture(pixels, repeat=False), from_plan / depth * [1.0, -1.0, 1.0])


def _matrix(laid: LaidPicture, size: tuple[int, int], folder: Path, key: SceneKey) -> NDArray[np.float64]:
    if laid.homography is not None:
        return _of_pixels(laid, size, folder, key / ".homography")
    if laid.corners is not None:
        corners = np.array(laid.corners)
    else:
        assert laid.metres_per_pixel is not None
        extent = laid.metres_per_pixel * np.array(size)
        left_bottom = -extent / 2 if laid.origin is None else np.array(laid.origin)
        corners = left_bottom + extent * (UNIT_SQUARE * [1, -1] + [0, 1])
    with (key / ".corners").blamed():
        return homography.square_onto(corners)


def _of_pixels(laid: LaidPicture, size: tuple[int, int], folder: Path, key: SceneKey) -> NDArray[np.float64]:
    given = _read(folder / laid.homography, key) if isinstance(laid.homography, str) else np.array(laid.homography)
    width, height = size
    to_pixels = np.array([[width, 0.0, -0.5], [0.0, height, -0.5], [0.0, 0.0, 1.0]])
    if laid.pixel_order == "row_column":
        to_pixels = to_pixels[[1, 0, 2]]
    matrix: NDArray[np.float64] = small_matrices.product(given, to_pixels)
    return matrix


def _read(path: Path, key: SceneKey) -> NDArray[np.float64]:
    """Return a matrix [3, 3] from the nine numbers in a text file."""
    try:
        words = read_text(path, HOMOGRAPHY).replace(",", " ").split()
        numbers = np.array([float(word) for word in words])
    except InputError as error:
        raise InputError(f"{key}: {error}") from None
    except ValueError:
        numbers = np.empty(0)
    if len(numbers) != 9 or not np.isfinite(numbers).all():
        raise key.fault(f"the file {path} must contain three rows of three numbers. Correct the file.")
    return numbers.reshape(3, 3)


def _turned_area(corners: NDArray[np.float64]) -> float:
    """Return the area [m^2] of a quadrilateral. The area is positive if the corners are in counter-clockwise order."""
    diagonal, other = corners[2] - corners[0], corners[3] - corners[1]
    return 0.5 * float(diagonal[0] * other[1] - diagonal[1] * other[0])
