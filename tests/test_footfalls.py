"""Footfalls measured from clips, against what the mannequin's own extras say."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.footfalls import footfalls, with_footfalls
from ecs_anim.ik.legs import find_legs
from ecs_anim.runtime.phase_sync import contact_spans
from tests.support import ASSETS, needs_assets


@pytest.mark.parametrize(("name", "speed"), [("walk", 1.4), ("run", 3.5), ("walk_backward", -0.9)])
def test_feet_land_and_leave_as_the_clip_says(name, speed):
    rig = ea.load_rig("mannequin")
    clip, legs = rig.clips[name], find_legs(rig)
    said = contact_spans(clip)
    for fall, joint in zip(footfalls(clip, legs, (0.0, speed), 0.0), ("LeftFoot", "RightFoot"), strict=True):
        start, end = said[joint][0]
        assert abs((fall.land - start + 0.5) % 1 - 0.5) < 0.03
        assert fall.duty == pytest.approx(end - start, abs=0.04)


def test_written_footfalls_are_contacts():
    rig = ea.load_rig("mannequin")
    falls = footfalls(rig.clips["walk"], find_legs(rig), (0.0, 1.4), 0.0)
    spans = contact_spans(with_footfalls(rig.clips["walk"], falls))
    for leg, fall in enumerate(falls):
        start, end = spans[str(leg)][0]
        assert abs((fall.land - start + 0.5) % 1 - 0.5) < 1e-6
        assert end - start == pytest.approx(fall.duty)


@needs_assets
def test_legs_of_a_walk_whose_feet_never_stand_still_take_turns():
    """The fox's: each pair of legs is half a cycle apart, and each foot stands for about half of it."""
    from ecs_anim.ik.legs import make_leg
    from ecs_anim.runtime.gait import ground_velocity

    rig = ea.load_rig(ASSETS / "Fox.glb")
    names = (
        ["b_LeftUpperArm_09", "b_LeftForeArm_010", "b_LeftHand_011"],
        ["b_RightUpperArm_06", "b_RightForeArm_07", "b_RightHand_08"],
        ["b_LeftLeg01_015", "b_LeftLeg02_016", "b_LeftFoot01_017", "b_LeftFoot02_018"],
        ["b_RightLeg01_019", "b_RightLeg02_020", "b_RightFoot01_021", "b_RightFoot02_022"],
    )
    clip = rig.clips["Walk"]
    falls = footfalls(clip, [make_leg(rig, own) for own in names], ground_velocity(clip), 0.0)
    assert np.ptp([fall.duty for fall in falls]) < 0.3
    for left, right in ((0, 1), (2, 3)):
        assert abs((falls[left].land - falls[right].land) % 1 - 0.5) < 0.15
