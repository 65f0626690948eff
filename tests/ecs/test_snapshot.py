"""Saved worlds: they go on to the bit, and a file that is not whole is refused."""

import os
from dataclasses import dataclass

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.columns import Column, Kept, fields_of
from ecs_anim.ecs.snapshot import restore
from ecs_anim.ecs.snapshot_file import Member, open_snapshot
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.skinning import swap_skinning
from tests.helpers import FEW

DT = 1 / 60
SCENES = ("throng", "controllers", "crossfade", "hills", "look_at", "ik_chains", "morph", "festival")


def state(world):
    """All that changes, and the poses."""
    fields = [field for entity in world.entities for field in fields_of(world.components(entity))]
    fields = [field for field in fields if field.path != "Nearness.costs_ns"]  # as long as it took
    values = [(f.path, f.value.copy() if isinstance(f.value, np.ndarray) else f.value) for f in fields]
    return values, poses_hash(world), world.time, world.frame


def require_same(a, b):
    (values, *rest), (others, *other_rest) = a, b
    assert rest == other_rest
    for (path, value), (other_path, other) in zip(values, others, strict=True):
        assert path == other_path
        np.testing.assert_array_equal(value, other, err_msg=path)


@pytest.mark.parametrize("name", SCENES)
def test_a_loaded_world_goes_on_to_the_bit(name, tmp_path):
    path = tmp_path / "world.npz"
    with load_scene(name, actors=FEW or 30, seed=5, threads=1) as world:
        for _ in range(25):
            world.step(DT)
        world.save(path)
        saved = state(world)
        for _ in range(12):
            world.step(DT)
        expected = state(world)
    with ea.load_world(path, name, threads=2, chunk_size=7) as world:
        require_same(state(world), saved)
        for _ in range(12):
            world.step(DT)
        require_same(state(world), expected)


def test_actors_that_came_and_went_are_there_again(tmp_path):
    path = tmp_path / "world.npz"

    def change(world):
        crowd = ea.crowd(world, "people")
        crowd.remove(crowd.rows(crowd.ids[3::5]))
        crowd.add(17)
        for _ in range(5):
            world.step(DT)

    with load_scene("throng", actors=40, threads=1) as world:
        change(world)
        swap_skinning(world)
        world.save(path)
        change(world)
        expected = state(world)
    with ea.load_world(path, "throng", threads=1) as world:
        change(world)
        require_same(state(world), expected)


@pytest.mark.exhaustive
def test_a_hybrid_crowd_goes_on_without_the_near_actors_it_was_loaded_with(tmp_path):
    path = tmp_path / "world.npz"
    with load_scene("festival", actors=30, threads=1) as world:
        for name in ("dancers", "strollers"):
            ea.crowd(world, name).remove(slice(None))
        world.step(DT)
        world.save(path)
        world.step(DT)
        expected = state(world)
    with ea.load_world(path, "festival", threads=1) as world:
        world.step(DT)
        require_same(state(world), expected)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "world.npz"
    with load_scene("single", threads=1) as world:
        world.save(path)
    return path.read_bytes()


def refusal(path):
    """Return the error of a file, or None for a valid file."""
    try:
        with open_snapshot(path) as snapshot:
            snapshot.read_arrays()
    except InputError as error:
        return str(error)
    return None


@pytest.mark.exhaustive
def test_damaged_files_are_refused_in_one_line(saved, tmp_path):
    path, rng = tmp_path / "damaged.npz", np.random.default_rng(8)
    refused = 0
    with load_scene("single", threads=1) as world:
        untouched = poses_hash(world)
    for _ in range(100):
        data = bytearray(saved)
        for at in rng.integers(len(data), size=rng.integers(1, 4)):
            data[at] ^= int(rng.integers(1, 256))
        path.write_bytes(data)
        told = refusal(path)
        refused += told is not None
        if told is None:
            with ea.load_world(path, "single", threads=1) as world:
                assert poses_hash(world) == untouched  # what was changed says nothing, such as a date
        else:
            assert told.startswith(str(path))
    assert refused > 80


@pytest.mark.parametrize("length", [0, 1, 100, -1, -30, -500])
def test_files_cut_short_are_refused(length, saved, tmp_path):
    path = tmp_path / "short.npz"
    path.write_bytes(saved[:length])
    with pytest.raises(InputError, match=r"short\.npz"):
        ea.load_world(path, "single")


def test_foreign_files_are_refused(tmp_path):
    other = tmp_path / "other.npz"
    np.savez(other, header=np.frombuffer(b'{"kind": "something"}', np.uint8))
    plain, array = tmp_path / "plain.npz", tmp_path / "array.npy"
    plain.write_text("not a snapshot")
    np.save(array, np.zeros(3))
    for path in (other, plain, array, tmp_path, tmp_path / "missing.npz"):
        with pytest.raises(InputError, match=path.name):
            ea.load_world(path, "single")


def test_another_format_is_told(saved, tmp_path, monkeypatch):
    path = tmp_path / "newer.npz"
    path.write_bytes(saved)
    monkeypatch.setattr("ecs_anim.ecs.snapshot_file.FORMAT_VERSION", 99)
    with pytest.raises(InputError, match=r"the format version of the snapshot must be 99 \(got 4\)"):
        ea.load_world(path, "single")


def test_another_scene_is_refused(saved, tmp_path):
    path = tmp_path / "single.npz"
    path.write_bytes(saved)
    with pytest.raises(InputError, match=r"from the current version of throng\.toml \(got single\.toml"):
        ea.load_world(path, "throng")


def test_an_edited_scene_is_refused(tmp_path):
    text = (
        '[rigs.one]\nmodel = "mannequin"\n[[crowds]]\nrig = "one"\ncount = 2\nclips = [{{ name = "walk", speed = {} }}]'
    )
    path = tmp_path / "world.npz"
    with load_scene(parse_scene(text.format(1.0), "made.toml", tmp_path), threads=1) as world:
        world.save(path)
    ea.load_world(path, parse_scene(text.format(1.0), "made.toml", tmp_path), threads=1).close()
    with pytest.raises(InputError, match="or an older version"):
        ea.load_world(path, parse_scene(text.format(1.5), "made.toml", tmp_path))


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "world.npz"
    path.write_bytes(b"before")

    def full(*_, **__):
        raise OSError(28, os.strerror(28))

    with load_scene("single", threads=1) as world:
        monkeypatch.setattr(np, "savez", full)
        with pytest.raises(InputError, match="No space left"):
            world.save(path)
        with pytest.raises(InputError, match="does not exist"):
            world.save(tmp_path / "missing" / "world.npz")
    assert path.read_bytes() == b"before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["world.npz"]


def test_nothing_is_put_into_a_world_that_does_not_fit(saved, tmp_path):
    path = tmp_path / "single.npz"
    path.write_bytes(saved)
    with load_scene("single", threads=1) as world, open_snapshot(path) as snapshot:
        before = state(world)
        ((entity, _),) = world.query(Crowd)
        number, members = world.entities.index(entity), snapshot.members
        for name, dtype, shape in [
            (f"{number}.Transforms.translation", np.dtype(np.float32), (5, 3)),
            (f"{number}.Transforms.scale", np.dtype(np.float64), (1,)),
            (f"{number}.Wind.gust", np.dtype(np.float32), (1,)),
        ]:
            snapshot.members = members | {name: Member("", dtype, shape, 0)}
            with pytest.raises(InputError, match=rf"single\.npz: .*{name}"):
                restore(world, snapshot)
        require_same(state(world), before)


def test_what_cannot_be_saved_is_told_and_nothing_is_written(tmp_path):
    @dataclass
    class Odd:
        held: Kept[object]

    path = tmp_path / "odd.npz"
    with load_scene("single", threads=1) as world:
        entity = world.create(Odd(np.array([{}], object)))
        with pytest.raises(
            InputError, match=r"odd\.npz: the field 3\.Odd\.held must contain numbers \(got Python objects\)"
        ):
            world.save(path)
        world.attach(entity, Odd(np.float32(1)))
        with pytest.raises(InputError, match=r"odd\.npz: each field of a snapshot must contain numbers, text or lists"):
            world.save(path)
    assert not path.exists()


def test_columns_of_what_is_no_crowd_are_kept(tmp_path):
    @dataclass
    class Rain:
        drops: Column[np.float32]

    class Cloud:
        name = "cloud"

        def setup(self, world):
            world.create(Rain(np.arange(4, dtype=np.float32)))

        def run(self, world, dt):
            for _, (rain,) in world.query(Rain):
                rain.drops += dt

    path, own = tmp_path / "rain.npz", {"threads": 1, "systems": [(Cloud(), "before", "chunks")]}
    with load_scene("single", **own) as world:
        world.step(DT)
        world.save(path)
        expected = state(world)
    with ea.load_world(path, "single", **own) as world:
        require_same(state(world), expected)
