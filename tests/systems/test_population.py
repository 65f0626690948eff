"""Actors that come and go: what stays, what is drawn, and that the rest of the world follows."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets import dual_palette
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.support.timings import NO_TIMINGS
from ecs_anim.systems.population import columns_of
from ecs_anim.systems.schedule import ORDER, ChunkedSchedule
from ecs_anim.systems.skinning import set_skinning
from tests.helpers import EXHAUSTIVE, FEW

DT = 1 / 60
SOURCE = "Palette.source"  # where an actor's palette is, not what


def entity_of(world, name):
    return next(entity for entity, (crowd,) in world.query(Crowd) if crowd.name == name)


def state_by_id(world, name):
    """All columns of a crowd, and its palettes, by actor."""
    entity = entity_of(world, name)
    ids = world.get(entity, Crowd).ids.tolist()
    columns = {c.path: c.value for c in columns_of(world, entity) if c.path not in ("Crowd.index.ids", SOURCE)}
    palette = world.find(entity, Palette)
    if palette and palette.source is not None:
        columns["matrices"] = palette.matrices
    return {actor: {path: value[row].copy() for path, value in columns.items()} for row, actor in enumerate(ids)}


def same(a, b):
    assert a.keys() == b.keys()
    for path in a:
        np.testing.assert_array_equal(a[path], b[path], err_msg=path)


@pytest.mark.parametrize("scene", ["throng", "controllers", "hills", "look_at", "festival", "morph"])
def test_who_stays_keeps_all_that_it_has(scene):
    with load_scene(scene, actors=FEW or 90, threads=1) as world:
        name = ea.crowd(world, world.get(next(iter(world.query(Crowd)))[0], Crowd).name).name
        crowd, rng = ea.crowd(world, name), np.random.default_rng(3)
        for _ in range(3):
            world.step(DT)
            before = state_by_id(world, name)
            gone = set(crowd.ids[rng.choice(crowd.actor_count, crowd.actor_count // 3, replace=False)].tolist())
            crowd.remove(ids=sorted(gone))
            new = set(crowd.add(crowd.actor_count // 2, positions=[1.0, 2.0]).tolist())
            after = state_by_id(world, name)
            assert after.keys() == (before.keys() - gone) | new
            for actor in before.keys() - gone:
                same(*({p: v for p, v in own[actor].items() if p != "Nearness.palette_row"} for own in (before, after)))
            assert (crowd.ids[crowd.rows(crowd.ids)] == crowd.ids).all()


def test_who_is_named_more_than_once_leaves_once():
    with load_scene("throng", actors=20, threads=1) as world:
        crowd = ea.crowd(world, "people")
        crowd.remove(ids=[7, 3, 7, 19, 3])
        assert sorted(crowd.ids.tolist()) == [actor for actor in range(1, 21) if actor not in (3, 7, 19)]
        crowd.remove([0, -1, 0, 16])
        assert crowd.actor_count == 15
        crowd.remove(ids=[])
        assert crowd.actor_count == 15


def test_who_stays_moves_as_if_nobody_had_come_or_gone():
    def places(changes):
        with load_scene("throng", actors=60, threads=1) as world:
            crowd = ea.crowd(world, "people")
            kept = crowd.ids[20:50]
            for frame in range(12):
                if changes and frame == 4:
                    crowd.remove(slice(0, 20))
                    crowd.add(75)
                if changes and frame == 8:
                    crowd.remove(ids=crowd.ids[~np.isin(crowd.ids, kept)][::2])
                world.step(DT)
            rows, entity = crowd.rows(kept), entity_of(world, "people")
            return world.get(entity, Transforms).translation[rows], world.get(entity, Palette).matrices[rows]

    for quiet, busy in zip(places(False), places(True), strict=True):
        np.testing.assert_array_equal(quiet, busy)


@EXHAUSTIVE
def test_palettes_of_those_who_stay_go_with_them_at_once():
    with load_scene("festival", actors=FEW or 400, threads=1) as world:
        entity = entity_of(world, "dancers")
        world.step(DT)

        def by_id():
            near, ids = world.get(entity, Nearness), world.get(entity, Crowd).ids
            palettes = world.get(entity, Palette).matrices
            assert (near.palette_row[near.rows] == np.arange(len(near.rows))).all()
            return {int(ids[row]): palettes[near.palette_row[row]].copy() for row in near.rows}

        before = by_id()
        ea.crowd(world, "dancers").remove(np.arange(0, len(world.get(entity, Crowd).ids), 3))
        after = by_id()
        assert after.keys() < before.keys()
        assert len(after) > 3
        for actor, palette in after.items():
            np.testing.assert_array_equal(palette, before[actor])
        world.step(DT)  # and goes on


SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 400
layout = { kind = "scatter", radius = 30.0, min_distance = 0.5, center = [5.0, 3.0] }
heading_degrees = 0.0
scale_range = [0.9, 1.1]
tints = ["#ff0000", "#0000ff"]
parameters = { mood = [2.0, 4.0] }
clips = [{ name = "idle", weight = 1, speed = [0.5, 0.6] }, { name = "walk", weight = 3 }]
"""


def small_world(tmp_path, text=SCENE):
    return load_scene(parse_scene(text, "made.toml", tmp_path), threads=1)


def test_new_actors_are_drawn_as_the_scene_says(tmp_path):
    with small_world(tmp_path) as world:
        crowd, entity = ea.crowd(world, "people"), entity_of(world, "people")
        crowd.add(2000)
        new = slice(400, None)
        playback, transforms = world.get(entity, Playback), world.get(entity, Transforms)
        assert np.isclose((playback.motion[new, 0] == 0).mean(), 0.25, atol=0.04)
        idle = playback.motion[new, 0] == 0
        assert (playback.speed[new, 0][idle] >= 0.5).all()
        assert (playback.speed[new, 0][idle] <= 0.6).all()
        assert abs(playback.phase[new, 0].mean() - 0.5) < 0.03
        scale = transforms.scale[new] / np.median(transforms.scale)
        assert 0.89 < scale.min() < 0.92 < 1.08 < scale.max() < 1.12
        away = np.hypot(*(transforms.translation[new][:, [0, 2]] - [5.0, -3.0]).T)
        assert away.max() <= 30.0 * np.sqrt(2400 / 400)
        assert np.isclose(np.median(away), away.max() / np.sqrt(2), rtol=0.05)  # evenly over the disc
        assert np.allclose(transforms.rotation[new], transforms.rotation[0], atol=1e-6)
        red = world.get(entity, Appearance).tint[new][:, 0] > 0.5
        assert np.isclose(red.mean(), 0.5, atol=0.05)
        mood = crowd.parameter("mood")[new]
        assert 2.0 <= mood.min() < 2.1 < 3.9 < mood.max() <= 4.0


def test_draws_differ_from_each_other_and_not_from_run_to_run(tmp_path):
    def places():
        with small_world(tmp_path) as world:
            crowd = ea.crowd(world, "people")
            rows = [crowd.rows(crowd.add(5)) for _ in range(2)]
            return [world.get(entity_of(world, "people"), Transforms).translation[own] for own in rows]

    first, again = places(), places()
    np.testing.assert_array_equal(first, again)
    assert not np.isin(first[0][:, 0], first[1][:, 0]).any()


def test_what_is_given_counts(tmp_path):
    with small_world(tmp_path) as world:
        crowd, entity = ea.crowd(world, "people"), entity_of(world, "people")
        positions = np.array([[1.0, 2.0], [3.0, 4.0], [-5.0, 6.0]])
        ids = crowd.add(
            positions=positions, headings=[-np.pi / 2, 0.0, np.pi / 2], sizes=[1.0, 2.0, 0.5], tints=[0.1, 0.2, 0.3],
            motion="idle", phase=[0.1, 0.2, 0.3], parameters={"mood": 7.0},
        )  # fmt: skip
        rows = crowd.rows(ids)
        transforms, playback = world.get(entity, Transforms), world.get(entity, Playback)
        np.testing.assert_allclose(transforms.translation[rows][:, [0, 2]], positions * [1, -1])
        ahead = 2 * np.arctan2(transforms.rotation[rows, 1], transforms.rotation[rows, 3])
        np.testing.assert_allclose(ahead, [0.0, np.pi / 2, np.pi], atol=1e-6)
        np.testing.assert_allclose(transforms.scale[rows] / transforms.scale[rows[0]], [1.0, 2.0, 0.5])
        np.testing.assert_allclose(world.get(entity, Appearance).tint[rows], [[0.1, 0.2, 0.3, 1.0]] * 3)
        assert (playback.motion[rows, 0] == 0).all()
        np.testing.assert_allclose(playback.phase[rows, 0], [0.1, 0.2, 0.3])
        assert (crowd.parameter("mood")[rows] == 7).all()
        world.step(DT)
        assert (crowd.parameter("mood")[rows] == 7).all()
        character, palette = world.get(entity, Character), world.get(entity, Palette)
        for row in rows:
            clip = character.motions.tables.clips[playback.motion[row, 0]]
            pose = clip.sample(clip.start + float(playback.phase[row, 0]) * clip.duration, loop=False)
            np.testing.assert_allclose(palette.matrices[row], skin_palette(character.rig.skeleton, pose), atol=1e-3)


def test_plan_points_stand_on_the_ground():
    with load_scene("hills", actors=10, threads=1) as world:
        name = world.get(next(iter(world.query(Crowd)))[0], Crowd).name
        entity, crowd = entity_of(world, name), ea.crowd(world, name)
        there = world.get(entity, Transforms).translation[:3].copy()
        positions = crowd.positions[:3]
        drawn = crowd.rows(crowd.add(positions=positions))
        copied = crowd.rows(crowd.add(3, like=[7, 8, 9], positions=positions))
        for rows in (drawn, copied):
            np.testing.assert_allclose(world.get(entity, Transforms).translation[rows], there, atol=1e-5)


def test_copies_are_as_their_models_and_go_their_own_way():
    with load_scene("controllers", actors=20, threads=1) as world:
        crowd = ea.crowd(world, "people")
        for _ in range(20):
            world.step(DT)
        ids = crowd.add(like=[3, 3, 5])
        state = state_by_id(world, "people")
        models = crowd.ids[[3, 3, 5]]
        for copy, model in zip(ids.tolist(), models.tolist(), strict=True):
            same(state[copy], state[model])
        world.step(DT)
        state = state_by_id(world, "people")
        same(state[int(ids[0])], state[int(models[0])])
        assert len(set(crowd.ids.tolist())) == 23


@EXHAUSTIVE
def test_a_crowd_may_become_empty_and_fill_again(tmp_path):
    for scene in ("throng", "look_at", "festival"):
        with load_scene(scene, actors=FEW or 40, threads=2) as world:
            for entity, (own,) in world.query(Crowd):
                ea.crowd(world, own.name).remove(slice(None))
                world.step(DT)
                assert all(len(column.value) == 0 for column in columns_of(world, entity))
            for _, (own,) in world.query(Crowd):
                ea.crowd(world, own.name).add(5, positions=[0.0, 1.0])
            world.step(DT)
            assert all(own.actor_count == 5 for _, (own,) in world.query(Crowd))
            assert poses_hash(world)


def test_memory_grows_by_doubling():
    with load_scene("throng", actors=50, threads=1) as world:
        crowd, entity = ea.crowd(world, "people"), entity_of(world, "people")
        homes = set()
        for _ in range(100):
            crowd.add(10)
            crowd.remove(slice(0, 9))
            homes.add(world.get(entity, Transforms).translation.ctypes.data)
        assert len(homes) <= 3
        for column in columns_of(world, entity):
            assert column.value.flags.c_contiguous


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({}, ValueError, "a number of actors"),
        ({"count": -1}, ValueError, "0 or more"),
        ({"count": 2, "positions": [[0.0, 0.0]] * 3}, ValueError, "positions"),
        ({"count": 2, "positions": 3.0}, ValueError, "each position must be x, y"),
        ({"count": 1, "headings": np.nan}, ValueError, "headings must be finite"),
        ({"count": 1, "sizes": 0.0}, ValueError, "more than 0"),
        ({"count": 1, "tints": [0.5, -1.0, 0.0]}, ValueError, "each colour component of tints must be at least 0"),
        ({"count": 1, "tints": [1.0, 1.0]}, ValueError, "RGB"),
        ({"count": 1, "motion": "fly"}, KeyError, "motions are: idle, walk"),
        ({"count": 1, "motion": 2}, ValueError, "0 to 1"),
        ({"count": 1, "phase": 1.5}, ValueError, "0 to 1"),
        ({"count": 1, "parameters": {"mod": 1.0}}, KeyError, "mood"),
        ({"like": [400]}, ValueError, "must be 0 to 399"),
        ({"like": [0.5]}, ValueError, "like must be whole numbers"),
        ({"like": [1, 2], "count": 3}, ValueError, "one value for all 3 rows"),
        ({"like": 1}, ValueError, "a number of actors"),
        (
            {"positions": [0.0, 1.0]},
            ValueError,
            r"positions must be a list of points, \[\[x, y\], ...\]. For several actors at one",
        ),
        ({"positions": [[0.0, "x"]]}, ValueError, "positions must be numbers"),
        ({"positions": [[0.0, 1.0], [2.0]]}, ValueError, "positions must be numbers"),
        ({"positions": [[0.0, 1.0, 2.0, 3.0]]}, ValueError, "x, y on the plan or x, y, z in space"),
        ({"positions": [[0.0, np.nan]]}, ValueError, "positions must be finite"),
        ({"count": 2.5}, ValueError, "whole number"),
        (
            {"count": 10**12},
            InputError,
            r"1,000,000,000,000 more actors: .* actors, but the limit is 10,000,000",
        ),
        (
            {"count": 2, "headings": [0.0, 1.0, 2.0]},
            ValueError,
            r"headings must be one value for all 2 rows, or an array of shape \[2\]",
        ),
        ({"count": 2, "headings": "north"}, ValueError, "headings must be numbers"),
        ({"count": 1, "motion": 0.7}, ValueError, "motion numbers must be whole"),
        ({"count": 1, "motion": ["idle"]}, ValueError, "motion numbers must be whole"),
        ({"count": 1, "motion": "wlak"}, KeyError, "did you mean 'walk'"),
        ({"count": 1, "phase": np.nan}, ValueError, "phase must be 0 to 1"),
        ({"count": 1, "parameters": [1.0]}, ValueError, "dictionary from names to values"),
        ({"count": 1, "tint": [1, 1, 1]}, TypeError, "did you mean 'tints'"),
        ({"count": 1, "color": "red"}, TypeError, "tints"),
    ],
)
@EXHAUSTIVE
def test_what_does_not_fit_is_told_and_changes_nothing(given, error, text, tmp_path):
    with small_world(tmp_path) as world:
        crowd, before = ea.crowd(world, "people"), poses_hash(world)
        with pytest.raises(error, match=text):
            crowd.add(**given)
        assert crowd.actor_count == 400
        assert poses_hash(world) == before
        with small_world(tmp_path) as calm:
            for own in (world, calm):
                ea.crowd(own, "people").add(3)
            seen, right = (state_by_id(own, "people") for own in (world, calm))
            for actor in crowd.ids[-3:].tolist():
                same(seen[actor], right[actor])


def test_memory_that_ends_half_way_leaves_the_crowd_as_it_was(tmp_path, monkeypatch):
    from ecs_anim.ecs.column_memory import RowMemory

    with small_world(tmp_path) as world:
        crowd, before, grown = ea.crowd(world, "people"), poses_hash(world), []
        entity, grow = entity_of(world, "people"), RowMemory._grow

        def failing(memory, count):
            grown.append(memory)
            if len(grown) == 5:
                raise MemoryError
            grow(memory, count)

        monkeypatch.setattr(RowMemory, "_grow", failing)
        with pytest.raises(MemoryError):
            crowd.add(1000)
        assert {len(column.value) for column in columns_of(world, entity)} == {400}
        assert (crowd.actor_count, poses_hash(world)) == (400, before)
        world.step(DT)
        assert len(crowd.add(1000)) == 1000


def test_who_is_gone_is_nobody(tmp_path):
    with small_world(tmp_path) as world:
        crowd = ea.crowd(world, "people")
        crowd.remove(ids=[17])
        with pytest.raises(KeyError, match="no actor with id 17"):
            crowd.rows([3, 17])
        with pytest.raises(KeyError, match="17"):
            crowd.remove(ids=17)
        with pytest.raises(ValueError, match="needs the actors to remove"):
            crowd.remove()
        assert crowd.actor_count == 399
        assert 17 not in crowd.ids
        assert 17 not in crowd.add(1)


@EXHAUSTIVE
def test_seats_are_not_drawn_twice():
    with load_scene("stadium", actors=100, threads=1) as world:
        seated = next(own.name for _, (own,) in world.query(Crowd))
        with pytest.raises(ValueError, match="need positions"):
            ea.crowd(world, seated).add(1)


def changed_twice(world):
    """Let actors join and leave without a draw. Return expected palettes by id, and ids without a palette so far."""
    world.step(DT)
    crowd, palettes = ea.crowd(world, "people"), palettes_now(world)
    before = dict(zip(crowd.ids.tolist(), palettes.copy(), strict=True))
    crowd.remove([0, 3, 4, 25, 29])
    new = crowd.add(9).tolist()
    copies = crowd.add(like=crowd.rows([7, 7, new[0]])).tolist()
    crowd.remove(ids=[*new[::3], copies[1], 12])
    before[copies[0]] = before[7]
    return before, [*new, copies[2]]


def palettes_now(world):
    return world.get(entity_of(world, "people"), Palette).matrices


def require_own_palettes(world, before, new):
    nothing = np.zeros_like(before[7])
    for actor, palette in zip(ea.crowd(world, "people").ids.tolist(), palettes_now(world), strict=True):
        np.testing.assert_array_equal(palette, nothing if actor in new else before[actor], err_msg=str(actor))


def test_whoever_looks_before_the_next_step_sees_each_actor_with_its_own_palette(tmp_path):
    path = tmp_path / "world.npz"
    with load_scene("throng", actors=30, threads=1) as world:
        before, new = changed_twice(world)
        world.save(path)
        require_own_palettes(world, before, new)
        require_own_palettes(world, before, new)  # looking changes nothing
        ea.crowd(world, "people").remove(slice(0, 25))
        require_own_palettes(world, before, new)
    with ea.load_world(path, "throng", threads=1) as world:
        require_own_palettes(world, before, new)


def test_a_step_without_poses_leaves_palettes_to_be_sorted():
    with load_scene("throng", actors=30, threads=1) as world:
        before, new = changed_twice(world)
        world.step(DT, posed=False)
        require_own_palettes(world, before, new)


def test_another_skinning_finds_each_actor_with_its_own_palette():
    with load_scene("throng", actors=30, threads=1) as world:
        before, new = changed_twice(world)
        entity = entity_of(world, "people")
        set_skinning(world, entity, "dual_quaternion")
        after = dual_palette.to_matrices(palettes_now(world))
        for actor, palette in zip(ea.crowd(world, "people").ids.tolist(), after, strict=True):
            if actor not in new:
                np.testing.assert_allclose(palette, before[actor], atol=1e-5)


class LooksAtPalettes:
    """A user's system that wants to see the palettes of the step before, in the middle of a step."""

    name = "looks"
    components = (Crowd, Palette)

    def __init__(self):
        self.seen = {}

    def run(self, chunk, crowd, palette):
        self.seen |= dict(zip(crowd.ids[chunk.rows].tolist(), palette.matrices[chunk.palette_rows].copy(), strict=True))


@pytest.mark.parametrize("posed", [True, False])
@pytest.mark.parametrize("at", ["control", "skin_palettes"])
def test_a_system_that_reads_palettes_before_they_are_made_anew_finds_them_sorted(at, posed):
    looks = LooksAtPalettes()
    where = [system.name for system in ORDER].index(at)
    schedule = ChunkedSchedule(2, chunk_size=7, order=[*ORDER[:where], looks, *ORDER[where:]])
    with load_scene("throng", actors=30, threads=1) as world:
        before, new = changed_twice(world)
        looks.seen.clear()
        schedule.run(world, DT, NO_TIMINGS, posed)
        schedule.close()
        assert set(looks.seen) == set(ea.crowd(world, "people").ids.tolist()) or not (posed or at == "control")
        for actor, palette in looks.seen.items():
            np.testing.assert_array_equal(palette, np.zeros_like(palette) if actor in new else before[actor])
