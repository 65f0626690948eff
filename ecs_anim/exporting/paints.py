"""Materials for exported files: the material of a mesh, combined with an actor's appearance.

An exported material can use only one picture. If the tint colours only parts of the material, the tint is therefore
painted into the picture.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Material, Texture
from ecs_anim.exporting.recording import Look
from ecs_anim.maths.color import linear_to_srgb, srgb_to_linear
from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import png_bytes

LINEAR = srgb_to_linear(np.arange(256) / 255)  # linear colour value of each sRGB byte


class Paint(NamedTuple):
    """The data of a material in an exported file."""

    color: tuple[float, float, float, float]  # linear RGBA, 0 to 1, multiplies the picture
    picture: bytes | None  # a PNG


class Paints:
    """Creator of `Paint` objects. Paints with equal pictures share one picture."""

    def __init__(self, path: Path) -> None:
        self._path = path  # path of the file for error messages
        self._pictures: dict[object, bytes] = {}

    def paint(self, material: Material, look: Look) -> Paint:
        """Return the paint of a material for an actor's appearance. Raise InputError for too many pictures."""
        # true = alpha is the opacity; false = alpha is the strength of the tint
        cut = material.alpha_cutoff is not None or material.blended
        base, texture = np.array(material.base_color), material.texture
        pixels = None if texture is None else _layer(texture, look.variant)
        low, high = (1.0, 1.0) if pixels is None else (pixels[..., 3].min() / 255, pixels[..., 3].max() / 255)
        is_even = cut or low == high or look.tint[:3] == (1.0, 1.0, 1.0)
        if is_even:  # all pixels have the same tint strength
            base[:3] *= _tinted(look, 1.0 if cut else base[3] * low)
        if not cut:
            base[3] = 1.0
        color = tuple(np.clip(base, 0, 1).tolist())
        if pixels is None:
            return Paint(color, None)
        key = (texture, look.variant, cut, None if is_even else (look.tint, material.base_color[3]))
        if key not in self._pictures:
            if limit_message := excess("variants", len(self._pictures) + 1, "use fewer variants or tints"):
                raise InputError(
                    f"{self._path}: the export needs too many pictures, one for each combination of a variant and a"
                    f" tint: {limit_message}"
                )
            shown = pixels if is_even else _painted(pixels, look, material.base_color[3])
            self._pictures[key] = png_bytes(np.ascontiguousarray(shown if cut else shown[..., :3]))
        return Paint(color, self._pictures[key])


def _layer(texture: Texture, variant: int) -> NDArray[np.uint8]:
    """Return the image [height, width, 4] of `texture` that actors with the variant number `variant` show."""
    return texture.pixels[variant % texture.variant_count] if texture.variant_count else texture.pixels


def _tinted(look: Look, share: float | NDArray[np.floating]) -> NDArray[np.float64]:
    """Return colour factors [..., 3] for an actor's tint with the strength `share` [...]."""
    amount = np.asarray(look.tint[3] * share)[..., None]
    return np.asarray(1 + (np.array(look.tint[:3]) - 1) * amount)


def _painted(pixels: NDArray[np.uint8], look: Look, alpha: float) -> NDArray[np.uint8]:
    """Return an opaque picture [height, width, 4] that contains the tint.

    `alpha` is the alpha of the material. The strength of the tint is the alpha of `pixels` times `alpha`.
    """
    linear = LINEAR[pixels[..., :3]] * _tinted(look, alpha * pixels[..., 3] / 255)
    shown = pixels.copy()
    shown[..., :3] = np.round(255 * np.clip(linear_to_srgb(linear), 0, 1))
    return shown
