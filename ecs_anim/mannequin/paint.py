"""The mannequin's texture."""

import io

from PIL import Image


def texture() -> bytes:
    """A PNG."""
    out = io.BytesIO()
    Image.new("RGB", (4, 4), (224, 218, 208)).save(out, "PNG")
    return out.getvalue()
