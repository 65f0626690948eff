"""Label pass images of a camera, accessed with pass names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.label_passes import BY_NAME


class Images:
    """Images by pass name. `x.depth` returns `x.images["depth"]`, or None if the pass is absent."""

    images: Mapping[str, NDArray[Any]]

    def __getattr__(self, name: str) -> Any:
        if name not in BY_NAME:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.images.get(name)


@dataclass(frozen=True)
class Passes(Images):
    """Label pass images of a camera, sampled at the pixel centres.

    Row 0 is the top. Sky pixels are 0 in all images.
    """

    images: Mapping[str, NDArray[Any]]  # [height, width] or [height, width, channels] in the format of `DRAWN`
    # [height, width, 4] f32, earlier world position of the visible surface: x, y, z [m], then 1 = known or 0 = unknown.
    past: NDArray[np.float32] | None = None

    def looked_up(self, nearest: Callable[[NDArray[Any]], NDArray[Any]]) -> "Passes":
        """Return the passes with another pixel grid.

        The function `nearest` maps an image of this grid to the new grid. `nearest` selects one old pixel for each new
        pixel.
        """
        images = {name: nearest(image) for name, image in self.images.items()}
        return Passes(images, None if self.past is None else nearest(self.past))
