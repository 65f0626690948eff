"""Numbers that are legal and still too much: one line, never a traceback."""

import re
from pathlib import Path

import numpy as np
import pytest

from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.arguments import FARTHEST
from ecs_anim.support.errors import InputError

SCENE = """
[rigs.people]
model = "mannequin"
{rig}
[ground]
kind = "blocks"
blocks = [{{ at = [0, 0], size = [1, 1], height = 0.2{block} }}]
[[crowds]]
rig = "people"
clips = [{{ name = "walk" }}]
grounding = {{}}
"""


def load(rig="", block="", text=SCENE):
    return load_scene(parse_scene(text.format(rig=rig, block=block), "x.toml", Path()))


@pytest.mark.parametrize(
    ("rig", "block", "message"),
    [
        (
            "scale = 1e-300",
            "",
            "x.toml: rigs.people.scale: the value must be at least 1e-09 (got 1e-300)",
        ),
        ("height = 0.0", "", "x.toml: rigs.people.height: should be greater than 0 (got 0.0)"),
        ("", ", thickness = 1e-30", "thickness: the value must be at least 1e-09"),
    ],
)
def test_numbers_that_would_vanish_are_told(rig, block, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        load(rig, block)
    assert str(caught.value).count("(got") == 1


def test_blocks_that_vanish_so_far_away_are_told():
    with pytest.raises(
        InputError, match=r"^x\.toml: ground\.blocks: .* rounding makes them vanish. Write larger blocks"
    ):
        load(text=SCENE.replace("[0, 0]", "[1e9, 1e9]"))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            'layout = {{ kind = "grid", center = [1e7, 0] }}',
            "crowds[0].layout.center[0]: the position must be at most 16384 m from the origin",
        ),
        (
            'layout = {{ kind = "points", points = [[0, 2e4]] }}',
            "layout.points[0][1]: the position must be at most 16384 m from the origin",
        ),
        (
            'count = 9\nlayout = {{ kind = "grid", spacing = 1e5 }}',
            "layout: each actor of the layout must be at most 16384 m from the origin",
        ),
        (
            'targets = {{ t = {{ kind = "point", at = [0, 2e4, 0] }} }}',
            "crowds[0].targets.t.at[1]: the position must be at most 16384 m from the origin",
        ),
        (
            "body = {{}}\nsteering = {{ goal = [0, 0], leave = [[0, 0], [2e4, 0], [0, 1]] }}",
            "crowds[0].steering.leave[1][0]: the position must be at most 16384 m from the origin",
        ),
        (
            '[walls]\nwkt = "POLYGON ((0 0, 20000 0, 1 1, 0 0))"',
            "walls.wkt: Polygon must be within 16384 m of the origin (a corner is at x = 20000, y = 0). Move",
        ),
        (
            '[walls]\nwkt = "LINESTRING (0 0, 1 1)"\ndoors = [{{ name = "a", shape = [[0, 0], [2e4, 0]] }}]',
            "16384 m from the origin",
        ),
        (
            "[camera]\ntarget = [0, 0, 1e6]",
            "camera.target[2]: the position must be at most 16384 m from the origin. Move",
        ),
        (
            '[[cameras]]\nname = "a"\neye = [1e6, 0, 0]\nlook_at = [0, 0, 0]',
            "cameras[0].eye[0]: the position must be at most 16384 m from",
        ),
    ],
)
def test_places_so_far_away_that_bodies_are_torn_are_told(more, message):
    with pytest.raises(InputError, match=re.escape(message)):
        load(text=SCENE + more)


def test_float32_tells_millimetres_apart_wherever_somebody_may_be():
    assert np.spacing(np.float32(FARTHEST - 1)) < 1e-3 < np.spacing(np.float32(FARTHEST))


@pytest.mark.parametrize("rig", ["scale = 1e-9", "scale = 1e9", "height = 1e-6"])
def test_the_smallest_and_the_largest_actors_are_posed(rig):
    with load(rig) as world:
        world.step(1 / 60)
