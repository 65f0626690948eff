"""Reading of URIs in a glTF file. A URI can be a data URI or a file in the model's folder or a subfolder."""

import binascii
import re
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from ecs_anim.gltf.format import FormatError, brief, invalid
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, MissingFile, opened

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def is_data(uri: str) -> bool:
    """Return whether a URI is a data URI. A data URI contains the data itself."""
    return uri[:5].lower() == "data:"


def decode_data(uri: str, where: str) -> bytes:
    """Return the bytes of a data URI (RFC 2397). The encoding can be base64 or percent-encoding.

    Raise FormatError for invalid data.
    """
    comma = uri.find(",")
    if comma < 0:
        raise invalid(where, "the data URI must have a comma between its type and its data")
    if not uri[:comma].lower().endswith(";base64"):
        return unquote_to_bytes(uri[comma + 1 :])
    try:
        return binascii.a2b_base64(uri[comma + 1 :])
    except ValueError as error:
        raise invalid(where, f"the data of the data URI must be base64 ({error})") from None


def locate(folder: Path, uri: str, where: str) -> Path:
    """Convert a relative URI to a path. The function does not test whether a file is at this path.

    Raises FormatError if the URI has a scheme, is an absolute path or contains `..`. Also raises FormatError if a
    symbolic link leads out of `folder`.
    """
    name = unquote(uri).replace("\\", "/")
    requirement = "the URI must be a relative path to a file in the model's folder or in a subfolder"
    if not name or "\0" in name or name.startswith("/") or _SCHEME.match(uri) or _SCHEME.match(name):
        raise FormatError(where, f"{requirement} (got {brief(uri)})")
    if ".." in name.split("/"):
        raise invalid(where, f"the path of a file must not contain `..` (got {brief(uri)})")
    try:
        root = folder.resolve()
        target = (root / name).resolve()
    except (OSError, RuntimeError, ValueError):  # for example a loop of symbolic links, or a name that is too long
        raise FormatError(where, f"{requirement} (got {brief(uri)})") from None
    if not target.is_relative_to(root):
        raise FormatError(
            where,
            f"a file must not be a link to a place outside of the model's folder (got {brief(uri)}). Copy the file.",
        )
    return target


def read_file(path: Path, kind: Kind, uri: str, where: str, size: int | None = None) -> bytes:
    """Return the first `size` bytes of a file, or all bytes by default. Raise MissingFile if the file is missing."""
    try:
        with opened(path, kind) as file:
            if size is None:
                return file.whole()
            if file.size < size:
                raise FormatError(
                    where,
                    f"the buffer needs {size} bytes, but the file {brief(uri)} has only {file.size} bytes. Copy"
                    " the file again.",
                )
            return file.first(size)
    except MissingFile:
        raise
    except InputError as error:
        raise FormatError(where, str(error)) from None
