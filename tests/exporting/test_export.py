"""Exports: content that cannot be written is an error and leaves no file behind."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ecs_anim as ea
from ecs_anim.exporting.actor_rows import actor_rows
from ecs_anim.exporting.actors import Actor, along, is_seamless
from ecs_anim.exporting.bones import Bones
from ecs_anim.exporting.recording import PLACE, POSE, Look
from ecs_anim.support.errors import InputError
from tests.helpers import EXHAUSTIVE, random_clip, random_rotations, random_skeleton
from tests.helpers.export import scene_text
from tests.helpers.full_disk import on_a_full_disk


@pytest.fixture(scope="module", name="world")
def world_fixture():
    with ea.load_scene(scene_text()) as world:
        yield world


@given(st.lists(st.lists(st.integers(0, 20), unique=True, max_size=12), min_size=1, max_size=6), st.data())
def test_rows_come_back_actor_by_actor(tmp_path_factory, frames, data):
    """Any actors in any frame, in any order."""
    rng = np.random.default_rng(len(frames))
    first = data.draw(st.integers(0, 20))
    end = data.draw(st.integers(first, 21))
    wanted = np.zeros((len(frames), 21, 3), np.float32)
    there = np.zeros((len(frames), 21), bool)
    with actor_rows(3, tmp_path_factory.getbasetemp() / "x") as rows:
        for frame, actors in enumerate(frames):
            own = rng.normal(size=(len(actors), 3)).astype(np.float32)
            rows.append(np.array(actors, np.int32), own)
            wanted[frame, actors], there[frame, actors] = own, True
        told, seen = rows.read(first, end)
    np.testing.assert_array_equal(told, wanted[:, first:end])
    np.testing.assert_array_equal(seen, there[:, first:end])


def test_rotations_go_the_short_way():
    rng = np.random.default_rng(2)
    given = random_rotations(rng, 40, 3)
    told = along(given)
    assert (np.sum(told[1:] * told[:-1], axis=-1) >= 0).all()
    np.testing.assert_allclose(np.abs(np.sum(told * given, axis=-1)), 1, atol=1e-6)


def actor(tables, clips, phases):
    """Return an actor that plays these clips, at these phases, frame by frame."""
    places = np.zeros((len(clips), PLACE), np.float32)
    places[:, 6], places[:, 7], places[:, 8], places[:, 9] = 1, 1, clips, phases
    poses = np.zeros((len(clips), POSE * tables.layout.skeleton.joint_count), np.float32)
    seamless = np.array([is_seamless(tables, clip) for clip in range(len(tables.clips))])
    return Actor(1, Look(0, (1.0,) * 4), np.array(clips) > -9, places, poses, tables, seamless)


def test_one_clip_is_told_from_others():
    """Evenly, forwards, and over its end only where that is as its beginning."""
    rig, rng = ea.load_rig("mannequin"), np.random.default_rng(4)
    tables = ea.build_tables(rig.skeleton, [rig.clips["walk"], random_clip(rng, rig.skeleton)])
    assert is_seamless(tables, 0)
    assert not is_seamless(tables, 1)
    even = 0.9 + 0.03 * np.arange(5)
    play = actor(tables, [0] * 5, even % 1).play()
    assert play is not None
    assert play == pytest.approx((0, 0.9, 0.03), abs=1e-6)
    assert actor(tables, [1] * 5, even % 1).play() is None  # over its end
    assert actor(tables, [1] * 5, even - 0.5).play() == pytest.approx((1, 0.4, 0.03), abs=1e-6)
    assert actor(tables, [0, 0, 1, 1, 1], even % 1).play() is None  # another
    assert actor(tables, [0, 0, -1, 0, 0], even % 1).play() is None  # a fade between
    assert actor(tables, [0] * 5, (even**2) % 1).play() is None  # unevenly
    assert actor(tables, [0] * 5, even[::-1] % 1).play() is None  # backwards
    assert actor(tables, [0] * 5, np.full(5, 0.3)).play() is None  # not at all
    pose = actor(tables, [0, 0, 1, 1, 1], even % 1).pose()
    for frame, clip in ((1, 0), (4, 1)):
        wanted = tables.clips[clip].sample(tables.clips[clip].start + even[frame] % 1 * tables.clips[clip].duration)
        np.testing.assert_allclose(pose[frame].to_matrix(), wanted.to_matrix(), atol=3e-3)


def test_no_joint_is_bound_twice():
    """A palette entry whose joint an earlier one has gets a bone that stays where the joint is."""
    skeleton = random_skeleton(np.random.default_rng(1), 6, 11)
    bones = Bones.of(skeleton)
    assert len(set(bones.entries.tolist())) == skeleton.palette_count == 11
    assert len(set(bones.names)) == bones.count
    for joint, bone in zip(skeleton.skin_joints.tolist(), bones.entries.tolist(), strict=True):
        assert bone == joint or (bone >= 6 and bones.parents[bone] == joint)
    np.testing.assert_array_equal(bones.rest.to_matrix()[6:], np.tile(np.eye(3, 4), (bones.count - 6, 1, 1)))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("x.fbx", r"in \.glb for glTF, in \.usdc or \.usda for USD, or in \.npz for SMPL-X poses \(got '\.fbx'\)"),
        ("x", r"\(got ''\)"),
        ("missing/x.glb", "does not exist"),
        ("x\x1b.usdc", "the name of a USD file must contain only printable characters"),
        ("folder.glb", "the path must name a regular file or a new file"),
    ],
)
def test_names_that_cannot_be(world, tmp_path, name, told):
    (tmp_path / "folder.glb").mkdir()
    with pytest.raises(InputError, match=told):
        ea.export(world, tmp_path / name)


def test_arguments_that_cannot_be(world, tmp_path):
    with pytest.raises(InputError, match="'peple'.*did you mean 'people'"):
        ea.export(world, tmp_path / "x.glb", crowds=["peple"])
    with pytest.raises(InputError, match="an export needs at least one crowd"):
        ea.export(world, tmp_path / "x.glb", crowds=[])
    with pytest.raises(ValueError, match=r"frames must be 1 or more \(got 0\)"):
        ea.export(world, tmp_path / "x.glb", frames=0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["glb", "usdc"])
def test_where_nobody_is_there_is_told(tmp_path, ending):
    if ending != "glb":
        pytest.importorskip("pxr", reason="USD needs the extra 'usd'")
    with ea.load_scene(scene_text()) as world:
        ea.crowd(world, "people").remove(ea.ALL)
        with pytest.raises(
            InputError,
            match="an export needs actors, but no actor is present in the 3 exported frames. Export more frames",
        ):
            ea.export(world, tmp_path / f"x.{ending}", frames=3)
    assert list(tmp_path.iterdir()) == []


def test_without_usd_the_extra_is_named(world, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(InputError, match=r"x\.usdc: USD needs usd-core. Install it with pip install 'ecs-anim\[usd\]'"):
        ea.export(world, tmp_path / "x.usdc")


@EXHAUSTIVE
@pytest.mark.parametrize("limit", [1000, 60000])
@pytest.mark.parametrize("ending", ["glb", "usdc", "usda"])
def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path, ending, limit):
    if ending != "glb":
        pytest.importorskip("pxr", reason="USD needs the extra 'usd'")
    words = ["export", "throng", "--actors", "20", "--frames", "20", "--out", f"x.{ending}"]
    code, lines = on_a_full_disk(words, limit, tmp_path)
    assert (code, len(lines)) == (2, 1), lines
    assert f"x.{ending}: cannot write the file (" in lines[0]
    assert list(tmp_path.iterdir()) == []
