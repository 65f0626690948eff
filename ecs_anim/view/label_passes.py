"""The label passes: one row each. The command line, captures, files, data sets and the shader read this table.

This module does not import numpy, because `ecs-anim --help` reads the table.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

if TYPE_CHECKING:
    from ecs_anim.support.pictures import Frame

# Kinds of things by their numbers. A surface of the stage has one of these kinds. The shader gets them as defines.
CLASSES = ("nothing", "ground", "wall", "actor", "door", "block", "seat")


class Attachment(NamedTuple):
    """The numbers of a pixel in an image that shaders/passes.frag fills."""

    dtype: str  # as numpy names it
    channels: int


class LabelPass(NamedTuple):
    """One kind of picture, and how files hold it."""

    name: str  # everywhere: options, Python, job files, files, data sets, shader defines
    code: str  # how to read its files
    attachment: Attachment | None = None  # None: the shader does not draw this pass
    encoder: str = "unchanged"  # function of `ecs_anim.view.encoders`: image to what the picture file holds
    ending: str = ".png"  # of its files
    keeps_floats: bool = False  # exact floats matter: an .npy lies beside each PNG, and data sets use .npz files

    def encode(self, image: Any) -> "Frame":
        """Return an image as a picture file stores it. Raises InputError for numbers that the file cannot store."""
        return cast("Frame", getattr(import_module("ecs_anim.view.encoders"), self.encoder)(image))


LABEL_PASSES = (
    LabelPass("rgb", "sRGB, 8 bits"),
    LabelPass(
        "ids",
        "id = R + 256 G + 65536 B, as in COCO panoptic pictures; 0 = ground or sky",
        Attachment("uint32", 1),
        "encode_ids",
    ),
    LabelPass("classes", ", ".join(f"{k} = {name}" for k, name in enumerate(CLASSES)), Attachment("uint8", 1)),
    LabelPass(
        "depth",
        "16 bits, millimetres along the camera's axis, 0 = nothing within 65.535 m; .npy: float32 metres, 0 = sky",
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
        "Middlebury .flo, float32 pixels to the right and down since the frame before, in which what is at p was at"
        " p - flow; > 1e9 = unknown",
        ending=".flo",
        keeps_floats=True,
    ),
)
# Where in the world everything was: x, y, z [m], and 1 where that is known. Flow is made of it.
PAST = Attachment("float32", 4)

NAMES = tuple(row.name for row in LABEL_PASSES)
BY_NAME = {row.name: row for row in LABEL_PASSES}
DRAWN = {row.name: row.attachment for row in LABEL_PASSES if row.attachment is not None}  # in the shader's order

if TYPE_CHECKING:
    PassName = str
else:
    PassName = Literal[NAMES]


def shader_defines() -> tuple[str, ...]:
    """Return the defines of shaders/passes.frag: the number of each image, such as `IDS_IMAGE 0`, and of each class."""
    images = (*DRAWN, "past")
    return (
        *(f"{name.upper()}_IMAGE {number}" for number, name in enumerate(images)),
        *(f"{name.upper()}_CLASS {number}" for number, name in enumerate(CLASSES)),
    )
