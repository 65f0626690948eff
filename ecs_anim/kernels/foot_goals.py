"""Goals for the feet of stepping bodies, for stages. While the heel is up, the foot stands on its ball. While the ball
is up, the foot stands on its heel. A goal depends only on the pose and the footstep, and not on previous goals.
"""

from typing import Any, NamedTuple

import numpy as np

from ecs_anim import simd
from ecs_anim.body.state import FOOT_WIDTH, FROM, FROM_HEIGHT, SECONDS, SWING, TO, TO_HEIGHT, VX, VZ, X, Z
from ecs_anim.kernels import inlined
from ecs_anim.kernels.angles import unit_of
from ecs_anim.kernels.frames import origin_in, placed_in
from ecs_anim.kernels.grounding_plans import foot_rotation, level_direction
from ecs_anim.kernels.grounding_probes import turned_level, upright_turn
from ecs_anim.kernels.vectors import add, along, dot, eased, subtract, turned

ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
# Lengths are in leg lengths.
LIFT = np.float32(0.04)  # least ground clearance of a swinging foot
FLAT = np.float32(0.012)  # a planted foot becomes flat if the heights of its heel and ball differ by less
REACH = np.float32(0.9945)  # greatest extension of a leg
EASE = np.float32(0.05)  # range in which the pelvis follows both legs
ROLL_EASE = np.float32(0.02)  # range in which a heel begins to rise smoothly
# Shares of a swing. Each share applies to the beginning and to the end of the swing.
EDGE = np.float32(0.26)  # share in which a foot leaves the ground, or lands
LOOSENED = np.float32(0.05)  # share in which a leg becomes soft, or hard again
HEEDED = np.float32(0.5)  # share in which the pelvis follows the last foothold, or the next foothold
# Shares of a swing upstairs: before DELAY, the foot only rises, and after RISES, it only moves ahead.
DELAY, RISES = np.float32(0.2), np.float32(0.42)
STEP = np.float32(0.01)  # [rig units]; a lower step is no step of stairs
ROLL = np.float32(0.34)  # heel height of a foot behind the hip, divided by the foot's distance behind the hip
STEEPEST = np.float32(0.95)  # largest sine of the pitch of a foot behind the hip


class FootGoal(NamedTuple):
    """The goal of a foot, as lanes. Points are in model space [rig units]."""

    x: Any  # position of the ankle
    y: Any
    z: Any
    sine: Any  # of the foot's rotation about +Y
    cosine: Any
    pitch: Any  # sine of the foot's pitch
    needed: Any  # how exactly the foot must reach the goal, 0 to 1
    heel: Any  # 1 if the heel touches the ground, else 0
    ball: Any
    ahead_x: Any  # direction of the foot in the pose
    ahead_z: Any
    ground_x: Any  # vector from the goal to the ankle's last or next position on the ground, see `_to_ground`
    ground_y: Any
    ground_z: Any
    loose: Any  # softness of the leg, 0 to 1


GOAL_WIDTH = len(FootGoal.__annotations__)


@inlined
def _smooth(t):
    """Interpolate from 0 at t <= 0 to 1 at t >= 1 with minimum jerk (Flash and Hogan 1985)."""
    t = simd.minimum(simd.maximum(t, ZERO), ONE)
    return t * t * t * (np.float32(10) - t * (np.float32(15) - np.float32(6) * t))


@inlined
def greater(a, b, ease):
    """Return a smooth maximum of a and b. If a and b differ by less than `ease`, the result is a smooth transition."""
    near = simd.maximum(ease - abs(a - b), ZERO)
    return simd.maximum(a, b) + near * near / (np.float32(4) * ease)


@inlined
def _swung(t):
    """Return the share of the way that a foot has moved at the time t of its swing. Share and time are 0 to 1."""
    return HALF * (_smooth(t) + eased(t))


class Frames(NamedTuple):
    """Positions and velocities of eight stepping actors, as lanes."""

    size: Any  # [m], the size of a rig unit
    sine: Any  # of the rotation about +Y
    cosine: Any
    x: Any  # [m], position of the root
    z: Any  # [m]
    off: Any  # x and z [rig units], offset of the body from the root, in model space
    floor: Any  # [rig units], height of the ground in the model
    ground: Any  # [m], height of the ground below the root
    vx: Any  # [m/s]
    vz: Any  # [m/s]


class Foot(NamedTuple):
    """The present footsteps of eight actors with the same leg, as lanes."""

    swing: Any
    origin: Any  # x, z [m] and yaw [rad] of the last foothold
    target: Any  # x, z [m] and yaw [rad] of the next foothold
    seconds: Any
    heights: Any  # [m], heights of the ground at the last and at the next foothold; NaN = the height below the root


@inlined
def _stand(foot, frame):
    """Return the position x, z of the foot's ball, and the direction of the foot, in model space [rig units]."""
    left = simd.select(foot.swing < ONE, ONE - _swung(foot.swing), ZERO)
    x, z, yaw = along(foot.target, subtract(foot.origin, foot.target), left)
    to_x, to_z = unit_of(yaw)
    x, z = turned_level((x - frame.x) / frame.size, (z - frame.z) / frame.size, -frame.sine, frame.cosine)
    to_x, to_z = turned_level(to_x, to_z, -frame.sine, frame.cosine)
    return x, z, to_x, to_z


@inlined
def _to_ground(foot, frame):
    """Return the vector x, z from a foot in the air to the foothold that it leaves (first half of a swing) or reaches,
    in model space, relative to the hip at the time of the contact.
    """
    swing, way = foot.swing, subtract(foot.target, foot.origin)
    has_left, flies = swing < HALF, swing < ONE
    share = simd.select(has_left, -_swung(swing), ONE - _swung(swing))
    seconds = foot.seconds * simd.select(has_left, swing, swing - ONE)
    x, z = share * way[0] + frame.vx * seconds, share * way[1] + frame.vz * seconds
    x, z = turned_level(x / frame.size, z / frame.size, -frame.sine, frame.cosine)
    return simd.select(flies, x, ZERO), simd.select(flies, z, ZERO)


@inlined
def _clearance(swing, height, length):
    """Return the height of a foot above the ground: as in the clips, but at least an arch of height `LIFT`."""
    edge = simd.minimum(swing, ONE - swing)
    own = simd.maximum(height, ZERO) * _smooth(edge / EDGE)
    arch = np.float32(4) * swing * (ONE - swing)
    arch = arch * (TWO - arch)  # slope 0 at both ends, because a foot near the ground must hardly rise
    low = LIFT * length * arch * arch
    own, low = own * own, low * low
    return simd.select(swing < ONE, np.sqrt(np.sqrt(own * own + low * low)), ZERO)


@inlined
def _flattened(rise, swing, length):
    """Return the height of the ball above the heel, reduced for planted feet that are almost flat."""
    share = simd.select(swing < ONE, ONE - _smooth(simd.minimum(swing, ONE - swing) / EDGE), ONE)
    flat_rise = FLAT * length * share
    return rise - simd.minimum(simd.maximum(rise, -flat_rise), flat_rise)


@inlined
def _rolled(rise, behind, foot_length, length):
    """Return the height of the ball above the heel for a foot that rolls onto its ball behind the hip."""
    up = greater(-rise, ROLL * behind, ROLL_EASE * length)
    return -simd.minimum(up, simd.maximum(-rise, STEEPEST * foot_length))


@inlined
def _pitch(foot, level, rise):
    """Return the sine of the pitch that moves the foot's ball to the height `rise` above the heel."""
    square = foot[1] * foot[1] + level * level
    new_level = np.sqrt(simd.maximum(square - rise * rise, ZERO))
    new_level = simd.select(level >= ZERO, new_level, -new_level)
    return (rise * level - foot[1] * new_level) / square


@inlined
def goal_of(ankle_frame, hip, heel, ball, length, foot, frame, weight):
    """Return the `FootGoal` of a foot. `heel` and `ball` are positions in the ankle's coordinate frame. `weight` is the
    weight of the footstep in the pose, 0 to 1.
    """
    swing, floor, ankle = foot.swing, frame.floor, origin_in(ankle_frame)
    heel, ball = placed_in(ankle_frame, heel), placed_in(ankle_frame, ball)
    sole, to_ankle = subtract(ball, heel), subtract(ankle, heel)
    ahead_x, ahead_z, level, _ = level_direction(sole, to_ankle)
    x, z, to_x, to_z = _stand(foot, frame)
    foot_length, behind = np.sqrt(dot(sole, sole)), (hip[0] - x) * to_x + (hip[2] - z) * to_z
    rise = _rolled(_flattened(sole[1], swing, length), behind, foot_length, length)
    pitch = _pitch(sole, level, rise) * weight
    sine, cosine = _part_of(to_x * ahead_z - to_z * ahead_x, to_x * ahead_x + to_z * ahead_z, weight)
    turn = pitched_and_turned(sine, cosine, ahead_x, ahead_z, pitch)
    moved = turned(turn, sole)
    height = floor + _clearance(swing, simd.minimum(heel[1], ball[1]) - floor, length)
    on_ball = moved[1] <= ZERO  # whether the ball touches the ground
    to = (
        simd.select(on_ball, x - moved[0], x - foot_length * to_x),
        simd.select(on_ball, height - moved[1], height),
        simd.select(on_ball, z - moved[2], z - foot_length * to_z),
    )
    goal = along(ankle, subtract(add(to, turned(turn, to_ankle)), ankle), weight)
    edge, stands, level_rise = simd.minimum(swing, ONE - swing), swing >= ONE, FLAT * length
    ground_x, ground_z = _to_ground(foot, frame)
    needed, one = ONE - eased(edge / HEEDED), simd.broadcast_like(ONE, weight)
    heel_down = simd.select(stands & (moved[1] >= -level_rise), one, ZERO)
    ball_down = simd.select(stands & (moved[1] <= level_rise), one, ZERO)
    ground = ground_x, floor - height, ground_z
    touch, loose = (needed, heel_down, ball_down), eased(edge / LOOSENED)
    return FootGoal(goal[0], goal[1], goal[2], sine, cosine, pitch, *touch, ahead_x, ahead_z, *ground, loose)


@inlined
def on_treads(goal, foot, frame, weight):
    """Return the `FootGoal` of a foot on stairs, where footholds differ in height from the ground below the root. A
    swing downstairs is the reverse of a swing upstairs. `weight` is the weight of the footstep in the pose.
    """
    swing, way, (low, high) = foot.swing, subtract(foot.target, foot.origin), foot.heights
    is_raised, flies = simd.not_nan(low) & simd.not_nan(high), swing < ONE
    low, high = (low - frame.ground) / frame.size, (high - frame.ground) / frame.size
    is_up = high > low
    upstairs = simd.select(is_up, swing, ONE - swing)  # time of the swing upstairs, in which the foot first rises
    share, rise = _swung((upstairs - DELAY) / (ONE - DELAY)), eased(upstairs / RISES)
    share, rise = simd.select(is_up, share, ONE - share), simd.select(is_up, rise, ONE - rise)
    is_step = is_raised & flies & (abs(high - low) > STEP)
    further = weight * simd.select(is_step, share - _swung(swing), ZERO)
    x, z = turned_level(way[0] / frame.size, way[1] / frame.size, -frame.sine, frame.cosine)
    x, z = further * x, further * z
    y = simd.select(is_raised, simd.select(flies, low + rise * (high - low), high), ZERO)
    stands = simd.select(is_raised, simd.select(flies & (swing < HALF), low, high), ZERO)
    place = goal.x + x, goal.y + weight * y, goal.z + z
    ground = goal.ground_x - x, goal.ground_y + stands - weight * y, goal.ground_z - z
    # The fields from `sine` to `ahead_z` do not change.
    return FootGoal(*(*place, *goal[3:11], *ground, goal.loose))


def goals_size(leg_count: int) -> int:
    """Return the number of floats that the goals of all legs of sixteen actors need."""
    return 16 * GOAL_WIDTH * leg_count


@inlined
def put_goal(goals, leg, goal):
    """Write the `FootGoal` of one leg of sixteen actors to `goals`."""
    one, other = simd.split(goal)
    simd.store(goals, 16 * GOAL_WIDTH * leg, one)
    simd.store(goals, 16 * GOAL_WIDTH * leg + 8 * GOAL_WIDTH, other)


@inlined
def read_goal(goals, leg):
    """Read the `FootGoal` that `put_goal` has written for a leg."""
    at = 16 * GOAL_WIDTH * leg
    one, other = simd.load_each(goals, at, GOAL_WIDTH), simd.load_each(goals, at + 8 * GOAL_WIDTH, GOAL_WIDTH)
    return FootGoal(*simd.combine(one, other))


@inlined
def _part_of(sine, cosine, weight):
    """Return the sine and the cosine of a part of an angle. `weight` is the part as a fraction, 0 to 1."""
    part, rest = weight * sine, ONE + weight * (cosine - ONE)
    unit = np.sqrt(part * part + rest * rest)
    is_part = weight < ONE
    return simd.select(is_part, part / unit, sine), simd.select(is_part, rest / unit, cosine)


@inlined
def pitched_and_turned(sine, cosine, ahead_x, ahead_z, pitch):
    """Return a foot's rotation: a pitch about its left axis, which raises the ball, then a turn about +Y, from +Z to
    +X. `ahead_x`, `ahead_z` is the foot's horizontal direction before the rotation. `pitch` is a sine.
    """
    pitch_cosine = np.sqrt(ONE - pitch * pitch)
    left = ahead_z * cosine - ahead_x * sine, ZERO, -ahead_x * cosine - ahead_z * sine
    level_x, level_z = ahead_x * cosine + ahead_z * sine, ahead_z * cosine - ahead_x * sine
    up = -level_x * pitch, pitch_cosine, -level_z * pitch
    return foot_rotation(ahead_x, ahead_z, left, up, (level_x * pitch_cosine, pitch, level_z * pitch_cosine))


@inlined
def lower_for(down, hip, length, goal):
    """Return how far the pelvis must move down for this leg and for the preceding legs, which need `down`. During a
    swing, the weight of the last foothold falls to 0. Then the weight of the next foothold rises, so that the pelvis
    moves before the foot lands.
    """
    x, y, z = subtract(subtract(hip, (goal.x, goal.y, goal.z)), (goal.ground_x, goal.ground_y, goal.ground_z))
    reach, ease = REACH * length, EASE * length
    missing = y - np.sqrt(simd.maximum(reach * reach - x * x - z * z, ZERO))
    return greater(goal.needed * (missing + ease) - ease, down, ease)


@inlined
def walking_frames(placement, rows, walk, at, lift):
    """Return the `Frames` of eight actors: their positions and velocities."""
    size, place = simd.gather(placement.scale, rows, 0), rows * 3
    sine, cosine = upright_turn(placement.rotation, rows)
    x, z = simd.gather(placement.translation, place, 0), simd.gather(placement.translation, place, 2)
    off_x, off_z = (simd.gather(walk, at, X) - x) / size, (simd.gather(walk, at, Z) - z) / size
    off, speeds = turned_level(off_x, off_z, -sine, cosine), (simd.gather(walk, at, VX), simd.gather(walk, at, VZ))
    ground = simd.gather(placement.translation, place, 1) - lift
    return Frames(size, sine, cosine, x, z, off, -lift / size, ground, *speeds)


@inlined
def foot_of(feet, at, leg):
    """Return the present footstep of one leg of eight actors, whose offsets in `feet` are `at`, as a `Foot`."""
    own = simd.gather_each(feet, at, FOOT_WIDTH * leg, FOOT_WIDTH)
    stood, stands = (own[FROM], own[FROM + 1], own[FROM + 2]), (own[TO], own[TO + 1], own[TO + 2])
    return Foot(own[SWING], stood, stands, own[SECONDS], (own[FROM_HEIGHT], own[TO_HEIGHT]))
