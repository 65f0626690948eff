"""Impostor pictures of shared files: a sheet contains each pose once, and each appearance refers to its poses."""

from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.levels.posed_impostors import PosedImpostors, plan_posed_impostors
from ecs_anim.sharing import details
from ecs_anim.sharing.models import Models, Table
from ecs_anim.sharing.pool import Pool

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 1
level = "auto"
detail = { impostors = true }
clips = [{ name = "walk" }]
"""


@pytest.fixture(scope="module")
def world() -> ea.World:
    return ea.load_scene(SCENE)


@pytest.mark.parametrize("moved", [0.0, 0.5])
def test_appearances_share_equal_poses_but_not_different_poses(
    moved: float, world: ea.World, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = []

    def plan(*args: object) -> PosedImpostors:
        """Plan a sheet with three appearances. Each appearance has its own array of poses."""
        sheet = plan_posed_impostors(*args)
        own = sheet.impostors.clips[0]
        clips = [replace(own, palettes=own.palettes + k * moved, variant=k) for k in range(3)]
        plans.append(replace(sheet, impostors=replace(sheet.impostors, clips=tuple(clips))))
        return plans[-1]

    monkeypatch.setattr(details, "plan_posed_impostors", plan)
    pool = Pool()
    pictures = _pictures(world, pool)
    clips = plans[0].impostors.clips
    described, entries = pictures["palettes"], pictures["entries"]
    data = pool.section()[described["at"] :][: 4 * described["count"]].view(np.float32)
    poses = data.reshape(-1, entries, 3, 4)
    assert len(poses) == len(clips[0].palettes) * (len(clips) if moved else 1)
    for first, own in zip(pictures["first_poses"], clips, strict=True):
        np.testing.assert_array_equal(poses[first : first + len(own.palettes)], own.palettes)


def _pictures(world: ea.World, pool: Pool) -> Table:
    ((entity, _),) = world.query(Crowd)
    _, own = details.Details(Models(pool, pool), pool).of_crowd(world, entity, "linear")
    assert own is not None
    return own["pictures"]
