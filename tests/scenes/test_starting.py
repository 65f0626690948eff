"""Where runs begin: a later frame, a snapshot; and the message before memory runs out."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from ecs_anim.commands.command_line import cli
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene, read_scene
from ecs_anim.scenes.starting import Start, open_world, skipping_text
from ecs_anim.support import budgets
from ecs_anim.support.errors import InputError
from ecs_anim.systems.population import state_bytes
from ecs_anim.systems.queries import stage_of
from tests.helpers import EXHAUSTIVE, FEW, some

FRAMES = 45


def stepped(scene, frames=FRAMES, **options):
    with load_scene(scene, **options) as world:
        for _ in range(frames):
            world.step(1 / stage_of(world).frame_rate)
        return poses_hash(world), world.time


def begun(scene, start, more=0, **options):
    with open_world(read_scene(scene), start, **options) as world:
        for _ in range(more):
            world.step(1 / stage_of(world).frame_rate)
        return poses_hash(world), world.time


SCENES = ("throng", "crossfade", "controllers", "hills", "look_at", "ik_chains", "morph", "festival", "march")


@pytest.mark.parametrize("name", some(SCENES, "crossfade", "controllers", "look_at", "festival"))
@EXHAUSTIVE
def test_a_later_frame_is_as_if_all_steps_had_been_taken(name):
    options = {"actors": FEW or 70, "seed": 3, "threads": 1}
    expected = stepped(name, **options)
    assert begun(name, Start(FRAMES - 7), more=7, **options) == expected


def test_a_later_frame_is_that_frame():
    options = {"actors": FEW or 70, "threads": 1}
    expected = stepped("throng", **options)
    assert begun("throng", Start(FRAMES), **options) == expected
    assert begun("throng", Start(FRAMES - 1), **options) != expected


@pytest.mark.parametrize(("threads", "chunk_size"), [(1, 64), (2, 512), (4, 64), (4, 4096)])
def test_threads_and_chunks_do_not_matter(threads, chunk_size):
    expected = begun("throng", Start(20), actors=FEW or 600, threads=1, chunk_size=4096)
    assert begun("throng", Start(20), actors=FEW or 600, threads=threads, chunk_size=chunk_size) == expected


@EXHAUSTIVE
def test_a_snapshot_and_a_frame_go_together(tmp_path):
    path, expected = tmp_path / "world.npz", stepped("hills", actors=FEW or 30, threads=1)
    with load_scene("hills", actors=FEW or 30, threads=1) as world:
        for _ in range(FRAMES - 10):
            world.step(1 / stage_of(world).frame_rate)
        world.save(path)
    assert begun("hills", Start(snapshot=path), more=10, threads=2) == expected
    assert begun("hills", Start(FRAMES, path), threads=2) == expected
    with pytest.raises(InputError, match="the frame must be at least 35"):
        begun("hills", Start(20, path))
    with pytest.raises(InputError, match="[Ll]eave out --actors"):
        begun("hills", Start(snapshot=path), actors=5)


def test_poses_are_made_only_where_later_ones_need_them():
    for name, skips in [("throng", True), ("hills", False), ("look_at", False)]:
        with load_scene(name, actors=10, threads=1) as world:
            entity, (_, palette) = next(world.query(Crowd, Palette))
            before = palette.matrices.copy()
            world.step(1 / 60, posed=False)
            assert np.array_equal(palette.matrices, before) == skips
            assert bool(world.needs_poses(entity)) != skips


def test_what_was_not_skipped_is_told():
    with load_scene("hills", actors=4, threads=1) as world:
        assert "people (grounding)" in skipping_text(world)
    with load_scene("throng", actors=4, threads=1) as world:
        assert skipping_text(world) == "at frame 0, 0.00 s"


def test_a_system_of_the_users_own_behind_the_poses_may_remember():
    class Watch:
        name, components = "watch", (Palette,)

        def run(self, chunk, palette):
            pass

    with load_scene("throng", actors=4, threads=1, systems=[(Watch(), "after", "skin_palettes")]) as world:
        assert world.needs_poses(next(world.query(Crowd))[0]) == ("watch",)


@EXHAUSTIVE
def test_the_commands_begin_there_too(tmp_path):
    path, run = tmp_path / "world.npz", CliRunner().invoke
    fast = ["--no-draw", "--threads", "1"]
    result = run(cli, ["run", "throng", *fast, "--actors", "20", "--frames", "5", "--save", str(path)])
    assert result.exit_code == 0, result.output
    measured = ["profile", "throng", *fast, "--warmup", "0", "--frames", "2", "--json", "-"]
    results = [
        run(cli, [*measured, "--from-snapshot", str(path), "--from-frame", "9"]),
        run(cli, [*measured, "--actors", "20", "--from-frame", "9"]),
    ]
    hashes = {json.loads(result.stdout)["poses_hash"] for result in results}
    assert hashes == {stepped("throng", 11, actors=20, threads=1)[0]}


def test_bytes_of_an_actor_are_those_of_its_columns(tmp_path):
    text = (
        '[rigs.a]\nmodel = "mannequin"\n[[crowds]]\nrig = "a"\ncount = 10\nfade_slots = 1\nclips = [{ name = "walk" }]'
    )
    with load_scene(parse_scene(text, "made.toml", tmp_path), threads=1) as world:
        playback, transforms, tint, ids, palette_row = 4 + 5 * 4, 12 + 16 + 4, 16, 8, 4
        assert state_bytes(world) == 10 * (playback + transforms + tint + ids + palette_row)


def test_too_many_actors_are_told_before_memory_runs_out(monkeypatch):
    monkeypatch.setattr(budgets, "available_bytes", lambda: 100_000_000)
    with pytest.raises(
        InputError,
        match=r"throng.toml: 100,000 actors need .*: 0.16 GB of memory, but only 0.1 GB are free",
    ):
        load_scene("throng", actors=100_000)
    load_scene("throng", actors=100, threads=1).close()
    load_scene("march", actors=100, threads=1).close()
