"""Dark panels with light text in pictures, for clocks and legends."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont, ImageFont

SHARE = 1 / 24  # height of the text / height of the picture
SMALLEST = 10  # [pixel], smallest legible height of text
INK, PANEL = (245, 246, 248), (22, 26, 32)  # sRGB
COVER = 150 / 255  # opacity of the panel
Box = tuple[float, float, float, float]  # [pixel]: left, top, right, bottom


def text_size(frame: NDArray[np.uint8], share: float = SHARE) -> int:
    """Return the height [pixel] of texts in a picture [height, width, 3].

    The result is `share` times the picture's height.
    """
    return max(SMALLEST, round(share * frame.shape[0]))


def font_of(size: int) -> "FreeTypeFont | ImageFont":
    """Return a font with the text height `size` [pixel]."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


def with_panel(frame: NDArray[np.uint8], box: Box) -> "Image":
    """Return a copy of the picture [height, width, 3] with a dark panel in `box`."""
    from PIL import Image, ImageDraw

    picture = Image.fromarray(frame)
    panel = picture.copy()
    ImageDraw.Draw(panel).rectangle(box, fill=PANEL)
    return Image.blend(picture, panel, COVER)
