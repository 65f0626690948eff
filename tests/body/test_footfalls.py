"""Footfalls measured from clips, against what the mannequin's own extras say."""

from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.footfalls import footfalls, with_footfalls, with_measured_contacts
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


def test_measured_contacts_contain_each_stance_of_a_clip_of_two_strides():
    rig = ea.load_rig("mannequin")
    walk, legs = rig.clips["walk"], find_legs(rig)
    tracks = tuple(
        replace(
            track,
            times=np.concatenate([track.times, track.times[1:] + np.float32(walk.duration)]),
            values=np.concatenate([track.values, track.values[1:]]),
        )
        for track in walk.tracks
    )
    twice = replace(walk, tracks=tracks, end=walk.start + 2 * walk.duration)
    spans = contact_spans(with_measured_contacts(twice, legs, (0.0, 1.4), 0.0))
    for leg, joint in enumerate(("LeftFoot", "RightFoot")):
        ((start, end),) = contact_spans(walk)[joint]
        first, second = sorted(spans[str(leg)])
        assert second[0] - first[0] == pytest.approx(0.5, abs=0.01)
        for land, leave in (first, second):
            assert abs((land - start / 2 + 0.25) % 0.5 - 0.25) < 0.02
            assert leave - land == pytest.approx((end - start) / 2, abs=0.03)
