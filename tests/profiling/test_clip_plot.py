"""Plots of clips: what is chosen, what the lines and dots say, and the files."""

import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.spatial.transform import Rotation

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.track import Track
from ecs_anim.gltf.load import load_rig
from ecs_anim.maths import quaternion
from ecs_anim.profiling.validation.clip_curves import choose, continuous_rotation_vectors, curve_of
from ecs_anim.profiling.validation.clip_plot import MOST, draw_clip, plot_clip
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from tests.helpers import ASSETS, EXHAUSTIVE, needs_assets, random_clip, random_skeleton, vectors
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line

CLIP = random_clip(np.random.default_rng(4), random_skeleton(np.random.default_rng(3), 9))


def texts(figure):
    return [text.get_text() for text in figure.texts]


@given(vectors(1.0).filter(lambda v: np.linalg.norm(v) > 0.1), st.floats(-15, 15))
def test_a_turn_goes_on_beyond_half_a_turn(axis, angle):
    """However far a joint turns about one axis, the vector follows; scipy's own stops at pi."""
    axis = axis / np.linalg.norm(axis)
    angles = np.linspace(0, angle, 50)
    rotations = Rotation.from_rotvec(angles[:, None] * axis).as_quat()
    np.testing.assert_allclose(continuous_rotation_vectors(rotations), angles[:, None] * axis, atol=1e-6)


@given(st.lists(vectors(3.0), min_size=1, max_size=20))
def test_rotation_vectors_are_the_rotations(wanted):
    rotations = Rotation.from_rotvec(wanted).as_quat()
    found = Rotation.from_rotvec(continuous_rotation_vectors(rotations)).as_quat()
    assert quaternion.angle_between(rotations, found).max() < 1e-6


def test_lines_are_the_exact_curve_and_dots_are_the_keys():
    for track in CLIP.tracks:
        curve = curve_of(CLIP, track)
        np.testing.assert_array_equal(curve.times[curve.keys], track.times.astype(np.float64))
        assert np.all(np.diff(curve.times) > 0)
    scale = curve_of(CLIP, CLIP.tracks[-1])
    np.testing.assert_array_equal(scale.values, CLIP.tracks[-1].sample(scale.times))
    np.testing.assert_array_equal(scale.values[scale.keys], CLIP.tracks[-1].values)
    turn = curve_of(CLIP, CLIP.tracks[0])
    first, last = CLIP.tracks[0].values[[0, 4]].astype(np.float64)
    expected = (Rotation.from_quat(last) * Rotation.from_quat(first).inv()).as_rotvec(degrees=True)
    np.testing.assert_allclose(turn.values[turn.keys[4]], expected, atol=1e-3)


def test_steps_stand_upright():
    values = np.array([[0, 0, 0], [1, 0, 0]], np.float32)
    track = Track(0, "translation", "STEP", np.array([0.5, 0.7], np.float32), values)
    curve = curve_of(Clip("step", CLIP.skeleton, (track,), 0.5, 1.0), track)
    at = curve.keys[1]
    assert curve.times[at] - curve.times[at - 1] < 1e-9
    assert (curve.values[at - 1, 0], curve.values[at, 0]) == (0, 1)


@EXHAUSTIVE
def test_the_curves_that_reach_farthest_are_shown_and_the_rest_counted():
    walk = load_model("mannequin").clips["walk"]
    choice, everything = choose(walk, 5), choose(walk, 1000)
    assert len(choice.shown) == 5
    assert len(choice.shown) + choice.lesser + choice.still == len(walk.tracks)
    assert everything.lesser == 0
    rotations = [curve.reach for curve in choice.shown if curve.track.path == "rotation"]
    others = {curve.reach for curve in everything.shown if curve.track.path == "rotation"} - set(rotations)
    assert min(rotations) >= max(others)
    assert "Hips" in [curve.joint for curve in choice.shown if curve.track.path == "translation"]


def test_a_clip_where_nothing_moves_shows_what_stands_still():
    still = tuple(replace(t, times=t.times[:1], values=t.values[:1]) for t in CLIP.tracks)
    clip = Clip("still", CLIP.skeleton, still, 0.5, 0.5)
    assert len(choose(clip, MOST).shown) == len(still)
    draw_clip(clip, "model")


def test_a_clip_without_tracks_is_one_line():
    with pytest.raises(InputError, match="model: clip 'none' must have tracks"):
        draw_clip(Clip("none", CLIP.skeleton, (), 0.0, 0.0), "model")


@EXHAUSTIVE
def test_a_panel_a_track_with_its_joint_and_unit():
    walk = load_model("mannequin").clips["walk"]
    figure = draw_clip(walk, "mannequin")
    assert len(figure.axes) == MOST
    assert texts(figure)[0] == "mannequin: walk"
    assert f"{MOST} of {len(walk.tracks)} tracks, " in texts(figure)[1]
    assert "are not shown" in texts(figure)[1]
    assert figure.axes[0].get_title(loc="left") == "Hips  translation"
    assert figure.axes[0].get_ylabel() == "m"
    lines = figure.axes[0].get_lines()
    assert len(lines) == 6
    assert len(lines[1].get_xdata()) == len(walk.tracks[0].times)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["x", "y", "z", "key"]


@EXHAUSTIVE
@needs_assets
def test_movement_under_a_scaled_parent_is_in_metres():
    """The woman's hips move in hundredths, under a parent that is scaled by 0.01."""
    clip = load_rig(ASSETS / "Woman.gltf").clips["PickUp"]
    track = next(
        t for t in clip.tracks if t.path == "translation" and clip.skeleton.joint_names[t.joint_index] == "Hips"
    )
    raw, curve = np.ptp(track.values, axis=0), curve_of(clip, track)
    np.testing.assert_allclose(np.ptp(curve.values, axis=0), raw / 100, rtol=1e-3)


@EXHAUSTIVE
def test_files_are_pictures_and_nothing_else_is_left(tmp_path):
    plot_clip(CLIP, "model", tmp_path / "clip.png")
    plot_clip(CLIP, "model", tmp_path / "clip.SVG")
    assert {path.name for path in tmp_path.iterdir()} == {"clip.png", "clip.SVG"}
    picture = np.asarray(Image.open(tmp_path / "clip.png").convert("L"))
    assert 0.01 < np.mean(picture < 128) < 0.3
    assert "<svg" in (tmp_path / "clip.SVG").read_text()


@EXHAUSTIVE
def test_names_are_shown_as_they_are(tmp_path):
    """Dollars are no mathematics, and an SVG may hold no control characters."""
    joints = tuple(f"$\\frac$\x1b{name}" for name in CLIP.skeleton.joint_names)
    skeleton = replace(CLIP.skeleton, joint_names=joints)
    plot_clip(replace(CLIP, name="$\\x$\x07", skeleton=skeleton), "$model$", tmp_path / "x.svg")
    ElementTree.parse(tmp_path / "x.svg")


def test_without_matplotlib_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"needs the plot extra. Install it: pip install 'ecs-anim\[plot\]'"):
        plot_clip(CLIP, "model", tmp_path / "clip.png")


@EXHAUSTIVE
def test_inspect_plots_a_clip(tmp_path):
    result = ecs_anim("inspect", "mannequin", "--clip", "walk", "--plot", tmp_path / "walk.png")
    assert result.returncode == 0, result.stderr
    assert "wrote" in result.stderr
    assert "LeftUpLeg" in result.stdout
    assert Image.open(tmp_path / "walk.png").width > 1000


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--plot", "x.png"], "--clip NAME"),
        (["--clip", "walk", "--plot", "x.jpg"], "Name a .png or a .svg"),
        (["--clip", "walk", "--plot", "x"], "Name a .png or a .svg"),
        (["--clip", "wlak", "--plot", "x.png"], "did you mean 'walk'?"),
    ],
)
def test_a_plot_that_cannot_be_is_one_line(tmp_path, arguments, part):
    assert_one_line(ecs_anim("inspect", "mannequin", *arguments, cwd=tmp_path), part)
    assert list(tmp_path.iterdir()) == []


def test_a_plot_into_a_missing_folder_is_one_line(tmp_path):
    assert_one_line(
        ecs_anim("inspect", "mannequin", "--clip", "walk", "--plot", tmp_path / "no" / "x.png"), "does not exist"
    )


@EXHAUSTIVE
def test_a_clip_of_weights_alone_is_one_line(tmp_path):
    assert_one_line(
        ecs_anim("inspect", "blob", "--clip", "grin", "--plot", "x.png", cwd=tmp_path),
        "Weights of morph targets cannot be plotted",
    )
