"""The format `motchallenge`: a sequence for each camera and seed (Milan and others 2016).

A sequence is a folder with gt/gt.txt (the tracks), seqinfo.ini, and the pictures in img1/ if the data set contains the
pass `rgb`.
"""

from ecs_anim.dataset.formats.output import Output
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import Label
from ecs_anim.labels.mot import mot_lines

FOLDER = "motchallenge"


class MotChallenge:
    """Writer of the sequences. A sequence is written when all its pictures are known."""

    def __init__(self, plan: Plan, output: Output) -> None:
        self._plan, self._output = plan, output
        self._labels: dict[str, list[Label]] = {}  # of the present seed, by camera

    def add(self, label: Label) -> None:
        """Add a picture. A picture of a new seed completes the sequences of the previous seed."""
        if any(labels[0]["seed"] != label["seed"] for labels in self._labels.values()):
            self.finish()
        self._labels.setdefault(label["camera"], []).append(label)

    def finish(self) -> None:
        """Write the sequences of the present seed."""
        for camera, labels in self._labels.items():
            self._write(sequence_name(self._plan, camera, labels[0]["seed"]), labels)
        self._labels = {}

    def _write(self, name: str, labels: list[Label]) -> None:
        lines = [line for frame, label in enumerate(labels, 1) for line in mot_lines(label, frame)]
        self._output.write(f"{FOLDER}/{name}/gt/gt.txt", "".join(lines).encode())
        self._output.write(f"{FOLDER}/{name}/seqinfo.ini", _sequence_facts(name, labels).encode())
        for frame, label in enumerate(labels, 1):
            if "rgb" in label["files"]:
                self._output.link(label["files"]["rgb"], f"{FOLDER}/{name}/img1/{frame:06d}.png")


def sequence_name(plan: Plan, camera: str, seed: int) -> str:
    """Return the name of a sequence. If the plan has several seeds, the name contains the seed."""
    return camera if len(plan.seeds) == 1 else f"{camera}_seed{seed}"


def _sequence_facts(name: str, labels: list[Label]) -> str:
    """Return the text of a file seqinfo.ini. The frame rate is the mean rate of the pictures [1/s]."""
    duration = labels[-1]["time"] - labels[0]["time"]
    rate = (len(labels) - 1) / duration if duration > 0 else 1.0
    facts = {
        "name": name,
        "imDir": "img1",
        "frameRate": f"{rate:.6g}",
        "seqLength": len(labels),
        "imWidth": labels[0]["width"],
        "imHeight": labels[0]["height"],
        "imExt": ".png",
    }
    return "[Sequence]\n" + "".join(f"{key}={value}\n" for key, value in facts.items())
