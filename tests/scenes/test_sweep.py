"""Cues that go round: each section has its turn, once a round, wherever the steps fall."""

import numpy as np
import pytest

from ecs_anim.components.parameters import Parameters
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.crowd_handle import crowd

SCENE = """
[rigs.people]
model = "chain"
[[crowds]]
rig = "people"
name = "people"
count = 400
layout = { kind = "disc", center = [30.0, 20.0] }
parameters = { up = 0.0 }
clips = [{ name = "bend" }]
[[timeline]]
at_seconds = 1.0
every_seconds = 20.0
set = { up = 1.0 }
"""
SWEEP = "sweep = { seconds = 8.0, sections = 16, from_degrees = 0.0, center = [30.0, 20.0] }"


def load(text):
    return load_scene(parse_scene(text, "x.toml", None), threads=1)


def clip_of_the_chain() -> str:
    from ecs_anim.scenes.rigs import load_model

    return next(iter(load_model("chain", None).clips))


@pytest.fixture(scope="module")
def scene() -> str:
    return SCENE.replace('"bend"', f'"{clip_of_the_chain()}"')


@pytest.mark.parametrize("dt", [0.05, 0.37])
def test_every_section_has_its_turn(scene, dt):
    """Actors at an angle are reached when the front has come to the section of this angle."""
    with load(scene + SWEEP) as world:
        ((_, (transforms, parameters)),) = world.query(Transforms, Parameters)
        x, _, z = transforms.translation.T.astype(np.float64)
        angle = np.degrees(np.arctan2(x - 30.0, z + 20.0))
        section = np.floor(np.mod(angle - 90.0, 360.0) / 22.5)
        due = 1.0 + 0.5 * section
        reached = np.full(len(due), np.inf)
        while world.time < 10:
            world.step(dt)
            newly = np.isinf(reached) & (parameters.target[:, 0] == 1.0)
            reached[newly] = world.time
        assert np.isfinite(reached).all()
        late = reached - due
        assert late.min() > -1e-6
        assert late.max() <= dt + 1e-6


def test_some_are_early_and_some_late_and_all_once(scene):
    """Each is off by at most the spread, evenly; the next round reaches all of them again."""
    with load(scene + SWEEP.replace("sections = 16", "sections = 200, spread_seconds = 0.6")) as world:
        ((_, (transforms, parameters)),) = world.query(Transforms, Parameters)
        x, _, z = transforms.translation.T.astype(np.float64)
        due = 1.0 + np.mod(np.arctan2(x - 30.0, z + 20.0) - np.pi / 2, 2 * np.pi) / (2 * np.pi) * 8.0
        for start in (0.0, 20.0):
            parameters.target[:] = 0.0
            reached = np.full(len(due), np.inf)
            while world.time < start + 12:
                world.step(0.02)
                newly = np.isinf(reached) & (parameters.target[:, 0] == 1.0)
                reached[newly] = world.time - start
            late = reached - due
            inside = (due > 1.7) & (due < 8.3)  # at the seam, early actors may come a round later
            assert np.isfinite(reached).all()
            assert np.abs(late[inside]).max() < 0.6 + 0.07
            assert late[inside].mean() == pytest.approx(0.0, abs=0.08)
            assert late[inside].std() == pytest.approx(0.6 / np.sqrt(3), rel=0.15)
            while world.time < 20.0:
                world.step(0.1)


def test_a_share_is_drawn_within_the_section(scene):
    with load(scene.replace("at_seconds = 1.0", "at_seconds = 1.0\nshare = 0.5") + SWEEP) as world:
        ((_, (parameters,)),) = world.query(Parameters)
        for _ in range(95):
            world.step(0.1)
        assert parameters.target[:, 0].mean() == pytest.approx(0.5, abs=0.1)


def test_without_a_sweep_all_are_reached_at_once(scene):
    with load(scene) as world:
        ((_, (parameters,)),) = world.query(Parameters)
        world.step(0.99)
        assert not parameters.target.any()
        world.step(0.02)
        assert parameters.target.all()


def test_angles_around_a_point_count_as_headings_do(scene):
    with load(scene) as world:
        ((_, (transforms,)),) = world.query(Transforms)
        transforms.translation[:3] = [[0, 0, 5], [3, 1, 0], [2, 0, -5]]
        np.testing.assert_allclose(crowd(world, "people").angles_around()[:2], [-np.pi / 2, 0], atol=1e-6)
        assert crowd(world, "people").angles_around((2.0, 0.0))[2] == pytest.approx(np.pi / 2)


def test_mistakes_are_told(scene):
    with pytest.raises(InputError, match=r"timeline\[0\]\.sweep\.sections: should be greater than or equal to 2"):
        load(scene + SWEEP.replace("16", "1"))
    with pytest.raises(InputError, match=r"timeline\[0\]\.sweep\.second: unknown key; did you mean 'seconds'\?"):
        load(scene + SWEEP.replace("seconds", "second"))
