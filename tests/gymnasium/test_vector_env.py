"""CrowdVectorEnv: Gymnasium's own vector environments of single environments are the reference."""

from typing import Any

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.support.errors import InputError
from tests.gymnasium.test_crowd_env import PEOPLE, SCENE

gymnasium = pytest.importorskip("gymnasium")

import ecs_anim.gymnasium  # noqa: E402  the import registers the ids

ID, MODES = "ecs_anim/Crowd-v0", gymnasium.vector.AutoresetMode
HALL = SCENE | {"walls": {"wkt": "POLYGON ((-6 -6, 6 -6, 6 6, -6 6, -6 -6))"}, "crowds": [PEOPLE | {"count": 3}]}
QUICK = {"scene": HALL, "observations": ("state", "lidar"), "rays": 5, "limit_seconds": 1.2, "crowd_starts": 3}


def require_equal(one: Any, other: Any) -> None:
    """Compare nested results of steps, to the bit."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            require_equal(one[key], other[key])
    elif isinstance(one, tuple) or (isinstance(one, np.ndarray) and one.dtype == object):
        for left, right in zip(one, other, strict=True):
            require_equal(left, right)
    else:
        np.testing.assert_array_equal(one, other)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mode", [MODES.NEXT_STEP, MODES.SAME_STEP])
def test_rooms_equal_gymnasiums_vector_of_single_environments(mode: Any) -> None:
    ours = gymnasium.make_vec(ID, num_envs=3, autoreset_mode=mode, **QUICK)
    assert isinstance(ours, ea.gymnasium.CrowdVectorEnv)
    theirs = gymnasium.make_vec(ID, 3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **QUICK)
    require_equal(ours.reset(seed=7), theirs.reset(seed=7))
    ours.action_space.seed(1)
    ends = 0
    for step in range(40):
        action = ours.action_space.sample() if step % 5 else np.tile(np.float32([1.0, 0.0]), (3, 1))
        found, expected = ours.step(action), theirs.step(action)
        require_equal(found, expected)
        assert ours.observation_space.contains(found[0])
        ends += int((found[2] | found[3]).sum())
    assert ends >= 6
    ours.close()
    theirs.close()


@pytest.mark.exhaustive
def test_without_autoreset_a_mask_selects_the_episodes_that_start() -> None:
    envs = gymnasium.make_vec(ID, num_envs=3, autoreset_mode=MODES.DISABLED, **QUICK)
    envs.reset(seed=1)
    for _ in range(4):
        before = envs.step(np.zeros((3, 2), np.float32))[0]
    after, _ = envs.reset(options={"reset_mask": np.array([False, True, False])})
    assert (before["robot"][[0, 2]] == after["robot"][[0, 2]]).all()
    assert (before["robot"][1] != after["robot"][1]).any()
    envs.close()


def test_pictures_of_rooms_are_rejected() -> None:
    with pytest.raises(InputError, match="draws no pictures"):
        ea.gymnasium.CrowdVectorEnv(HALL, 2, observations=("camera",))
