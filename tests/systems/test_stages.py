"""Stages of a crowd's poses: poses do not depend, to the bit, on other actors or on systems between the stages."""

from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.gltf.lent_clips import with_clips
from ecs_anim.scenes.rigs import MANNEQUIN, load_rig
from ecs_anim.systems.schedule import ORDER
from tests.helpers import EXHAUSTIVE, needs_compiler, some
from tests.helpers.corrected import BLOCKS, FLAT, GROUNDED, HEIGHTS, LOOKS, REACHES, players, posed, walkers

# A street has all stages; the others are what most crowds have.
STREET = walkers(GROUNDED, LOOKS, REACHES, ground=HEIGHTS)
CROWDS = {
    "players": players(),
    "some players": players(grounding='weight = "share"'),
    "players on blocks": players(BLOCKS, "lock_share = 0"),
    "players near by": players(grounding="fade_distance = 14"),
    "pinned players": players(FLAT, 'pins = ["share", "share"]'),
    "walkers": walkers(),
    "walkers without poise": walkers(body="poise = 0, acceleration_m_s2 = 0.8"),
    "dual quaternions": walkers(LOOKS, 'skinning = "dual_quaternion"'),
    "street": STREET,
}
pytestmark = needs_compiler  # a street takes minutes uncompiled


@pytest.fixture(scope="module")
def alone():
    """Return a function of a crowd's name: its poses in a world of one chunk, cached."""
    found = {}

    def once(kind):
        if kind not in found:
            found[kind] = posed(CROWDS[kind])
        return found[kind]

    return once


def assert_same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", CROWDS)
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"chunk_size": 8, "threads": 2}, id="eights on threads"),
        pytest.param({"chunk_size": 3}, id="threes", marks=EXHAUSTIVE),
        pytest.param({"chunk_size": 1}, id="one by one", marks=EXHAUSTIVE),
    ],
)
def test_who_else_is_in_a_chunk_does_not_matter(alone, kind, options):
    assert_same(posed(CROWDS[kind], **options), alone(kind))


@pytest.mark.parametrize("count", [1, 9, 17, *(pytest.param(own, marks=EXHAUSTIVE) for own in (8, 16, 64, 200)), 65])
def test_blocks_of_any_size_are_what_their_actors_are_one_by_one(count):
    text = walkers(GROUNDED, LOOKS, ground=HEIGHTS, count=count)
    assert_same(posed(text, 4), posed(text, 4, chunk_size=1))


def test_palettes_past_the_caches_are_the_same(monkeypatch):
    found = []
    for cache in (1 << 40, 0):
        monkeypatch.setattr("ecs_anim.components.palette.CACHE", cache)
        found.append(posed(STREET, 3, chunk_size=16))
    assert_same(*found)


class Pass:
    """A user's system that does nothing, or reads and writes all model matrices, or raises actors."""

    def __init__(self, does="nothing", components=(Transforms,), by=0.0):
        self.name, self.does, self.components, self.by = f"user_{does}", does, components, by
        self.chunks, self.reads = [], []

    def run(self, chunk, *_):
        self.chunks.append(chunk.actor_count)
        if self.does == "nothing":
            return
        model = chunk.workspace.model[: chunk.actor_count]
        self.reads.append(model.copy())
        if self.does == "write":
            chunk.workspace.model[: chunk.actor_count] = self.reads[-1]
            chunk.workspace.model[: chunk.actor_count, :, 7] += self.by


PLACES = [("model_matrices", "after"), ("poise", "after"), ("step_feet", "after"), ("step_contacts", "after")]
PLACES += [("grounding", "before"), ("grounding", "after"), ("look_at", "before"), ("look_at", "after")]
PLACES += [("reach", "after"), ("skin_palettes", "after")]


@pytest.mark.parametrize(
    "components", [(Transforms,), pytest.param((Crowd,), marks=EXHAUSTIVE)], ids=["as stages declare", "of its own"]
)
@pytest.mark.parametrize("does", some(["nothing", "read", "write"], "write"))
@pytest.mark.parametrize(("place", "side"), PLACES)
def test_a_users_system_between_stages_does_not_change_what_it_leaves_alone(alone, place, side, does, components):
    own = Pass(does, components)
    found = posed(STREET, systems=[(own, side, place)])
    assert own.chunks
    assert_same(found, alone("street"))


@pytest.mark.parametrize("does", some(["nothing", "write"], "write"))
@pytest.mark.parametrize("kind", some(CROWDS, "street", "dual quaternions", "some players"))
def test_no_crowd_minds_users_systems_everywhere(alone, kind, does):
    """Also where chunks are small, and kinds of actors differ from stage to stage."""
    systems = [(Pass(does), side, place) for place, side in PLACES]
    for number, (own, _, _) in enumerate(systems):
        own.name = f"user_{number}"
    assert_same(posed(CROWDS[kind], chunk_size=16, systems=systems), alone(kind))
    assert all(own.chunks for own, _, _ in systems)


class Ask(Pass):
    """A user's system that declares a component of no stage."""

    class Own:
        """A component that only this system uses."""

    def __init__(self, does):
        super().__init__(does, (Ask.Own,))

    def setup(self, world):
        for entity, _ in world.query(Crowd):
            world.attach(entity, Ask.Own())


@pytest.mark.parametrize("does", ["nothing", "read", "write"])
@pytest.mark.parametrize(
    ("place", "side"), [("model_matrices", "after"), ("grounding", "after"), ("look_at", "before")]
)
def test_stages_wait_for_a_system_that_shares_nothing_with_them_until_it_asks(alone, place, side, does):
    own = Ask(does)
    assert_same(posed(STREET, systems=[(own, side, place)]), alone("street"))
    assert own.chunks
    if does != "nothing":
        assert np.isfinite(own.reads).all()


def test_what_stages_write_of_picked_actors_survives_a_system_between_them():
    """In a crowd with `path = "auto"`, only near actors are posed, and stages write copies of their rows."""
    text = CROWDS["players"].replace("count =", 'path = "auto"\ncount =')
    own = Ask("nothing")
    found, expected = posed(text, systems=[(own, "after", "grounding")]), posed(text)
    assert own.chunks
    assert np.isfinite(expected[2]).any()  # feet remember
    assert_same(found, expected)


@pytest.mark.parametrize("kind", ["walkers", "dual quaternions", "players"])
def test_what_a_user_writes_is_what_later_stages_take(alone, kind):
    own = Pass("write", by=np.float32(0.25))
    found = posed(CROWDS[kind], systems=[(own, "before", "skin_palettes")])
    expected = alone(kind)
    assert_same(found[1:], expected[1:])
    rise = found[0].reshape(len(found[0]), -1, *found[0].shape[2:]) - expected[0]
    if kind == "dual quaternions":  # rotation, then translation
        np.testing.assert_allclose(rise[..., 1, 1], 0.25, atol=1e-5)
        rise[..., 1, 1] = 0
    else:
        np.testing.assert_allclose(rise[..., 1, 3], 0.25, atol=1e-5)
        rise[..., 1, 3] = 0
    np.testing.assert_allclose(rise, 0, atol=1e-5)


def test_what_a_user_reads_are_the_matrices_so_far():
    """After model matrices those of the pose; after grounding others; and palettes are of the last ones."""
    first, last = Pass("read"), Pass("read")
    first.name, last.name = "user_first", "user_last"
    places = [(first, "after", "model_matrices"), (last, "before", "skin_palettes")]
    palettes, *_ = posed(CROWDS["players"], systems=places)
    before, after = first.reads[-1], last.reads[-1]
    assert (np.abs(after - before) > 1e-3).any(axis=(1, 2)).all()
    skeleton = load_rig("mannequin").skeleton
    matrices = after.reshape(*after.shape[:2], 3, 4)[:, skeleton.skin_joints].astype(np.float64)
    bind = np.concatenate([skeleton.inverse_bind, np.tile([[[0, 0, 0, 1]]], (skeleton.palette_count, 1, 1))], axis=1)
    np.testing.assert_allclose(palettes, matrices @ bind, atol=1e-5)


@EXHAUSTIVE
@pytest.mark.parametrize("left", [("Hips",), ("Hips", "Left")])
def test_joints_that_no_clip_moves_are_put_back(tmp_path, left):
    """The ground moves hips and legs that clips leave alone: the next block begins from where these were."""
    rig, clips = load_rig("mannequin"), []
    for clip in (rig.clips["walk"], rig.clips["run"]):
        kept = (own for own in clip.tracks if not rig.skeleton.joint_names[own.joint_index].startswith(left))
        clips.append(replace(clip, name=f"own_{clip.name}", tracks=tuple(kept)))
    (tmp_path / "x.glb").write_bytes(with_clips(MANNEQUIN, clips))
    text = players(grounding="fade_distance = 20", count=140, model=str(tmp_path / "x.glb"), clips="own_")
    found = posed(text, 4)
    assert_same(found, posed(text, 4, chunk_size=8))
    assert_same(found, posed(text, 4, systems=[(Pass("write"), "after", "model_matrices")]))


def test_every_system_of_poses_has_a_name_and_runs_or_has_stages():
    for system in ORDER:
        assert hasattr(system, "run") != hasattr(system, "stages"), system.name
