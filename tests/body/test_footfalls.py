"""Footfalls measured from clips, against what the mannequin's own extras say."""

import pytest

import ecs_anim as ea
from ecs_anim.body.footfalls import footfalls, with_footfalls
from ecs_anim.ik.legs import find_legs
from ecs_anim.runtime.phase_sync import contact_spans


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
