"""Root motion of walking clips for a chunk of actors: velocities and turns."""

import numpy as np
from numba import njit

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels import motion as mixing
from ecs_anim.kernels.elementary import arctan2, sin_cos
from ecs_anim.kernels.spaces import list_alike, plays_alone
from ecs_anim.kernels.types import AREA, FLOATS, FLOATS_2D, MOTIONS, PLACEMENT, QUEUE, REAL, void
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.simd import borrow, gather, keep_alive, pointer, rows_at, scatter, view_lanes

ZERO, ONE = np.float32(0), np.float32(1)


@inlined
def _is_clip(duration, motion):
    """Return whether a motion is a single clip. In `ClipColumns`, blend spaces have the duration -1."""
    return duration[motion] >= ZERO


@helper  # not inlined, so that the loops beside the call run faster
def _write_space_velocities(motions, queue, parameters, scale, dt, out_velocity):
    """Write the velocities of actors that play only one blend space, the same space for all. Return this space, or
    `NOBODY` without such actors.
    """
    table, members, strides = motions.motion, motions.member, pointer(motions.stride)
    travels, slot_count, motion = pointer(motions.travel), queue.slot_count, queue.motion
    phases, speeds, values, sizes = pointer(queue.phase), pointer(queue.speed), pointer(parameters), pointer(scale)
    listed, scratch = np.empty(slot_count.shape[0] + 7, np.int64), np.empty(8 * MAX_MEMBERS, np.float32)
    rows, weights, velocities = borrow(listed), view_lanes(scratch), pointer(out_velocity)
    number, count = list_alike(table, slot_count, motion, rows)
    for first in range(0, count, 8):
        own = rows_at(rows, first)
        slots = own * motion.shape[1]
        x, y = mixing.parameters_of(table, number, values, own * parameters.shape[1])
        mixing.weigh(table, members, number, x, y, weights)
        now, phase = (x, y, gather(speeds, slots, 0), gather(sizes, own, 0)), gather(phases, slots, 0)
        side, ahead = mixing.ground_velocity(table, members, strides, travels, number, phase, now, dt, weights)
        scatter(velocities, own * 2, 0, (side, ahead))
    keep_alive(listed, scratch)
    return number


@helper  # not inlined: few actors need the function, and the loops beside the call run faster
def _mix_velocities(motions, clips, queue, parameters, space, scale, dt, out_velocity):
    """Write the weighted mean velocities of all other actors: they play several motions, or not the space `space`."""
    table, members, stride, travel = motions.motion, motions.member, motions.stride, motions.travel
    slot_count, motion, phase, speed = queue.slot_count, queue.motion, queue.phase, queue.speed
    duration, scratch = clips.duration, np.empty(MAX_MEMBERS, np.float32)
    weights = borrow(scratch)
    for actor in range(slot_count.shape[0]):
        plays_clip = slot_count[actor] == 1 and _is_clip(duration, motion[actor, 0])
        if plays_clip or plays_alone(slot_count, motion, actor, space):
            continue
        side, ahead, remaining = ZERO, ZERO, ONE
        for slot in range(slot_count[actor] - 1, -1, -1):
            share = remaining * mixing.fade_progress(queue.fade_time, queue.fade_duration, actor, slot)
            remaining -= share
            m, own, size = motion[actor, slot], speed[actor, slot], scale[actor]
            if _is_clip(duration, m):
                slot_side, slot_ahead = mixing.clip_velocity(duration[m], clips.side[m], clips.ahead[m], own, size)
            else:
                mixing.member_weights(table, members, m, parameters, actor, weights)
                x, y = mixing.actors_parameters(table, m, parameters, actor)
                now = x, y, own, size
                at = phase[actor, slot]
                slot_side, slot_ahead = mixing.ground_velocity(table, members, stride, travel, m, at, now, dt, weights)
            side += share * slot_side
            ahead += share * slot_ahead
        out_velocity[actor, 0], out_velocity[actor, 1] = side, ahead
    keep_alive(scratch)


@helper  # not inlined, so that the loops beside the call run faster
def _turn(motions, queue, parameters, dt, placement):
    """Turn actors by the weighted mean of their motions' turn rates. An ended motion does not turn its actor."""
    table, members, stride = motions.motion, motions.member, motions.stride
    slot_count, motion, phase, speed = queue.slot_count, queue.motion, queue.phase, queue.speed
    rotation, scale, scratch = placement.rotation, placement.scale, np.empty(MAX_MEMBERS, np.float32)
    weights = borrow(scratch)
    for actor in range(slot_count.shape[0]):
        turn, remaining = ZERO, ONE
        for slot in range(slot_count[actor] - 1, -1, -1):
            share = remaining * mixing.fade_progress(queue.fade_time, queue.fade_duration, actor, slot)
            remaining -= share
            m, own = motion[actor, slot], speed[actor, slot]
            if phase[actor, slot] >= 1.0 and not table[m]["loops"]:
                continue
            mixing.member_weights(table, members, m, parameters, actor, weights)
            turn += share * mixing.ground_turn(table, members, stride, m, own, parameters, actor, scale[actor], weights)
        if turn == ZERO:
            continue
        # The rotation 0, y, 0, w about +Y is multiplied by the turn and gets the length 1 again.
        half_sine, half_cosine = sin_cos(np.float64(turn) * dt / 2.0)
        y, w = np.float64(rotation[actor, 1]), np.float64(rotation[actor, 3])
        sine, cosine = w * half_sine + y * half_cosine, w * half_cosine - y * half_sine
        size = np.sqrt(sine * sine + cosine * cosine)
        rotation[actor, 0], rotation[actor, 1] = ZERO, sine / size
        rotation[actor, 2], rotation[actor, 3] = ZERO, cosine / size
    keep_alive(scratch)


@njit(inline="always")
def _turn_back(rotation, actor, facing, away_x, away_z, most):
    """Turn an actor towards the centre of the walking area, by at most the angle `most` [rad]."""
    heading = 2.0 * arctan2(np.float64(rotation[actor, 1]), np.float64(rotation[actor, 3])) + facing
    turn = np.remainder(arctan2(-away_x, -away_z) - heading + np.pi, 2.0 * np.pi) - np.pi
    half = (heading + min(max(turn, -most), most) - facing) / 2.0
    sine, cosine = sin_cos(half)
    rotation[actor, 0], rotation[actor, 1] = 0.0, sine
    rotation[actor, 2], rotation[actor, 3] = 0.0, cosine


@njit(inline="always")
def _move(translation, actor, rotation, facing_sine, facing_cosine, side, ahead, dt):
    """Move an actor for `dt` seconds with the speeds [m/s] `side` to the left and `ahead`."""
    y, w = rotation[actor, 1], rotation[actor, 3]
    turn_sine, turn_cosine = np.float32(2) * y * w, w * w - y * y  # y and w are the sine and cosine of half the angle
    sine = turn_sine * facing_cosine + turn_cosine * facing_sine
    cosine = turn_cosine * facing_cosine - turn_sine * facing_sine
    translation[actor, 0] += (ahead * sine + side * cosine) * dt
    translation[actor, 2] += (ahead * cosine - side * sine) * dt


@inlined
def _write_clip_velocities(queue, clips, scale, out_velocity):
    """Write the velocities of actors that play a single clip: speeds to the left and ahead [m/s], `out_velocity`
    [actor, 2]. Return whether any actor plays a blend space or several motions.
    """
    slot_count, motion, speed = queue.slot_count, queue.motion, queue.speed
    duration, clip_side, clip_ahead = clips.duration, clips.side, clips.ahead
    others_remain = False
    for actor in range(out_velocity.shape[0]):
        m = motion[actor, 0]
        if slot_count[actor] == 1 and _is_clip(duration, m):
            side, ahead = mixing.clip_velocity(duration[m], clip_side[m], clip_ahead[m], speed[actor, 0], scale[actor])
            out_velocity[actor, 0], out_velocity[actor, 1] = side, ahead
        else:
            others_remain = True
    return others_remain


@inlined
def _move_all(placement, velocity, turn_rate, facing, area, dt):
    """Move actors by their velocities [actor, 2] to the left and ahead [m/s]. Moving actors outside the walking area
    first turn towards its centre, at most by `turn_rate` [actor] [rad/s].
    """
    translation, rotation = placement.translation, placement.rotation
    facing_sine, facing_cosine = sin_cos(facing)
    for actor in range(translation.shape[0]):
        side, ahead = velocity[actor, 0], velocity[actor, 1]
        if side == ZERO and ahead == ZERO:
            continue
        away_x, away_z = translation[actor, 0] - area.center_x, translation[actor, 2] - area.center_z
        if away_x * away_x + away_z * away_z > area.radius * area.radius:
            _turn_back(rotation, actor, facing, away_x, away_z, turn_rate[actor] * dt)
        _move(translation, actor, rotation, facing_sine, facing_cosine, side, ahead, dt)


@kernel(void(MOTIONS, FLOATS_2D, QUEUE, FLOATS, REAL, AREA, REAL, PLACEMENT))
def walk(motions, parameters, queue, turn_rate, facing, area, dt, placement):
    """Move and turn actors for `dt` seconds with the velocities of their motions. The phases in the queue must be the
    phases at the end of the step. The kernel writes the `Placement`: x and z of each translation, and a rotation about
    +Y for turning clips and outside the walking area. `parameters` has the shape [actor, parameter]. `turn_rate`
    [actor] [rad/s] is the fastest turn back into the area. `facing` [rad], about +Y from +Z, is the direction of the
    rig without rotation.
    """
    clips, scale = mixing.clip_columns(motions.motion, motions.member), placement.scale
    velocity = np.empty((placement.translation.shape[0], 2), np.float32)
    if _write_clip_velocities(queue, clips, scale, velocity):
        space = _write_space_velocities(motions, queue, parameters, scale, dt, velocity)
        _mix_velocities(motions, borrow(clips), queue, parameters, space, scale, dt, velocity)
    # Half of a turn comes before the movement, and half after it. So an arc hardly depends on the frame rate.
    clips_turn = mixing.turns(motions.member)
    if clips_turn:
        _turn(motions, queue, parameters, dt / 2.0, placement)
    _move_all(placement, velocity, turn_rate, facing, area, dt)
    if clips_turn:
        _turn(motions, queue, parameters, dt / 2.0, placement)
    keep_alive(clips)
