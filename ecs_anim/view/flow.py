"""Optical flow: how far what is seen has moved in the picture, of exact positions before and now."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import PinholeCamera
from ecs_anim.view.resampling import resampling_of


def flow_of(passes: Passes, camera: PinholeCamera, before: PinholeCamera) -> NDArray[np.float32]:
    """Pixels [height, width, 2] f32 by which what is seen has moved since then, to the right and down.

    What is seen at p was at p - flow, whether it was seen there or not. NaN: nobody knows, or it was not before the
    camera. The lens of `camera` is of the passes' size. Raises ValueError for passes without a past.
    """
    if passes.past is None:
        raise ValueError("flow is made of passes that have a past")
    lens = camera.lens
    directions = resampling_of(lens).sampled() if lens.is_distorted else lens.directions()
    seen = np.concatenate([directions * [1, -1], np.full((*directions.shape[:2], 1), -1.0)], axis=-1)
    then, _ = before.project(np.where(passes.past[..., 3:] > 0, passes.past[..., :3], 0))
    flow = np.where(passes.past[..., 3:] > 0, lens.pixels(seen) - then, np.nan)
    return flow.astype(np.float32)
