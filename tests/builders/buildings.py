"""Buildings in the formats that ecs-anim reads: the same two storeys of 20 m by 10 m, with rooms, doors and stairs."""

import io
import json
import math
import zipfile

LONGITUDE, LATITUDE = 8.4, 49.0  # [degrees], of the middle of a building in degrees


def ring(x, y, width, depth):
    """Return the closed ring of a rectangle with the lower left corner (x, y)."""
    return [[x, y], [x + width, y], [x + width, y + depth], [x, y + depth], [x, y]]


def feature(geometry, properties, **more):
    return {"type": "Feature", "geometry": geometry, "properties": properties, **more}


def area(*corners, **properties):
    return feature({"type": "Polygon", "coordinates": [ring(*corners)]}, properties)


def line(points, **properties):
    return feature({"type": "LineString", "coordinates": points}, properties)


def point(x, y, **properties):
    return feature({"type": "Point", "coordinates": [x, y]}, properties)


def collection(features, **more):
    return json.dumps({"type": "FeatureCollection", "features": features, **more})


def osm_features():
    """Two storeys in OSM's simple indoor tagging, in metres: a corridor, a room with a door, steps and a lift."""
    return [
        area(0, 0, 20, 4, indoor="corridor", level="0;1"),
        area(0, 4, 8, 6, indoor="room", level="0", name="Kiosk"),
        area(0, 4, 8, 6, indoor="room", level="1", name="Office"),
        area(8, 4, 12, 6, indoor="area", level="0-1"),
        point(4, 4, door="yes", level="0;1", width="1.2"),
        line([[9, 0], [11, 0]], entrance="main", name="Main entrance", level="0"),
        line([[10, 5.5], [10, 9]], highway="steps", level="0;1", incline="up", width="1.6 m", name="East stairs"),
        line([[13, 9.1], [13, 5.5]], highway="steps", conveying="backward", level="0;1", incline="down"),
        area(17, 7, 2, 2.2, highway="elevator", level="0;1", name="Lift A"),
        area(1, 6, 1, 1, indoor="wall", level="0"),
        area(-50, -50, 200, 100, building="yes"),
        point(3, 3, natural="tree"),
    ]


def imdf_archive(features, folder="", **packing):
    """Return an IMDF archive with one file for each type of feature, and with the manifest."""
    kinds = dict.fromkeys(own.get("feature_type") for own in features)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", **{"compression": zipfile.ZIP_DEFLATED} | packing) as archive:
        archive.writestr(f"{folder}manifest.json", json.dumps({"version": "1.0.0", "language": "en-US"}))
        for kind in kinds:
            text = collection([own for own in features if own.get("feature_type") == kind])
            archive.writestr(f"{folder}{kind}.geojson", text)
    return data.getvalue()


def imdf_features():
    """Return the two storeys in IMDF, in metres. Units, openings and fixtures refer to levels by id."""
    ground, first = "11111111-aaaa-4bbb-8ccc-000000000000", "11111111-AAAA-4bbb-8ccc-000000000001"
    levels = [
        feature(
            {"type": "Polygon", "coordinates": [ring(0, 0, 20, 10)]},
            {"ordinal": number, "name": {"en": name}, "category": "unspecified"},
            id=key,
            feature_type="level",
        )
        for number, (key, name) in enumerate(((ground, "Ground"), (first, "First")))
    ]

    def unit(corners, category, key, **properties):
        return area(*corners, category=category, level_id=key, **properties) | {"feature_type": "unit"}

    def opening(points, key, **properties):
        return line(points, category="pedestrian", level_id=key, **properties) | {"feature_type": "opening"}

    floors = [
        own
        for key in (ground, first)
        for own in (
            unit((0, 0, 20, 4), "walkway", key),
            unit((8, 4, 1.4, 6), "walkway", key),
            unit((9.4, 5.5, 1.6, 3.5), "stairs", key),
            unit((17, 7, 2, 2.2), "elevator", key, name={"en": "Lift A"}),
            unit((0, 4, 8, 6), "retail" if key == ground else "office", key, name={"en": f"Shop {key[-1]}"}),
            opening([[3.4, 4], [4.6, 4]], key),
        )
    ]
    ends = [
        opening([[9.5, 5.5], [10.9, 5.5]], ground),
        opening([[9.5, 9], [10.9, 9]], first),
        opening([[9, 0], [11, 0]], ground, name={"en": "Main entrance"}),
        area(1, 6, 1, 1, category="desk", level_id=ground) | {"feature_type": "fixture"},
        feature(None, {"category": "shopping"}, feature_type="venue"),
    ]
    return [*levels, *floors, *ends]


def in_degrees(features):
    """Return features whose coordinates are longitudes and latitudes, by the radii of curvature of WGS 84.

    The point 10, 5 in metres is at LONGITUDE, LATITUDE.
    """
    semi, flattening = 6378137.0, 1 / 298.257223563
    minor = semi * (1 - flattening)
    angle = math.radians(LATITUDE)
    radius = math.hypot(semi * math.cos(angle), minor * math.sin(angle))
    north = (semi * minor) ** 2 / radius**3
    east = semi**2 / radius * math.cos(angle)

    def moved(value):
        if isinstance(value[0], list):
            return [moved(own) for own in value]
        return [LONGITUDE + math.degrees((value[0] - 10) / east), LATITUDE + math.degrees((value[1] - 5) / north)]

    return [
        own | {"geometry": own["geometry"] | {"coordinates": moved(own["geometry"]["coordinates"])}}
        for own in features
        if own["geometry"]
    ]


def vertices(points):
    return "".join(f'<vertex px="{x}" py="{y}"/>' for x, y in points)


def subroom(number, walls, plane=(0, 0, 0), **said):
    """Return a subroom of JPScore's XML. `said` contains further attributes, and the elements `inside`."""
    inside = said.pop("inside", "")
    keys = "".join(f' {"class" if key == "kind" else key}="{value}"' for key, value in said.items())
    lines = "".join(f'<polygon caption="wall">{vertices(wall)}</polygon>' for wall in walls)
    a, b, c = plane
    return f'<subroom id="{number}" A_x="{a}" B_y="{b}" C_z="{c}"{keys}>{lines}{inside}</subroom>'


def passage(tag, number, between, points, **said):
    keys = "".join(f' {key}="{value}"' for key, value in said.items())
    ids = "".join(f' room{side}_id="{room}" subroom{side}_id="{own}"' for side, (room, own) in enumerate(between, 1))
    return f'<{tag} id="{number}"{ids}{keys}>{vertices(points)}</{tag}>'


def jupedsim_xml():
    """Two storeys in JPScore's XML: a hall, stairs of 6 m by 2 m, an upper hall, and a room with a table."""
    sides = "".join(f"<polygon>{vertices(side)}</polygon>" for side in TABLE)
    table = f'<obstacle id="0" caption="table">{sides}</obstacle>'
    around = [[(10, 2), (10, 0), (6, 0)], [(4, 0), (0, 0), (0, 6), (4, 6)], [(5, 6), (10, 6), (10, 4)]]
    hall = subroom(0, around, kind="floor")
    walls = [[(4, 6), (0, 6), (0, 9), (10, 9), (10, 6), (5, 6)]]
    shop = subroom(1, walls, kind="floor", inside=table)
    points = '<up px="16" py="3"/><down px="10" py="3"/>'
    stairs = subroom(0, [[(10, 2), (16, 2)], [(10, 4), (16, 4)]], (0.5, 0, -5), kind="stair", inside=points)
    upper = subroom(0, [[(16, 2), (16, 0), (24, 0), (24, 6), (16, 6), (16, 4)]], (0, 0, 3), kind="floor")
    doors = [
        passage("transition", 0, [(0, 0), (-1, -1)], [(4, 0), (6, 0)], caption="main exit", type="emergency"),
        passage("transition", 1, [(0, 0), (1, 0)], [(10, 2), (10, 4)]),
        passage("transition", 2, [(1, 0), (2, 0)], [(16, 2), (16, 4)]),
    ]
    crossing = f"<crossings>{passage('crossing', 0, [(0, 0), (0, 1)], [(4, 6), (5, 6)])}</crossings>"
    rooms = (
        f'<room id="0" caption="hall">{hall}{shop}{crossing}</room><room id="1" caption="stairs">{stairs}</room>'
        f'<room id="2" caption="upper hall">{upper}</room>'
    )
    return (
        f'<geometry version="0.8" unit="m"><rooms>{rooms}</rooms><transitions>{"".join(doors)}</transitions></geometry>'
    )


TABLE = [[(7, 7), (8, 7)], [(8, 7), (8, 8)], [(8, 8), (7, 8)], [(7, 8), (7, 7)]]


def dxf(entities, blocks="", unit=6):
    """Return a DXF drawing with entities as text. `unit` is $INSUNITS: 6 = metres, 4 = millimetres."""
    header = f"0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1015\n9\n$INSUNITS\n70\n{unit}\n0\nENDSEC\n"
    within = f"0\nSECTION\n2\nBLOCKS\n{blocks}0\nENDSEC\n" if blocks else ""
    return f"{header}{within}0\nSECTION\n2\nENTITIES\n{entities}0\nENDSEC\n0\nEOF\n"


def dxf_line(layer, *points):
    (x, y), (u, v) = points
    return f"0\nLINE\n8\n{layer}\n10\n{x}\n20\n{y}\n11\n{u}\n21\n{v}\n"


def dxf_polyline(layer, points, is_closed=True):
    corners = "".join(f"10\n{x}\n20\n{y}\n" for x, y in points)
    begin = f"0\nLWPOLYLINE\n100\nAcDbEntity\n8\n{layer}\n100\nAcDbPolyline\n"
    return f"{begin}90\n{len(points)}\n70\n{int(is_closed)}\n{corners}"


def dxf_block(name, entities):
    return f"0\nBLOCK\n8\n0\n2\n{name}\n70\n0\n10\n0\n20\n0\n3\n{name}\n{entities}0\nENDBLK\n8\n0\n"


def dxf_insert(name, layer, x, y, degrees=0):
    return f"0\nINSERT\n8\n{layer}\n2\n{name}\n10\n{x}\n20\n{y}\n50\n{degrees}\n"


def dxf_drawing(scale=1.0, unit=6):
    """Two storeys in DXF by layers: floors, a room, walls, a door line, a column block, and stairs on both levels."""

    def corners(*rectangle):
        return [(x * scale, y * scale) for x, y in ring(*rectangle)[:-1]]

    column = dxf_block("COLUMN", dxf_polyline("0", corners(-0.25, -0.25, 0.5, 0.5)))
    parts = [
        dxf_polyline("L0_FLOOR", corners(0, 0, 20, 10)),
        dxf_polyline("L1_FLOOR", corners(0, 0, 20, 10)),
        dxf_polyline("A-ROOM-L0", corners(0, 4, 8, 6)),
        dxf_line("L0 doors", (3.4 * scale, 4 * scale), (4.6 * scale, 4 * scale)),
        dxf_line("L1 wall", (14 * scale, 0), (14 * scale, 4 * scale)),
        dxf_insert("COLUMN", "L0_COLS", 17 * scale, 2 * scale, 45),
        dxf_polyline("A-FLOR-STRS-L0", corners(9.4, 5.5, 1.6, 3.5)),
        dxf_polyline("A-FLOR-STRS-L1", corners(9.4, 5.5, 1.6, 3.5)),
        dxf_line("L0-DOOR", (9.5 * scale, 5.5 * scale), (10.9 * scale, 5.5 * scale)),
        dxf_line("L1-DOOR", (9.5 * scale, 9 * scale), (10.9 * scale, 9 * scale)),
        dxf_line("DIMENSIONS", (0, 0), (scale, scale)),
    ]
    return dxf("".join(parts), column, unit)
