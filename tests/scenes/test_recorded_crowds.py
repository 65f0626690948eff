"""Crowds that follow trajectories: actors are only at the places and times of the people in the file."""

from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.gait_plan import CENTRE, FASTEST, LEG, SPEEDS
from ecs_anim.components.body import Body
from ecs_anim.components.movers import Movers
from ecs_anim.components.palette import Palette
from ecs_anim.components.presence import Presence
from ecs_anim.scenes.parts.trajectories import first_phases
from ecs_anim.scenes.recordings import read_recorded
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_trajectories import TrajectoryModel
from ecs_anim.support.errors import InputError
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of
from tests.builders.trajectory_files import wanderers, write_sqlite
from tests.helpers.baked import module_renderer_fixture  # noqa: F401

RATE, KEY = 5, SceneKey("scene.toml", "crowds[0].trajectories")
SCENE = """
seed = 2
[camera]
distance = 9.0
elevation_degrees = 30.0
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
tints = ["#ff0000"]
{more}
body = {{}}
trajectories = {{ file = "people.csv", smooth_seconds = 0.0{keys} }}
"""
WAYS = {  # person: first and last second, and where they are at a time
    7: (2.0, 8.0, lambda t: (t - 5, 0.2 * t)),
    9: (0.4, 6.0, lambda t: (2 * np.sin(t / 2), 2 * np.cos(t / 2))),
    12: (10.0, 12.0, lambda t: (0 * t, 1 - t / 5)),
}


def write(folder, ways=WAYS):
    rows = ["id,time_s,x_m,y_m"]
    for person, (begin, end, way) in ways.items():
        rows += [f"{person},{t:.1f},{way(t)[0]:.5f},{way(t)[1]:.5f}" for t in np.arange(begin, end + 0.01, 1 / RATE)]
    (folder / "people.csv").write_text("\n".join(rows) + "\n", "utf-8")


def scene(folder, keys="", more="", ways=WAYS):
    write(folder, ways)
    path = folder / "scene.toml"
    path.write_text(SCENE.format(keys=keys, more=more), "utf-8")
    return path


def part(world, kind):
    return next(row[0] for _, row in world.query(kind))


def test_people_are_where_the_file_has_them(tmp_path):
    with ea.load_scene(scene(tmp_path), threads=1) as world:
        people = ea.crowd(world, "people")
        assert people.actor_count == 3
        for time in (1.0, 3.0, 5.6):
            world.skip(round(time * 60) - world.frame, 1 / 60)
            for row, person in enumerate((9, 7)):  # in the order in which they come
                begin, end, way = WAYS[person]
                x, y = way(np.clip(time + 0.4, begin, end))  # the file begins at 0.4
                np.testing.assert_allclose(people.positions_in_space[row], [x, 0, -y], atol=0.01)


@pytest.mark.exhaustive
def test_any_moment_is_reached_to_the_bit_and_no_step_is_taken(tmp_path):
    path = scene(tmp_path)
    with ea.load_scene(path, threads=1) as stepped, ea.load_scene(path, threads=1) as skipped:
        for _ in range(400):
            stepped.step(1 / 60)
        skipped.skip(400, 1 / 60)
        assert skipped.jump.stepped == 0
        np.testing.assert_array_equal(part(stepped, Palette).matrices, part(skipped, Palette).matrices)
        np.testing.assert_array_equal(part(stepped, Body).state.feet, part(skipped, Body).state.feet)
        np.testing.assert_array_equal(ea.render(stepped, (64, 48)), ea.render(skipped, (64, 48)))


def test_they_fade_in_as_they_come_and_out_as_they_leave(tmp_path):
    with ea.load_scene(scene(tmp_path, ", fade_seconds = 1.0"), threads=1) as world:
        presence = part(world, Presence)
        np.testing.assert_allclose([presence.begin, presence.end], [[0, 1.6, 9.6], [5.6, 7.6, 11.6]], atol=1e-5)
        np.testing.assert_allclose(presence.coverage(0.5)[0], 0.5)
        np.testing.assert_array_equal(presence.coverage(3.0), [1, 1, 0])
        np.testing.assert_allclose(presence.coverage(5.1), [0.5, 1, 0], atol=1e-5)
        np.testing.assert_array_equal(presence.coverage(8.5), [0, 0, 0])
    assert Presence(np.zeros(2, np.float32), np.array([1, 3], np.float32), 0.0).coverage(2.0).tolist() == [0, 1]


def test_who_is_not_there_is_not_posed(tmp_path):
    """Palettes of absent actors are zero. The other palettes are as in a scene in which all actors are there."""
    always = {7: (0.0, 12.0, WAYS[7][2]), 8: (0.0, 12.0, WAYS[9][2])}
    with ea.load_scene(scene(tmp_path, ways=always), threads=1) as world:
        world.skip(60, 1 / 60)
        wanted = part(world, Palette).matrices[0].copy()
    both = {7: always[7], 8: (3.0, 12.0, WAYS[9][2])}
    with ea.load_scene(scene(tmp_path, ways=both), threads=1) as world:
        world.skip(60, 1 / 60)
        first, second = part(world, Palette).matrices.copy()
        assert wanted.any()
        assert not second.any()
        world.skip(180, 1 / 60)
        assert part(world, Palette).matrices[1].any()
    np.testing.assert_array_equal(first, wanted)


def test_who_is_not_there_is_in_no_picture_and_throws_no_shadow(tmp_path):
    """Against a picture of a scene whose people are a kilometre away."""
    with ea.load_scene(scene(tmp_path), threads=1) as world:
        world.skip(60 * 8 + 30, 1 / 60)
        empty = ea.render(world, (160, 120))
        world.skip(60 * 2, 1 / 60)
        assert (ea.render(world, (160, 120)) != empty).any()
    far = {1: (0.0, 20.0, lambda t: (1000 + 0 * t, 0 * t))}
    with ea.load_scene(scene(tmp_path, ways=far), threads=1) as world:
        world.skip(60 * 8 + 30, 1 / 60)
        np.testing.assert_array_equal(empty, ea.render(world, (160, 120)))


def test_passes_show_who_is_there_alone(tmp_path, renderer):
    with ea.load_scene(scene(tmp_path), threads=1) as world, renderer.pass_target(120, 90) as target:
        ids, seen = ea.crowd(world, "people").ids, []
        for time in (1.0, 3.0, 7.0, 9.0, 10.5):
            world.skip(round(time * 60) - world.frame, 1 / 60)
            DrawWorld(renderer).draw_passes(world, target)
            seen.append(sorted(set(target.read().ids.ravel().tolist()) - {0}))
        first, second, third = ids.tolist()
        assert seen == [[first], [first, second], [second], [], [third]]


@pytest.mark.exhaustive
def test_newcomers_are_there_for_good_and_go_where_they_are_told(tmp_path):
    with ea.load_scene(scene(tmp_path), threads=1) as world:
        people = ea.crowd(world, "people")
        ids = people.add(2, positions=[[3.0, 0.0], [4.0, 0.0]])
        people.set_velocity(people.rows(ids), [0.0, 1.0])
        for _ in range(60 * 13):
            world.step(1 / 60)
        assert part(world, Presence).coverage(world.time).tolist() == [0, 0, 0, 1, 1]
        assert (people.positions[people.rows(ids), 1] > 10).all()
        assert part(world, Movers).path.tolist() == [0, 1, 2, -1, -1]


def test_a_window_of_the_file_at_a_time_of_the_scene(tmp_path):
    keys = ", from_seconds = 3.0, to_seconds = 7.0, start_seconds = 1.0"
    with ea.load_scene(scene(tmp_path, keys), threads=1) as world:
        presence = part(world, Presence)
        np.testing.assert_allclose(presence.begin, [1.0, 1.0], atol=1e-5)
        assert presence.end.max() <= 5.0


def test_the_first_come_where_fewer_are_asked_for(tmp_path):
    with ea.load_scene(scene(tmp_path, more="count = 2"), threads=1) as world:
        np.testing.assert_allclose(part(world, Presence).begin, [0, 1.6], atol=1e-5)
    with ea.load_scene(scene(tmp_path), actors=1, threads=1) as world:
        np.testing.assert_allclose(part(world, Presence).begin, [0], atol=1e-5)


def test_a_saved_world_goes_on_to_the_bit(tmp_path):
    path = scene(tmp_path)
    with ea.load_scene(path, threads=1) as world:
        world.skip(100, 1 / 60)
        world.save(tmp_path / "saved.npz")
        world.skip(60, 1 / 60)
        with ea.load_world(tmp_path / "saved.npz", path, threads=1) as again:
            again.skip(60, 1 / 60)
            np.testing.assert_array_equal(part(world, Palette).matrices, part(again, Palette).matrices)


@pytest.mark.filterwarnings("ignore:.*begin in a wall")
def test_walls_of_the_file_are_the_scenes_unless_it_has_others(tmp_path):
    write_sqlite(tmp_path / "people.sqlite", wanderers(np.random.default_rng(1)))
    path = scene(tmp_path)
    text = path.read_text("utf-8").replace("people.csv", "people.sqlite")
    own = 'walls = { wkt = "POLYGON ((-90 -90, 90 -90, 90 90, -90 90, -90 -90))" }\n'
    widths = []
    for head in ("", own):
        path.write_text(head + text, "utf-8")
        with ea.load_scene(path, threads=1) as world:
            widths.append(np.ptp(stage_of(world).walls.arrays.segments, axis=(0, 1)).tolist())
    assert widths == [[8, 8], [180, 180]]


def test_steps_begin_as_heads_show_them(tmp_path):
    """Heads sway to the left in the middle of the left foot's stance."""
    rows = ["id,time_s,x_m,y_m"]
    for person, stride in ((1, 0.25), (2, 0.75)):
        for t in np.arange(0, 20, 0.05):
            aside = 0.03 * np.cos(2 * np.pi * (0.9 * t + stride))
            rows.append(f"{person},{t:.2f},{1.3 * t:.5f},{aside + person:.5f}")
    path = scene(tmp_path)
    with ea.load_scene(path, threads=1) as world:
        body = part(world, Body)
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", "utf-8")
    heads, bodies = (read_recorded(TrajectoryModel(file="people.csv", smooth_seconds=s), tmp_path, KEY) for s in (2, 0))
    assert np.abs((heads.phases - [0.25, 0.75] + 0.5) % 1.0 - 0.5).max() < 0.06
    assert np.isnan(bodies.phases).all()
    left = np.interp(body.plan.walk_speed, FASTEST * np.linspace(0, 1, SPEEDS) ** 2, body.table[:, LEG + CENTRE])
    began = first_phases(replace(heads, phases=np.array([3.0, 0.5])), body, np.random.default_rng(1))
    np.testing.assert_allclose(began, [left % 1.0, (left + 0.5) % 1.0], atol=0.01)
    others = first_phases(bodies, body, np.random.default_rng(1))
    assert 0 <= others.min() < others.max() < 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "body = {}\n",
            'clips = [{ name = "walk" }]\n',
            r"crowds\[0\]: trajectories: actors that follow trajectories need bodies. Add body",
        ),
        ("body = {}", "body = {}\nlocomotion = {}", "locomotion: the trajectories already set the positions"),
        ("count = 2", 'layout = { kind = "grid" }', "layout: the trajectories already set the positions"),
        (
            "count = 2",
            "count = 9",
            r"crowds\[0\].count: the number of actors must be at most 3, the number of people",
        ),
        ("people.csv", "nobody.csv", r"crowds\[0\].trajectories: .*nobody.csv"),
        ("smooth", 'unit = "furlong", smooth', r"crowds\[0\].trajectories: unit: .*furlong"),
        ("smooth", "from_seconds = 5.0, to_seconds = 4.0, smooth", "to_seconds must be later"),
        ("smooth", "from_seconds = 500.0, smooth", "no actor is present between"),
        ("body = {}", 'body = {}\npath = "baked"', r"crowds\[0\]\.(body|trajectories)"),
    ],
)
def test_mistakes_are_told_in_one_line(tmp_path, old, new, said):
    path = scene(tmp_path, more="count = 2")
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(InputError, match=said) as caught:
        ea.load_scene(path, threads=1)
    assert "\n" not in str(caught.value)


def test_people_in_coordinates_of_a_country_are_refused(tmp_path):
    """UTM: float32 tells half a metre there."""
    far = {7: (0.0, 2.0, lambda t: (500001 + t, 5600000 + 0 * t))}
    said = r"people.csv: actors must be at most 16384 m from the origin .*origin = \[500000, 56"
    with pytest.raises(InputError, match=said) as caught:
        ea.load_scene(scene(tmp_path, ways=far), threads=1)
    assert "\n" not in str(caught.value)


def test_more_actors_than_people_are_refused(tmp_path):
    with pytest.raises(InputError, match="the file has 3 people, but --actors requests 5 actors"):
        ea.load_scene(scene(tmp_path), actors=5, threads=1)
