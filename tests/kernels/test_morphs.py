"""Morph weights of crowds: tables against exact sampling, mixed as the poses are, layers, parameters, scene keys."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets import dual_palette
from ecs_anim.assets.clip import Clip
from ecs_anim.assets.keyframes import KeyframeCurve
from ecs_anim.assets.morphs import MorphTargets, MorphTrack, add_morphs
from ecs_anim.assets.skinning import skin_dual_quaternion, skin_linear
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.ecs.world import World
from ecs_anim.kernels.morphs import layer_morphs, mix_morphs
from ecs_anim.maths import affine
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.rigs.blob import TARGETS, blob_rig
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.morph_tables import TOLERANCE, build_morph_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.phase_sync import retime
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.crowd_handle import crowd
from tests.helpers import random_skeleton
from tests.oracles.blend_weights import weights_1d

RNG = np.random.default_rng(41)
SKELETON = random_skeleton(RNG, 3)
MANY = MorphTargets(tuple("abcde"), np.zeros(5, np.int32), np.array([0, 0.5, 0, -1, 2], np.float32))


def weight_clip(name: str, columns: list[int], key_count: int = 9, interpolation: str = "LINEAR") -> Clip:
    """A clip of 1.5 s that animates some weights at random."""
    times = (0.25 + np.linspace(0, 1.5, key_count)).astype(np.float32)
    shape = (key_count, 3, len(columns)) if interpolation == "CUBICSPLINE" else (key_count, len(columns))
    curve = KeyframeCurve(interpolation, times, RNG.normal(0, 0.4, shape).astype(np.float32))
    track = MorphTrack(np.array(columns, np.int32), curve)
    return Clip(name, SKELETON, (), 0.25, 1.75, {}, MANY, (track,))


CLIPS = [weight_clip("first", [0, 1]), weight_clip("second", [1, 4]), weight_clip("third", [0, 4], 6)]
CLIPS.append(Clip("still", SKELETON, (), 0.0, 0.0, {}, MANY))
TABLES = build_morph_tables(CLIPS)


def test_tables_hold_what_clips_animate():
    assert TABLES.columns.tolist() == [0, 1, 4]
    assert TABLES.clip_rows(3).tolist() == [[0, 0.5, 2]]
    assert build_morph_tables(CLIPS, left_out=[0, 4]).columns.tolist() == [1]
    assert build_morph_tables(CLIPS, left_out=[0, 1, 4]) is None
    assert build_morph_tables(CLIPS[3:]) is None


@pytest.mark.parametrize("interpolation", ["LINEAR", "CUBICSPLINE"])
def test_a_table_is_within_the_tolerance_of_exact_sampling(interpolation):
    clip = weight_clip("clip", [0, 2], 8, interpolation)
    tables = build_morph_tables([clip])
    rows = tables.clip_rows(0)
    phase = RNG.random(500)
    exact = clip.sample_weights(0.25 + 1.5 * phase, loop=False)[:, tables.columns]
    found = np.stack([np.interp(phase, np.linspace(0, 1, len(rows)), column) for column in rows.T], axis=-1)
    np.testing.assert_allclose(found, exact, atol=1.5 * TOLERANCE)


def sampled(clip, phase):
    rows = TABLES.clip_rows(clip)
    grid = np.linspace(0, 1, len(rows)) if len(rows) > 1 else [0.0]
    return np.array([np.interp(phase, grid, column) for column in rows.T])


def test_weights_are_mixed_as_the_pose_is():
    """Fades over fades of clips and of a blend space, in plain numpy from the oldest to the newest."""
    actors, slots = 60, 4
    space = tuple(Member(clip, (0, 0), (float(i), 0)) for i, clip in enumerate(CLIPS[1:]))
    motions = [Motion("single", (Member(CLIPS[0], (0, 0)),)), Motion("space", space, True, ("x",))]
    arrays = build_motion_set(motions, build_tables(SKELETON, CLIPS), ("other", "x")).arrays
    count = RNG.integers(1, slots + 1, actors).astype(np.int32)
    motion = RNG.integers(0, 2, (actors, slots)).astype(np.int32)
    phase = RNG.random((actors, slots), np.float32)
    phase[:3, 0], phase[3:6, 0] = 1, 0
    fade_time, fade_duration = RNG.random((2, actors, slots)).astype(np.float32)
    parameters = RNG.uniform(-1, 3, (actors, 2)).astype(np.float32)
    out = np.full((actors, 5), 7, np.float32)
    queue = FadeQueue(count, motion, phase, np.ones_like(phase), fade_time, fade_duration)
    mix_morphs(TABLES.arrays, arrays, parameters, tuple(queue), out)
    for actor in range(actors):
        expected = np.zeros(3)
        for slot in range(count[actor]):
            own = [sampled(clip, phase[actor, slot]) for clip in range(4)]
            mixed = own[0] if motion[actor, slot] == 0 else weights_1d([0, 1, 2], parameters[actor, 1]) @ own[1:]
            covers = 1.0 if slot == 0 else min(fade_time[actor, slot] / fade_duration[actor, slot], 1.0)
            expected += (mixed - expected) * covers
        np.testing.assert_allclose(out[actor, TABLES.columns], expected, atol=1e-5)
    np.testing.assert_array_equal(out[:, [2, 3]], 7)


@pytest.mark.parametrize("is_additive", [True, False])
def test_layers_add_or_cover(is_additive):
    rows, columns = RNG.normal(size=(5, 2)).astype(np.float32), np.array([3, 0], np.int32)
    phase, weight = RNG.random(9, np.float32), RNG.random(9, np.float32)
    phase[0], weight[1], shares = 1, 0, np.array([1, 0.25], np.float32)
    before = RNG.normal(size=(9, 5)).astype(np.float32)
    out = before.copy()
    layer_morphs(rows, columns, shares, is_additive, phase, weight, out)
    value = np.stack([np.interp(phase, np.linspace(0, 1, 5), column) for column in rows.T], axis=-1)
    share = weight[:, None] * shares
    covered = before[:, columns]
    expected = covered + share * value if is_additive else covered + share * (value - covered)
    np.testing.assert_allclose(out[:, columns], expected, atol=1e-6)
    np.testing.assert_array_equal(out[:, [1, 2, 4]], before[:, [1, 2, 4]])


def test_a_clip_brought_into_step_shows_the_weights_of_its_source():
    clip = replace(CLIPS[0], extras={"contacts": {"foot": [[0.1, 0.5]]}})
    late = retime(clip, np.array([0.5]), np.array([0.25]))
    phases = np.linspace(0, 1, 40, endpoint=False)
    expected = clip.sample_weights(0.25 + 1.5 * np.mod(phases - 0.25, 1), loop=False)
    np.testing.assert_allclose(late.sample_weights(0.25 + 1.5 * phases), expected, atol=0.03)


# Scenes

SCENE = """
[rigs.blob]
model = "blob"
[[crowds]]
rig = "blob"
count = 5
"""


def load(text: str, **options) -> World:
    return load_scene(parse_scene(SCENE + text, "x.toml", Path()), threads=1, **options)


def weights_of(world: World) -> np.ndarray:
    ((_, (morphs,)),) = world.query(Morphs)
    return morphs.weights


def columns(*names: str) -> list[int]:
    return [TARGETS.names.index(name) for name in names]


def test_a_crowd_shows_the_weights_of_its_clip():
    with load('clips = [{ name = "hop", phase = 0.0 }]') as world:
        clip = blob_rig().clips["hop"]
        for step in range(1, 60):
            world.step(1 / 30)
            expected = clip.sample_weights(step / 30)
            np.testing.assert_allclose(weights_of(world), np.tile(expected, (5, 1)), atol=5 * TOLERANCE)


def test_weights_cross_fade():
    """'hop' moves two weights, 'grin' another; where a clip leaves one alone it asks for the default."""
    with load('clips = [{ name = "hop", phase = 0.0 }, { name = "grin", weight = 0 }]') as world:
        crowd(world, "blob").fade_to([1], "grin", 0.8)
        for step in range(1, 8):
            world.step(0.1)
            hop, grin = (blob_rig().clips[name].sample_weights(step / 10) for name in ("hop", "grin"))
            np.testing.assert_allclose(weights_of(world)[0], hop, atol=5 * TOLERANCE)
            np.testing.assert_allclose(weights_of(world)[1], hop + (grin - hop) * step / 8, atol=5 * TOLERANCE)


def test_values_ranges_and_parameters_of_a_scene_stand_over_clips():
    text = """
clips = [{ name = "hop", phase = 0.0 }]
morphs = { squash = 0.25, smile = [0.5, 0.75], blink = "tired" }
parameters = { tired = { initial = 0.0, max_change_per_second = 1.0 } }
"""
    with load(text, seed=3) as world:
        crowd(world, "blob").set_parameter([2], "tired", 5.0)
        smiles = weights_of(world)[:, columns("smile")].copy()
        for _ in range(20):
            world.step(0.05)
        weights = weights_of(world)
        stretch = blob_rig().clips["hop"].sample_weights(1.0)[columns("stretch")]
        np.testing.assert_allclose(weights[:, columns("squash")], 0.25)
        np.testing.assert_allclose(weights[:, columns("stretch")], np.tile(stretch, (5, 1)), atol=5 * TOLERANCE)
        np.testing.assert_array_equal(weights[:, columns("smile")], smiles)
        assert 0.5 <= smiles.min() < smiles.max() <= 0.75
        np.testing.assert_allclose(weights[:, columns("blink")[0]], [0, 0, 1, 0, 0], atol=1e-5)


def test_a_range_may_begin_at_its_upper_end():
    with load('clips = [{ name = "idle" }]\nmorphs = { smile = [0.75, 0.5] }', seed=3) as world:
        smiles = weights_of(world)[:, columns("smile")]
        assert 0.5 <= smiles.min() < smiles.max() <= 0.75


def test_layers_of_a_scene():
    text = """
clips = [{ name = "idle", phase = 0.0 }]
layers = [{ clip = "grin", mode = "override", weight = 0.5 }, { clip = "hop", reference_seconds = 0.9, weight = "w" }]
parameters = { w = 0.5 }
"""
    rig = blob_rig()
    with load(text) as world:
        for step in range(1, 22):
            world.step(0.05)
            time = step / 20
            expected = rig.clips["idle"].sample_weights(time)
            grin, hop = rig.clips["grin"].sample_weights(time), rig.clips["hop"].sample_weights(time)
            expected[columns("smile")] += 0.5 * (grin - expected)[columns("smile")]
            moved = columns("squash", "stretch")
            expected[moved] += 0.5 * (hop - rig.clips["hop"].sample_weights(0.9))[moved]
            np.testing.assert_allclose(weights_of(world)[0], expected, atol=5 * TOLERANCE)


def test_threads_and_chunks_change_no_bit():
    text = 'clips = [{ name = "hop" }, { name = "idle" }]\nmorphs = { smile = [0, 1] }'
    found = []
    for threads, chunk_size in ((1, 512), (2, 7)):
        with load_scene(
            parse_scene(SCENE + text, "x.toml", Path()), threads=threads, chunk_size=chunk_size, actors=40
        ) as world:
            for _ in range(10):
                world.step(1 / 60)
            found.append(weights_of(world).tobytes())
    assert found[0] == found[1]


def test_a_weight_that_nothing_moves_stays_as_it_is_set():
    with load('clips = [{ name = "hop" }]') as world:
        weights_of(world)[:, columns("blink")] = 0.3
        world.step(0.1)
        np.testing.assert_allclose(weights_of(world)[:, columns("blink")], 0.3)


def test_weights_set_by_hand():
    with load('clips = [{ name = "hop" }]\nmorphs = { blink = "tired" }\nparameters = { tired = 0.0 }') as world:
        people = crowd(world, "blob")
        people.set_morph([1, 3], "smile", [0.5, 2.0])
        people.set_morph(slice(4, None), "smile", -1)
        world.step(0.1)
        np.testing.assert_array_equal(weights_of(world)[:, columns("smile")[0]], [0, 0.5, 0, 2, -1])
        for target in ("squash", "blink"):
            with pytest.raises(ValueError, match=f"clips or a parameter of this crowd set the morph target '{target}'"):
                people.set_morph(ea.ALL, target, 1.0)
        with pytest.raises(ValueError, match="must be finite"):
            people.set_morph(ea.ALL, "smile", np.nan)
        with pytest.raises(
            KeyError, match="no morph target 'frown'; morph targets of the rig are: squash, stretch, smile, blink"
        ):
            people.set_morph(ea.ALL, "frown", 1.0)


def test_shapes_count_as_poses():
    """What profile calls a pose that changed: here nothing but weights do."""
    with load('clips = [{ name = "idle", phase = 0.0 }]') as world:
        before = poses_hash(world)
        world.step(0.3)
        assert poses_hash(world) != before


def test_a_rig_without_targets_costs_nothing():
    text = '[rigs.ball]\nmodel = "ball"\n[[crowds]]\nrig = "ball"\nclips = [{ name = "rest" }]'
    with load_scene(parse_scene(text, "x.toml", Path()), threads=1) as world:
        assert list(world.query(Playback, Parameters))
        assert not list(world.query(Morphs))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("morphs = { smiel = 1.0 }", r"crowds\[0\].morphs: .* no morph target 'smiel'; did you mean 'smile'\?"),
        ('morphs = { smile = "joy" }', r"crowds\[0\].morphs.smile: the crowd has no parameter 'joy'"),
        ("morphs = { smile = inf }", r"crowds\[0\].morphs.smile"),
        ("morphs = 3", r"crowds\[0\].morphs"),
    ],
)
def test_mistakes_are_told(text, message):
    with pytest.raises(InputError, match=message):
        load(f'clips = [{{ name = "hop" }}]\n{text}')


def test_a_rig_without_targets_is_told():
    text = (
        '[rigs.ball]\nmodel = "ball"\n[[crowds]]\nrig = "ball"\nclips = [{ name = "rest" }]\nmorphs = { smile = 1.0 }'
    )
    with pytest.raises(InputError, match="no morph target 'smile'; it has none"):
        load_scene(parse_scene(text, "x.toml", Path()), threads=1)


# CPU skinning


def test_skinning_moves_the_morphed_shape():
    """The plain form against matrix and delta written out; the kernel against the plain form; by both methods."""
    rig, actors = blob_rig(), 5
    weights = RNG.uniform(-0.5, 1, (actors, 4)).astype(np.float32)
    rotation = RNG.normal(size=(actors, 1, 4))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    matrices = affine.compose(RNG.normal(size=(actors, 1, 3)), rotation, np.full((actors, 1, 3), 0.7)).astype(
        np.float32
    )
    entries = dual_palette.from_matrices(matrices, rig.skeleton).astype(np.float32)
    for mesh in rig.meshes:
        deltas = np.einsum("at,tvc->avc", weights.astype(float), mesh.morphs.positions)
        expected = (
            np.einsum("aij,avj->avi", matrices[:, 0, :, :3], mesh.positions + deltas) + matrices[:, 0, None, :, 3]
        )
        positions, normals = skin_linear(mesh, matrices, weights)
        np.testing.assert_allclose(positions, expected, atol=1e-5)
        np.testing.assert_allclose(skin_dual_quaternion(mesh, entries, weights)[0], expected, atol=1e-5)
        np.testing.assert_allclose(skin_dual_quaternion(mesh, entries, weights)[1], normals, atol=1e-4)


# The blob


@pytest.mark.parametrize("target", TARGETS.names)
def test_a_blobs_shapes_have_the_normals_of_their_surfaces(target):
    weights = np.array([name == target for name in TARGETS.names], np.float32)
    for mesh in blob_rig().meshes:
        points, normals = add_morphs(mesh.morphs, mesh.positions, mesh.normals, weights)
        a, b, c = np.moveaxis(points[mesh.indices.reshape(-1, 3)].astype(float), 1, 0)
        faces = np.cross(b - a, c - a)
        around = sum(np.sum(normals[mesh.indices.reshape(-1, 3)[:, k]] * faces, axis=1) for k in range(3))
        assert np.mean(around > 0) > 0.99
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)


def volume(mesh, points):
    a, b, c = np.moveaxis(points[mesh.indices.reshape(-1, 3)].astype(float), 1, 0)
    return np.sum(a * np.cross(b, c)) / 6


def test_squash_and_stretch_keep_a_blobs_volume_and_its_ground():
    skin = blob_rig().meshes[0]
    still = volume(skin, skin.positions)
    for target in ("squash", "stretch"):
        weights = np.array([name == target for name in TARGETS.names], np.float32)
        points, _ = add_morphs(skin.morphs, skin.positions, skin.normals, weights)
        assert volume(skin, points) == pytest.approx(still, rel=0.02)
        assert points[:, 1].min() == pytest.approx(0, abs=1e-6)
    assert still > 0


def test_a_hop_falls_freely():
    """Height of the blob's joint against s = v t - g/2 t^2."""
    clip = blob_rig().clips["hop"]
    flight = np.linspace(0.35, 0.8, 20)
    height = clip.sample(flight, loop=False).translation[:, 0, 1]
    gravity = 2 * 2.2 / 0.45
    assert gravity == pytest.approx(9.8, abs=0.1)
    np.testing.assert_allclose(height, 2.2 * (flight - 0.35) - gravity / 2 * (flight - 0.35) ** 2, atol=1e-5)
    assert clip.sample(np.array([0.1, 1.0]), loop=False).translation[:, 0, 1].tolist() == [0, 0]


# The scene that ships


def test_the_scene_morph_by_numbers():
    """Who was told a number has it; hoppers go from squashed to stretched and back; moods go where they are sent."""
    with load_scene("morph", threads=1) as world:
        crowds = {crowd.name: morphs for _, (crowd, morphs) in world.query(Crowd, Morphs)}
        shown = np.empty((140, *crowds["hoppers"].weights.shape), np.float32)
        moods = []
        for frame in range(140):
            world.step(1 / 60)
            shown[frame] = crowds["hoppers"].weights
            moods.append(crowds["moods"].weights[:, columns("smile")[0]].copy())
        for name, target in (
            ("squashed", "squash"),
            ("stretched", "stretch"),
            ("smiling", "smile"),
            ("blinking", "blink"),
        ):
            np.testing.assert_array_equal(crowds[name].weights, [[float(own == target) for own in TARGETS.names]])
        squash, stretch, smile = (shown[:, :, columns(name)[0]] for name in ("squash", "stretch", "smile"))
        hopping = np.ptp(stretch, axis=0) > 0.5
        assert 20 < hopping.sum() < 35
        assert (np.ptp(squash, axis=0)[hopping] > 0.85).all()
        assert (np.minimum(squash, stretch) < 0.45).all(), "nobody is both at once"
        np.testing.assert_array_equal(smile[0], smile[-1])
        assert np.ptp(smile[0]) > 0.8
        assert np.abs(np.diff(moods, axis=0)).max() <= 1.5 / 60 + 1e-5, "as fast as the parameter may change"
        assert np.ptp(moods, axis=0).max() > 0.2
