"""Reading of plans in well-known text (OGC 06-103r4), such as the walkable area of a JuPedSim simulation."""

import re

import numpy as np
import shapely

from ecs_anim.walls.shapes import Named, Plan

# Largest depth of nested parentheses. GEOS reads collections recursively, and thousands of levels crash the process.
DEEPEST = 32
SHOWN = 100  # largest number of characters from a message of GEOS
GEOMETRY = re.compile(
    r"\s*(GEOMETRYCOLLECTION|(MULTI)?(POINT|LINESTRING|POLYGON|CURVE|SURFACE)|LINEARRING|CIRCULARSTRING"
    r"|COMPOUNDCURVE|CURVEPOLYGON|TRIANGLE|TIN|POLYHEDRALSURFACE)",
    re.IGNORECASE,
)
# The SRID prefix of extended well-known text, for example from PostGIS.
SRID = re.compile(r"\s*SRID\s*=\s*(\d{1,10})\s*;", re.IGNORECASE)


def read_wkt(text: str) -> Plan:
    """Return the plan that a text describes. If the text has an SRID prefix, the prefix becomes `Plan.crs`.

    Raises ValueError for an invalid text.
    """
    srid = SRID.match(text)
    text = text[srid.end() :] if srid else text
    # this check comes first, because the message of GEOS would quote the content of any file
    if not GEOMETRY.match(text):
        raise ValueError("the text must begin with a WKT geometry, such as POLYGON. Correct the text.")
    if _depth(text) > DEEPEST:
        raise ValueError(
            f"parentheses in a plan must be nested at most {DEEPEST} levels deep. Put all geometries directly into one"
            " GEOMETRYCOLLECTION, without collections inside it."
        )
    try:
        # A number too large for float64 becomes infinite; a later check reports this number.
        with np.errstate(all="ignore"):
            geometry = shapely.from_wkt(text)
    except NotImplementedError:
        raise ValueError("walls must have straight sides (got curves). Write each curve as a LINESTRING.") from None
    except shapely.errors.ShapelyError as error:
        reason = " ".join(str(error).rpartition("Exception: ")[2].split())
        raise ValueError(f"the text must be valid WKT ({reason[:SHOWN]}). Correct the text.") from None
    return Plan([Named(geometry.geom_type, geometry)], f"EPSG:{srid[1]}" if srid else None)


def _depth(text: str) -> int:
    """Return the maximum depth of nested parentheses in a text."""
    characters = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
    steps = (characters == ord("(")).astype(np.int8) - (characters == ord(")")).astype(np.int8)
    return int(np.cumsum(steps, dtype=np.int64).max(initial=0))
