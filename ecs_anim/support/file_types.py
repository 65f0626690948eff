"""Detection of a file's type by the first bytes of the file. The file name has no effect."""

import codecs
import re
from collections.abc import Iterator

from ecs_anim.support import known_types as known
from ecs_anim.support.known_types import FileType, Patterns

HEAD = 1 << 16  # [byte], examined size
TEXT_HEAD = 1 << 13  # examined characters of text, except for JSON
TABLE_LINES = 20  # examined lines of a table
PAIRS = 64  # [byte], examined size for the detection of UTF-16 without a byte order mark
MEMBER = re.compile(rb"PK\x03\x04(?s:.{22})(?P<length>..)(?s:..)", re.DOTALL)
ROOT = re.compile(  # all text before the root element, and the tag of the root element
    r"(?>\s+|<\?.*?\?>|<!--.*?-->|<!(?!--)[^>\[]*(?>\[.*?\])?[^>]*>)*+<(?P<tag>[\w:.-]+)", re.DOTALL
)
COMMENT = re.compile(r"\s*((#|//|;|\*)[^\n]*(\n|\Z)\s*)*")
FRAME_RATE = re.compile(r"frame ?rate", re.IGNORECASE)  # in the comments of recordings
NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?|[Nn]a[Nn]")
COLUMN = re.compile(r"x|y|z|t|p[xy]|pos_?[xy]|[xy]center|lat\w*|lon\w*|frame\w*|time\w*|\w*id|person|agent|track\w*")


def type_of_bytes(data: bytes, size: int | None = None) -> FileType:
    """Return the type of a file of `size` bytes that begins with `data`. Without `size`, `data` must be the
    whole file.
    """
    data, size = data[:HEAD], len(data) if size is None else size
    if not size:
        return known.EMPTY
    for pattern, found in known.BYTES:
        if re.match(pattern, data):
            return found
    if data.startswith(b"PK\x03\x04"):
        return _type_of_archive(data)
    text = _text(data)
    if text is not None:
        return type_of_text(text)
    return known.STL_BINARY if _is_stl(data, size) else known.BINARY


def type_of_text(text: str) -> FileType:
    """Return the type of a text file that begins with `text`."""
    text = text.lstrip()
    head = text[:TEXT_HEAD]
    match text[:1]:
        case "":
            return known.EMPTY
        case "{":
            return _first(known.JSON, text)
        case "<":
            root = ROOT.match(head)
            return _first(known.TAGS, root["tag"].lower() if root else "")
    body = COMMENT.sub("", head, count=1)
    found = _first(known.LINES, body)
    if found is not known.TEXT:
        return found
    return _first(known.JSON, text) if text[0] == "[" else known.TABLE if _is_table(head) else known.TEXT


def _first(patterns: Patterns, text: str) -> FileType:
    return next(found for pattern, found in patterns if re.search(pattern, text, re.MULTILINE))


def _type_of_archive(data: bytes) -> FileType:
    names = list(_members(data))
    for pattern, found in known.MEMBERS:
        if any(re.fullmatch(pattern, name) for name in names):
            return found
    return known.ZIP


def _members(data: bytes) -> Iterator[str]:
    """Yield the names of the members in a zip archive whose local headers are in `data`."""
    for header in MEMBER.finditer(data):
        length = int.from_bytes(header["length"], "little")
        yield data[header.end() : header.end() + length].decode("utf-8", "replace")


def _text(data: bytes) -> str | None:
    """Return `data` as text, or None if `data` is not text. The last character of `data` can be incomplete."""
    encoding = encoding_of(data)
    if encoding == "utf-8":
        if data.removeprefix(codecs.BOM_UTF8).startswith(b"{"):
            data = data.rstrip(b"\0")  # glTF as JSON can end with padding
        if b"\0" in data:
            return None
    text = data.decode(encoding, "replace").removeprefix("\ufeff")
    if sum(not (own.isprintable() or own.isspace()) for own in text[:512]) > 8:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def encoding_of(data: bytes) -> str:
    """Return the encoding of the text `data`: utf-16-le, utf-16-be or utf-8.

    The function also finds the encoding of a text without a byte order mark.
    """
    even, odd = (data[first:PAIRS:2] for first in (0, 1))
    if data.startswith(codecs.BOM_UTF16_LE) or (odd and not any(odd) and all(even)):
        return "utf-16-le"
    if data.startswith(codecs.BOM_UTF16_BE) or (odd and not any(even) and all(odd)):
        return "utf-16-be"
    return "utf-8"


def _is_stl(data: bytes, size: int) -> bool:
    """Return whether a file is a binary STL file. In such a file, the stated number of triangles matches the size of
    the file.
    """
    triangles = int.from_bytes(data[80:84], "little")
    return triangles > 0 and size == 84 + 50 * triangles


def _is_table(text: str) -> bool:
    """Return whether a text is a table of numbers.

    A text is a table if at least half of its first lines are rows with numbers, or if a line has the column names of
    trajectories.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(text) >= TEXT_HEAD:
        lines = lines[:-1] or lines
    body = [line for line in lines if not line.lstrip().startswith("#")][:TABLE_LINES]
    if not body:
        return FRAME_RATE.search(text) is not None or _names_columns(lines[-1].lstrip("# "))
    return _names_columns(body[0]) or 2 * sum(map(_is_row, body)) >= len(body)


def _names_columns(line: str) -> bool:
    names = [re.sub(r"[_/\[( ].*", "", name.lower()) for name in _fields(line)]
    return len(names) > 2 and sum(COLUMN.fullmatch(name) is not None for name in names) > 1


def _is_row(line: str) -> bool:
    """Return whether a line has numbers in two or more columns, and in at least half of all columns.

    In a line with decimal commas, spaces can separate the columns.
    """
    return any(map(_are_numbers, (_fields(line), line.split())))


def _are_numbers(fields: list[str]) -> bool:
    numbers = sum(NUMBER.fullmatch(own) is not None for own in fields)
    return numbers > 1 and 2 * numbers >= len(fields)


def _fields(line: str) -> list[str]:
    delimiter = next((sign for sign in (";", "\t", ",") if sign in line), None)
    return [own.strip().strip('"') for own in line.split(delimiter)]
