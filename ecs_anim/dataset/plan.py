"""The plan of a data set, and its tasks. The bytes of the files do not depend on which worker does which task."""

import hashlib
import json
import platform
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

from ecs_anim.dataset.label_formats import BY_NAME, FORMATS, BodyModel, DepthFormat, FlowFormat, Format, Segmentation
from ecs_anim.dataset.output import ANNOTATIONS, LABELS, MANIFEST, SCHEMA, SHEET, file_digest
from ecs_anim.dataset.splits import split_seeds
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.named_files import named_paths
from ecs_anim.support.arguments import unknown
from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind
from ecs_anim.support.names import repeated
from ecs_anim.view.label_passes import NAMES, PassName

OWN_CAMERA = "camera"  # name of the default camera of a scene without other cameras
TRACKS_PER_SEED = 1 << 24  # more than the largest actor id that a PNG file of the pass `ids` can store
LIBRARIES = ("ecs-anim", "numpy", "numba", "pillow")
FOLDER_NAME = re.compile(r"\w([\w ().+-]*[\w)+-])?")  # a name that is valid on every operating system
INPUT = Kind("file that the scene names", "trajectory_bytes")


@dataclass(frozen=True)
class Moment:
    """A frame of a simulation with one seed. At each moment, each camera draws a picture."""

    number: int  # number in the file names of its pictures; the moments of all seeds have consecutive numbers
    frame: int  # number of steps of the world
    before: int | None  # frame at which the optical flow begins; None = this is the first frame of the seed


@dataclass(frozen=True)
class Task:
    """The work of one worker: frames of a simulation with one seed, in rising order."""

    seed: int
    moments: tuple[Moment, ...]
    first_track: int = 0  # added to the ids of actors, so that track ids are unique over all seeds


@dataclass(frozen=True)
class Plan:
    """All settings that determine the files. Equal plans describe equal data sets."""

    scene: str  # name in messages and in the manifest
    scene_sha256: str  # digest of the scene's content
    inputs: Mapping[str, str]  # from each file that the scene names to its SHA-256 digest
    versions: Mapping[str, str]
    seeds: tuple[int, ...]
    frames: tuple[int, ...]  # in rising order
    cameras: tuple[str, ...]
    passes: tuple[PassName, ...]
    formats: tuple[Format, ...]
    size: tuple[int, int] | None  # [pixel]; None = the size of each camera
    actors: int | None  # None = the scene's number
    splits: Mapping[str, tuple[int, ...]]  # seeds by the name of the split; empty = the data set has no splits
    polygons: bool = False  # true = masks in COCO files are polygons; false = run lengths
    depth_format: DepthFormat = "npz"
    flow_format: FlowFormat = "npz"
    poses: BodyModel | None = None  # body model whose pose parameters the labels contain

    def tasks(self) -> Iterator[Task]:
        """Yield one task for each seed."""
        return map(self._task, range(len(self.seeds)))

    def shard(self, number: int, count: int) -> list[Task]:
        """Return the tasks of one of `count` parts of the data set. The parts have the numbers 1 to `count`.

        Raises InputError for numbers without a task.
        """
        if not 1 <= number <= count:
            raise InputError(
                f"the number of a shard must be 1 to {count} (got {number}). Write {count}/{count} or less."
            )
        if count > len(self.seeds):
            raise InputError(
                f"a data set has at most one shard per seed, {len(self.seeds)} here (got {count} shards). Use fewer"
                " shards, or more seeds."
            )
        return [*self.tasks()][number - 1 :: count]

    def task_of(self, seed: int) -> Task:
        """Return the task for one seed."""
        return self._task(self.seeds.index(seed))

    def _task(self, index: int) -> Task:
        befores, first = (None, *self.frames[:-1]), index * len(self.frames)
        pairs = enumerate(zip(self.frames, befores, strict=True), first)
        moments = tuple(Moment(number, frame, before) for number, (frame, before) in pairs)
        return Task(self.seeds[index], moments, index * TRACKS_PER_SEED)

    def split_of(self, seed: int) -> str | None:
        """Return the name of the split that contains a seed. Without splits, return None."""
        return next((name for name, seeds in self.splits.items() if seed in seeds), None)

    def format_of(self, name: PassName) -> str | None:
        """Return the file format of a pass. None = the files of the pass are PNG files."""
        return {"depth": self.depth_format, "flow": self.flow_format, "lidar": "npz"}.get(name)

    def header(self) -> dict[str, Any]:
        """Return the settings of the plan as a dictionary. The manifest begins with these entries."""
        return json.loads(json.dumps(asdict(self)))


def make_plan(
    scene: SceneFile,
    *,
    seeds: Sequence[int] | None,
    frames: Sequence[int],
    cameras: Sequence[str] | None,
    passes: Sequence[PassName],
    formats: Sequence[Format],
    size: tuple[int, int] | None,
    actors: int | None,
    split: Sequence[float] | None = None,
    segmentation: Segmentation = "rle",
    depth_format: DepthFormat = "npz",
    flow_format: FlowFormat = "npz",
    poses: BodyModel | None = None,
) -> Plan:
    """Return the plan of a data set. Raises InputError for unknown names and for picture sizes above the budgets."""
    seeds = (scene.model.seed,) if seeds is None else seeds
    _require_few(seeds, frames)
    seeds, frames = tuple(map(int, seeds)), tuple(map(int, frames))
    _require_numbers(seeds, frames)
    _require_passes(formats, passes)
    names = camera_names(scene, cameras)
    if "kitti" in formats:
        _require_straight(scene, names)
    return Plan(
        Path(scene.label).name,
        hashlib.sha256(scene.model.model_dump_json().encode()).hexdigest(),
        dict(sorted(named_files(scene))),
        versions(),
        seeds,
        frames,
        names,
        _chosen("passes", passes, NAMES),
        _chosen("formats", formats, FORMATS),
        size,
        actors,
        {} if split is None else split_seeds(seeds, split),
        segmentation == "polygons",
        depth_format,
        flow_format,
        poses,
    )


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that affect the bytes of the files."""
    return {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}


def _require_passes(formats: Sequence[Format], passes: Sequence[PassName]) -> None:
    """Raise InputError if a format needs a pass that the data set does not contain."""
    for name in formats:
        needed = BY_NAME[name].passes if name in BY_NAME else ()
        if missing := [own for own in needed if own not in passes]:
            options = " ".join(f"--pass {own}" for own in missing)
            raise InputError(f"the format {name} needs the passes {', '.join(needed)}. Add {options}.")


def _require_straight(scene: SceneFile, names: Sequence[str]) -> None:
    """Raise InputError if a camera is no pinhole or has distortion, which KITTI's matrices cannot describe."""
    for camera in scene.model.cameras:
        if set(camera.eyes) & set(names) and (camera.lens != "pinhole" or any(camera.distortion.model_dump().values())):
            raise InputError(
                f"{scene.label}: the format kitti needs pinhole cameras without distortion (got the camera "
                f"{camera.name!r}). Choose other cameras with --camera, or leave out the format."
            )


def _require_few(seeds: Sequence[int], frames: Sequence[int]) -> None:
    """Raise InputError if the data set has more captures than the budget allows.

    The function only counts the values of ranges, because a list of all values could be too large for the memory.
    """
    try:
        captures = len(seeds) * len(frames)
    except OverflowError:  # a range can be longer than the largest value of len()
        captures = sys.maxsize
    if limit_message := excess("captures", captures, "make several data sets"):
        raise InputError(f"the data set needs too many captures, one for each seed and frame: {limit_message}")


def _require_numbers(seeds: tuple[int, ...], frames: tuple[int, ...]) -> None:
    """Raise InputError for repeated seeds, and for frames that no world can reach."""
    if not seeds or min(seeds) < 0 or len({*seeds}) < len(seeds):
        raise InputError(
            "the seeds of a data set must be one or more different whole numbers of 0 or more. Write other seeds."
        )
    if not frames or min(frames) < 0 or any(b <= a for a, b in pairwise(frames)):
        raise InputError(
            "the frames of a data set must be one or more whole numbers of 0 or more, in increasing order. Write other"
            " frames."
        )
    if limit_message := excess("steps", frames[-1], "end at an earlier frame"):
        raise InputError(f"frame {frames[-1]:,} of the data set needs too many time steps: {limit_message}")


def _chosen(kind: str, asked: Sequence[str], known: Sequence[Any]) -> tuple[Any, ...]:
    """Return the items of the list `asked`, in the order of the list `known`. Raises InputError for unknown items."""
    if not asked:
        raise InputError(f"the list of {kind} of a data set is empty. Add one or more of {', '.join(known)}.")
    _require_others(kind, asked)
    return tuple(name for name in known if name in asked)


def _require_others(kind: str, names: Sequence[str]) -> None:
    if (twice := repeated(names)) is not None:
        raise InputError(f"the {kind} of a data set must be different (got {twice!r} twice). Remove one of the two.")


def camera_names(scene: SceneFile, asked: Sequence[str] | None) -> tuple[str, ...]:
    """Return the camera names in the list `asked`, in the order of the scene.

    Raises InputError for a name that cannot be the name of a folder.
    """
    there = [name for camera in scene.model.cameras for name in camera.eyes] or [OWN_CAMERA]
    for name in asked or ():
        if name not in there:
            raise unknown("camera", name, there, of="cameras of the scene are")
    if asked is not None and not asked:
        raise InputError(
            f"the list of cameras of a data set is empty. Add one or more cameras of the scene: {', '.join(there)}"
        )
    _require_others("cameras", asked or ())
    names = tuple(there if asked is None else (name for name in there if name in asked))
    told_apart = Counter(name.casefold() for name in (*names, ANNOTATIONS, MANIFEST, LABELS, SCHEMA, SHEET, *FORMATS))
    for name in names:
        if not FOLDER_NAME.fullmatch(name) or told_apart[name.casefold()] > 1:
            raise InputError(
                f"{scene.label}: camera {name!r}: the data set has one folder per camera, so each camera needs a valid"
                " folder name that no other folder has. Rename the camera with letters, digits, spaces and hyphens."
            )
    return names


def named_files(scene: SceneFile) -> Iterator[tuple[str, str]]:
    """Yield the path of each file to which the scene refers, with the SHA-256 digest of the file."""
    for text, path in named_paths(scene).items():
        yield text, file_digest(path, INPUT)
