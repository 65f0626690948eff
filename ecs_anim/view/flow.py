"""Optical flow: the movement of the visible surface in the picture.

The module computes the flow from exact surface positions, not from the colours of pictures.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.lens_model import LensModel
from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import PinholeCamera
from ecs_anim.view.resampling import faces_of

STEP = 2.0**-10  # [pixel]; the positions of surfaces in float32 give no finer flow, and equal numbers make small files
ROWS = 64  # rows of pixels that are projected together; larger arrays do not fit into the caches of a CPU


def flow_of(passes: Passes, camera: PinholeCamera, before: PinholeCamera) -> NDArray[np.float32]:
    """Return the optical flow: the movement [pixel] of the visible surface since the previous picture.

    The result is an array [height, width, 2] f32 with the movement to the right and down, in steps of 1/1024 pixel. The
    surface at pixel p was at p - flow in the previous picture. Another surface can hide the position p - flow in the
    previous picture. The flow is NaN if the previous position of the surface is unknown or was behind the camera. The
    lens of `camera` must have the size of `passes`. Raises ValueError for passes without previous positions.
    """
    if passes.past is None:
        raise ValueError(
            "optical flow needs the previous positions of surfaces, but these passes contain no previous positions. "
            "Draw the passes with `has_past=True`."
        )
    shown, flow = _shown_at(camera.lens), np.empty((*passes.past.shape[:2], 2), np.float32)
    for first in range(0, len(flow), ROWS):
        rows = slice(first, first + ROWS)
        then, _ = before.project(passes.past[rows, :, :3])
        flow[rows] = np.rint(camera.lens.moved(shown[rows], then) / STEP) * STEP
    flow[passes.past[..., 3] == 0] = np.nan
    return flow


def _shown_at(lens: LensModel) -> NDArray[np.float64]:
    """Return the exact picture positions [height, width, 2] that the pixels of a lens sample.

    If the lens is flat, the positions are the pixel centres. Otherwise, the positions are the nearest sample positions
    of the undistorted pictures.
    """
    shown = lens.pixel_centers()
    for face in () if lens.is_flat else faces_of(lens):
        face.paste(lens.pixels(face.sampled()), shown)
    return shown
