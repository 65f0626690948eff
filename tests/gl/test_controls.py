"""How the viewer's time and camera follow keys and mouse; no window is opened."""

import math

import numpy as np
import pytest

from ecs_anim.gl.window.controls import (
    MAX_STEP,
    SINGLE_STEP,
    CameraHand,
    Click,
    FrameMeter,
    Message,
    Playback,
)
from ecs_anim.gl.window.keys import CONTROLS, HELP, HINTS, KEYS, Action
from ecs_anim.gl.window.window import next_free
from ecs_anim.view.camera import OrbitCamera

LABELS = {
    "SPACE": "Space",
    "PERIOD": ".",
    "RIGHT": "Right",
    "COMMA": ",",
    "LEFT": "Left",
    "PLUS": "+",
    "EQUAL": "=",
    "MINUS": "-",
    "ESCAPE": "Esc",
}


def test_time_runs_in_real_time_and_skips_long_breaks():
    playback = Playback()
    assert playback.advance(0.02) == 0.02
    assert playback.advance(5.0) == MAX_STEP
    assert playback.advance(-1.0) == 0.0


def test_pause_stops_and_goes_on():
    playback = Playback()
    playback.toggle_pause()
    assert playback.advance(0.02) is None
    playback.toggle_pause()
    assert playback.advance(0.02) == 0.02


def test_single_steps_pause_and_are_taken_one_a_frame():
    playback = Playback()
    playback.request_step()
    playback.request_step()
    assert [playback.advance(0.02) for _ in range(4)] == [SINGLE_STEP, SINGLE_STEP, None, None]
    assert playback.paused


def test_a_pause_forgets_steps_not_taken():
    playback = Playback()
    playback.request_step()
    playback.pause()
    assert playback.paused
    assert playback.advance(0.02) is None


def test_going_on_forgets_steps_not_taken():
    playback = Playback()
    playback.request_step()
    playback.toggle_pause()
    playback.toggle_pause()
    assert playback.advance(0.02) is None


def test_the_speed_scales_the_time_but_not_single_steps():
    playback = Playback()
    playback.faster()
    assert playback.advance(0.02) == 0.04
    assert playback.advance(5.0) == 2 * MAX_STEP
    playback.slower()
    playback.slower()
    assert playback.advance(0.02) == 0.01
    assert playback.text == "speed 0.5"
    playback.request_step()
    assert playback.advance(0.02) == SINGLE_STEP
    assert playback.text == "speed 0.5   paused"


@pytest.mark.parametrize(
    ("speed", "fastest", "slowest"), [(1.0, 8.0, 0.125), (3.0, 8.0, 0.125), (20.0, 20.0, 0.125), (0.01, 8.0, 0.01)]
)
def test_keys_keep_the_speed_between_an_eighth_and_eight_or_the_own_one_beyond(speed, fastest, slowest):
    up, down = Playback(speed=speed), Playback(speed=speed)
    for _ in range(12):
        up.faster()
        down.slower()
    assert (up.speed, down.speed) == (fastest, slowest)


def test_a_message_ends_after_three_seconds_and_a_new_one_starts_again():
    now = 10.0
    message = Message(clock=lambda: now)
    assert message.text == ""
    message.say("first")
    now = 12.9
    assert message.text == "first"
    message.say("second")
    now = 15.8
    assert message.text == "second"
    now = 16.0
    assert message.text == ""


def test_a_drag_to_the_right_turns_the_scene_to_the_right():
    hand = CameraHand(OrbitCamera(elevation=0.0, distance=5.0))
    hand.drag(100, 0, 400, pan=False)
    assert hand.camera.azimuth == pytest.approx(math.pi + math.pi / 4)
    hand.drag(0, -40, 400, pan=False)  # the scene's near side goes down, so the camera goes up
    assert hand.camera.elevation == pytest.approx(math.pi / 10)


def test_a_pan_moves_the_scene_with_the_hand():
    camera = OrbitCamera(target=[0, 2, 0], elevation=0.0, distance=5.0, vertical_fov=math.pi / 2)
    CameraHand(camera).drag(40, 20, 400, pan=True)
    np.testing.assert_allclose(camera.target, [-1.0, 1.5, 0.0], atol=1e-5)


def test_the_wheel_zooms_and_undoes_itself():
    hand = CameraHand(OrbitCamera(distance=5.0))
    hand.scroll(2)
    assert hand.camera.distance < 4
    hand.scroll(-2)
    assert hand.camera.distance == pytest.approx(5.0)


def test_reset_goes_back_to_the_start_each_time():
    camera = OrbitCamera(target=[1, 1, 1], distance=5.0, azimuth=0.3, elevation=0.2)
    hand = CameraHand(camera)
    for _ in range(2):
        hand.drag(50, 70, 300, pan=True)
        hand.drag(50, 70, 300, pan=False)
        hand.scroll(3)
        hand.reset()
        assert (camera.distance, camera.azimuth, camera.elevation) == (5.0, 0.3, 0.2)
        np.testing.assert_array_equal(camera.target, [1, 1, 1])


def test_a_click_is_a_press_and_a_release_in_one_place():
    click = Click()
    assert not click.release(), "nothing was pressed"
    click.press()
    click.drag(1, -1)
    assert click.release()
    assert not click.release()
    click.press()
    for _ in range(5):
        click.drag(1, 0)
        click.drag(-1, 0)  # back where it began, and yet a drag
    assert not click.release()


def test_every_action_has_a_key():
    assert set(KEYS.values()) == set(Action)


def test_every_key_belongs_to_one_input():
    keys = [name for control in CONTROLS for name in control.keys]
    assert len(keys) == len(set(keys)) == len(KEYS)


def test_the_help_has_a_line_for_every_input_and_a_sentence_for_each():
    labels, effects = zip(*(line.split("\t") for line in HELP.splitlines()), strict=True)
    assert list(labels) == [control.label for control in CONTROLS]
    assert len(set(labels)) == len(labels)
    for effect in effects:
        assert effect[0].isupper()
        assert effect.endswith(".")


def test_the_label_of_an_input_names_its_keys():
    for control in CONTROLS:
        names = {LABELS.get(name, name) for name in control.keys}
        assert control.action is None or set(control.label.split(" or ")) <= names


def test_the_hints_name_the_help():
    assert "H or F1: help" in HINTS


def test_frame_meter():
    meter = FrameMeter()
    assert meter.text == ""
    for _ in range(100):
        meter.add(0.02)
    assert meter.text == "20.0 ms   50 fps"


def test_screenshots_take_the_next_free_name(tmp_path):
    assert next_free(tmp_path, "shot").name == "shot-001.png"
    (tmp_path / "shot-001.png").touch()
    assert next_free(tmp_path, "shot").name == "shot-002.png"
