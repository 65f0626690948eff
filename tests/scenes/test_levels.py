"""Levels in scene files: the ground, the heights of actors, and errors."""

import re
from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.levels import build_building
from ecs_anim.scenes.loader import parse_scene
from tests.helpers import SHARED

SCENE = """
[rigs.people]
model = "mannequin"
[[levels]]
name = "low"
height = 0.0
area = [[-8, -6], [8, -6], [8, 6], [-8, 6]]
[[levels]]
name = "high"
height = 3.4
area = [[-8, -6], [8, -6], [8, 6], [-8, 6]]
[[stairs]]
name = "main"
foot = { at = [0, -3], level = "low" }
to = "high"
heading_degrees = 90
[[crowds]]
rig = "people"
count = 4
layout = { kind = "grid", center = [5, 0], level = "high" }
"""


def test_actors_stand_on_the_level_of_their_layout():
    with ea.load_scene(SCENE) as world:
        assert np.allclose(heights(world), 3.4)
        ground = next(stage.terrain for _, (stage,) in world.query(Stage))
        # under the upper floor, a ray from 2 m hits the lower floor; on the stairs, a ray hits treads
        height, normal = ground.below([[5.0, 2.0, 0.0], [0.0, 3.0, 3.0 - 0.3], [0.0, 9.0, 0.0]])
        np.testing.assert_allclose(height, [0.0, 2 * 0.17, 0.17 * 11], atol=1e-5)
        np.testing.assert_allclose(normal[:, 1], 1.0)


def heights(world: ea.World) -> np.ndarray:
    return np.concatenate([own.translation[:, 1] for _, (own,) in world.query(Transforms)])


LIFT = '[[lifts]]\nname = "car"\nat = [0, 9]\nheading_degrees = 270\nstops = {}\n[[crowds]]'


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('to = "high"', 'to = "hihg"', "stairs[0].to: the scene has no level 'hihg'"),
        ('level = "high" }', 'level = "loft" }', "crowds[0].layout.level: the scene has no level 'loft'"),
        ("heading_degrees = 90", "heading_degrees = -90", "ends in the air"),
        ("height = 3.4", "height = 1.0", "overlap"),
        ('name = "high"', 'name = "low"', "two levels have the name 'low'"),
        ("[[crowds]]", '[walls]\nwkt = "LINESTRING (0 0, 1 1)"\n[[crowds]]', "walls on the levels"),
        ("height = 3.4", "height = -3.4", "must lead from 'low' up to a higher level, but 'high' is not higher"),
        ("[[crowds]]", LIFT.format("[]"), "lifts[0].stops: the lift 'car' needs at least two stops (got [])"),
        ("[[crowds]]", LIFT.format("['low']"), "the lift 'car' needs at least two stops (got ['low'])"),
        (
            "heading_degrees = 90",
            "heading_degrees = 90\nlandings = 15",
            "each flight of stairs must have at least 2 risers",
        ),
    ],
)
def test_wrong_levels_are_errors_with_names(old: str, new: str, told: str):
    with pytest.raises(ea.InputError) as error:
        ea.load_scene(SCENE.replace(old, new))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_plan_with_several_levels_gives_each_level_its_own_floor():
    """The plan has a floor of 10 m by 6 m, a floor of 12 m by 6 m above, and a pillar of 1 m^2 on both levels."""
    plan = SHARED / "cases/plans/w_levels.geojson"
    if not plan.exists():
        pytest.skip("the cases are not here")
    text = re.sub(r"area = .*\n", f'file = "{plan}"\nplan_level = 0\n', SCENE, count=1)
    text = re.sub(r"area = .*\n", f'file = "{plan}"\nplan_level = 1\n', text, count=1)
    text = text.replace("at = [0, -3]", "at = [7, 0.5]").replace("center = [5, 0]", "center = [2, 4]")
    text = text.replace('to = "high"', 'to = "high"\ngoing = 0.2')
    file = parse_scene(text, "text", Path())
    building = build_building(file)
    assert building is not None
    assert [level.area.area for level in building.levels] == [60.0, 72.0]
    assert [level.obstacles.area for level in building.levels if level.obstacles] == [1.0, 1.0]


def test_hidden_storeys_have_no_surfaces_and_no_actors():
    with ea.load_scene(SCENE) as world:
        stage = next(stage for _, (stage,) in world.query(Stage))
        whole = stage.surfaces
        assert stage.storeys == (0.0, 3.4)
        assert stage.hidden(np.zeros(1, np.float32)) is None
        stage.shown_storeys = range(1)
        shown = stage.surfaces
        assert 0 < len(shown) < len(whole)
        # the stairs of the lower storey end at the upper floor, with a handrail
        assert max(own.positions[:, 1].max() for own in shown) < 3.4 + 1.1
        assert {own.storey for own in whole} - {own.storey for own in shown} == {1}
        hidden = stage.hidden(np.array([0.0, 1.7, 3.3, 3.4, 3.38], np.float32))
        assert hidden.tolist() == [False, False, False, True, True]


def test_columns_reach_the_next_floor_and_actors_walk_around_them():
    """The slab of the upper floor has a thickness of 0.25 m, so its underside is at 3.15 m."""
    text = SCENE.replace("height = 0.0", "height = 0.0\ncolumns = [[-5, 4], [-5, -4]]\ncolumn_size = 0.5", 1)
    building = build_building(parse_scene(text, "text", Path()))
    assert building is not None
    free = build_building(parse_scene(SCENE, "text", Path())).walkable(0).area - building.walkable(0).area
    assert free == pytest.approx(2 * 0.25)
    with ea.load_scene(text) as world:
        stage = next(stage for _, (stage,) in world.query(Stage))
        tops = [own.positions for own in stage.surfaces if own.kind == "wall" and own.positions[:, 0].max() < -4.7]
        assert [points[:, 1].max() for points in tops] == [pytest.approx(3.15)]
