"""The format `webdataset`: samples in tar files, each with the files of all passes and the label.

A sample is the picture of one camera. Its files have the name CAMERA_NUMBER and the endings PASS.png, PASS.npz and
json. Readers such as the package webdataset group files with equal names.
"""

import json
import tarfile

from ecs_anim.dataset.formats.output import Output, stem_of
from ecs_anim.dataset.output import MADE, DigestedFile
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import Label
from ecs_anim.support.files import read_bytes

FOLDER = "webdataset"
SAMPLES = 256  # number of samples in a tar file
BLOCK = tarfile.BLOCKSIZE
END = bytes(2 * BLOCK)  # two empty blocks end a tar file


class WebDataset:
    """Writer of the tar files. Without splits, all samples belong to the split `train`."""

    def __init__(self, plan: Plan, output: Output) -> None:
        self._output = output
        self._counts: dict[str, int] = {}  # number of samples by split
        self._files: dict[str, DigestedFile] = {}  # the present tar file by split

    def add(self, label: Label) -> None:
        """Add a sample."""
        split = label["split"] or "train"
        count = self._counts.get(split, 0)
        if count % SAMPLES == 0:
            self._begin(split, count // SAMPLES)
        self._counts[split] = count + 1
        stem, file = stem_of(label).replace(".", "_"), self._files[split]  # readers split a name at its first dot
        for name, path in label["files"].items():
            data = read_bytes(self._output.folder / path, MADE)
            file.write(_entry(f"{stem}.{name}.{path.rsplit('.', 1)[1]}", data))
        file.write(_entry(f"{stem}.json", json.dumps(label).encode()))

    def finish(self) -> None:
        """Complete the present tar files."""
        for file in self._files.values():
            file.write(END)

    def _begin(self, split: str, number: int) -> None:
        if split in self._files:
            self._files[split].write(END)
        self._files[split] = self._output.begin(f"{FOLDER}/{split}-{number:06d}.tar")


def _entry(name: str, data: bytes) -> bytes:
    """Return a file as a part of a tar file. The bytes do not depend on the time or on the user."""
    facts = tarfile.TarInfo(name)
    facts.size = len(data)
    return facts.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % BLOCK)
