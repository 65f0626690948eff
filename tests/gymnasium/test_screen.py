"""The render mode "human": a window without a display shows each step, and users end, pause and continue it."""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.window import window as window_module
from ecs_anim.systems import window_view
from tests.gymnasium.test_crowd_env import STILL, made
from tests.helpers.gl import open_hidden_window, shared_context

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pyglet is headless on Linux only")

ROUTE: Any = {"start": [0.0, 0.0], "goal": [-8.0, 0.0]}


class Shown(window_view.DrawWorld):
    """Stores the times of the pictures, and does the next act of the user after each picture."""

    times: list[float]
    acts: list[Any]

    def draw(self, world: Any, target: Any, *given: Any, **options: Any) -> None:
        super().draw(world, target, *given, **options)
        assert np.ptp(target.read_pixels()) > 50
        self.times.append(round(world.time, 3))
        if self.acts:
            self.acts.pop(0)()


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    shared = shared_context()
    Shown.times, Shown.acts = [], []
    monkeypatch.setattr(window_module, "open_window", open_hidden_window)
    monkeypatch.setattr(window_view, "DrawWorld", Shown)
    env = made(STILL, render_mode="human", step_seconds=0.02, **ROUTE)
    env.reset(seed=1)
    yield env
    assert gl.glGetError() == gl.GL_NO_ERROR
    env.close()
    shared.make_current()


def step(env: Any) -> bool:
    """Take a step, and return whether the window is open."""
    env.step(np.array([1.0, 0.0], np.float32))
    return not env._screen._viewer.freed


def press(env: Any, name: str) -> Any:
    from pyglet.window import key

    return lambda: env._screen._viewer.context.window.dispatch_event("on_key_press", getattr(key, name), 0)


def test_resets_and_steps_show_their_state(env: Any) -> None:
    assert env.metadata["render_fps"] == 50
    assert env.render() is None
    assert all(step(env) for _ in range(3))
    assert sorted({*Shown.times}) == [0.0, 0.02, 0.04, 0.06]


@pytest.mark.parametrize("act", ["Q", "ESCAPE", "close"])
def test_without_its_window_an_environment_continues(env: Any, act: str) -> None:
    window = env._screen._viewer.context.window
    Shown.acts.append((lambda: window.dispatch_event("on_close")) if act == "close" else press(env, act))
    assert not step(env)
    shown = len(Shown.times)
    assert not step(env)
    assert len(Shown.times) == shown
    assert env.world.time == pytest.approx(0.04)


def test_a_paused_window_waits_for_the_user(env: Any) -> None:
    Shown.acts += [press(env, "SPACE")]
    assert step(env)
    Shown.acts += [lambda: None] * 5 + [press(env, "PERIOD")]
    assert step(env)
    assert Shown.times.count(0.04) == 7
    Shown.acts += [lambda: None, press(env, "SPACE")]
    assert step(env)
    assert Shown.times.count(0.06) >= 3
    assert not env._screen._viewer.playback.paused


def test_observations_of_a_camera_are_drawn_beside_the_window(env: Any) -> None:
    seen = made(STILL, render_mode="human", observations=("camera",), camera_size=(32, 24), **ROUTE)
    first, _ = seen.reset(seed=1)
    assert np.ptp(first["camera"]) > 50
    assert step(env)
    assert step(seen)
    seen.close()
    assert step(env)
