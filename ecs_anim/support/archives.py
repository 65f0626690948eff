"""Reading of zip archives in memory. The reader checks the sizes of all wanted files before it unpacks them."""

import io
import zipfile
import zlib
from collections.abc import Callable
from struct import error as struct_error

from ecs_anim.support.budgets import excess

MEMBER = b"PK\x01\x02"  # first bytes of each entry in the directory of a zip archive
MOST_MEMBERS = 1_000
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGE = (zipfile.BadZipFile, zlib.error, struct_error, ValueError, LookupError, EOFError, RuntimeError, OSError)


def unpacked(data: bytes, wanted: Callable[[str], bool], budget: str, advice: str) -> dict[str, bytes]:
    """Return the contents of the files in the zip archive `data` whose names `wanted` accepts, by name.

    The total size of these files must not exceed the limit `budget`. `advice` is the fix for too large files. Raises
    ValueError for a damaged, packed or too large archive.
    """
    if (count := data.count(MEMBER)) > MOST_MEMBERS:
        raise ValueError(f"the archive must have at most {MOST_MEMBERS:,} files (got {count:,}). Remove other files.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [own for own in archive.infolist() if wanted(own.filename)]
            problem = _problem(members, budget, advice)
            found = {own.filename: _content(archive, own) for own in members if not problem}
    except DAMAGE as error:
        told = " ".join(str(error).split())[:80]
        raise ValueError(f"the file must be a valid zip archive ({told}). Save it again.") from None
    if problem:
        raise ValueError(problem)
    return found


def _problem(members: list[zipfile.ZipInfo], budget: str, advice: str) -> str | None:
    """Return a message if the files together are too large, or if the reader does not know their compression."""
    if any(own.flag_bits & 1 or own.compress_type not in PACKINGS for own in members):
        return "the archive must have no password and the usual compression (deflate). Pack it again."
    message = excess(budget, sum(own.file_size for own in members), advice)
    return f"the files of the archive have {message}." if message else None


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with archive.open(member) as stream:
        return stream.read(member.file_size)  # with a size, the stream never unpacks more than this size
