"""The function `verify_dataset` compares all labels of a data set with labels that it derives from other files."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ecs_anim.labels.schema import Label
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened, read_bytes
from ecs_anim.verifying.annotations import CocoCheck, PanopticCheck
from ecs_anim.verifying.archives import ParquetCheck, WebDatasetCheck
from ecs_anim.verifying.boxes import check_boxes
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.identities import IdentityCheck
from ecs_anim.verifying.lidar import check_lidar
from ecs_anim.verifying.masks import check_masks
from ecs_anim.verifying.motion import MotionCheck
from ecs_anim.verifying.pictures import MADE, Check, Picture, read_passes
from ecs_anim.verifying.points import PointCheck
from ecs_anim.verifying.surfaces import check_surfaces
from ecs_anim.verifying.texts import KittiCheck, YoloCheck
from ecs_anim.verifying.tracks import MotCheck

MANIFEST, LABELS = "manifest.json", "labels.jsonl"
TEMPORARY = {".lock", ".unfinished"}
DIGESTS = Rule("files against their SHA-256 in the manifest")
EXTRA = Rule("files that the manifest does not name")
READABLE = Rule("files that cannot be read")
SCHEMA = Rule("lines of labels.jsonl against the schema")
# Errors that a damaged file can cause.
DAMAGE = (InputError, ValueError, TypeError, LookupError, OSError, EOFError)


@dataclass(frozen=True)
class Verification:
    """The result of a verification."""

    pictures: int  # number of pictures whose passes could be read
    findings: Findings
    missing: tuple[str, ...]  # passes that the data set does not contain, so that some rules were not checked


def verify_dataset(folder: Path, advance: Callable[[int], object] = lambda pictures: None) -> Verification:
    """Compare the labels in a folder with the passes, the cameras and each other.

    The function `advance` receives the number of newly compared pictures. Raises InputError if the folder is not a
    complete data set with the format jsonl.
    """
    manifest, findings, pictures = read_manifest(folder), Findings(), 0
    _check_files(folder, manifest["files"], findings)
    checks = [*_checks(folder, manifest, findings)]
    for picture in _pictures(folder, findings):
        pictures += 1
        advance(1)
        for name, check in checks:
            _with_damage(partial(check.add, picture), f"{picture.place}, {name}", findings)
    for name, check in checks:
        _with_damage(check.finish, name, findings)
    missing = tuple(own for own in ("ids", "classes", "depth", "flow", "normals") if own not in manifest["passes"])
    return Verification(pictures, findings, missing)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a data set. Raises InputError if the folder is not a complete data set."""
    try:
        manifest = json.loads(read_bytes(folder / MANIFEST, MADE))
        formats, known = manifest["formats"], {"files", "seeds", "frames", "cameras", "passes", "splits", "classes"}
        is_complete = known <= manifest.keys()
    except DAMAGE:
        is_complete, formats = False, []
    if not is_complete:
        raise InputError(
            f"{folder}: the folder must contain a complete data set (no manifest.json of a data set found). Name the"
            " folder that `ecs-anim dataset --out` wrote."
        )
    if "jsonl" not in formats:
        raise InputError(
            f"{folder}: verification needs the label format jsonl (got {', '.join(formats)}). Write the data set with"
            " --format jsonl."
        )
    return dict(manifest)


def _with_damage(step: Callable[[], object], place: str, findings: Findings) -> None:
    """Run a step. An error that a damaged file causes is a deviation."""
    try:
        step()
    except DAMAGE as error:
        findings.require(READABLE, False, f"{place} ({str(error) or type(error).__name__})")


def _check_files(folder: Path, digests: dict[str, str], findings: Findings) -> None:
    """Compare all files with their digests, and count files without a digest."""
    for path, wanted in digests.items():
        _with_damage(partial(_check_file, folder, path, wanted, findings), path, findings)
    there = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    for own in there:
        is_known = own.as_posix() in digests or own.as_posix() == MANIFEST or own.parts[0] in TEMPORARY
        findings.require(EXTRA, is_known, own.as_posix())


def _check_file(folder: Path, path: str, wanted: str, findings: Findings) -> None:
    with opened(folder / path, MADE) as file:
        findings.require(DIGESTS, hashlib.file_digest(file.stream, "sha256").hexdigest() == wanted, path)


def _pictures(folder: Path, findings: Findings) -> Iterator[Picture]:
    """Yield each picture whose line and whose passes can be read."""
    with opened(folder / LABELS, MADE) as file:
        for number, line in enumerate(file.stream, 1):
            place = f"{LABELS} line {number}"
            try:
                Label.model_validate_json(line)
                label = json.loads(line)
                findings.require(SCHEMA, True, place)
            except ValidationError as error:
                findings.require(SCHEMA, False, f"{place}, {'.'.join(map(str, error.errors()[0]['loc']))}")
                continue
            try:
                yield Picture(label, f"{place} ({label['camera']})", read_passes(folder, label))
            except DAMAGE as error:
                findings.require(READABLE, False, f"{place} ({error})")


def _checks(folder: Path, manifest: dict[str, Any], findings: Findings) -> Iterator[tuple[str, Check]]:
    """Yield all comparisons that the formats of a data set permit, with their names."""
    makers: dict[str, Callable[..., Check]] = {
        "coco": partial(CocoCheck, folder, manifest),
        "motchallenge": partial(MotCheck, folder, manifest),
        "panoptic": partial(PanopticCheck, folder, manifest),
        "kitti": partial(KittiCheck, folder),
        "webdataset": partial(WebDatasetCheck, folder),
        "parquet": partial(ParquetCheck, folder),
    }
    makers |= {kind: partial(YoloCheck, folder, kind) for kind in ("yolo", "yolo_segment", "yolo_pose")}
    yield "identities", IdentityCheck(manifest, findings)
    yield "points", PointCheck(findings)
    yield "motion", MotionCheck(findings)
    for check in (check_surfaces, check_masks, check_boxes, check_lidar):
        yield check.__name__.removeprefix("check_"), _Each(check, findings)
    for name in manifest["formats"]:
        if name in makers:
            try:
                yield name, makers[name](findings)
            except DAMAGE as error:
                findings.require(READABLE, False, f"{name} ({error})")


class _Each(Check):
    """A comparison that needs only one picture at a time."""

    def __init__(self, check: Callable[[Picture, Findings], None], findings: Findings) -> None:
        self._check, self._findings = check, findings

    def add(self, picture: Picture) -> None:
        """Compare a picture."""
        self._check(picture, self._findings)
