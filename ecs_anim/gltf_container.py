"""The outer shape of a glTF file: JSON text, or the binary container (glTF 2.0, section 4.4)."""

import json
import struct
from pathlib import Path
from typing import Any

from ecs_anim.gltf_format import FormatError

_MAGIC = b"glTF"
_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942


def read_container(path: Path) -> tuple[dict[str, Any], bytes | None]:
    """The JSON document of a .gltf or .glb file, and the binary chunk of a .glb.

    What the file holds counts, not what it is called. Raises FormatError.
    """
    data = _read_file(path)
    if data.startswith(_MAGIC):
        text, blob = _split_binary(data)
        return _parse_json(text), blob
    if path.suffix.lower() == ".glb":
        raise FormatError("", f"is not a binary glTF file: it must start with b'glTF' (got {data[:4]!r})")
    return _parse_json(data), None


def _read_file(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise FormatError("", "is a folder; give the .gltf or .glb file in it")
        if not path.exists():
            raise FormatError("", "no such file")
        if not path.is_file():
            raise FormatError("", "is not a regular file")
        return path.read_bytes()
    except OSError as error:
        raise FormatError("", f"cannot be read ({error.strerror})") from None


def _split_binary(data: bytes) -> tuple[bytes, bytes | None]:
    """JSON and binary chunk of a .glb; chunks of other types are skipped."""
    if len(data) < 12:
        raise FormatError("header", f"is cut short: 12 bytes are needed (got {len(data)})")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise FormatError("header", f"only version 2 of binary glTF can be read (got {version})")
    if length > len(data):
        raise FormatError("header", f"the file is cut short: it should have {length} bytes (got {len(data)})")
    chunks: dict[int, bytes] = {}
    offset, first_type = 12, None
    while offset + 8 <= length:
        size, kind = struct.unpack_from("<II", data, offset)
        offset += 8
        if offset + size > length:
            raise FormatError(f"chunk at byte {offset - 8}", f"is cut short: {size} bytes do not fit into the file")
        chunks.setdefault(kind, data[offset : offset + size])
        first_type = kind if first_type is None else first_type
        offset += size
    if first_type != _JSON_CHUNK:
        raise FormatError("chunk at byte 12", "must be the JSON chunk")
    return chunks[_JSON_CHUNK], chunks.get(_BINARY_CHUNK)


def _parse_json(text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text.rstrip(b" \0").decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FormatError("", f"is neither binary glTF nor UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise FormatError(f"line {error.lineno}, column {error.colno}", f"is not JSON ({error.msg})") from None
    except RecursionError:
        raise FormatError("", "is nested too deeply to be glTF") from None
    except ValueError as error:  # an integer of thousands of digits
        raise FormatError("", f"is not JSON ({error})") from None
    if not isinstance(document, dict):
        raise FormatError("", "must be a JSON object with an `asset`")
    return document
