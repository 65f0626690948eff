"""Near actors of hybrid crowds have the poses of the CPU in shared files: layers, look-at and grounding."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.sharing.corrections import BOUND
from ecs_anim.sharing.motion import SharedMotion
from ecs_anim.systems.joints import joint_matrices
from tests.helpers.browser import CHROMIUM, Browser

SECONDS, RATE = 1, 60
HYBRID = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "dancers"
rig = "people"
path = "auto"
near_actors = { count = 3 }
count = 9
layout = { kind = "grid", spacing = 1.5, columns = 3 }
clips = [{ name = "dance" }, { name = "idle", weight = 0 }]
parameters = { sway = 1.0 }
layers = [{ clip = "lean_left", weight = "sway", mask = "Spine", phase = "time", speed = 0.5 }]
[[timeline]]
at_seconds = 0.5
crowd = "dancers"
fade_to = ["idle"]
fade_seconds = 0.2
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("near") / "x.html"
    with ea.load_scene(HYBRID) as world:
        ea.share(world, path, seconds=SECONDS)
    return path


@pytest.fixture(scope="module")
def motion(page: Path) -> SharedMotion:
    return ea.open_share(page)


def test_near_actors_have_the_layers_of_a_second_run(motion: SharedMotion) -> None:
    (shared,) = motion.crowds
    bounds = []
    with ea.load_scene(HYBRID) as world:
        ((entity, _),) = world.query(Crowd)
        for step in range(SECONDS * RATE + 1):
            if step:
                world.step(1 / RATE)
            if step % 2:  # the file has every second step
                continue
            near = world.get(entity, Nearness).rows
            exact = joint_matrices(world, entity, near)[..., 3]
            moment = shared.at(step / RATE)
            assert moment.actors.tolist() == list(range(9))
            bounds.append(np.linalg.norm(moment.joints[near] - exact, axis=-1).max())
    assert max(bounds) < BOUND + 1e-4


def test_crowds_without_corrections_have_no_near_poses(tmp_path: Path) -> None:
    text = "\n".join(line for line in HYBRID.splitlines() if not line.startswith(("layers", "parameters")))
    with ea.load_scene(text) as world:
        ea.share(world, tmp_path / "x.html", seconds=0.1)
    assert ea.open_share(tmp_path / "x.html").crowds[0].facts["near"] is None


@pytest.mark.exhaustive
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_page_computes_the_joints_of_near_actors(page: Path, motion: SharedMotion) -> None:
    with Browser() as browser:
        browser.open(page, "#t=0")
        for time in (0.0, 0.377, SECONDS):
            browser.evaluate(f"player.motion.sample({time})")
            moment = motion.crowds[0].at(time)
            joints = browser.evaluate(f"{moment.actors.tolist()}.map((a) => [...player.motion.joints(0, a)])")
            np.testing.assert_allclose(np.reshape(joints, moment.joints.shape), moment.joints, atol=2e-4)
        assert browser.messages == []
