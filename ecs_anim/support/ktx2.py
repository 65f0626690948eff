"""Decoding of pictures in KTX2 files: plain pixels, UASTC and ETC1S. UASTC and ETC1S need the extra `ktx2`."""

import struct
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

IDENTIFIER = b"\xabKTX 20\xbb\r\n\x1a\n"
CONVERSION = "gltf-transform ktxdecompress IN OUT"
MISSING = (
    f"the picture is KTX2, which needs opengl_basisu. Install it: pip install 'ecs-anim[ktx2]', or use `{CONVERSION}`"
)
_HEADER = struct.Struct("<12x9I4I2Q")
_LEVEL = struct.Struct("<3Q")
_COLOR_MODEL = 12  # [byte], offset in the data format descriptor
_ETC1S, _UASTC = 163, 166  # colour models
_NONE, _BASIS_LZ, _ZSTD = 0, 1, 2  # supercompression schemes
_CHANNELS = {23: 3, 29: 3, 37: 4, 43: 4}  # number of channels of Vulkan's 8-bit RGB and RGBA, linear and sRGB
_BLOCK = 16  # [byte], size of 4 x 4 texels


@dataclass(frozen=True)
class Ktx2:
    """The values in the header of a KTX2 file that describe the largest mipmap level (KTX 2.0, section 3)."""

    width: int  # [pixel]
    height: int  # [pixel]
    channels: int  # number of channels of plain pixels; 0 = blocks of Basis Universal
    offset: int  # [byte], start of the level in the file
    length: int  # [byte], length in the file


def is_ktx2(data: bytes) -> bool:
    """Return whether `data` begins with the identifier of KTX2."""
    return data.startswith(IDENTIFIER)


def read_header(data: bytes) -> Ktx2:
    """Return the size of the picture and the position of its bytes in a KTX2 file.

    Raises ValueError for an unsupported file.
    """
    if len(data) < _HEADER.size + _LEVEL.size:
        _fail("is cut short")
    numbers = _HEADER.unpack_from(data)
    vulkan, _, width, height, depth, layers, faces, levels, scheme, *places = numbers
    if not (width and height and depth == layers == 0 and faces == 1):
        _fail(f"must be a flat picture (got {width} x {height} x {depth}, {layers} layers, {faces} faces)")
    if levels > max(width, height).bit_length():
        _fail(f"has {levels} mipmap levels, which is too many for {width} x {height} pixels")
    count = max(levels, 1)
    if _HEADER.size + _LEVEL.size * count > len(data):
        _fail("is cut short")
    index = [_LEVEL.unpack_from(data, _HEADER.size + _LEVEL.size * level) for level in range(count)]
    parts = [*zip(places[::2], places[1::2], strict=True), *(level[:2] for level in index)]
    if any(start + size > len(data) for start, size in parts):
        _fail("is cut short, or has wrong offsets")
    if places[1] <= _COLOR_MODEL:
        _fail("has no data format descriptor")
    offset, length, unpacked = index[0]
    model = data[places[0] + _COLOR_MODEL]
    expected = _length(vulkan, model, scheme, width, height)
    if expected is not None and (unpacked != expected or (scheme == _NONE and length != expected)):
        _fail(f"must have {expected} bytes for {width} x {height} pixels (got {unpacked})")
    return Ktx2(width, height, _CHANNELS.get(vulkan, 0), offset, length)


def _length(vulkan: int, model: int, scheme: int, width: int, height: int) -> int | None:
    """Return the unpacked size [byte] of the largest mipmap level. If only decoding reveals the size, return None.

    Raises ValueError for an unsupported format.
    """
    if vulkan in _CHANNELS and scheme == _NONE:
        return width * height * _CHANNELS[vulkan]
    if vulkan == 0 and model == _UASTC and scheme in (_NONE, _ZSTD):
        return -(-width // 4) * -(-height // 4) * _BLOCK
    if not (vulkan == 0 and model == _ETC1S and scheme == _BASIS_LZ):
        kind = f"vkFormat {vulkan}, colour model {model}, supercompression {scheme}"
        _fail(f"has a format that ecs-anim does not read ({kind}). Use `{CONVERSION}`")
    return None


def decode_ktx2(data: bytes, header: Ktx2) -> NDArray[np.uint8]:
    """Return the read-only RGBA pixels [height, width, 4] u8 from the top row down.

    Raises ValueError for damaged data.
    """
    pixels = _plain(data, header) if header.channels else _transcoded(data)
    if pixels.shape != (header.height, header.width, 4) or pixels.dtype != np.uint8:
        _fail("is damaged")
    pixels.flags.writeable = False
    return pixels


def _plain(data: bytes, header: Ktx2) -> NDArray[np.uint8]:
    stored = np.frombuffer(data, np.uint8, header.length, header.offset)
    pixels = np.full((header.height, header.width, 4), 255, np.uint8)
    pixels[..., : header.channels] = stored.reshape(header.height, header.width, header.channels)
    return pixels


def _transcoded(data: bytes) -> NDArray[np.uint8]:
    library: Any = _library()
    if library is None:
        raise ValueError(MISSING)
    try:
        return np.array(library.Texture(data).transcode("rgba8").data)
    except MemoryError:
        raise
    except Exception as error:  # the library raises several types of errors for damaged data
        _fail(f"is damaged ({type(error).__name__})")


def _library() -> ModuleType | None:
    try:
        import opengl_basisu
    except ImportError:
        return None
    return opengl_basisu


def _fail(fault: str) -> NoReturn:
    raise ValueError(f"the KTX2 picture {fault}")
