"""The images of all label passes of a camera. Each image is an attribute, and the name of the attribute is the name of
the label pass.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.small_matrices import length
from ecs_anim.view.label_passes import BY_NAME


class Images:
    """A collection of images. The key of an image is the name of its label pass.

    For example, `x.depth` returns `x.images["depth"]`, or None if the collection has no depth image.
    """

    images: Mapping[str, NDArray[Any]]

    def __getattr__(self, name: str) -> Any:
        if name not in BY_NAME:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.images.get(name)


@dataclass(frozen=True)
class Passes(Images):
    """The images of all label passes of a camera, sampled at the pixel centres.

    Row 0 of an image is the top row. Sky pixels are 0 in all images.
    """

    images: Mapping[str, NDArray[Any]]  # [height, width] or [height, width, channels] in the format of `DRAWN`
    # [height, width, 4] f32, previous world position of the visible surface: x, y, z [m], then 1 = known or 0 =
    # unknown.
    past: NDArray[np.float32] | None = None

    def looked_up(self, nearest: Callable[[NDArray[Any]], NDArray[Any]]) -> "Passes":
        """Return the images, resampled to another pixel grid.

        The function `nearest` resamples one image. For each pixel of the new grid, `nearest` copies the nearest pixel
        of the old grid.
        """
        images = {name: nearest(image) for name, image in self.images.items()}
        return Passes(images, None if self.past is None else nearest(self.past))

    def with_ray_depths(self, points: NDArray[np.float64]) -> "Passes":
        """Return the images with distances from the camera in place of depths along the axis.

        `points` [height, width, 3] are points at the depth 1 on the ray of each pixel.
        """
        stretch = np.nan_to_num(length(points)).astype(np.float32)
        return Passes({**self.images, "depth": self.images["depth"] * stretch}, self.past)
