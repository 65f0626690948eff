"""The tasks of a job. The key of a task depends only on its content. Therefore, equal tasks are done only once."""

import hashlib
import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Literal

from ecs_anim.dataset.plan import Plan as DatasetPlan
from ecs_anim.dataset.plan import camera_names, make_plan, named_files, versions
from ecs_anim.farm.job import Measure, PicturesModel, ReadJob, flow_lines
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.user_code import require_leave
from ecs_anim.scenes.vary import varied, with_values
from ecs_anim.support.budgets import require
from ecs_anim.support.errors import InputError, UnknownName
from ecs_anim.support.pictures import require_film_size
from ecs_anim.systems.trajectory_saving import require_rate

Kind = Literal["states", "pictures", "trajectories", "dataset", "flow"] | Measure
DIGITS = 20  # number of hexadecimal digits in a key


@dataclass(frozen=True)
class Task:
    """The work of one worker, as plain data. The data determine the content of the files that the worker writes."""

    kind: Kind
    scene: SceneFile
    inputs: Mapping[str, str]  # from each file that the scene names to its SHA-256 digest
    seed: int
    frames: range
    options: Mapping[str, Any]  # options of the product
    states: str | None = None  # key of the task that saves the world at the first frame
    dataset: DatasetPlan | None = None  # the data set to which this task adds one seed

    @cached_property
    def key(self) -> str:
        """A name that depends on all data that determine the bytes of the task's files.

        The name does not depend on whether the task starts from a saved state.
        """
        frames = (self.frames.start, self.frames.stop, self.frames.step)
        scene = self.scene.model.model_dump_json()
        content = (self.kind, scene, dict(self.inputs), versions(), self.seed, frames, dict(self.options))
        return key_of(content)

    def __str__(self) -> str:
        return f"{self.kind} of seed {self.seed}, frames {self.frames[0]} to {self.frames[-1]}"


@dataclass(frozen=True)
class Run:
    """One combination of values from the ranges of a job."""

    number: int
    scene: SceneFile
    seed: int
    values: Mapping[str, Any]  # from scene key to value
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class FarmPlan:
    """All runs of a job."""

    job: ReadJob
    runs: tuple[Run, ...]
    datasets: tuple[DatasetPlan, ...]  # one data set for each combination of values

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """A dictionary from key to task.

        In the dictionary, the task that saves states of a world comes before the tasks that start from these states.
        """
        return {task.key: task for run in self.runs for task in run.tasks}


def plan_of(job: ReadJob, *, allow_code: bool = False) -> FarmPlan:
    """Divide a job into tasks. Raises InputError for each problem that the function can find without building a
    world.
    """
    require_leave(job.scene, allow_code)
    seeds = (job.scene.model.seed,) if job.model.ranges.seeds is None else tuple(job.model.ranges.seeds)
    _require_few(job, len(seeds))
    runs: list[Run] = []
    datasets = []
    for values, scene in _combinations(job):
        inputs, dataset = dict(sorted(named_files(scene))), _dataset(job, scene, seeds)
        if dataset:
            datasets.append(dataset)
        for seed in seeds:
            varied(scene, seed)
            tasks = tuple(_tasks(job, scene, inputs, seed, dataset))
            runs.append(Run(len(runs), scene, seed, values, tasks))
    return FarmPlan(job, tuple(runs), tuple(datasets))


def _require_few(job: ReadJob, seed_count: int) -> None:
    """Raise InputError if the job has more runs or frames than the budgets allow.

    The function only counts the values, because a list of all values could be too large for the memory.
    """
    ranges = job.model.ranges
    runs = seed_count * prod(map(len, ranges.values.values()))
    require("captures", runs * len(range(*ranges.frames)), job.label, "make several jobs")
    require("steps", ranges.frames[1], f"{job.label}: ranges.frames", "end at an earlier frame")


def _combinations(job: ReadJob) -> Iterator[tuple[dict[str, Any], SceneFile]]:
    """Yield each combination of values of the scene keys, and the scene with the values of this combination.

    Raises InputError for an invalid scene.
    """
    ranges = job.model.ranges.values
    for combination in product(*ranges.values()):
        values = dict(zip(ranges, combination, strict=True))
        scene = with_values(job.scene, values, SceneKey(job.label, "ranges")) if values else job.scene
        _require_scene(job, scene)
        yield values, scene


def _require_scene(job: ReadJob, scene: SceneFile) -> None:
    """Raise InputError for unknown cameras, and for measures and sample rates that are impossible in the scene."""
    try:
        cameras = camera_names(scene, job.model.ranges.cameras)
    except UnknownName as error:
        raise InputError(f"{job.label}: ranges.cameras: {error}") from None
    _require_film(job, scene, cameras)
    if "feet" in job.model.make.measures and not any(crowd.grounding for crowd in scene.model.crowds):
        raise InputError(
            f"{job.label}: make.measures: the measure 'feet' needs a crowd with `grounding`. Add grounding ="
            f" {{}} to a crowd of the scene."
        )
    if "egress" in job.model.make.measures and not any(
        own.steering and own.steering.leave for own in scene.model.crowds
    ):
        raise InputError(
            f"{job.label}: make.measures: the measure 'egress' needs a crowd that leaves. Add leave = true to the"
            " steering of a crowd of the scene."
        )
    trajectories, frames = job.model.make.trajectories, range(*job.model.ranges.frames)
    if trajectories and trajectories.sample_rate:
        place = f"{job.label}: make.trajectories.sample_rate"
        require_rate(place, trajectories.sample_rate, scene.model.frame_rate, frames)


def _require_film(job: ReadJob, scene: SceneFile, cameras: Container[str]) -> None:
    """Raise InputError if films cannot have the picture size of the job or of a camera."""
    video = job.model.make.video
    if video is None:
        return
    own = [camera.size for camera in scene.model.cameras for name in camera.eyes if name in cameras]
    for size in own if video.size is None else [video.size]:
        require_film_size(Path(f"film.{video.ending}"), size, f"{job.label}: make.video.size")


def _dataset(job: ReadJob, scene: SceneFile, seeds: tuple[int, ...]) -> DatasetPlan | None:
    make, ranges = job.model.make.dataset, job.model.ranges
    if make is None:
        return None
    return make_plan(
        scene,
        seeds=seeds,
        frames=range(*ranges.frames),
        cameras=ranges.cameras,
        passes=make.passes,
        formats=make.formats,
        size=make.size,
        actors=None,
        split=make.split,
        segmentation=make.segmentation,
        depth_format=make.depth_format,
        poses=make.poses,
        flow_format=make.flow_format,
    )


def _tasks(
    job: ReadJob, scene: SceneFile, inputs: Mapping[str, str], seed: int, dataset: DatasetPlan | None
) -> Iterator[Task]:
    """Yield the tasks of one run. The first task is the task that saves states of the world.

    Long tasks come before short tasks.
    """
    make = job.model.make
    whole = Task("states", scene, inputs, seed, range(*job.model.ranges.frames), {})
    yield from _drawn(job, whole, [own for own in (make.pictures, make.video) if own])
    if dataset:
        yield replace(whole, kind="dataset", options={"dataset": dataset_key(dataset)}, dataset=dataset)
    for measure in make.measures:
        # egress times need all steps from the first frame to the departure of the last actor
        yield replace(whole, kind=measure, frames=range(1) if measure == "egress" else whole.frames)
    if make.flow:
        yield replace(whole, kind="flow", options={"lines": flow_lines(make.flow, scene)})
    if make.trajectories:
        yield replace(whole, kind="trajectories", options=make.trajectories.model_dump())


def _drawn(job: ReadJob, whole: Task, wanted: list[PicturesModel]) -> Iterator[Task]:
    """Yield the tasks that draw pictures. Each task draws a range of the frames.

    If there are several ranges, the first task saves the state of the world at the start of each later range. The task
    of a later range starts from the saved state, so it does not repeat the time steps before this range.
    """
    if not wanted:
        return
    pieces = pieces_of(whole.frames, job.model.frames_per_task)
    states = replace(whole, options={"saved": [piece.start for piece in pieces if piece.start > 0]})
    if len(pieces) > 1:
        yield states
    cameras = camera_names(whole.scene, job.model.ranges.cameras)
    for size in dict.fromkeys(own.size for own in wanted):
        for piece in pieces:
            needs = states.key if len(pieces) > 1 and piece.start > 0 else None
            options = {"size": size, "cameras": cameras}
            yield replace(whole, kind="pictures", options=options, frames=piece, states=needs)


def pieces_of(frames: range, count: int) -> list[range]:
    """Return `frames`, divided into ranges of `count` frames. The last range can be shorter."""
    return [frames[first : first + count] for first in range(0, len(frames), count)]


def dataset_key(plan: DatasetPlan) -> str:
    """Return the name of a data set's folder.

    The name depends on all data that determine the content of the data set.
    """
    return key_of(plan.header())


def key_of(content: object) -> str:
    """Return a name that depends only on `content`. `content` must be plain data."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:DIGITS]
