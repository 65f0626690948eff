"""Bringing the feet of a chunk of actors to where their steps are, on flat ground.

A foot stands on its ball while its heel is up and on its heel before it is flat, so what touches the ground does not
move. Nothing is remembered: legs follow from the pose and the step alone.
"""

import numpy as np
from numba import uint64

from ecs_anim.body.state import FROM, LEAN, SECONDS, SWING, TO, VX, VZ, WEIGHT
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.angles import unit_of
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.grounding_legs import bend_leg
from ecs_anim.kernels.grounding_plans import level_direction
from ecs_anim.kernels.grounding_probes import heading, turned_level
from ecs_anim.kernels.types import BODY, GAIT_PLAN, LEGS, OUT_3D, PLACEMENT, void
from ecs_anim.kernels.vectors import (
    about,
    add,
    along,
    dot,
    move_joints,
    origin_of,
    placed,
    subtract,
    turned,
)

ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
# Lengths are shares of the leg's.
LIFT = np.float32(0.04)  # that a swinging foot clears the ground by, if the clips do not lift it higher
FLAT = np.float32(0.012)  # a standing foot whose heel or ball is up by less stands flat
REACH = np.float32(0.9945)  # the most that a leg is stretched
EASE = np.float32(0.03)  # over which the pelvis goes over from one leg to the other
LOWEST = np.float32(0.14)  # that the pelvis comes down by at most
SOFT = np.float32(0.02)  # over which a leg in the air comes to its full stretch
HARD = np.float32(1e-4)  # and one that stands
ROLL_EASE = np.float32(0.02)  # over which a heel begins to rise
# Parts of a swing, at its beginning and at its end.
EDGE = np.float32(0.2)  # in which a foot comes off the ground, and down
LOOSENED = np.float32(0.07)  # in which a leg becomes soft, and hard again
HEEDED = np.float32(0.5)  # in which the pelvis still heeds where a foot stood, and already where it will
ROLL = np.float32(0.34)  # height of the heel of a foot that is left behind, for each unit that it is
STEEPEST = np.float32(0.95)  # sine of the most that such a foot is pitched by this
# Columns of a foot's goal: the ankle [3], the sines and cosines of its turn about +Y and of its pitch, how far it must
# be reached, 0 to 1, whether heel and ball touch the ground, where the foot pointed (x, z), what leads from the goal to
# where the ankle was or will be on the ground, as the hip then sees it [3], and how soft the leg is, 0 to 1.
GOAL, TURN, PITCH, NEEDED, TOUCH, AHEAD, GROUND, LOOSE = 0, 3, 5, 6, 7, 9, 11, 14
GOAL_WIDTH = 15


@inlined
def _smooth(t):
    """0 up to 0, 1 from 1 on, without a jerk between (Flash and Hogan 1985)."""
    t = min(max(t, ZERO), ONE)
    return t * t * t * (np.float32(10) - t * (np.float32(15) - np.float32(6) * t))


@inlined
def _eased(t):
    """0 up to 0, 1 from 1 on, still at both ends."""
    t = min(max(t, ZERO), ONE)
    return t * t * (np.float32(3) - TWO * t)


@inlined
def _greater(a, b, ease):
    """The greater of two, rounded off where they are less than `ease` apart."""
    near = max(ease - abs(a - b), ZERO)
    return max(a, b) + near * near / (np.float32(4) * ease)


@inlined
def _swung(t):
    """How far a foot has come, a part t of its time in the air."""
    return HALF * (_smooth(t) + _eased(t))


@inlined
def _stand(feet, actor, leg, frame):
    """Where the ball is over the ground, x, z [rig units], and the direction of the foot, in model space."""
    size, sine, cosine, place_x, place_z = frame[:5]
    swing = feet[actor, leg, SWING]
    x, z, yaw = feet[actor, leg, TO], feet[actor, leg, TO + 1], feet[actor, leg, TO + 2]
    if swing < ONE:
        left = ONE - _swung(swing)
        x += left * (feet[actor, leg, FROM] - x)
        z += left * (feet[actor, leg, FROM + 1] - z)
        yaw += left * (feet[actor, leg, FROM + 2] - yaw)
    to_x, to_z = unit_of(yaw)
    x, z = turned_level((x - place_x) / size, (z - place_z) / size, -sine, cosine)
    to_x, to_z = turned_level(to_x, to_z, -sine, cosine)
    return x, z, to_x, to_z


@inlined
def _to_ground(feet, actor, leg, frame, swing):
    """From a foot in the air to where it left the ground, or later to where it will land, x, z in model space.

    Less what the root moves in between: the way leads to where the hip saw the foot, or will see it.
    """
    if swing >= ONE:
        return ZERO, ZERO
    size, sine, cosine, vx, vz = frame[0], frame[1], frame[2], frame[6], frame[7]
    has_left = swing < HALF
    share = -_swung(swing) if has_left else ONE - _swung(swing)
    seconds = feet[actor, leg, SECONDS] * (swing if has_left else swing - ONE)
    x = share * (feet[actor, leg, TO] - feet[actor, leg, FROM]) + vx * seconds
    z = share * (feet[actor, leg, TO + 1] - feet[actor, leg, FROM + 1]) + vz * seconds
    return turned_level(x / size, z / size, -sine, cosine)


@inlined
def _clearance(swing, height, length):
    """How high a foot is over the ground: as the clips have it, and at least so that it clears it."""
    if swing >= ONE:
        return ZERO
    edge = min(swing, ONE - swing)
    own = max(height, ZERO) * _smooth(edge / EDGE)
    arch = np.float32(4) * swing * (ONE - swing)
    arch *= TWO - arch  # at once: a foot that is hardly up must hardly move
    least = LIFT * length * arch * arch
    own, least = own * own, least * least
    return np.sqrt(np.sqrt(own * own + least * least))


@inlined
def _flattened(rise, swing, length):
    """How far the ball is above the heel: a foot that stands almost flat stands flat."""
    flat = FLAT * length * (ONE - _smooth(min(swing, ONE - swing) / EDGE) if swing < ONE else ONE)
    return rise - min(max(rise, -flat), flat)


@inlined
def _rolled(rise, behind, foot_length, length):
    """How far the ball is above the heel: a foot that is left behind rolls onto its ball, so that the leg reaches."""
    up = _greater(-rise, ROLL * behind, ROLL_EASE * length)
    return -min(up, max(-rise, STEEPEST * foot_length))


@inlined
def _pitch(foot, level, rise):
    """Sine of the angle that turns a foot so that its ball is `rise` above its heel."""
    square = foot[1] * foot[1] + level * level
    new_level = np.sqrt(max(square - rise * rise, ZERO))
    new_level = new_level if level >= ZERO else -new_level
    return (rise * level - foot[1] * new_level) / square


@inlined
def _set_goal(row, joints, contact, length, leg, feet, actor, frame, weight, goals):
    """Where the ankle of one foot goes, and how the foot turns."""
    swing, floor = feet[actor, leg, SWING], frame[5]
    heel, ball = placed(row, joints[leg, 2], contact[0]), placed(row, joints[leg, 2], contact[1])
    hip, ankle = origin_of(row, joints[leg, 0]), origin_of(row, joints[leg, 2])
    foot, to_ankle = subtract(ball, heel), subtract(ankle, heel)
    ahead_x, ahead_z, level, _ = level_direction(foot, to_ankle)
    x, z, to_x, to_z = _stand(feet, actor, leg, frame)
    foot_length, behind = np.sqrt(dot(foot, foot)), (hip[0] - x) * to_x + (hip[2] - z) * to_z
    rise = _rolled(_flattened(foot[1], swing, length), behind, foot_length, length)
    pitch = _pitch(foot, level, rise) * weight
    sine, cosine = to_x * ahead_z - to_z * ahead_x, to_x * ahead_x + to_z * ahead_z
    if weight < ONE:
        sine, cosine = weight * sine, ONE + weight * (cosine - ONE)
        unit = np.sqrt(sine * sine + cosine * cosine)
        sine, cosine = sine / unit, cosine / unit
    turn = _foot_turn(sine, cosine, ahead_x, ahead_z, pitch)
    moved = turned(turn, foot)
    height = floor + _clearance(swing, min(heel[1], ball[1]) - floor, length)
    if moved[1] <= ZERO:  # the ball is what touches the ground
        at = (x - moved[0], height - moved[1], z - moved[2])
    else:
        at = (x - foot_length * to_x, height, z - foot_length * to_z)
    goal = along(ankle, subtract(add(at, turned(turn, to_ankle)), ankle), weight)
    goals[leg, GOAL], goals[leg, GOAL + 1], goals[leg, GOAL + 2] = goal
    goals[leg, TURN], goals[leg, TURN + 1], goals[leg, PITCH] = sine, cosine, pitch
    goals[leg, AHEAD], goals[leg, AHEAD + 1] = ahead_x, ahead_z
    edge = min(swing, ONE - swing)
    goals[leg, NEEDED], goals[leg, LOOSE] = ONE - _eased(edge / HEEDED), _eased(edge / LOOSENED)
    goals[leg, GROUND], goals[leg, GROUND + 2] = _to_ground(feet, actor, leg, frame, swing)
    goals[leg, GROUND + 1] = floor - height
    goals[leg, TOUCH] = ONE if swing >= ONE and moved[1] >= -FLAT * length else ZERO
    goals[leg, TOUCH + 1] = ONE if swing >= ONE and moved[1] <= FLAT * length else ZERO


@inlined
def _foot_turn(sine, cosine, ahead_x, ahead_z, pitch):
    """The rotation that pitches a foot which points ahead, then turns it about +Y."""
    level = np.sqrt(ONE - pitch * pitch)
    # Left, up and ahead of the pitched foot stand on each other; about +Y they turn together.
    left_x, left_z = ahead_z * cosine - ahead_x * sine, -ahead_x * cosine - ahead_z * sine
    new_x, new_z = ahead_x * cosine + ahead_z * sine, ahead_z * cosine - ahead_x * sine
    to_x, to_z = new_x * level, new_z * level
    up_x, up_z = -new_x * pitch, -new_z * pitch
    return (
        ahead_z * left_x + ahead_x * to_x,
        up_x,
        ahead_z * to_x - ahead_x * left_x,
        ahead_x * pitch,
        level,
        ahead_z * pitch,
        ahead_z * left_z + ahead_x * to_z,
        up_z,
        ahead_z * to_z - ahead_x * left_z,
    )


@inlined
def _missing(row, hip_joint, length, leg, goals):
    """How far the hip has to come down for a leg that stands, stood or will stand; < 0: how far it could rise."""
    hip = origin_of(row, hip_joint)
    x, z = hip[0] - goals[leg, GOAL] - goals[leg, GROUND], hip[2] - goals[leg, GOAL + 2] - goals[leg, GROUND + 2]
    y = hip[1] - goals[leg, GOAL + 1] - goals[leg, GROUND + 1]
    reach = REACH * length
    return y - np.sqrt(max(reach * reach - x * x - z * z, ZERO))


@inlined
def _lowered(row, joints, lengths, goals):
    """How far the pelvis comes down, so that legs reach the ground where they stand.

    A foot in the air asks less and less for what it asked when it left, then more and more for what it will when it
    lands: the pelvis rises and sinks in time.
    """
    down = ZERO
    for leg in range(joints.shape[0]):
        length = lengths[leg]
        ease = EASE * length
        own = goals[leg, NEEDED] * (_missing(row, joints[leg, 0], length, leg, goals) + ease) - ease
        down = _greater(own, down, ease)
    return min(down, LOWEST * lengths[0])


@inlined
def _move_foot(row, joints, owned, start, length, leg, goals):
    """Bring a leg to its goal, or as near as it gets."""
    hip, knee, ankle = origin_of(row, joints[leg, 0]), origin_of(row, joints[leg, 1]), origin_of(row, joints[leg, 2])
    ahead_x, ahead_z = goals[leg, AHEAD], goals[leg, AHEAD + 1]
    goal = (goals[leg, GOAL], goals[leg, GOAL + 1], goals[leg, GOAL + 2])
    line = subtract(goal, hip)
    distance, most = np.sqrt(dot(line, line)), REACH * length
    ease = max(goals[leg, LOOSE] * SOFT, HARD) * length
    if distance > most - ease:
        goal = along(hip, line, -_greater(-distance, -most, ease) / distance)
    left = (ahead_z, ZERO, -ahead_x)
    new_knee, new_ankle, thigh_turn, shank_turn = bend_leg(hip, knee, ankle, goal, left)
    sine, cosine = goals[leg, TURN], goals[leg, TURN + 1]
    turn = _foot_turn(sine, cosine, ahead_x, ahead_z, goals[leg, PITCH])
    if joints[leg, 3] >= 0:
        toe = origin_of(row, joints[leg, 3])
        new_toe = add(new_ankle, turned(turn, subtract(toe, ankle)))
        yaw = (cosine, ZERO, sine, ZERO, ONE, ZERO, -sine, ZERO, cosine)
        move_joints(row, owned, start[leg, 3], start[leg, 4], yaw, toe, new_toe)
    move_joints(row, owned, start[leg, 0], start[leg, 1], thigh_turn, hip, hip)
    move_joints(row, owned, start[leg, 1], start[leg, 2], shank_turn, knee, new_knee)
    move_joints(row, owned, start[leg, 2], start[leg, 3], turn, ankle, new_ankle)


@helper
def _lean(row, joints, sine, facing, floor):
    """Lean joints to the left about the ground below; `sine` of the angle."""
    rotation = about((facing[0], ZERO, facing[1]), -sine, np.sqrt(ONE - sine * sine))
    below = (ZERO, floor, ZERO)
    move_joints(row, joints, 0, joints.shape[0], rotation, below, below)


@kernel(void(GAIT_PLAN, LEGS, BODY, PLACEMENT, OUT_3D, OUT_3D))
def step_feet(plan, legs, body, placement, out_goal, out_model):
    """Move pelvis and legs of a chunk's model matrices so that feet are where the bodies' steps are.

    body, placement: `BodyState` and `Placement`, the chunk's rows; out_goal [chunk, leg, GOAL_WIDTH], what was asked of
    each foot; out_model [>= chunk, joint, 12].
    """
    walk, feet = body
    translation, rotation, scale = placement
    joints, contacts, lengths = legs.joints, legs.contacts, legs.length
    owned, owned_start, pelvis = legs.owned, legs.owned_start, legs.pelvis
    leg_count, lift = joints.shape[0], np.float32(plan.floor)
    ahead_x, ahead_z = sin_cos(plan.facing)
    facing = (np.float32(ahead_x), np.float32(ahead_z))
    for actor in range(scale.shape[0]):
        weight = walk[actor, WEIGHT]
        if weight <= ZERO:
            continue
        row, size, goals = out_model[actor], scale[actor], out_goal[actor]
        sine, cosine = heading(rotation, actor)
        floor = -lift / size
        frame = (
            size,
            sine,
            cosine,
            translation[actor, 0],
            translation[actor, 2],
            floor,
            walk[actor, VX],
            walk[actor, VZ],
        )
        lean = weight * walk[actor, LEAN]
        if abs(lean) > np.float32(1e-3):
            _lean(row, pelvis, lean, facing, floor)
        for leg in range(leg_count):
            contact = contacts[leg]
            _set_goal(row, joints, contact, lengths[leg], leg, feet, actor, frame, weight, goals)
        drop = weight * _lowered(row, joints, lengths, goals)
        for i in range(pelvis.shape[0]):
            row[uint64(pelvis[i]), 7] -= drop
        for leg in range(leg_count):
            _move_foot(row, joints, owned, owned_start, lengths[leg], leg, goals)
