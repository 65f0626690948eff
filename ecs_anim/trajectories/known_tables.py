"""Tables of known programs and data sets. The column names identify the program or the data set."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ecs_anim.support.errors import InputError

PROJECT = (
    "Project the positions to metres, for example with pyproj: Transformer.from_crs(4326, {zone}, always_xy=True)"
    ".transform(longitudes, latitudes) returns x and y in UTM."
)


class KnownTable(NamedTuple):
    """A table of a known program or data set, and facts that the table itself does not state, such as the unit."""

    name: str
    words: frozenset[str]  # columns that identify the table
    unit: str | None = None  # unit of lengths
    rate: float | None = None  # frames per second
    is_simulated: bool = False
    angle: str = ""  # convention of a heading: one of `angles.CONVENTIONS`


KNOWN = (
    KnownTable("Pathfinder CSV", frozenset(("t", "active", "last_goal_started")), is_simulated=True),
    KnownTable("crowd:it CSV", frozenset(("time", "pedid", "posx", "posy", "dirx", "diry")), "m", is_simulated=True),
    KnownTable("inD CSV", frozenset(("recordingid", "trackid", "tracklifetime", "xcenter")), "m", 25.0, False, "east"),
    KnownTable(
        "Viswalk pedestrian protocol", frozenset(("simsec", "no", "coordcentx", "coordcenty")), "m", is_simulated=True
    ),
    KnownTable("SUMO FCD as CSV", frozenset(("timestep_time", "person_id", "person_x")), "m", None, True, "north"),
)
PNEUMA = frozenset(("track_id", "traveled_d", "avg_speed", "lat", "lon"))
LATITUDES = ("lat", "latitude", "lat_deg", "latitude_deg")
LONGITUDES = ("lon", "lng", "long", "longitude", "lon_deg", "lng_deg", "longitude_deg")


def known_table(words: frozenset[str]) -> KnownTable | None:
    """Return the known table that has the column names `words`, or None."""
    return next((table for table in KNOWN if table.words <= words), None)


def refuse_degrees(words: Iterable[str], path: Path, point: tuple[float, float] | None) -> None:
    """Raise InputError if a table contains latitudes and longitudes.

    `point` is the first point of the table: latitude and longitude.
    """
    own, fix = frozenset(words), PROJECT.format(zone=_zone(point))
    if own >= PNEUMA:
        raise InputError(
            f"{path}: a row of a pNEUMA table contains all latitudes and longitudes of a vehicle. Write one row for"
            f" each sample. {fix}"
        )
    if own & set(LATITUDES) and own & set(LONGITUDES):
        raise InputError(f"{path}: positions must be in metres (got latitudes and longitudes in degrees). {fix}")


def _zone(point: tuple[float, float] | None) -> str:
    """Return the EPSG code of the UTM zone that contains a point (latitude, longitude) [degrees]."""
    if point is None or not (abs(point[0]) <= 90 and abs(point[1]) <= 180):
        return "EPSG_CODE_OF_YOUR_UTM_ZONE"
    zone = min(int((point[1] + 180) // 6), 59) + 1
    return str((32600 if point[0] >= 0 else 32700) + zone)
