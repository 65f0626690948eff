"""The format `motchallenge`: a sequence for each camera and seed (Milan and others 2016).

A sequence is a folder with gt/gt.txt (the tracks), seqinfo.ini, and the pictures in img1/ if the data set contains the
pass `rgb`.
"""

from dataclasses import dataclass, field

from ecs_anim.dataset.formats.output import Output
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import Label
from ecs_anim.labels.mot import mot_lines

FOLDER = "motchallenge"


@dataclass
class _Sequence:
    """The pictures of one camera and one seed that are known so far."""

    name: str
    first: Label  # label of the first picture
    last: float  # [s], time of the last picture
    length: int = 0  # number of pictures
    lines: list[str] = field(default_factory=list)  # lines of gt.txt


class MotChallenge:
    """Writer of the sequences. A sequence is written when all its pictures are known."""

    def __init__(self, plan: Plan, output: Output) -> None:
        self._plan, self._output, self._seed = plan, output, -1
        self._sequences: dict[str, _Sequence] = {}  # of the present seed, by camera

    def add(self, label: Label) -> None:
        """Add a picture. A picture of a new seed completes the sequences of the previous seed."""
        if label["seed"] != self._seed:
            self.finish()
            self._seed = label["seed"]
        camera = label["camera"]
        if camera not in self._sequences:
            name = sequence_name(self._plan, camera, self._seed)
            first = {key: label[key] for key in ("time", "width", "height")}
            self._sequences[camera] = _Sequence(name, first, label["time"])
        own = self._sequences[camera]
        own.length, own.last = own.length + 1, label["time"]
        own.lines += mot_lines(label, own.length)
        if "rgb" in label["files"]:
            self._output.link(label["files"]["rgb"], f"{FOLDER}/{own.name}/img1/{own.length:06d}.png")

    def finish(self) -> None:
        """Write the tracks and the description of each sequence of the present seed."""
        for own in self._sequences.values():
            self._output.write(f"{FOLDER}/{own.name}/gt/gt.txt", "".join(own.lines).encode())
            self._output.write(f"{FOLDER}/{own.name}/seqinfo.ini", _sequence_facts(own).encode())
        self._sequences = {}


def sequence_name(plan: Plan, camera: str, seed: int) -> str:
    """Return the name of a sequence. If the plan has several seeds, the name contains the seed."""
    return camera if len(plan.seeds) == 1 else f"{camera}_seed{seed}"


def _sequence_facts(own: _Sequence) -> str:
    """Return the text of a file seqinfo.ini. The frame rate is the mean rate of the pictures [1/s]."""
    duration = own.last - own.first["time"]
    rate = (own.length - 1) / duration if duration > 0 else 1.0
    facts = {
        "name": own.name,
        "imDir": "img1",
        "frameRate": f"{rate:.6g}",
        "seqLength": own.length,
        "imWidth": own.first["width"],
        "imHeight": own.first["height"],
        "imExt": ".png",
    }
    return "[Sequence]\n" + "".join(f"{key}={value}\n" for key, value in facts.items())
