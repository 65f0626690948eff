"""Root motion: the constant velocity and turn rate of a clip.

A program can remove the root motion from a clip and move the actor with this motion. A program can also add root
motion to a clip.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.frames import Frames
from ecs_anim.maths import quaternion
from ecs_anim.maths.arc import UP, Arc
from ecs_anim.maths.elementary import arctan2, cos, sin
from ecs_anim.maths.small_matrices import length
from ecs_anim.retargeting.body import Body
from ecs_anim.runtime.gait import ground_turn, ground_velocity

Reals = NDArray[np.floating]
IN_PLACE = 0.25  # [leg lengths], largest movement of the hips in an in-place clip
# [rad]; if the hips turn by at most this angle, the path is straight; EVEN is the limit for looping clips
STRAIGHT, EVEN = 0.35, 0.05
UPRIGHT = 0.5  # if the cosine of the hips' lean is smaller, the hips have no heading
ROUND = 0.5  # smallest chord that reliably gives the speed along an arc, as a share of the arc's length
TINY = 1e-6  # smallest chord that gives a speed along an arc, as a share of the arc's length


class RootMotion(Arc):
    """A root with constant velocity and turn rate."""

    def put_in(self, frames: Frames, time: Reals) -> Frames:
        """Return the frames [time, joint] of the body with the motion of the root added."""
        turned = self.rotations(time)[:, None]
        return Frames(quaternion.multiply(turned, frames.rotations), self.gone(frames.positions, time))


def said_root_motion(clip: Clip, facing: float) -> RootMotion:
    """Return the root motion that an in-place clip states.

    `facing` [rad] is the angle from +Z to the front of the body.
    """
    side, ahead = ground_velocity(clip, facing)
    sine, cosine = float(sin(facing)), float(cos(facing))
    velocity = np.array([ahead * sine + side * cosine, 0.0, ahead * cosine - side * sine])
    return RootMotion(velocity, ground_turn(clip))


def root_motion_of(
    body: Body, hips: Reals, turned: Reals, time: Reals, said: RootMotion, goes_round: bool = False
) -> RootMotion:
    """Return the root motion of a body from its hip positions [time, 3] and hip rotations [time, 4].

    `said` is the root motion that the clip states. The function returns `said` if two conditions are true. First,
    relative to a root that moves as `said`, the hips stay in place. Second, the hips keep their heading or spin by full
    turns. If the clip states a turn rate, the result has this turn rate.
    """
    duration = float(time[-1])
    if duration <= 0:
        return said
    stays = _farthest(said.seen(hips, time)[[0, -1]]) <= IN_PLACE * body.leg_length
    if said.turn != 0:
        return said if stays else RootMotion(_velocity(body, hips, time, said.turn), said.turn)
    around, straight = _around(body, turned), EVEN if goes_round else STRAIGHT
    if abs(around) > straight and not _spins(body, hips, around, straight):
        return RootMotion(_velocity(body, hips, time, around / duration), around / duration)
    return said if stays else RootMotion((hips[-1] - hips[0]) * [1, 0, 1] / duration)


def _around(body: Body, turned: Reals) -> float:
    """Return the total turn of the hips to the left [rad]. For a lying body, which has no heading, return 0."""
    reference = body.reference.rotations[body.roles.joints["hips"]]
    since = quaternion.multiply(turned, quaternion.conjugate(reference))
    if quaternion.rotate(since, UP)[:, 1].min() < UPRIGHT:
        return 0.0
    ahead = quaternion.rotate(since, np.array([0.0, 0.0, 1.0]))
    headings = np.unwrap(arctan2(ahead[:, 0], ahead[:, 2]))
    return float(headings[-1] - headings[0])


def _farthest(hips: Reals) -> float:
    """Return the largest horizontal distance between hip positions [time, 3] and their start."""
    return float(length((hips - hips[0]) * [1, 0, 1]).max())


def _spins(body: Body, hips: Reals, around: float, straight: float) -> bool:
    """Return whether the hips rotate by full turns and stay near their start."""
    off = abs(around) % (2 * np.pi)
    return min(off, 2 * np.pi - off) < straight and abs(around) > np.pi and _farthest(hips) < IN_PLACE * body.leg_length


def _velocity(body: Body, hips: Reals, time: Reals, turn: float) -> Reals:
    """Return the velocity of a root with the turn rate `turn`. The path of the root ends at the end of the hips' path.

    If the root turns by about a full turn, this velocity is unreliable. If the hips are then far from the path of the
    root, the result is the mean velocity of the hips.
    """
    duration, half = float(time[-1]), turn * float(time[-1]) / 2
    chord = float(sin(half)) / half  # chord of an arc of length 1
    if abs(chord) > TINY:
        middle = quaternion.conjugate(quaternion.from_axis_angle(UP, np.asarray(half)))
        found: Reals = quaternion.rotate(middle, (hips[-1] - hips[0]) * [1, 0, 1]) / (duration * chord)
        strays = _farthest(hips - RootMotion(found, turn).places(time))
        if abs(chord) > ROUND or strays < IN_PLACE * body.leg_length:
            return found
    backwards = quaternion.conjugate(quaternion.from_axis_angle(UP, turn * (time[1:] + time[:-1]) / 2))
    steps = quaternion.rotate(backwards, np.diff(hips, axis=0) * [1, 0, 1])
    return steps.sum(axis=0) / duration
