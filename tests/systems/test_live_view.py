"""The live view: driven by events as a browser sends them, without a browser."""

import subprocess
import sys

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.palette import Palette
from ecs_anim.gl.window.controls import ORBIT_PER_HEIGHT, SINGLE_STEP, ZOOM_PER_NOTCH
from ecs_anim.gl.window.keys import CONTROLS, NOTEBOOK_CONTROLS
from ecs_anim.profiling.soak import growth, held
from ecs_anim.systems.live_view import KEY_NAMES, LiveView
from ecs_anim.systems.queries import stage_of
from tests.helpers import EXHAUSTIVE
from tests.helpers.gl import context_fixture  # noqa: F401

SIZE = (80, 40)
ANY_MEMORY = 10**12  # [byte]


@pytest.fixture
def world():
    with ea.load_scene("single", threads=1) as world:
        yield world


@pytest.fixture
def view(context, world):
    with LiveView(world, SIZE, 1) as view:
        yield view


def pointer(kind, x, y, *buttons, modifiers=()):
    return {"type": f"pointer_{kind}", "x": x, "y": y, "buttons": buttons, "modifiers": modifiers}


def key(name):
    return {"type": "key_down", "key": name, "modifiers": ()}


def test_time_passes_and_the_picture_shows_it(view, world):
    first = view.frame(0.0)
    np.testing.assert_array_equal(first, ea.render(world, SIZE, samples=1))
    second = view.frame(0.05)
    assert world.time == pytest.approx(0.05)
    np.testing.assert_array_equal(second, ea.render(world, SIZE, samples=1))
    assert not np.array_equal(first, second)


def test_space_pauses_and_a_dot_takes_one_step(view, world):
    view.handle(key(" "))
    view.frame(0.05)
    assert world.time == 0
    view.handle(key("."))
    view.frame(0.05)
    view.frame(0.05)
    assert world.time == pytest.approx(SINGLE_STEP)
    view.handle(key(" "))
    view.frame(0.05)
    assert world.time == pytest.approx(SINGLE_STEP + 0.05)


def test_plus_and_minus_change_the_speed(view, world):
    for names, speed in (("+", 2), ("=", 4), ("-", 2), ("--", 0.5)):
        for name in names:
            view.handle(key(name))
        before = world.time
        view.frame(0.02)
        assert world.time - before == pytest.approx(speed * 0.02)


def test_the_docstring_of_show_lists_the_inputs_of_the_widget():
    listed = [line.strip() for line in ea.show.__doc__.splitlines() if line.strip().startswith("- ")]
    assert listed == [f"- {control.label}: {control.effect}" for control in NOTEBOOK_CONTROLS]


def test_the_widget_has_the_keys_that_the_table_says_and_no_others(view, world):
    """A key changes the playback, the camera, the skinning or the overlays exactly if the table says so."""
    browser = {name: own for own, name in KEY_NAMES.items()}
    (_, (palette,)) = next(world.query(Palette))
    for control in CONTROLS:
        for name in control.keys:
            view.handle(pointer("down", 10, 10, 1))
            view.handle(pointer("move", 30, 15, 1))
            view.timeline.step(0.01)

            def state():
                playback = view.playback
                camera = stage_of(world).camera.azimuth
                shown = sorted(view.overlays.shown)
                return (
                    playback.paused,
                    playback.single_steps,
                    playback.speed,
                    camera,
                    palette.method,
                    shown,
                    world.frame,
                )

            before = state()
            view.handle(key(browser.get(name, name)))
            if name.startswith("NUM_"):
                continue  # a browser calls these keys + and -
            assert (state() != before) == control.in_notebook, name


def test_a_drag_orbits_as_in_the_window_and_r_goes_back(view, world):
    camera = stage_of(world).camera
    before = camera.azimuth, camera.elevation, camera.target.copy()
    view.handle(pointer("move", 70, 30))  # no button is down
    view.handle(pointer("down", 10, 10, 1))
    view.handle(pointer("move", 20, 15, 1))
    view.handle(pointer("move", 14, 14, 1))
    assert camera.azimuth == pytest.approx(before[0] + 4 / 40 * ORBIT_PER_HEIGHT)
    assert camera.elevation == pytest.approx(before[1] + 4 / 40 * ORBIT_PER_HEIGHT)
    np.testing.assert_array_equal(camera.target, before[2])
    view.handle(pointer("up", 14, 14))
    view.handle(key("r"))
    assert (camera.azimuth, camera.elevation) == before[:2]


@pytest.mark.parametrize(("button", "modifiers"), [(2, ()), (3, ()), (1, ("Shift",))])
def test_other_drags_pan(view, world, button, modifiers):
    camera = stage_of(world).camera
    before, azimuth = camera.target.copy(), camera.azimuth
    view.handle(pointer("down", 10, 10, button))
    view.handle(pointer("move", 10, 14, button, modifiers=modifiers))
    assert camera.target[1] > before[1]  # the scene goes down with the hand
    assert camera.azimuth == azimuth


def test_the_wheel_comes_nearer(view, world):
    camera = stage_of(world).camera
    before = camera.distance
    view.handle({"type": "wheel", "dx": 0.0, "dy": -200.0, "x": 1, "y": 1, "buttons": (), "modifiers": ()})
    assert camera.distance == pytest.approx(before * ZOOM_PER_NOTCH**2)


def test_k_swaps_the_skinning_and_other_keys_do_nothing(view, world):
    (_, (palette,)) = next(world.query(Palette))
    for name, method in (("k", "dual_quaternion"), ("K", "linear"), ("Escape", "linear"), ("ä", "linear")):
        view.handle(key(name))
        assert palette.method == method


def test_the_picture_has_the_views_size(view, context):
    view.handle({"type": "resize", "width": 60.4, "height": 50.6, "ratio": 2.0})
    ratio = 1 if context.capabilities.is_software else 2
    assert view.frame(0.0).shape == (round(ratio * 50.6), round(ratio * 60.4), 3)
    assert view.size == (60, 51)
    view.handle({"type": "resize", "width": 0, "height": 0, "ratio": 1.0})
    assert view.frame(0.0).shape == (1, 1, 3)


@EXHAUSTIVE
def test_closing_the_view_leaves_the_world_and_nothing_else(context, world):
    LiveView(world, SIZE, 1).handle({"type": "close"})
    before = held()
    view = LiveView(world, SIZE, 1)
    view.frame(0.0)
    view.handle({"type": "close"})
    assert view.frame(0.1) is None
    assert growth(before, held(), ANY_MEMORY) == []
    world.step(0.1)


def test_a_closed_world_ends_the_view(context):
    world = ea.load_scene("single", threads=1)
    view = LiveView(world, SIZE, 1)
    world.close()
    assert view.frame(0.1) is None
    assert view.freed


@pytest.fixture
def widget(context, world):
    pytest.importorskip("jupyter_rfb", reason="the notebook extra is not installed")
    box = ea.show(world, SIZE, samples=1)
    yield box.picture
    box.close()


def test_the_widget_shows_frames_and_hands_events_on(widget, world):
    assert (widget.css_width, widget.css_height) == ("min(80px, 100%)", "40px")
    np.testing.assert_array_equal(widget.get_frame(), ea.render(world, SIZE, samples=1))
    assert widget.get_frame().shape == (40, 80, 3)
    assert world.time > 0
    distance = stage_of(world).camera.distance
    message = {"type": "wheel", "dx": 0, "dy": 100, "x": 3, "y": 3, "buttons": [], "modifiers": [], "timestamp": 0.0}
    widget._rfb_handle_msg(widget, message, [])
    assert stage_of(world).camera.distance > distance


def test_the_widget_asks_for_the_next_frame_unless_it_is_paused(widget):
    widget._rfb_draw_requested = False
    widget.get_frame()
    assert widget._rfb_draw_requested
    widget._rfb_handle_msg(widget, key(" "), [])
    assert widget._rfb_draw_requested  # what was done is seen
    widget._rfb_draw_requested = False
    widget.get_frame()
    assert not widget._rfb_draw_requested


def test_the_widget_sends_what_a_browser_shows(widget, monkeypatch):
    sent = []
    monkeypatch.setattr(widget, "send", lambda content, buffers: sent.append((content, buffers)))
    widget._has_visible_views = True
    widget._rfb_handle_msg(widget, {"type": "resize", "width": 50, "height": 30, "ratio": 1.0}, [])
    widget._rfb_maybe_draw()
    (content, (data,)) = sent[0]
    assert content["mimetype"] == "image/jpeg"
    assert bytes(data[:2]) == b"\xff\xd8"
    assert widget._rfb_last_frame.shape == (30, 50, 3)


def test_a_closed_widget_frees_its_view(context, world):
    pytest.importorskip("jupyter_rfb", reason="the notebook extra is not installed")
    picture = ea.show(world, SIZE).picture
    picture.close()
    assert picture.view.freed
    assert picture.get_frame() is None


@EXHAUSTIVE
def test_without_the_extra_a_line_says_so():
    code = """
import sys, ecs_anim as ea
sys.modules["jupyter_rfb"] = None
with ea.load_scene("single", threads=1) as world:
    try:
        ea.show(world)
    except ea.InputError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "a live view needs the notebook extra. Install it: pip install 'ecs-anim[notebook]'\n"
