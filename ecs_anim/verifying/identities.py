"""Comparison of facts that must agree between pictures: track ids, splits, random values, and moments."""

from typing import Any

from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import Check, Picture

TRACKS = Rule("track ids that are not unique")
SPLITS = Rule("splits against the manifest")
MOMENTS = Rule("facts of a moment that differ between cameras")
NUMBERS = Rule("numbers of pictures against seeds and frames of the manifest")
COUNT = Rule("number of lines against the manifest")
# Fields of actors and of pictures that do not depend on the camera.
OF_ACTOR = (
    *("track_id", "crowd", "category", "figure", "outfit", "tint", "height", "age", "action", "state", "position"),
    *("heading", "velocity", "gaze", "joints", "foot_contacts", "group", "goal"),
)
OF_MOMENT = ("time", "seed", "frame", "split", "drawn", "skeletons")


class IdentityCheck(Check):
    """Comparison of each picture with the manifest and with the other cameras."""

    def __init__(self, manifest: dict[str, Any], findings: Findings) -> None:
        self._manifest, self._findings, self._lines = manifest, findings, 0
        self._tracks: dict[int, tuple[int, int]] = {}  # seed and id of each track
        self._reverse: dict[tuple[int, int], int] = {}
        self._number, self._moment, self._actors = -1, dict[str, Any](), dict[int, dict[str, Any]]()

    def add(self, picture: Picture) -> None:
        """Compare a picture."""
        label, self._lines = picture.label, self._lines + 1
        self._check_plan(label, picture.place)
        if label["number"] != self._number:
            self._number, self._moment, self._actors = label["number"], label, {}
        same = all(label[name] == self._moment[name] for name in OF_MOMENT)
        self._findings.require(MOMENTS, same, picture.place)
        for actor in label["actors"]:
            self._check_actor(label, actor, picture.of(actor))

    def finish(self) -> None:
        """Compare the number of lines."""
        manifest = self._manifest
        wanted = len(manifest["seeds"]) * len(manifest["frames"]) * len(manifest["cameras"])
        self._findings.measure(COUNT, abs(wanted - self._lines), "labels.jsonl")

    def _check_plan(self, label: dict[str, Any], place: str) -> None:
        manifest = self._manifest
        seeds, frames = manifest["seeds"], manifest["frames"]
        is_known = label["seed"] in seeds and label["frame"] in frames and label["camera"] in manifest["cameras"]
        number = seeds.index(label["seed"]) * len(frames) + frames.index(label["frame"]) if is_known else -1
        self._findings.measure(NUMBERS, abs(label["number"] - number), place)
        splits = [name for name, own in manifest["splits"].items() if label["seed"] in own] or [None]
        self._findings.require(SPLITS, splits == [label["split"]], place)

    def _check_actor(self, label: dict[str, Any], actor: dict[str, Any], place: str) -> None:
        key = label["seed"], actor["id"]
        is_unique = self._tracks.setdefault(actor["track_id"], key) == key
        is_unique &= self._reverse.setdefault(key, actor["track_id"]) == actor["track_id"]
        self._findings.require(TRACKS, is_unique, place)
        other = self._actors.setdefault(actor["id"], actor)
        if other is not actor:
            differ = [name for name in OF_ACTOR if actor[name] != other[name]]
            box = [name for name in ("center", "size", "rotation") if _box(actor, name) != _box(other, name)]
            differ += box if _points_agree(actor, other) else [*box, "keypoints_3d"]
            self._findings.measure(MOMENTS, len(differ), f"{place}, {', '.join(differ)}")


def _box(actor: dict[str, Any], name: str) -> Any:
    return (actor["box_3d"] or {}).get(name)


def _points_agree(actor: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether keypoints are equal. An actor outside of the picture of a camera has no keypoints there."""
    both = actor["keypoints_3d"], other["keypoints_3d"]
    return None in both or both[0] == both[1]
