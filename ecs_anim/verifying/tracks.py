"""Comparison of the MOTChallenge sequences with labels.jsonl."""

import configparser
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from ecs_anim.support.files import read_text
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import MADE, Check, Picture
from ecs_anim.verifying.shapes import apart

ROWS = Rule("rows of gt.txt against labels.jsonl", 1e-3)
FACTS = Rule("seqinfo.ini against labels.jsonl", 1e-3)
Rows = dict[int, dict[int, list[float]]]  # by frame and id


class MotCheck(Check):
    """Comparison of gt/gt.txt and seqinfo.ini of each sequence. All sequences of one seed follow each other."""

    def __init__(self, folder: Path, manifest: dict[str, Any], findings: Findings) -> None:
        self._folder, self._findings, self._has_seeds = folder, findings, len(manifest["seeds"]) > 1
        self._rows: dict[str, Rows] = {}
        self._lengths = Counter[str]()
        self._times: dict[str, tuple[float, float]] = {}  # of the first and of the last picture
        self._sizes: dict[str, tuple[int, int]] = {}

    def add(self, picture: Picture) -> None:
        """Compare the rows of a picture."""
        label = picture.label
        name = f"{label['camera']}_seed{label['seed']}" if self._has_seeds else label["camera"]
        if name not in self._rows:
            self._rows[name] = self._read(name)
        self._lengths[name] += 1
        self._times[name] = self._times.get(name, (label["time"], 0))[0], label["time"]
        self._sizes[name] = label["width"], label["height"]
        found = self._rows[name].pop(self._lengths[name], {})
        wanted = {actor["id"]: _row_of(actor) for actor in picture.shown}
        for number in found.keys() | wanted.keys():
            away = apart(found.get(number, []), wanted.get(number, []))
            self._findings.measure(ROWS, away, f"{picture.place}, actor {number}")

    def finish(self) -> None:
        """Compare seqinfo.ini, and count rows of frames that labels.jsonl does not contain."""
        for name, rows in self._rows.items():
            self._findings.measure(ROWS, len(rows), f"motchallenge/{name}/gt/gt.txt")
            facts = configparser.ConfigParser()
            path = self._folder / f"motchallenge/{name}/seqinfo.ini"
            facts.read_string(read_text(path, MADE))
            own = facts["Sequence"]
            told = [float(own[key]) for key in ("seqLength", "imWidth", "imHeight", "frameRate")]
            first, last = self._times[name]
            rate = (self._lengths[name] - 1) / (last - first) if last > first else 1.0
            wanted = [self._lengths[name], *self._sizes[name], rate]
            away = apart(told, wanted) if own["name"] == name else float("inf")
            self._findings.measure(FACTS, away, f"motchallenge/{name}/seqinfo.ini")

    def _read(self, name: str) -> Rows:
        rows: Rows = defaultdict(dict)
        for line in read_text(self._folder / f"motchallenge/{name}/gt/gt.txt", MADE).splitlines():
            frame, actor, *numbers = map(float, line.split(","))
            rows[int(frame)][int(actor)] = numbers
        return rows


def _row_of(actor: dict[str, Any]) -> list[float]:
    left, top, width, height = actor["amodal_bbox"]
    kind = (1, 1) if actor["category"] == "person" else (0, 8)
    return [left + 1, top + 1, width, height, *kind, 1 - actor["occlusion"]]
