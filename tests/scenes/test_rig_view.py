"""A rig with sliders: widgets are driven as a browser drives them, and poses are compared with scipy and numpy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.assets.skinning import LAYOUTS
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.scenes.rig_view import RigControls, RigView
from ecs_anim.systems.queries import stage_of
from tests.helpers.gl import context_fixture  # noqa: F401
from tests.systems.test_live_view import key

pytest.importorskip("ipywidgets", reason="needs the notebook extra")
SIZE = (96, 64)


class Picture:
    """In place of the widget with the picture: counts the requests for a new picture."""

    asked = 0

    def request_draw(self):
        self.asked += 1


@pytest.fixture(scope="module")
def rig():
    return ea.load_rig("mannequin")


@pytest.fixture
def view(context, rig):
    with RigView(rig, SIZE, 1, paused=True) as view:
        yield view


@pytest.fixture
def controls(view):
    return RigControls(view, Picture())


def shown_matrices(view) -> np.ndarray:
    """The skin matrices [entry, 3, 4] of the shown world, and the skeleton to which they belong."""
    ((_, (character, palette)),) = view.desk.world.query(Character, Palette)
    return LAYOUTS[palette.method].to_matrices(palette.matrices)[0], character.rig.skeleton


def at(clip: ea.Clip, phase: float) -> ea.Pose:
    return clip.sample(clip.start + phase * clip.duration)


def select_phase(view, controls, phase: float) -> None:
    """Move the slider as a browser does, and draw the next picture."""
    controls.playback.timeline.set_state({"value": round(1000 * phase)})
    view.frame(0.05)


def test_sliders_select_clips_blend_and_rotations(view, controls, rig):
    joint = rig.skeleton.joint_names.index("LeftArm")
    controls.clip.value, controls.second.value, controls.weight.value = "walk", "wave", 0.3
    select_phase(view, controls, 0.4)
    controls.joint.value = "LeftArm"
    for slider, angle in zip(controls.turn, (20.0, -50.0, 70.0), strict=True):
        slider.value = angle
    pose = ea.blend(at(rig.clips["walk"], 0.4), at(rig.clips["wave"], 0.4), 0.3)
    rotation = np.array(pose.rotation)
    turned = Rotation.from_quat(rotation[joint]) * Rotation.from_euler("XYZ", [20, -50, 70], degrees=True)
    rotation[joint] = turned.as_quat()
    expected = ea.skin_palette(rig.skeleton, ea.Pose(pose.translation, rotation, pose.scale))
    np.testing.assert_allclose(shown_matrices(view)[0], expected, atol=1e-5)


def test_each_joint_keeps_its_rotation_until_the_reset(view, controls, rig):
    first = shown_matrices(view)[0].copy()
    controls.joint.value = "Spine"
    controls.turn[1].value = 30.0
    controls.joint.value = "Head"
    assert [slider.value for slider in controls.turn] == [0, 0, 0]
    controls.turn[0].value = 10.0
    controls.joint.value = "Spine"
    assert [slider.value for slider in controls.turn] == [0, 30, 0]
    assert not np.allclose(shown_matrices(view)[0], first)
    controls.reset.click()
    assert [slider.value for slider in controls.turn] == [0, 0, 0]
    np.testing.assert_array_equal(shown_matrices(view)[0], first)


def test_playback_moves_the_phase_and_its_slider(view, controls, rig):
    controls.clip.value, playback = "walk", controls.playback
    playback.play.click()
    view.frame(0.05)
    share = 0.05 / rig.clips["walk"].duration
    playback.play.click()
    view.frame(0.05)
    assert playback.timeline.value == round(1000 * share)
    expected = ea.skin_palette(rig.skeleton, at(rig.clips["walk"], share))
    np.testing.assert_allclose(shown_matrices(view)[0], expected, atol=1e-5)


def test_steps_go_in_both_directions_and_a_selected_phase_pauses(view, controls, rig):
    controls.clip.value, playback = "walk", controls.playback
    one = 1 / 60 / rig.clips["walk"].duration
    playback.step.click()
    view.frame(0.0)
    assert playback.timeline.value == round(1000 * one)
    playback.back.click()
    view.handle(key("ArrowLeft"))
    view.frame(0.0)
    assert playback.timeline.value == round(1000 * (1 - one))
    view.handle(key(" "))
    select_phase(view, controls, 0.25)
    assert view.playback.paused
    expected = ea.skin_palette(rig.skeleton, at(rig.clips["walk"], 0.25))
    np.testing.assert_allclose(shown_matrices(view)[0], expected, atol=1e-5)


@pytest.mark.parametrize("part", ["skeleton", "weights", "normals"])
def test_parts_show_the_same_pose_with_the_same_camera(view, controls, rig, part):
    controls.clip.value = "walk"
    select_phase(view, controls, 0.25)
    stage_of(view.desk.world).camera.orbit(0.5, 0.1)
    surface, camera = view.frame(0.0), stage_of(view.desk.world).camera
    controls.part.value = part
    picture = view.frame(0.0)
    assert stage_of(view.desk.world).camera is camera
    assert np.abs(picture.astype(int) - surface).max() > 30
    found, skeleton = shown_matrices(view)
    np.testing.assert_allclose(found, ea.skin_palette(skeleton, at(rig.clips["walk"], 0.25)), atol=1e-5)
    controls.part.value = "surface"
    np.testing.assert_array_equal(view.frame(0.0), surface)


def test_the_skinning_method_follows_button_and_key(view, controls, rig):
    before = shown_matrices(view)[0]
    controls.method.value = "dual_quaternion"
    assert view.method == "dual_quaternion"
    np.testing.assert_allclose(shown_matrices(view)[0], before, atol=1e-4)
    view.handle(key("k"))
    view.frame(0.0)
    assert controls.method.value == view.method == "linear"


def test_each_change_draws_the_picture_again_and_a_closed_view_ignores_changes(view, controls):
    picture = controls._picture
    controls.weight.value = 0.5
    assert picture.asked == 1
    view.frame(0.0)
    assert picture.asked == 1
    view.free()
    controls.weight.value = 0.7
    assert picture.asked == 1
    assert view.frame(0.1) is None


def test_a_rig_without_clips_shows_its_rest_pose(context, rig):
    posed = rig.posed(at(rig.clips["wave"], 0.5))
    with RigView(posed, SIZE, 1) as view:
        RigControls(view, Picture())
        view.frame(0.1)
        expected = ea.skin_palette(rig.skeleton, posed.skeleton.rest_pose)
        np.testing.assert_allclose(shown_matrices(view)[0], expected, atol=1e-5)


def test_show_returns_the_picture_above_the_controls_and_closes_all(context, rig):
    from ipywidgets import Widget

    def models() -> set[str]:
        return set(Widget.get_manager_state()["state"])

    before = models()
    shown = ea.show(rig, SIZE, samples=1)
    picture, playback, hints, *rows = shown.children
    assert "drag: orbit" in hints.value
    assert len(playback.children) == 7
    assert len(rows) == 3
    view = picture.view
    assert view.desk.settings.rig is rig
    shown.close()
    assert view.freed
    assert view.desk.world.closed
    assert models() <= before
