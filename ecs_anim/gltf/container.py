"""Reading of glTF containers. A glTF file is JSON text or a binary container (glTF 2.0, section 4.4)."""

import json
import struct
from pathlib import Path
from typing import Any

from ecs_anim.fbx.child import to_glb
from ecs_anim.gltf.format import FormatError, invalid
from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError
from ecs_anim.support.file_types import HEAD, type_of_bytes
from ecs_anim.support.files import Kind, read_bytes

FBX = ("fbx", "fbx text")  # names of file types
MODEL = Kind("model", "model_bytes", ("model", "json"))

_MAGIC = b"glTF"
_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942


def read_container(path: Path) -> tuple[dict[str, Any], memoryview | None]:
    """Return the JSON document and the binary chunk of a .gltf, .glb or .vrm file, or of an FBX file as glTF.

    Without a binary chunk, the second result is None. The function detects the format from the first bytes of the file,
    and not from the file name. Raises FormatError for an invalid file. Also raises the errors of the function `opened`.
    """
    data = memoryview(_as_gltf(path, read_bytes(path, MODEL)))
    text, blob = _split_binary(data) if data[: len(_MAGIC)] == _MAGIC else (data, None)
    return _parse_json(text), blob


def _as_gltf(path: Path, data: bytes) -> bytes:
    """Return the bytes of a glTF file. An FBX file is converted to glTF."""
    if type_of_bytes(data[:HEAD], len(data)).name not in FBX:
        return data
    try:
        return to_glb(data, path.stem)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def _split_binary(data: memoryview) -> tuple[memoryview, memoryview | None]:
    """Return the JSON chunk and the binary chunk of a .glb file as views of `data`.

    The function ignores all other chunks.
    """
    if len(data) < 12:
        raise FormatError(
            "header",
            f"the header of a .glb file has 12 bytes, but the file has only {len(data)} bytes. The file is"
            " incomplete. Copy the file again.",
        )
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise FormatError(
            "header", f"the version of binary glTF must be 2 (got {version}). Export the model as glTF 2.0."
        )
    if length > len(data):
        raise FormatError(
            "header",
            f"the file must have {length} bytes, as the header states (got {len(data)}). The file is"
            " incomplete. Copy the file again.",
        )
    chunks: dict[int, memoryview] = {}
    offset, first_type = 12, None
    while offset + 8 <= length:
        size, kind = struct.unpack_from("<II", data, offset)
        offset += 8
        if offset + size > length:
            place = f"chunk at byte {offset - 8}"
            raise FormatError(
                place,
                f"a chunk of the file needs {size} bytes, but the file ends earlier. The file is incomplete. Copy the"
                " file again.",
            )
        chunks.setdefault(kind, data[offset : offset + size])
        first_type = kind if first_type is None else first_type
        offset += size
    if first_type != _JSON_CHUNK:
        raise invalid("chunk at byte 12", "the first chunk of a .glb file must be the JSON chunk")
    return chunks[_JSON_CHUNK], chunks.get(_BINARY_CHUNK)


def _parse_json(text: memoryview) -> dict[str, Any]:
    if told := excess("json_bytes", len(text), "put the buffers into a .glb or .bin file"):
        raise FormatError("", f"has {told}")
    try:
        document = json.loads(bytes(text).rstrip(b" \0").decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise invalid(
            "", f"the file must be binary glTF or UTF-8 text (byte {error.start} is not valid UTF-8)"
        ) from None
    except json.JSONDecodeError as error:
        raise FormatError(
            f"line {error.lineno}, column {error.colno}", f"the text must be JSON ({error.msg})"
        ) from None
    except RecursionError:
        raise invalid("", "the JSON in the file is nested too deeply for glTF") from None
    except ValueError as error:  # for example an integer with thousands of digits
        raise FormatError("", f"the text must be JSON ({error})") from None
    if not isinstance(document, dict):
        raise FormatError("", "the file must contain a JSON object with the key `asset`. Name a glTF file.")
    return document
