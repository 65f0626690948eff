"""The table of label formats, with one row for each format.

The command line, farms, plans and the writers use this table. This module does not import numpy, because
`ecs-anim --help` reads the table.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ecs_anim.view.label_passes import PassName


class LabelFormat(NamedTuple):
    """A label format of data sets: its name, its writer, and the passes that the writer reads."""

    name: str  # name in options, Python, job files and the manifest
    writer: str  # module in `ecs_anim.dataset.formats` and class, separated by a colon
    passes: tuple[PassName, ...] = ()  # passes that the data set must contain
    is_usual: bool = False  # true = data sets contain this format by default

    def new_writer(self, *options: Any) -> Any:
        """Return a new writer of the format. `options` are the arguments of its class."""
        module, name = self.writer.split(":")
        return getattr(import_module(f"ecs_anim.dataset.formats.{module}"), name)(*options)


LABEL_FORMATS = (
    LabelFormat("jsonl", "jsonl:JsonLines", is_usual=True),
    LabelFormat("coco", "coco:Coco", is_usual=True),
    LabelFormat("motchallenge", "motchallenge:MotChallenge", is_usual=True),
    LabelFormat("yolo", "yolo:Yolo", ("rgb",)),
    LabelFormat("yolo_segment", "yolo:YoloSegment", ("rgb",)),
    LabelFormat("yolo_pose", "yolo:YoloPose", ("rgb",)),
    LabelFormat("panoptic", "panoptic:Panoptic", ("ids", "classes")),
    LabelFormat("kitti", "kitti:Kitti", ("rgb",)),
    LabelFormat("webdataset", "webdataset:WebDataset"),
    LabelFormat("parquet", "parquet:Parquet"),
)
BY_NAME = {own.name: own for own in LABEL_FORMATS}
FORMATS = tuple(BY_NAME)
USUAL_FORMATS = tuple(own.name for own in LABEL_FORMATS if own.is_usual)
SEGMENTATIONS = ("rle", "polygons")  # forms of masks in COCO files
POSES = ("smplx",)  # body models whose pose parameters labels can contain
DEPTH_FORMATS, FLOW_FORMATS = ("npz", "exr", "png"), ("npz", "flo", "kitti")  # file formats of two passes

if TYPE_CHECKING:
    Format = str
    Segmentation = str
    DepthFormat = str
    FlowFormat = str
    BodyModel = str
else:
    Format = Literal[FORMATS]
    Segmentation = Literal[SEGMENTATIONS]
    DepthFormat = Literal[DEPTH_FORMATS]
    FlowFormat = Literal[FLOW_FORMATS]
    BodyModel = Literal[POSES]
