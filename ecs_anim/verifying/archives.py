"""Comparison of the tar files of WebDataset and of the Parquet table with the other files."""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ecs_anim.support.files import opened, read_bytes
from ecs_anim.trajectories.parquet import pyarrow_for
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import MADE, Check, Picture

SAMPLES = Rule("samples of tar files against the files of the passes")
ROWS = Rule("rows of actors.parquet against labels.jsonl")
COPIED = ("id", "track_id", "crowd", "category", "area", "amodal_area", "occlusion", "figure", "action", "heading")


class WebDatasetCheck(Check):
    """Comparison of the samples in the folder webdataset. Samples have the order of labels.jsonl."""

    def __init__(self, folder: Path, findings: Findings) -> None:
        self._folder, self._findings = folder, findings
        self._members: dict[str, Iterator[tuple[str, bytes]]] = {}  # by split

    def add(self, picture: Picture) -> None:
        """Compare the sample of a picture."""
        label = picture.label
        split, stem = label["split"] or "train", f"{label['camera']}_{label['number']:06d}".replace(".", "_")
        if split not in self._members:
            self._members[split] = _members(self._folder, split)
        members, same = self._members[split], True
        for name, path in label["files"].items():
            wanted = f"{stem}.{name}{Path(path).suffix}", read_bytes(self._folder / path, MADE)
            same &= next(members, None) == wanted
        found = next(members, ("", b"null"))
        same &= found[0] == f"{stem}.json" and json.loads(found[1]) == label
        self._findings.require(SAMPLES, same, picture.place)

    def finish(self) -> None:
        """Count samples that labels.jsonl does not contain."""
        self._findings.measure(SAMPLES, sum(1 for own in self._members.values() for _ in own), "webdataset")


def _members(folder: Path, split: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted((folder / "webdataset").glob(f"{split}-*.tar")):
        with opened(path, MADE) as file, tarfile.TarFile(fileobj=file.stream) as members:
            for member in members:
                data = members.extractfile(member)
                yield member.name, data.read() if data else b""


class ParquetCheck(Check):
    """Comparison of parquet/actors.parquet."""

    def __init__(self, folder: Path, findings: Findings) -> None:
        path = folder / "parquet/actors.parquet"
        file = pyarrow_for(path).parquet.ParquetFile(path)
        self._rows = (row for batch in file.iter_batches() for row in batch.to_pylist())
        self._findings = findings

    def add(self, picture: Picture) -> None:
        """Compare the rows of a picture."""
        label = picture.label
        for actor in label["actors"]:
            row: dict[str, Any] = next(self._rows, {})
            of_picture = all(row.get(name) == label[name] for name in ("camera", "number", "seed", "split", "frame"))
            same = of_picture and all(row.get(name) == actor[name] for name in COPIED)
            same = same and [row.get(f"position_{axis}") for axis in "xyz"] == actor["position"]
            self._findings.require(ROWS, same, picture.of(actor))

    def finish(self) -> None:
        """Count rows that labels.jsonl does not contain."""
        self._findings.measure(ROWS, sum(1 for _ in self._rows), "parquet/actors.parquet")
