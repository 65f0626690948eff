"""The example with a speaker and a siren: users' own systems slow and turn steered actors."""

import sys

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.steering import Steering
from ecs_anim.scenes.build import load_scene
from tests.helpers import FEW, some
from tests.helpers.command import ecs_anim
from tests.project.documents import ROOT, blocks_of

PAGE = ROOT / "docs/user-systems.md"
SPEED, DT = 1.2, 1 / 60
ALONE = f"""
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
layout = {{ kind = "points", points = [[-10.0, 0.0]] }}
heading_degrees = 0.0
body = {{}}
steering = {{ goal = [30.0, 0.0], desired_speed_m_s = {SPEED} }}
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with the module and the scene of the page."""
    texts = [block.text for block in blocks_of(PAGE)]
    (module,), (scene,) = ([text for text in texts if mark in text] for mark in ("class Siren", 'title = "Siren"'))
    (tmp_path / "siren.py").write_text(module)
    (tmp_path / "siren.toml").write_text(scene)
    return tmp_path


@pytest.fixture
def siren(folder, monkeypatch):
    """The module of the page."""
    monkeypatch.syspath_prepend(folder)
    import siren

    yield siren
    del sys.modules["siren"]


def path_of(text, *systems, seconds):
    """Return the positions of the only actor after each step, [step, 2] [m], and its heading [rad]."""
    with ea.load_scene(text, threads=1, systems=[(system, "before", "steering") for system in systems]) as world:
        people, path = ea.crowd(world, "people"), []
        for _ in range(round(seconds / DT)):
            world.step(DT)
            path.append(people.positions[0])
        return np.array(path), people.headings[0]


@pytest.mark.exhaustive
@pytest.mark.parametrize("rate", some([20.0, 7.0, 60.0], "7.0"))
@pytest.mark.parametrize("share", [0.5, 0.25])
def test_an_actor_near_the_speaker_walks_at_a_share_of_its_speed(siren, share, rate):
    """The actor walks 5 m to the circle, 10 m in the circle and then further: each part is a length over a speed."""
    text = ALONE.replace("goal =", f"decision_rate_hz = {rate}, goal =")
    path, _ = path_of(text, siren.Speaker(radius=5.0, share=share), seconds=50.0)
    times = DT * (1 + np.arange(len(path)))
    enters, leaves = 5.0 / SPEED, 5.0 / SPEED + 10.0 / (share * SPEED)
    expected = np.interp(times, [0, enters, leaves, leaves + 100], [-10, -5, 5, 5 + 100 * SPEED])
    is_far = expected < 25  # nearer to its goal, the actor slows down
    np.testing.assert_allclose(path[is_far, 0], expected[is_far], atol=SPEED / rate / share)
    np.testing.assert_allclose(path[:, 1], 0.0, atol=1e-3)


@pytest.mark.exhaustive
def test_a_siren_turns_an_actor_until_it_stops(siren):
    """The actor walks east for 5 s and then straight to the siren. 2 m in front of the siren, the actor stops."""
    at = np.array([-4.0, 12.0])
    path, heading = path_of(ALONE, siren.Siren(tuple(at), radius=30.0, seconds=(5.0, 40.0)), seconds=20.0)
    turned = np.array([-10.0 + SPEED * 5.0, 0.0])
    np.testing.assert_allclose(path[299], turned, atol=0.02)
    way = (at - turned) / np.linalg.norm(at - turned)
    later = np.linalg.norm(path[500:] - turned, axis=1)
    walked = np.minimum(SPEED * DT * (np.arange(501, 1201) - 300), np.linalg.norm(at - turned) - 2.0)
    np.testing.assert_allclose(later, walked, atol=0.35)  # the actor needs about 0.3 s to turn
    assert np.linalg.norm(path[-1] - at) == pytest.approx(2.0, abs=0.1)
    assert heading == pytest.approx(np.arctan2(way[1], way[0]), abs=0.15)


@pytest.mark.exhaustive
def test_after_the_siren_an_actor_walks_to_its_goal(siren):
    path, heading = path_of(ALONE, siren.Siren((-10.0, 12.0), radius=30.0, seconds=(0.0, 5.0)), seconds=12.0)
    np.testing.assert_allclose(path[299], (-10.0, SPEED * 5.0), atol=0.35)
    to_goal = np.arctan2(-path[-1, 1], 30.0 - path[-1, 0])
    assert heading == pytest.approx(to_goal, abs=0.05)


def test_a_siren_out_of_earshot_changes_no_bit(siren):
    far = siren.Siren((500.0, 0.0), radius=20.0), siren.Speaker((500.0, 0.0))
    np.testing.assert_array_equal(path_of(ALONE, *far, seconds=3.0)[0], path_of(ALONE, seconds=3.0)[0])


def test_actors_that_wait_do_not_start_near_a_speaker(siren):
    waits = ALONE.replace("goal =", "premovement_seconds = 100.0, goal =")
    path, _ = path_of(waits, siren.Speaker((-10.0, 0.0)), seconds=3.0)
    np.testing.assert_allclose(path, [[-10.0, 0.0]] * len(path), atol=1e-5)


@pytest.mark.parametrize(("threads", "chunk_size"), [(2, 5), (3, 16)])
def test_the_bits_of_the_scene_do_not_depend_on_threads(folder, threads, chunk_size):
    def run(**options):
        with load_scene(folder / "siren.toml", allow_code=True, actors=FEW or 60, **options) as world:
            for _ in range(30):
                world.step(0.5)
            ((_, (steering,)),) = world.query(Steering)
            (people,) = ea.crowds(world)
            return people.positions_in_space.tobytes() + steering.way.tobytes()

    assert run(threads=threads, chunk_size=chunk_size) == run(threads=1)


@pytest.mark.exhaustive
def test_the_scene_gathers_actors_at_the_siren(folder):
    """Before the siren, actors are everywhere. At its end, most actors within its radius stand in front of it."""
    with load_scene(folder / "siren.toml", allow_code=True, threads=1, actors=FEW or 40) as world:
        near = []
        for seconds in (8.0, 11.5):
            for _ in range(round(seconds / DT)):
                world.step(DT)
            (people,) = ea.crowds(world)
            near.append(np.count_nonzero(np.linalg.norm(people.positions - (6.0, 0.0), axis=1) < 5.0))
    assert near[1] > 2 * near[0] + 5


@pytest.mark.exhaustive
def test_the_command_of_the_page_runs(folder):
    done = ecs_anim("run", "siren.toml", "--allow-code", "--no-draw", "--frames", 3, "--actors", 5, cwd=folder)
    assert done.returncode == 0, done.stderr
