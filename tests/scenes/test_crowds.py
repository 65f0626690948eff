"""The scenes of thousands, at reduced counts: places of actors, times of their motions, the actors in view."""

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from ecs_anim.commands.command_line import cli
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.playback import Playback
from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene
from ecs_anim.systems.crowd_handle import crowd


def of(world, name, *kinds):
    """Components of the crowd of this name."""
    ((_, found),) = [(e, rest) for e, (own, *rest) in world.query(Crowd, *kinds) if own.name == name]
    return found


def terrain(world):
    ((_, (stage,)),) = world.query(Stage)
    return stage.terrain


@pytest.mark.parametrize(
    ("scene", "count", "path"), [("stadium", 10_000, "baked"), ("march", 50_000, "baked"), ("festival", 2925, "auto")]
)
def test_the_scenes_have_the_crowds_that_they_promise(scene, count, path):
    crowds = read_scene(scene).model.crowds
    assert sum(own.count for own in crowds) == count
    largest = [own for own in crowds if own.count > 100]
    assert {own.path for own in largest} == {path}
    assert {own.level for own in largest} == {"auto"}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("scene", "count", "least"), [("stadium", 1000, 300), ("march", 5000, 900), ("festival", 800, 300)]
)
def test_they_run_headless_and_are_in_the_picture(scene, count, least, tmp_path):
    options = ["--headless", "--frames", "2", "--actors", str(count), "--size", "480x270"]
    path = tmp_path / "ids.png"
    result = CliRunner().invoke(cli, ["run", scene, *options, "--pass", "ids", "--out", str(path)])
    assert result.exit_code == 0, result.output
    red, green, blue = np.moveaxis(np.asarray(Image.open(path).convert("RGB")).astype(int), -1, 0)
    seen = np.unique(red + 256 * green + 65536 * blue)
    assert len(seen) - 1 > least
    assert seen.max() <= count


@pytest.mark.exhaustive
def test_a_wave_runs_round_the_stadium():
    """Actors have risen where the front has passed. No actor ahead of the front has risen."""
    with load_scene("stadium", actors=1200, threads=1) as world:
        (cue,) = [own for own in read_scene("stadium").model.timeline if own.sweep]
        (character,) = of(world, "spectators", Character)
        rise = character.motions.index["rise"]
        handle = crowd(world, "spectators")
        risen = np.zeros(handle.actor_count, bool)
        while world.time < 4.0:
            world.step(1 / 30)
            (playback,) = of(world, "spectators", Playback)
            risen |= playback.motion[np.arange(len(risen)), playback.slot_count - 1] == rise
        passed = np.mod(np.degrees(handle.angles_around()) - cue.sweep.from_degrees, 360.0)
        front = (world.time - cue.at_seconds) / cue.sweep.seconds * 360.0
        behind, ahead = passed < front - 10, passed > front + 5
        assert behind.sum() > 100
        assert risen[behind].mean() == pytest.approx(cue.share, abs=0.05)
        assert not risen[ahead].any()


@pytest.mark.exhaustive
def test_after_the_wave_they_sit_again():
    with load_scene("stadium", actors=400, threads=1) as world:
        while world.time < 13.9:
            world.step(0.05)
        assert "rise" not in crowd(world, "spectators").playing()


@pytest.mark.exhaustive
def test_the_home_block_stands_on_its_steps():
    """Feet stand on a step, where rays find the stands below them. No two spectators share a seat."""
    with load_scene("stadium", actors=3000, threads=1) as world:
        taken = []
        for name in ("spectators", "home"):
            (transforms,) = of(world, name, Transforms)
            above = transforms.translation + np.float32([0, 0.2, 0])
            np.testing.assert_allclose(transforms.translation[:, 1], terrain(world).below(above)[0], atol=1e-4)
            assert transforms.translation[:, 1].min() > 1
            taken.append(transforms.translation[:, [0, 2]])
        places = np.concatenate(taken).round(3)
        assert len(np.unique(places, axis=0)) == len(places)


@pytest.mark.exhaustive
def test_players_stay_on_the_pitch():
    with load_scene("stadium", actors=10_000, threads=1) as world:
        for name in ("reds", "blues"):
            (transforms,) = of(world, name, Transforms)
            assert len(transforms.translation) == 10
            assert np.abs(transforms.translation[:, 0]).max() < 32
            assert np.abs(transforms.translation[:, 2]).max() < 20
            assert transforms.translation[:, 1] == pytest.approx(0.04, abs=1e-4)


def test_a_column_marches_as_one():
    """All have moved by the same way ahead, and are at the same phase."""
    with load_scene("march", actors=2000, threads=1) as world:
        start = {own.name: of(world, own.name, Transforms)[0].translation.copy() for _, (own,) in world.query(Crowd)}
        assert len(start) == 5
        for _ in range(120):
            world.step(1 / 60)
        for name, was in start.items():
            transforms, playback = of(world, name, Transforms, Playback)
            way = transforms.translation - was
            np.testing.assert_allclose(way, np.tile([0, 0, 2.8], (len(way), 1)), atol=0.03)
            assert np.ptp(way, axis=0).max() < 1e-3
            assert np.ptp(playback.phase[:, 0]) < 1e-5


def test_columns_of_the_march_keep_apart():
    scene = read_scene("march")
    widths = [own.layout.center[0] for own in scene.model.crowds]
    with load_scene(scene, actors=50_000, threads=1) as world:
        for name, middle in zip((own.name for own in scene.model.crowds), widths, strict=True):
            (transforms,) = of(world, name, Transforms)
            assert np.abs(transforms.translation[:, 0] - middle).max() < 22.5
            assert transforms.translation[:, 2].min() > -460


@pytest.mark.exhaustive
def test_the_festival_is_posed_by_the_cpu_where_it_is_near():
    with load_scene("festival", actors=900, threads=1) as world:
        for _ in range(30):
            world.step(1 / 60)
        nearness, transforms = of(world, "dancers", Nearness, Transforms)
        assert 0 < nearness.chosen.sum() <= 200
        assert nearness.chosen.sum() < len(transforms.translation)


@pytest.mark.exhaustive
def test_the_audience_stands_on_the_meadow_and_the_band_on_the_stage():
    with load_scene("festival", threads=1) as world:
        for name in ("dancers", "strollers", "band"):
            (transforms,) = of(world, name, Transforms)
            above = transforms.translation + np.float32([0, 0.1, 0])
            np.testing.assert_allclose(transforms.translation[:, 1], terrain(world).below(above)[0], atol=2e-3)
        assert of(world, "band", Transforms)[0].translation[:, 1] == pytest.approx([1.5, 1.5, 1.5, 2.1, 2.1], abs=1e-3)
        assert of(world, "dancers", Transforms)[0].translation[:, 2].min() > -19.4, "in front of the stage"
