"""The clips that actors play now: their weights, and the movement by clips that move their actors."""

import numpy as np

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.motion import clip_rate, list_played, new_played
from ecs_anim.kernels.playback import ONCE, advanced_phase
from ecs_anim.kernels.types import FLOATS_2D, INTS, MOTIONS, OUT_2D, OUT_INTS, QUEUE, REAL, void
from ecs_anim.simd import borrow, keep_alive

ZERO, ONE = np.float32(0), np.float32(1)
BEGIN, END = np.float64(0), np.float64(1)  # phases at both ends of a clip
MOST_CYCLES = 10_000  # largest number of whole cycles in one step; a longer movement has no use


@kernel(void(MOTIONS, QUEUE, FLOATS_2D, OUT_INTS, OUT_2D))
def list_clips(motions, queue, parameters, out_clip, out_share):
    """List the clips that each actor plays, newest motion first, in fade slots x MAX_MEMBERS entries for each actor:
    the clip in `out_clip` [entry], its weight and phase in `out_share` [entry, 2]. Unused entries do not change.
    `parameters` has the shape [actor, parameter].
    """
    memory = new_played(queue)
    played = borrow(memory)
    most = played.clip.shape[0]
    for actor in range(queue.slot_count.shape[0]):
        for number in range(list_played(motions, queue, parameters, actor, played)):
            entry = actor * most + number
            out_clip[entry] = played.clip[number]
            out_share[entry, 0], out_share[entry, 1] = played.weight[number], played.phase[number]
    keep_alive(memory)


@inlined
def _at(points, first, count, phase):
    """Return x, z and turn of a path at a phase, 0 to 1."""
    at = phase * count
    point = min(np.int64(at), count - 1)
    share, a, b = at - point, first + point, first + point + 1
    x, z, turn = np.float64(points[a, 0]), np.float64(points[a, 1]), np.float64(points[a, 2])
    return x + (points[b, 0] - x) * share, z + (points[b, 1] - z) * share, turn + (points[b, 2] - turn) * share


@inlined
def _gone(step, points, first, count, begin, end):
    """Add the movement along a path between two phases to `step`: x, z, turn in the frame at the step's beginning."""
    x, z, turn = _at(points, first, count, begin)
    to_x, to_z, to_turn = _at(points, first, count, end)
    sine, cosine = sin_cos(step[2] - turn)
    x, z = to_x - x, to_z - z
    return step[0] + x * cosine + z * sine, step[1] + z * cosine - x * sine, step[2] + to_turn - turn


@inlined
def _stepped(points, first, count, phase, next_phase, cycles):
    """Return the movement between two phases of a clip and in `cycles` whole cycles."""
    step, now, ahead = (0.0, 0.0, 0.0), np.float64(phase), cycles > 0.0
    begin, end = (BEGIN, END) if ahead else (END, BEGIN)
    for _ in range(np.int64(min(abs(cycles), MOST_CYCLES))):
        step = _gone(step, points, first, count, now, end)
        now = begin
    return _gone(step, points, first, count, now, np.float64(next_phase))


@kernel(void(MOTIONS, INTS, INTS, FLOATS_2D, QUEUE, REAL, OUT_2D))
def find_root_steps(motions, first_point, interval_count, points, queue, dt, out_step):
    """Find each actor's movement in the next `dt` seconds along the paths of its clips, before `advance_playback`
    changes the phases. `RootMotion` describes `first_point`, `interval_count` and `points`. `out_step` [actor, 4]
    receives x, z [rig units], the turn about +Y [rad] in the actor's frame, and the weight of the clips that move the
    actor.
    """
    table, members, step = motions.motion, motions.member, np.float32(dt)
    for actor in range(queue.slot_count.shape[0]):
        x, z, turn, total, remaining = 0.0, 0.0, 0.0, ZERO, ONE
        for slot in range(queue.slot_count[actor] - 1, -1, -1):
            time, whole = np.float32(queue.fade_time[actor, slot] + step), queue.fade_duration[actor, slot]
            share = remaining * (time / whole if slot > 0 and time < whole else ONE)
            remaining -= share
            motion, phase = queue.motion[actor, slot], queue.phase[actor, slot]
            count = interval_count[motion]
            if count == 0:
                continue
            loops = table[motion]["loops"]
            rate = clip_rate(members[table[motion]["first_member"]]["duration"], queue.speed[actor, slot])
            next_phase = advanced_phase(phase, rate, dt, ONCE, loops)
            cycles = np.rint(phase + np.float64(rate) * dt - next_phase) if loops else 0.0
            own = _stepped(points, first_point[motion], count, phase, next_phase, cycles)
            x, z, turn, total = x + share * own[0], z + share * own[1], turn + share * own[2], total + share
        out_step[actor, 0], out_step[actor, 1], out_step[actor, 2], out_step[actor, 3] = x, z, turn, total
