"""Reading of IMDF archives (OGC 20-094). The archive contains one GeoJSON file for each type of feature."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from struct import error as struct_error

from ecs_anim.buildings.features import damaged
from ecs_anim.support.budgets import excess

SIGNATURE = b"PK\x03\x04"  # first bytes of a zip archive
MEMBER = b"PK\x01\x02"  # first bytes of each entry in the directory of a zip archive
MOST_MEMBERS = 1_000
# the files with parts of the building; a reader of floors does not need the other files, such as address.geojson
READ = tuple(f"{name}.geojson" for name in ("level", "unit", "opening", "fixture", "kiosk", "section"))
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGE = (zipfile.BadZipFile, zlib.error, struct_error, ValueError, LookupError, EOFError, RuntimeError, OSError)


def files_of_archive(data: bytes) -> dict[str, str]:
    """Return the texts of the GeoJSON files of an IMDF archive by their names in the archive.

    `data` is the zip archive. Raises ValueError for a damaged or too large archive, and for an archive without levels.
    """
    if (count := data.count(MEMBER)) > MOST_MEMBERS:
        raise ValueError(f"the archive must have at most {MOST_MEMBERS:,} files (got {count:,}). Remove other files.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [own for own in archive.infolist() if own.filename.rpartition("/")[2] in READ]
            problem = _problem(members)
            packed = {own.filename: _content(archive, own) for own in members if not problem}
    except DAMAGE as error:
        raise damaged("file must be a valid zip archive", error) from None
    if problem:
        raise ValueError(problem)
    if not any(name.endswith("level.geojson") for name in packed):
        raise ValueError("the archive must contain the file level.geojson. Export the building as IMDF again.")
    return dict(_texts(packed))


def _problem(members: list[zipfile.ZipInfo]) -> str | None:
    """Return a message if the files together are too large, or if the reader does not know their compression."""
    if any(own.flag_bits & 1 or own.compress_type not in PACKINGS for own in members):
        return "the archive must have no password and the usual compression (deflate). Pack it again."
    message = excess("plan_bytes", sum(own.file_size for own in members), "simplify the building")
    return f"the files of the archive have {message}." if message else None


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with archive.open(member) as stream:
        return stream.read(member.file_size)  # with a size, the stream never unpacks more than this size


def _texts(packed: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    for name, content in packed.items():
        try:
            yield name, content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError(f"{name[-40:]!r} must be UTF-8 text. Export the building as IMDF again.") from None
