"""The file types that this project reads or recognises.

A table states the pattern of the first bytes of each file type. Each file type also has a text that tells the user what
to do with such a file.
"""

import shlex
from dataclasses import dataclass
from typing import Literal

Family = Literal[
    "model", "motion", "trajectories", "plan", "picture", "panorama", "drawing", "scene", "job", "snapshot", "bake",
    "code", "json", "xml", "toml", "foreign", "folder", "empty", "unknown",
]  # fmt: skip

READERS: dict[Family, str] = {
    "model": "Use `ecs-anim inspect {file}`, or `rigs.NAME.model` of a scene",
    "motion": "Use `ecs-anim inspect {file}`, or `rigs.NAME.clips_from` of a scene",
    "trajectories": "Use `ecs-anim inspect {file}` or `ecs-anim walk {file}`",
    "plan": "Use `walls.file` or `building.file` of a scene, or `ecs-anim walk TRAJECTORIES --walls {file}`",
    "picture": "Use `ground.picture`, `walls.picture` or `rigs.NAME.texture` of a scene",
    "panorama": "Use `sky.image` of a scene",
    "drawing": "Use `building.file` of a scene, or convert it: `ogr2ogr -f GeoJSON plan.geojson {file}` (in metres)",
    "scene": "Use `ecs-anim check {file}` or `ecs-anim run {file}`",
    "job": "Use `ecs-anim farm {file} --out DIR`",
    "snapshot": "Use `ecs-anim run SCENE --from-snapshot {file}`",
    "bake": "Use `ecs-anim inspect {file}`, or `load_bake` of `ecs_anim.bake` in Python",
    "code": "Run `python {file}`, or name its classes in `systems` of a scene",
}
ANOTHER = "Name another file"
UNPACK = "Unpack the archive, and name a file in it"
BLENDER = "Convert it to glTF in Blender: {how}, then File > Export > glTF 2.0"
IMPORT_USD = "File > Import > Universal Scene Description"
NO_JOINTS = "The file must have joints. In Blender, import it, rig it, then File > Export > glTF 2.0"
TO_PNG = "Convert it to PNG"
TO_CSV = "Export the positions as CSV"
TO_PLAN = (
    "Convert it to metres: `ogr2ogr -f GeoJSON -t_srs EPSG:326xx plan.geojson {file}`, where 326xx is the UTM zone"
)


@dataclass(frozen=True)
class FileType:
    """A type of file."""

    name: str  # short and unique name, such as "glb"
    description: str  # description with an article, such as "a binary glTF model"
    family: Family  # group of types with the same readers
    step: str = ""  # next step for the user; {file} is the name of the file. Default: the step of the family

    def next_step(self, file: str) -> str:
        """Return a sentence that tells the user what to do with a file of this type. The sentence has no full stop."""
        return (self.step or READERS.get(self.family, ANOTHER)).replace("{file}", shlex.quote(file))


def _blender(how: str) -> str:
    return BLENDER.replace("{how}", how)


Patterns = tuple[tuple[str, FileType], ...]  # the first matching pattern applies

FOLDER = FileType("folder", "a folder", "folder", "Name a file in it")
DATA_SET = FileType("data set", "the folder of a data set", "folder", "Load it as docs/datasets.md describes")
FARM = FileType("farm", "the folder of a farm", "folder", "Name a file in it")
FBX_TEXT = FileType("fbx text", "an FBX model as text", "model")
EMPTY = FileType("empty", "an empty file", "empty")
TEXT = FileType("text", "text of an unknown type", "unknown")
BINARY = FileType("binary", "a binary file of an unknown type", "unknown")
TABLE = FileType("table", "a table of trajectories as text", "trajectories")
STL_BINARY = FileType("stl", "an STL mesh", "foreign", NO_JOINTS)
ZIP = FileType("zip", "a zip archive", "foreign", UNPACK)

# The first pattern that matches at the start of the bytes applies.
BYTES: tuple[tuple[bytes, FileType], ...] = (
    (rb"glTF(?s:.*)\"VRM(C_vrm)?\"", FileType("vrm", "a VRM character", "model")),
    (rb"glTF", FileType("glb", "a binary glTF model", "model")),
    (rb"SQLite format 3\0(?s:.{52})GP(KG|10)", FileType("gpkg", "a GeoPackage map", "foreign", TO_PLAN)),
    (rb"SQLite format 3\0", FileType("sqlite", "an SQLite database of trajectories", "trajectories")),
    (rb"\x89HDF\r\n\x1a\n", FileType("hdf5", "an HDF5 file of trajectories", "trajectories")),
    (rb"PAR1", FileType("parquet", "a Parquet file of trajectories", "trajectories")),
    (rb"\x89BAKE\r\n\x1a", FileType("bake", "a bake", "bake")),
    (rb"\x89PNG", FileType("png", "a PNG picture", "picture")),
    (rb"\xff\xd8\xff", FileType("jpeg", "a JPEG picture", "picture")),
    (rb"RIFF(?s:.{4})WEBP", FileType("webp", "a WebP picture", "picture")),
    (rb"\xabKTX 20\xbb", FileType("ktx2", "a KTX2 texture", "picture")),
    (rb"\xabKTX 11\xbb|DDS ", FileType("dds", "a GPU texture of an older format", "foreign", TO_PNG)),
    (rb"GIF8[79]a", FileType("gif", "a GIF picture", "foreign", TO_PNG)),
    (rb"II[*+]\0|MM\0[*+]", FileType("tiff", "a TIFF picture", "foreign", TO_PNG)),
    (rb"\x76\x2f\x31\x01", FileType("exr", "an OpenEXR picture", "foreign", TO_PNG)),
    (rb"#\?(RADIANCE|RGBE)", FileType("hdr", "a Radiance HDR picture", "panorama")),
    (rb"BM(?s:.{4})\0{4}", FileType("bmp", "a BMP picture", "foreign", TO_PNG)),
    (rb"(?s:.{4})ftyp(avif|heic|mif1)", FileType("heif", "an HEIF or AVIF picture", "foreign", TO_PNG)),
    (rb"(?s:.{4})ftyp|RIFF(?s:.{4})AVI |\x1aE\xdf\xa3", FileType("video", "a video", "foreign")),
    (rb"%PDF", FileType("pdf", "a PDF document", "foreign")),
    (rb"Kaydara FBX Binary", FileType("fbx", "an FBX model", "model")),
    (rb"\s*;\s*FBX", FBX_TEXT),
    (rb"#usda", FileType("usda", "a USD scene", "foreign", _blender(IMPORT_USD))),
    (rb"ply[ \t\r]*\n\s*+format\b", FileType("ply", "a PLY mesh", "foreign", NO_JOINTS)),
    (rb"BLENDER", FileType("blend", "a Blender file", "foreign", _blender("open it"))),
    (rb"PXR-USDC", FileType("usdc", "a USD scene", "foreign", _blender(IMPORT_USD))),
    (rb"INTERQUAKEMODEL\0|# INTERQUAKEEXPORT", FileType("iqm", "an IQM model", "foreign",
        _blender("import it with an IQM add-on"))),
    (rb"AutoCAD Binary DXF", FileType("dxf", "a DXF drawing", "foreign", "Save it as text DXF, and name that file")),
    (rb"AC10[0-9]{2}\0", FileType("dwg", "a DWG drawing", "foreign", "Save it as DXF, and name that file")),
    (rb"\0\0\x27\x0a\0{20}", FileType("shp", "a shapefile", "foreign", TO_PLAN)),
    (rb"fgb\x03fgb", FileType("fgb", "a FlatGeobuf map", "foreign", TO_PLAN)),
    (rb"\x93NUMPY(?s:.{0,80})'shape': \(\d+, 322\)",
        FileType("motion-x", "a Motion-X motion (SMPL-X poses)", "motion")),
    (rb"\x93NUMPY", FileType("npy", "a NumPy array", "foreign", TO_CSV)),
    (rb"MATLAB 5\.0 MAT-file", FileType("mat", "a MATLAB file", "foreign", TO_CSV)),
    (rb"\x80[\x02-\x05].", FileType("pickle", "a Python pickle", "foreign",
        "A pickle can run harmful code. Save positions as CSV, and motions as .npz with numpy.savez")),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileType("ole", "an older Office document", "foreign", TO_CSV)),
    (rb"\x28\xb5\x2f\xfd", FileType("zstd", "a Zstandard archive, such as a Blender file", "foreign",
        "Open it in Blender, then File > Export > glTF 2.0, or unpack it: `zstd -d {file}`")),
    (rb"\x1f\x8b", FileType("gzip", "a gzip archive", "foreign", "Unpack it: `gunzip {file}`")),
    (rb"BZh[1-9]1AY", FileType("bzip2", "a bzip2 archive", "foreign", "Unpack it: `bunzip2 {file}`")),
    (rb"\xfd7zXZ\0", FileType("xz", "an xz archive", "foreign", "Unpack it: `unxz {file}`")),
    (rb"7z\xbc\xaf\x27\x1c|Rar!\x1a", FileType("archive", "an archive", "foreign", UNPACK)),
)  # fmt: skip

# names of the GeoJSON files in an IMDF archive, one for each type of feature (OGC 20-094)
IMDF = (
    "address|amenity|anchor|building|detail|fixture|footprint|geofence|kiosk|level|occupant|opening|relationship"
    "|section|unit|venue"
)
# Zip archives: the first pattern that matches the name of one of the first members applies.
MEMBERS: Patterns = (
    (r"header\.npy", FileType("snapshot", "a snapshot", "snapshot")),
    (r"(smpl_)?(poses|trans)\.npy|(betas|transl|root_orient|global_orient|pose_body|body_pose|mocap_frame_?rate)\.npy",
        FileType("smpl", "a motion of SMPL poses, such as AMASS", "motion")),
    (r".*\.npy", FileType("npz", "a NumPy archive", "foreign", TO_CSV)),
    (r".*\.usd[ac]?", FileType("usdz", "a packed USD scene", "foreign", _blender(IMPORT_USD))),
    (r"\[Content_Types\]\.xml", FileType("office", "an Office document", "foreign", TO_CSV)),
    (rf"(.*/)?({IMDF})\.geojson", FileType("imdf", "an IMDF archive", "drawing", "Use `building.file` of a scene")),
    (r"doc\.kml", FileType("kmz", "a packed KML map", "foreign", TO_PLAN)),
)  # fmt: skip

GEOJSON_KINDS = "(FeatureCollection|Feature|GeometryCollection|(Multi)?(Point|LineString|Polygon))"
JSON: Patterns = (
    (r'\A.\s*("track"\s*:|"scene"\s*:\s*\{)', FileType("ndjson", "TrajNet++ trajectories", "trajectories")),
    (rf'"type"\s*:\s*"{GEOJSON_KINDS}"', FileType("geojson", "a GeoJSON plan", "plan")),
    (r'("nbformat"|"cell_type")\s*:', FileType("notebook", "a Jupyter notebook", "foreign", "Open it in Jupyter")),
    (r'("asset"\s*:\s*\{[^{}]*"version"|"(accessors|bufferViews)"\s*:\s*\[|"data:application/)',
        FileType("gltf", "a glTF model", "model")),
    (r"", FileType("json", "a JSON file", "json")),
)  # fmt: skip
TAGS: Patterns = (
    (r"\A(fcd-export)\Z", FileType("fcd", "trajectories of SUMO (FCD)", "trajectories")),
    (r"\A(trajectories(Dataset)?)\Z", FileType("jupedsim xml", "trajectories of JuPedSim as XML", "foreign",
        "Save them as SQLite or text")),
    (r"\A(geometry)\Z", FileType("geometry", "a plan of JuPedSim as XML", "plan")),
    (r"\A(collada)\Z", FileType("dae", "a Collada model", "foreign",
        _blender("File > Import > Collada (Blender 4.5 or older)"))),
    (r"\A(html|head|body)\Z", FileType("html", "a web page", "foreign", "Download the file itself")),
    (r"\A(svg)\Z", FileType("svg", "an SVG drawing", "foreign", TO_PNG)),
    (r"\A(kml|gml:\w+|osm|(\w+:)?citymodel|gpx)\Z", FileType("map", "a map as XML", "foreign", TO_PLAN)),
    (r"\A(net|routes|additional|configuration)\Z", FileType("sumo", "an input of SUMO", "foreign",
        "Name the trajectories that `sumo --fcd-output` writes")),
    (r"\A(.*)\Z", FileType("xml", "an XML file", "xml")),
)  # fmt: skip

GEOMETRY = (
    "(MULTI)?(POINT|LINESTRING|POLYGON|CURVE|SURFACE)|CURVEPOLYGON|GEOMETRYCOLLECTION|CIRCULARSTRING|TRIANGLE|TIN"
)
# Patterns are searched at the start of lines. Comments before the first line are skipped.
LINES: Patterns = (
    (r"(?i)\AHIERARCHY\b", FileType("bvh", "a BVH motion", "motion")),
    (rf"(?i)\A(SRID\s*+=\s*+\d+\s*+;\s*+)?({GEOMETRY})\s*+(ZM?|M|EMPTY)?\s*+(\(|\Z)",
        FileType("wkt", "a plan as WKT", "plan")),
    (r"(?i)\Asep=.[ \t]*$", TABLE),  # delimiter declaration of spreadsheet programs
    (r"\A\$(VISION|PEDESTRIAN:)", FileType("viswalk", "trajectories of Viswalk", "trajectories")),
    (r"\AISO-10303-21;", FileType("ifc", "an IFC or STEP model", "drawing",
        "Use `building.file` of a scene (with the 'ifc' extra)")),
    (r"\A(999[ \t\r]*\n.*\n\s*+)*+0[ \t\r]*\n\s*+SECTION\b", FileType("dxf text", "a DXF drawing", "drawing")),
    (r"\Asolid\b[\s\S]*?^[ \t]*facet normal\b", FileType("stl text", "an STL mesh", "foreign", NO_JOINTS)),
    (r"\A(mtllib|usemtl|o|g|v|vn|vt|s)\s[\s\S]*?^v[ \t]+[-+.\d]|\Av[ \t]+[-+.\d]",
        FileType("obj", "an OBJ mesh", "foreign", NO_JOINTS)),
    (r"\AFBXHeaderExtension", FBX_TEXT),
    (r"^```", FileType("markdown", "a Markdown text", "foreign")),
    (r"^import [\w., ]+$|^from [\w.]+ import\b|^(def|class) \w+.*:$", FileType("python", "Python code", "code")),
    (r"^(make|ranges)\.\w|^\[(make|ranges)\b[^\]\n]*\]|\Ascene[ \t]*=", FileType("job", "a job of a farm", "job")),
    (r"^\[\[?(crowds|rigs|layout|camera|cameras|ground|walls|steering|trajectories)\b[^\]\n]*\]\]?",
        FileType("scene", "a scene file", "scene")),
    (r"^\[\[?[A-Za-z][\w.\"-]*\]\]?[ \t]*(#.*)?$", FileType("toml", "a TOML file", "toml")),
    (r"\A[\w.\"-]+\s*=\s*\S", FileType("toml keys", "a TOML file", "toml")),
    (r"", TEXT),
)  # fmt: skip
