"""Reading of IMDF archives (OGC 20-094). The archive contains one GeoJSON file for each type of feature."""

from collections.abc import Iterator

from ecs_anim.support.archives import unpacked

SIGNATURE = b"PK\x03\x04"  # first bytes of a zip archive
# the files with parts of the building; a reader of floors does not need the other files, such as address.geojson
READ = tuple(f"{name}.geojson" for name in ("level", "unit", "opening", "fixture", "kiosk", "section"))


def files_of_archive(data: bytes) -> dict[str, str]:
    """Return the texts of the GeoJSON files of an IMDF archive by their names in the archive.

    `data` is the zip archive. Raises ValueError for a damaged or too large archive, and for an archive without levels.
    """
    packed = unpacked(data, lambda name: name.rpartition("/")[2] in READ, "plan_bytes", "simplify the building")
    if not any(name.endswith("level.geojson") for name in packed):
        raise ValueError("the archive must contain the file level.geojson. Export the building as IMDF again.")
    return dict(_texts(packed))


def _texts(packed: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    for name, content in packed.items():
        try:
            yield name, content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError(f"{name[-40:]!r} must be UTF-8 text. Export the building as IMDF again.") from None
