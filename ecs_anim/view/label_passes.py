"""The table of label passes, with one row for each label pass. A label pass is an additional picture with numbers in
place of colours, for example depths.

The command line, captures, picture files, data sets and the shader use this table. This module does not import numpy,
because `ecs-anim --help` reads the table.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

if TYPE_CHECKING:
    from ecs_anim.support.pictures import Frame

# Classes of objects. The index in this list is the class number. The shader receives the class numbers as defines.
CLASSES = ("nothing", "ground", "wall", "actor", "door", "block", "seat", "prop")


class Attachment(NamedTuple):
    """Pixel format of an image into which the shader shaders/passes.frag draws a label pass."""

    dtype: str  # numpy's name of the type
    channels: int


class LabelPass(NamedTuple):
    """A label pass, for example depth or ids: its name, its pixel format and its file format."""

    name: str  # name in options, Python, job files, file names, data sets and shader defines
    code: str  # formula for reading the files of this pass
    attachment: Attachment | None = None  # None = the shader does not draw this pass
    encoder: str = "unchanged"  # function of `ecs_anim.view.encoders` that converts an image for its picture file
    ending: str = ".png"  # file name ending
    # Whether files must keep exact floats. If True, each PNG file has an .npy file beside it, and data sets use .npz
    # files by default.
    keeps_floats: bool = False
    is_usual: bool = True  # true = data sets contain this pass by default

    def encode(self, image: Any) -> "Frame":
        """Convert `image` to the pixel values of its picture file.

        Raise InputError for values that the picture file cannot store.
        """
        return cast("Frame", getattr(import_module("ecs_anim.view.encoders"), self.encoder)(image))


LABEL_PASSES = (
    LabelPass("rgb", "sRGB, 8 bits"),
    LabelPass(
        "ids",
        "actor id = R + 256 G + 65536 B, as in COCO panoptic pictures; 0 = no actor",
        Attachment("uint32", 1),
        "encode_ids",
    ),
    LabelPass("classes", ", ".join(f"{k} = {name}" for k, name in enumerate(CLASSES)), Attachment("uint8", 1)),
    LabelPass(
        "depth",
        "PNG: 16-bit distances along the camera's axis (or along the ray, see depth_along) in millimetres, 0 = no "
        "surface within 65.535 m; .npy: float32 distances in metres, 0 = sky",
        Attachment("float32", 1),
        "encode_depth",
        keeps_floats=True,
    ),
    LabelPass(
        "normals",
        "unit normal in the world, towards the camera: x, y, z = R, G, B / 127.5 - 1; black = sky",
        Attachment("float32", 3),
        "encode_normals",
    ),
    LabelPass(
        "flow",
        "Middlebury .flo, float32 pixels to the right and down. The surface at pixel p was at p - flow in the previous"
        " frame; > 1e9 = unknown",
        ending=".flo",
        keeps_floats=True,
    ),
    LabelPass(
        "lidar",
        "NumPy .npz, arrays [ring, step] of a lidar: range [m], id, class, intensity, points [m]; range 0 = no return",
        ending=".npz",
        keeps_floats=True,
        is_usual=False,
    ),
)
# Previous world position: x, y, z [m], and 1 = known. The flow pass is computed from this image.
PAST = Attachment("float32", 4)

NAMES = tuple(row.name for row in LABEL_PASSES)
USUAL_NAMES = tuple(row.name for row in LABEL_PASSES if row.is_usual)
BY_NAME = {row.name: row for row in LABEL_PASSES}
DRAWN = {row.name: row.attachment for row in LABEL_PASSES if row.attachment is not None}  # in the shader's order

if TYPE_CHECKING:
    PassName = str
else:
    PassName = Literal[NAMES]


def shader_defines() -> tuple[str, ...]:
    """Return the preprocessor defines for the shader shaders/passes.frag, for example `IDS_IMAGE 0`.

    Each image and each class has a number in the defines.
    """
    images = (*DRAWN, "past")
    return (
        *(f"{name.upper()}_IMAGE {number}" for number, name in enumerate(images)),
        *(f"{name.upper()}_CLASS {number}" for number, name in enumerate(CLASSES)),
    )
