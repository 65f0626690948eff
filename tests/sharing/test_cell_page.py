"""Pages that show worlds in notebook cells."""

import html
import re
from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.ecs.snapshot import state_of
from ecs_anim.systems.live_view import LiveView

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 5
layout = { kind = "grid", spacing = 1.5 }
body = {}
[crowds.steering]
goals = [{ at = [20.0, 0.0] }]
"""


def state(world: ea.World) -> dict[str, np.ndarray]:
    return {
        name: np.copy(field.value) for name, field in state_of(world).items() if isinstance(field.value, np.ndarray)
    }


def require_equal(before: dict[str, np.ndarray], after: dict[str, np.ndarray]) -> None:
    assert before.keys() == after.keys()
    for name, value in before.items():
        np.testing.assert_array_equal(value, after[name], err_msg=name)


@pytest.mark.exhaustive
def test_a_cell_shows_the_next_seconds_and_the_world_does_not_change(tmp_path: Path) -> None:
    heard = []
    with ea.load_scene(SCENE) as world:
        for _ in range(30):
            world.step(1 / 60)
        world.on("foot_strike", heard.append)
        before = state(world)
        shown = world._repr_html_()
        require_equal(before, state(world))
        assert (heard, world.frame) == ([], 30)
        assert shown is not None
        (frame,) = re.findall(r'^<iframe[^>]* sandbox="allow-scripts allow-downloads"[^>]* srcdoc="([^"]*)"', shown)
        (tmp_path / "x.html").write_text(html.unescape(frame), "utf-8")
        motion = ea.open_share(tmp_path / "x.html")
        assert motion.seconds == pytest.approx(3.0)
        for _ in range(60):
            world.step(1 / 60)
        assert heard
        positions = ea.crowd(world, "people").positions
    moment = motion.crowds[0].at(1.0)
    np.testing.assert_allclose(moment.positions[:, [0, 2]] * (1, -1), positions, atol=0.01)


class Idle:
    """A system of the user that does nothing."""

    name = "idle"

    def run(self, world: ea.World, dt: float) -> None:
        """Do nothing."""


def test_some_worlds_have_no_page() -> None:
    """Large worlds, closed worlds, worlds with a running widget, and worlds with a system of the user."""
    with ea.load_scene(SCENE.replace("count = 5", "count = 101")) as world:
        assert world._repr_html_() is None
    assert world._repr_html_() is None
    with ea.load_scene("single") as world, LiveView(world, (64, 36)):
        assert world._repr_html_() is None
    with ea.load_scene(SCENE, systems=[(Idle(), "before", "chunks")]) as world:
        assert world._repr_html_() is None
