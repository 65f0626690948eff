"""Scenes that ship with people of a file: what their code writes, and that they look as people do."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from ecs_anim.components.presence import Presence
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.shipped import shipped_folder
from ecs_anim.systems.queries import stage_of
from tests.helpers import EXHAUSTIVE
from tests.helpers.walls import compiled_free
from tests.people import bottleneck as bottleneck_people
from tests.people import corner as corner_people
from tests.people import street as street_people

SCENES = {"corner": corner_people, "bottleneck": bottleneck_people, "streets": street_people}
MOMENTS = range(120, 1800, 120)  # frames


@pytest.fixture(scope="module", params=list(SCENES))
def seen(request):
    """Yield the scene's name, its walls, and per moment the places [n, 3] and facings [n] of the present people."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = load_scene(request.param, threads=1)
    found = []
    with world:
        ((_, (transforms, presence)),) = world.query(Transforms, Presence)
        for frame in MOMENTS:
            world.skip(frame - world.frame, 1 / 60)
            there = presence.coverage(world.time) > 0
            turn = 2 * np.arctan2(transforms.rotation[there, 1], transforms.rotation[there, 3])
            found.append((transforms.translation[there].astype(float), turn))
        yield request.param, stage_of(world).walls, found


@pytest.mark.parametrize("name", SCENES)
@EXHAUSTIVE
def test_people_are_what_their_code_writes(name):
    assert (shipped_folder() / f"{name}.csv").read_text("utf-8") == SCENES[name].text()


@EXHAUSTIVE
def test_the_floor_is_what_its_code_draws():
    shipped = Image.open(shipped_folder() / "streets.png").convert("RGB")
    np.testing.assert_array_equal(np.asarray(shipped), np.asarray(street_people.floor()))


def test_people_come_go_and_keep_out_of_walls_and_each_other(seen):
    name, walls, moments = seen
    assert max(len(positions) for positions, _ in moments) >= 15, name
    for positions, _ in moments:
        assert compiled_free(walls, plan_from_space(positions.astype(np.float32))).all()
        apart = np.sqrt(((positions[:, None] - positions[None]) ** 2).sum(axis=-1))
        np.fill_diagonal(apart, np.inf)
        assert apart.min(initial=np.inf) > 0.22, name


@pytest.mark.parametrize("seen", ["streets"], indirect=True)
def test_some_talk_face_to_face(seen):
    """Two people that stand for two seconds within 1.3 m of each other look at each other, more or less."""
    _, _, moments = seen
    pairs = 0
    for (before, _), (now, turn) in pairwise(moments):
        stands = [row for row, own in enumerate(now) if (np.abs(before - own).max(axis=1) < 0.05).any()]
        for a in stands:
            for b in stands:
                towards = now[b] - now[a]
                if 0.5 < np.hypot(towards[0], towards[2]) < 1.3:
                    off = np.angle(np.exp(1j * (np.arctan2(towards[0], towards[2]) - turn[a])))
                    assert abs(off) < np.radians(60), (a, b)
                    pairs += 1
    assert pairs >= 8
