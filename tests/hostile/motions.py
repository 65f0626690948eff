"""Damaged BVH files, changed in their bytes or their words.

A case is a number, and draws all else from it: the mishap, and where.
"""

import tempfile
import warnings
from pathlib import Path
from random import Random

import numpy as np

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.bvh.load import load_rig
from ecs_anim.roles.roles import find_roles
from ecs_anim.support.errors import InputError, InputWarning
from tests.hostile.mutations import damaged
from tests.test_bvh import SMALL

SCRAPS = ("", "{", "}", "ROOT", "JOINT", "End Site", "OFFSET", "CHANNELS", "MOTION", "Frames:", "Frame Time:")
SCRAPS += (
    "-1",
    "1e9",
    "1e39",
    "nan",
    "inf",
    "99999999999999999999",
    "1_0",
    "0x1",
    "\u0663",
    "\x1b[31m",
    "\0",
    "\ud800",
)


def forge(number: int) -> bytes:
    """The file of case `number` after its mishaps."""
    chance = Random(number)
    if number % 2:
        return damaged(SMALL.encode(), chance)
    words = SMALL.split(" ")
    for _ in range(chance.choice((1, 1, 3))):
        words[chance.randrange(len(words))] = chance.choice(SCRAPS)
    return " ".join(words).encode("utf-8", "surrogatepass")


def attempt(number: int) -> str:
    """How case `number` ends: refused in one line, or a finite motion. Raises whatever else comes of it."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", InputWarning)  # of one line, which `test_bvh` reads
        path = Path(folder) / "x.bvh"
        path.write_bytes(forge(number))
        try:
            rig = load_rig(path)
        except InputError as error:
            told = str(error)
        else:
            told = ""
        if told:
            assert "\n" not in told
            assert told.startswith(str(path))
            return "refused"
        (clip,) = rig.clips.values()
        assert np.isfinite(model_matrices(rig.skeleton, clip.sample([0.0, 0.03]))).all()
        find_roles(rig)
        return "accepted"
