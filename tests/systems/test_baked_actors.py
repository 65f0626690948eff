"""Rows of baked actors against plain arithmetic, and against what the sampling kernel shows."""

import numpy as np
import pytest

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.kernels.baked_actors import pack_baked_actors
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.records import Placement
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.baked_actors import new_baked_actors, pack_crowd
from ecs_anim.view.instances import BAKED_ACTOR, BakedColumns, BakedRows
from tests.helpers import clip_motions, random_clip, random_playback, random_rotations, random_skeleton

RNG = np.random.default_rng(0)
SKELETON = random_skeleton(RNG, 3)
CLIPS = [random_clip(RNG, SKELETON, f"clip {number}") for number in range(5)]
PLAIN = clip_motions(CLIPS)
NONE, NO_SHARES = np.zeros(0, np.int32), np.zeros(0, np.float32)


def blends():
    """A plain clip, a blend by one parameter, one by two."""
    motions = [
        Motion("plain", (Member(CLIPS[0], (0, 0)),)),
        Motion("line", tuple(Member(CLIPS[k], (0, 0), (k, 0.0)) for k in range(3)), parameters=("x",)),
        Motion("plane", tuple(Member(CLIPS[k], (0, 0), (k % 2, k // 2)) for k in range(5)), parameters=("x", "y")),
    ]
    return build_motion_set(motions, PLAIN.tables, ("x", "y"))


def pack(motions, columns, parameters, *, variant=NONE, share=NO_SHARES, near=NONE):
    count = len(columns[0])
    rng = np.random.default_rng(1)
    placement = Placement(
        rng.normal(size=(count, 3)).astype(np.float32),
        random_rotations(rng, count),
        rng.uniform(0.5, 2, count).astype(np.float32),
    )
    tint = rng.uniform(-0.2, 1.2, (count, 4)).astype(np.float32)
    out = np.full(16 * count, np.nan, np.float32).reshape(count, 16)
    rows = BakedRows(out, out.view(np.uint16), out.view(np.int32))
    looks = BakedColumns(tint, variant, share, near)
    pack_baked_actors(motions.arrays, parameters, tuple(columns), tuple(placement), looks, rows)
    return out.view(BAKED_ACTOR).reshape(count), placement._asdict() | {"tint": tint}


def line_weights(motion, x):
    return np.array([np.interp(x, [m.at[0] for m in motion.members], row) for row in np.eye(len(motion.members))])


def plane_weights(motion, x, y):
    """Gradient bands, as Johansen's thesis has them."""
    at, place, own = np.array([member.at for member in motion.members]), np.array([x, y]), []
    for k, here in enumerate(at):
        others = np.delete(at, k, axis=0) - here
        own.append(np.clip(1 - others @ (place - here) / np.sum(others**2, axis=1), 0, 1).min())
    return np.array(own) / sum(own)


def contributions(motions, columns, parameters, actor):
    """(share, clip, phase) of all that plays, newest first."""
    slot_count, motion, phase, _, fade_time, fade_duration = columns
    found, remaining = [], 1.0
    for slot in range(slot_count[actor] - 1, -1, -1):
        faded = fade_time[actor, slot] / fade_duration[actor, slot]
        progress = 1.0 if slot == 0 else min(faded, 1.0)
        played = motions.motions[motion[actor, slot]]
        values = [parameters[actor, {"x": 0, "y": 1}[name]] for name in played.parameters]
        weights = (lambda _: [1.0], line_weights, plane_weights)[len(values)](played, *values)
        for member, weight in zip(played.members, weights, strict=True):
            if remaining * progress * weight > 0:
                found.append((remaining * progress * weight, CLIPS.index(member.clip), phase[actor, slot]))
        remaining *= 1 - progress
    return found


def columns_of(*slots):
    """Columns of one actor; slots are (motion, phase, fade time, fade duration)."""
    table = np.zeros((4, 1, 4), np.float32)
    for index, slot in enumerate(slots):
        table[:, 0, index] = slot
    motion, phase, time, duration = (np.ascontiguousarray(part) for part in table)
    return [np.array([len(slots)], np.int32), motion.astype(np.int32), phase, phase, time, duration]


def test_one_clip_stands_twice_and_does_not_fade():
    ((row,), _) = pack(PLAIN, columns_of((3, 0.25, 0, 0)), np.zeros((1, 0), np.float32))
    assert row["clip"].tolist() == [3, 3]
    assert row["phase"].tolist() == [0.25, 0.25]
    assert row["fade"] == 0


def test_of_two_the_newer_one_fades_in():
    ((row,), _) = pack(PLAIN, columns_of((1, 0.5, 0, 0), (1, 0.25, 0.3, 0.4)), np.zeros((1, 0), np.float32))
    assert row["clip"].tolist() == [1, 1], "a clip may fade into itself elsewhere"
    assert row["phase"].tolist() == [0.5, 0.25]
    assert row["fade"] == pytest.approx(0.75)


def test_what_has_faded_in_is_alone():
    ((row,), _) = pack(PLAIN, columns_of((1, 0.5, 0, 0), (2, 0.25, 0.4, 0.4)), np.zeros((1, 0), np.float32))
    assert (row["clip"].tolist(), row["phase"].tolist(), row["fade"]) == ([2, 2], [0.25, 0.25], 0)


@pytest.mark.parametrize("motions", [PLAIN, blends()], ids=["clips", "blends"])
def test_the_two_that_contribute_most_are_told_and_share_what_shows(motions):
    rng = np.random.default_rng(2)
    columns = random_playback(rng, len(motions.motions), 300)
    parameters = rng.uniform(-0.5, 2.5, (300, 2)).astype(np.float32)
    rows, _ = pack(motions, columns, parameters)
    fading = 0
    for actor, row in enumerate(rows):
        best = sorted(contributions(motions, columns, parameters, actor), key=lambda part: -part[0])[:2]
        both = best if len(best) == 2 else [best[0], (0.0, *best[0][1:])]
        shares = {(clip, float(phase)): share / sum(part[0] for part in both) for share, clip, phase in both}
        told = list(zip(row["clip"].tolist(), row["phase"].tolist(), strict=True))
        assert set(told) == set(shares), actor
        if len(shares) == 2:
            assert row["fade"] == pytest.approx(shares[told[1]], abs=1e-4)
            assert 1 - row["fade"] == pytest.approx(shares[told[0]], abs=1e-4)
            fading += 1
    assert fading > 100


def test_looks_and_shares_travel():
    columns = random_playback(np.random.default_rng(4), 5, 50)
    rng = np.random.default_rng(5)
    variant, near = rng.integers(0, 7, 50).astype(np.int32), rng.integers(-1, 9, 50).astype(np.int32)
    share = rng.uniform(0, 1, 50).astype(np.float32)
    rows, looks = pack(PLAIN, columns, np.zeros((50, 0), np.float32), variant=variant, share=share, near=near)
    for name in ("translation", "rotation", "scale"):
        np.testing.assert_array_equal(rows[name], looks[name])
    np.testing.assert_allclose(rows["tint"] / 65535, looks["tint"].clip(0, 1), atol=1e-5)
    np.testing.assert_allclose(rows["share"] / 65535, share, atol=1e-5)
    np.testing.assert_array_equal(rows["variant"], variant)
    np.testing.assert_array_equal(rows["near"], near)
    plain, _ = pack(PLAIN, columns, np.zeros((50, 0), np.float32))
    assert not plain["share"].any()
    assert not plain["variant"].any()


SCENE = """
title = "x"
[rigs.mannequin]
model = "mannequin"
[[crowds]]
rig = "mannequin"
count = 20
path = "PATH"
layout = { kind = "grid" }
clips = [{ name = "walk" }, { name = "idle" }]
tints = ["#ff0000", "#00ff00"]
locomotion = {}
"""


def scene(tmp_path, path):
    (tmp_path / "scene.toml").write_text(SCENE.replace("PATH", path), "utf-8")
    return load_scene(tmp_path / "scene.toml", threads=1)


@pytest.mark.parametrize("path", ["baked", "auto"])
def test_a_crowds_rows_are_its_columns(tmp_path, path):
    with scene(tmp_path, path) as world:
        for _ in range(3):
            world.step(1 / 30)
        ((entity, (_, playback, transforms, looks, _)),) = world.query(
            Crowd, Playback, Transforms, Appearance, Parameters
        )
        rows = new_baked_actors(20)
        pack_crowd(world, entity, rows)
        np.testing.assert_array_equal(rows["translation"], transforms.translation)
        np.testing.assert_array_equal(rows["phase"][:, 1], playback.phase[:, 0])
        np.testing.assert_array_equal(rows["clip"][:, 0], playback.motion[:, 0])
        np.testing.assert_allclose(rows["tint"] / 65535, looks.tint, atol=1e-5)
        with pytest.raises(ValueError, match="must have 20 rows"):
            pack_crowd(world, entity, rows[:3])


def test_who_is_posed_by_the_cpu_has_no_such_rows(tmp_path):
    with scene(tmp_path, "pose") as world:
        ((entity, _),) = world.query(Crowd)
        with pytest.raises(KeyError):
            pack_crowd(world, entity, new_baked_actors(20))
