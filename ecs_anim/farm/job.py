"""Jobs as data. A job has a scene, ranges of seeds, frames and scene keys, and the products of each run."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from ecs_anim.dataset.label_formats import USUAL_FORMATS, BodyModel, DepthFormat, FlowFormat, Format, Segmentation
from ecs_anim.scenes.buildings import with_building
from ecs_anim.scenes.loader import SCENE, SceneFile, is_toml, parse_toml, plain_data, require_known, scene_of, validated
from ecs_anim.scenes.schema_base import Point2, Table
from ecs_anim.scenes.shipped import shipped_checks, shipped_scenes
from ecs_anim.support.arguments import unknown
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, MissingFile, read_text
from ecs_anim.support.pictures import MOST_GIF_RATE
from ecs_anim.view.label_passes import USUAL_NAMES, PassName

JOB = Kind("job file", SCENE.budget, ("job", "toml", "unknown"))
FRAMES = (0, 120)
FRAMES_PER_TASK = 60
Whole = Annotated[int, Field(ge=0, le=2**63 - 1)]
Side = Annotated[int, Field(ge=1, le=1 << 16)]  # [pixel]
Size = tuple[Side, Side]
Measure = Literal["feet", "density", "egress", "profile"]


def _each_another(values: list[Any]) -> list[Any]:
    said = [json.dumps(value) for value in values]
    if len(set(said)) < len(said):
        raise ValueError("each value of a list must occur only once. Remove the repeated values.")
    return values


EachAnother = AfterValidator(_each_another)


class RangesModel(Table):
    """The ranges of a job. Each combination of values is one run.

    All keys except `seeds`, `frames` and `cameras` are scene keys.
    """

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, Annotated[list[Any], Field(min_length=1), EachAnother]]

    seeds: Annotated[list[Whole], EachAnother] | None = Field(
        None, min_length=1, description="Seeds of the runs. Default: the seed of the scene."
    )
    frames: list[Whole] = Field(
        [*FRAMES], min_length=2, max_length=3, description="First frame, end (not included), and step."
    )
    cameras: Annotated[list[str], EachAnother] | None = Field(
        None, min_length=1, description="Names of [[cameras]]. Default: all."
    )

    @field_validator("frames")
    @classmethod
    def _some(cls, values: list[int]) -> list[int]:
        if values[2:] == [0] or not range(*values):
            raise ValueError(
                "the value must be a list of the first frame, a later end frame and optionally a step that is not 0,"
                " such as [0, 240] or [0, 240, 30]"
            )
        return values

    @property
    def values(self) -> Mapping[str, list[Any]]:
        """A dictionary from scene key to values, for each scene key in the ranges."""
        return self.__pydantic_extra__


class PicturesModel(Table):
    """One PNG for each frame and camera."""

    size: Size | None = Field(
        None, description="Width and height [pixel]. Default: the size of the camera, or 1280 x 720."
    )


class VideoModel(PicturesModel):
    """One film of all frames for each run and camera."""

    ending: Literal["mp4", "gif"] = "mp4"
    fps: Annotated[int, Field(ge=1, le=240)] | None = Field(
        None, description="Frame rate of the film [1/s]. Default: the film runs as fast as the scene."
    )

    @model_validator(mode="after")
    def _gif_fps(self) -> "VideoModel":
        if self.ending == "gif" and self.fps and self.fps > MOST_GIF_RATE:
            raise ValueError(
                f"the frame rate of a GIF must be at most {MOST_GIF_RATE} frames per second (got {self.fps})"
            )
        return self


class TrajectoriesModel(Table):
    """The positions of all actors, from the first frame to the last frame."""

    ending: Literal["csv", "sqlite", "parquet"] = "csv"
    sample_rate: Annotated[float, Field(gt=0, le=1000)] | None = Field(
        None, description="Samples per second [1/s]. Default: 10, or the next lower rate that fits."
    )


class DatasetModel(PicturesModel):
    """Labelled pictures in the format of `ecs-anim dataset`. All seeds of a run belong to one data set."""

    passes: Annotated[list[PassName], EachAnother] = Field([*USUAL_NAMES], min_length=1)
    formats: Annotated[list[Format], EachAnother] = Field([*USUAL_FORMATS], min_length=1)
    segmentation: Segmentation = Field("rle", description="Form of masks in COCO files.")
    poses: BodyModel | None = Field(None, description="Body model whose pose parameters the labels contain.")
    depth_format: DepthFormat = Field("npz", description="File format of the pass depth.")
    flow_format: FlowFormat = Field("npz", description="File format of the pass flow.")
    split: list[float] | None = Field(
        None, description="Shares of the seeds for train, val and test, such as [0.8, 0.1, 0.1]. Default: one set."
    )


Line = tuple[Point2, Point2]  # plan points [m], x east, y north


def _is_line(line: Line) -> Line:
    if line[0] == line[1]:
        raise ValueError("the two points of the measuring line must be different. Move one of the two points.")
    return line


class LevelLine(Table):
    """A measuring line as the job file states it for a building: two points, and the name of a level."""

    line: Annotated[Line, AfterValidator(_is_line)] = Field(description="Two plan points x, y [m].")
    level: str = Field(description="Name of the level.")


MeasuredLine = Annotated[
    Annotated[LevelLine, Tag("table")] | Annotated[Line, AfterValidator(_is_line), Tag("points")],
    Discriminator(lambda said: "table" if isinstance(said, dict | LevelLine) else "points"),
]


class FlowLine(NamedTuple):
    """A measuring line with the number of its storey in place of the name of its level."""

    points: Line
    storey: int = 0


class MakeModel(Table):
    """The products of each run."""

    pictures: PicturesModel | None = None
    video: VideoModel | None = None
    trajectories: TrajectoriesModel | None = None
    dataset: DatasetModel | None = None
    measures: Annotated[list[Measure], EachAnother] = Field([])
    flow: dict[Annotated[str, Field(min_length=1)], MeasuredLine] = Field(
        {},
        description=(
            "Lines by name: two plan points x, y [m] each. In a building, write { line = [...], level = name }. The"
            " farm counts the people that cross each line."
        ),
    )

    @property
    def measured(self) -> bool:
        """Whether the job has measures."""
        return bool(self.measures or self.flow)


class JobModel(Table):
    """A job file."""

    scene: str | dict[str, Any] = Field(
        description="The name of a shipped scene, a path relative to the job file, or a scene as a table."
    )
    ranges: RangesModel = RangesModel()
    make: MakeModel = MakeModel()
    frames_per_task: Annotated[int, Field(ge=1)] = Field(
        FRAMES_PER_TASK, description="Number of frames that one task draws."
    )


@dataclass(frozen=True)
class Job:
    """A job in Python, with the content of a job file. docs/farms.md describes job files.

        ea.farm.Job("festival", ranges={"seeds": [1, 2, 3], "frames": [0, 240]}, make={"measures": ["feet"]})

    `scene` is the name of a shipped scene, a path, or a complete scene as a dict. A relative path is relative to the
    working directory.
    """

    scene: str | os.PathLike[str] | Mapping[str, Any]
    ranges: Mapping[str, Any] = field(default_factory=dict)
    make: Mapping[str, Any] = field(default_factory=dict)
    frames_per_task: int = FRAMES_PER_TASK

    def data(self) -> dict[str, Any]:
        """Return the content of a job file."""
        scene = self.scene if isinstance(self.scene, Mapping) else os.fspath(self.scene)
        return {"scene": scene, "ranges": self.ranges, "make": self.make, "frames_per_task": self.frames_per_task}


@dataclass(frozen=True)
class ReadJob:
    """A job that was read and validated."""

    label: str  # name of the job in messages
    scene: SceneFile
    model: JobModel


# A path, TOML text, a dictionary with the content of such a text, or a `Job`.
Source = str | os.PathLike[str] | Mapping[str, Any] | Job


def job_of(source: Source, *, makes: bool = True) -> ReadJob:
    """Return a job from a path, a TOML text, a dictionary, or a `Job`.

    A string with a line break or a '=' is a TOML text. Raises InputError for an invalid job. If `makes` is true, a job
    without products is invalid.
    """
    if isinstance(source, Job | Mapping):
        said = source.data() if isinstance(source, Job) else source
        data, label, folder = plain_data(said), "<dict>", Path.cwd()
    elif isinstance(source, str) and is_toml(source):
        data, label, folder = parse_toml(source, "<text>"), "<text>", Path.cwd()
    else:
        label, folder = os.fspath(source), Path(source).parent
        data = parse_toml(read_text(Path(source), JOB), label)
    require_known(JobModel, data, label, "job", "scene, ranges and make")
    model = validated(JobModel, data, label)
    if makes and not any(getattr(model.make, name) for name in MakeModel.model_fields):
        raise InputError(
            f"{label}: make: the job must have at least one output. Add one or more of"
            f" {', '.join(MakeModel.model_fields)}."
        )
    scene = _scene(model.scene, label, folder)
    # A worker can have another working directory. Therefore, the folder of the scene becomes absolute.
    return ReadJob(label, replace(scene, label=Path(scene.label).name, folder=scene.folder.resolve()), model)


def _scene(said: str | dict[str, Any], label: str, folder: Path) -> SceneFile:
    is_path = isinstance(said, str) and said not in (*shipped_scenes(), *shipped_checks())
    try:
        return scene_of(folder / str(said) if is_path else said)
    except InputError as error:
        if isinstance(said, str) and not isinstance(error, MissingFile):
            raise  # the scene file exists, so the message describes the content of this file
        raise InputError(f"{label}: scene: {str(error).removeprefix('<dict>: ')}") from None


def flow_lines(said: Mapping[str, LevelLine | Line], scene: SceneFile) -> dict[str, FlowLine]:
    """Return the measuring lines by name. Each line has the number of its storey. A line without a level is on the
    first level of the file.

    Raises InputError for a level that the scene does not have.
    """
    heights = {level.name: level.height for level in with_building(scene).model.levels}
    storeys = sorted({*heights.values()})
    first = storeys.index(next(iter(heights.values()))) if heights else 0
    found = {}
    for name, own in said.items():
        if not isinstance(own, LevelLine):
            found[name] = FlowLine(own, first)
        elif own.level in heights:
            found[name] = FlowLine(own.line, storeys.index(heights[own.level]))
        else:
            problem = unknown("level", own.level, heights, of=f"levels of {scene.label} are")
            raise InputError(f"make.flow.{name}.level: {problem}")
    return found
