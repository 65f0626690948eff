"""Damaged BVH files, changed in their bytes or their words.

A case is a number, and draws all else from it: the mishap, and where.
"""

import tempfile
import warnings
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.bvh.load import load_rig
from ecs_anim.retargeting.retarget import retarget
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError, InputWarning
from tests.bvh.test_bvh import SMALL
from tests.commands.test_retarget import bvh_of_a_body
from tests.hostile.mutations import damaged

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
    "1,5",
    "1,2,3",
    "#",
    "//",
    "1e300",
    "1e-300",
    "0",
    "359.999",
    "\x1b[31m",
    "\0",
    "\ud800",
)


ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-16", "latin-1")
BODY = bvh_of_a_body()  # has all roles, so that its motion is retargeted


def forge(number: int) -> bytes:
    """The file of case `number` after its mishaps."""
    chance = Random(number)
    whole = chance.choice((SMALL, BODY))
    if number % 2:
        return damaged(whole.encode(chance.choice(ENCODINGS)), chance)
    words = whole.split(" ")
    for _ in range(chance.choice((1, 1, 3))):
        words[chance.randrange(len(words))] = chance.choice(SCRAPS)
    if number % 4 == 0:  # other numbers: a motion of another kind
        words = [_other(word, chance) for word in whole.split(" ")]
    return " ".join(words).encode("utf-8", "surrogatepass")


def _other(word: str, chance: Random) -> str:
    """A word, or in one of 20 cases another number for it."""
    if chance.random() > 0.05 or not word.replace(".", "").replace("-", "").isdigit():
        return word
    return chance.choice(["0", f"{chance.uniform(-400, 400):.3f}", f"{chance.uniform(-1, 1):g}", "1e9", "-1e-30"])


def attempt(number: int) -> str:
    """How case `number` ends: refused in one line, or a finite motion. Raises for all other ends."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        path = Path(folder) / "x.bvh"
        path.write_bytes(forge(number))
        try:
            rig = load_rig(path)
        except InputError as error:
            assert_one_line(str(error), path)
            return "refused"
        (clip,) = rig.clips.values()
        assert np.isfinite(model_matrices(rig.skeleton, clip.sample([0.0, 0.03]))).all()
        roles = find_roles(rig)
        assert np.isfinite(roles.facing)
        assert "\n" not in roles.shortcoming
        outcome = "accepted"
        if roles.is_humanoid:
            moved = retarget(clip, rig, mannequin())
            assert np.isfinite(model_matrices(moved.skeleton, moved.sample([0.0, 0.03]))).all()
            outcome = "retargeted"
        for own in warned:
            assert issubclass(own.category, InputWarning), own
            assert_one_line(str(own.message), path)
        return outcome


def assert_one_line(told: str, path: Path) -> None:
    """A message names its file in one line."""
    assert "\n" not in told
    assert told.startswith(str(path))


@cache
def mannequin() -> Rig:
    """The target of all motions."""
    return load_model("mannequin")
