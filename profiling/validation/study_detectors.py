"""Measure how many people of data sets are found by detectors that were trained on photographs.

Run `python -m ecs_anim.profiling.validation.study_detectors DIR ...`. Each DIR is a data set of `ecs-anim dataset` with
the pass rgb and the label format jsonl. The study prints these figures with their standard errors:

- detectors of boxes: the recall at equal numbers of false detections per picture, and the recall by height and hidden
  share of people;
- the detector of poses: the share of the people whose pose is found, and the mean of their errors. The error of a pose
  is the median error of its keypoints, as a share of the height of the person.

If a data set has the seeds, frames and cameras of the first data set, the study also prints the differences.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.profiling.validation.detector_figures import Outcome, pooled
from ecs_anim.profiling.validation.detectors import DETECTORS, Detector
from ecs_anim.profiling.validation.pose_detector import PoseDetector, blazepose
from ecs_anim.profiling.validation.pose_figures import PoseOutcome, pooled_poses
from ecs_anim.profiling.validation.resampling import resampled
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import read_bytes, read_text
from ecs_anim.support.images import decode_image
from ecs_anim.support.terminal import print_line
from ecs_anim.verifying.pictures import MADE

FALSE = (0.5, 1.0, 3.0)  # false detections per picture
POSE = "pose"  # name of the detector of poses


def _recall(false_per_picture: float, parts: Sequence[Outcome]) -> float:
    return pooled(parts).recall(false_per_picture)


Figures = Mapping[str, Callable[[Sequence[Any]], float]]
FOUND: Figures = {f"recall at {own:g} false detections per picture": partial(_recall, own) for own in FALSE}
POSES: Figures = {
    "share of found poses": lambda parts: pooled_poses(parts).found(),
    "error of found poses": lambda parts: pooled_poses(parts).error(),
}


@dataclass(frozen=True)
class Measured:
    """The outcomes of a detector on a data set."""

    views: list[tuple[Any, ...]]  # seed, frame and camera of each picture
    parts: list[Any]  # outcome of each picture


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--detector", "names", multiple=True, type=click.Choice([*DETECTORS, POSE]), default=[*DETECTORS, POSE])
@click.option("--camera", help="Use only the pictures of this camera.")
def main(folders: tuple[Path, ...], names: tuple[str, ...], camera: str | None) -> None:
    """Measure the recall of person detectors on data sets."""
    for name in names:
        try:
            outcome_of = partial(_poses, blazepose()) if name == POSE else partial(_boxes, DETECTORS[name]())
        except InputError as error:
            raise click.ClickException(str(error)) from None
        first: Measured | None = None
        for folder in folders:
            measured = _measured(folder, camera, outcome_of)
            print_line(f"{name} on {folder.name}: {len(measured.parts)} pictures")
            _report(measured, first, POSES if name == POSE else FOUND)
            if name != POSE:
                _report_classes(pooled(measured.parts))
            first = first or measured


def _boxes(detect: Detector, actors: list[dict[str, Any]], picture: NDArray[np.uint8]) -> Outcome:
    outcome = Outcome()
    outcome.add(actors, detect(picture))
    return outcome


def _poses(detect: PoseDetector, actors: list[dict[str, Any]], picture: NDArray[np.uint8]) -> PoseOutcome:
    outcome = PoseOutcome()
    outcome.add(actors, picture, detect)
    return outcome


def _measured(folder: Path, camera: str | None, outcome_of: Callable[[Any, NDArray[np.uint8]], Any]) -> Measured:
    measured = Measured([], [])
    for label, picture in _pictures(folder, camera):
        measured.views.append((label["seed"], label["frame"], label["camera"]))
        measured.parts.append(outcome_of(label["actors"], picture))
    return measured


def _pictures(folder: Path, camera: str | None) -> Iterator[tuple[dict[str, Any], NDArray[np.uint8]]]:
    for line in read_text(folder / "labels.jsonl", MADE).splitlines():
        label = json.loads(line)
        if camera in (None, label["camera"]):
            yield label, decode_image(read_bytes(folder / label["files"]["rgb"], MADE))[..., :3]


def _report(measured: Measured, first: Measured | None, figures: Figures) -> None:
    for name, figure in figures.items():
        values, text = resampled(measured.parts, figure), ""
        if first is not None and first.views == measured.views:
            more, spread = figure(measured.parts) - figure(first.parts), np.std(values - resampled(first.parts, figure))
            text = f"; more than the first data set: {more:+.4f} ± {spread:.4f}"
        print_line(f"  {name}: {figure(measured.parts):.4f} ± {np.std(values):.4f}{text}")


def _report_classes(outcome: Outcome) -> None:
    print_line(f"  {len(outcome.found)} people; recall at one false detection per picture:")
    for height, hidden, count, recall in outcome.table(1.0):
        if count:
            print_line(f"    from {height:g} pixels, hidden from {hidden:.0%}: {recall:.2f} of {count}")


if __name__ == "__main__":
    main()
