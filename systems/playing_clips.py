"""The clips that actors play now, with their weights and times, for user code."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.ecs.world import World
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.runtime.phase_sync import source_phase

SHOWN = 20  # largest number of entries in the text of `PlayingClips`


@dataclass(frozen=True, eq=False)
class PlayingClips:
    """The clips that actors play, one entry for each actor and clip. The weights of an actor have the sum 1.

    The entries are in the order of the selection. The entries of one actor begin with the largest weight.
    """

    actors: NDArray[np.int32]  # [n] i32, rows of the crowd
    ids: NDArray[np.int64]  # [n] i64, ids of the actors
    clips: NDArray[np.str_]  # [n], names of the clips
    weights: NDArray[np.float32]  # [n] f32, more than 0, at most 1
    seconds: NDArray[np.float64]  # [n] f64, [s], time since the start of the clip
    phases: NDArray[np.float32]  # [n] f32, 0 to 1, phase of the motion

    def __len__(self) -> int:
        return len(self.actors)

    def __str__(self) -> str:
        rows = zip(self.ids, self.clips, self.weights, self.seconds, self.phases, strict=True)
        lines = [
            f"actor {actor}: {clip}, weight {weight:.2f}, {seconds:.2f} s, phase {phase:.2f}"
            for _, (actor, clip, weight, seconds, phase) in zip(range(SHOWN), rows, strict=False)
        ]
        left = len(self) - len(lines)
        return "\n".join([*lines, f"and {left} more"] if left else lines)


def playing_clips(world: World, entity: int, rows: NDArray[np.int32]) -> PlayingClips:
    """Return the clips that the actors `rows` of a crowd play."""
    from ecs_anim.kernels.playing import list_clips  # compiled at first use

    motions, playback = world.get(entity, Character).motions, world.get(entity, Playback)
    queue = playback.queue._replace(**{name: column[rows] for name, column in playback.queue._asdict().items()})
    if playback.inertial is not None:  # inertialization plays only the newest motion
        inertial = np.flatnonzero(playback.inertial[rows] == 1)
        queue.fade_duration[inertial, queue.slot_count[inertial] - 1] = 0
    most = playback.most_slots * MAX_MEMBERS
    clip, share = np.zeros(len(rows) * most, np.int32), np.zeros((len(rows) * most, 2), np.float32)
    list_clips(motions.arrays, tuple(queue), world.get(entity, Parameters).value[rows], clip, share)
    own = np.repeat(np.arange(len(rows)), most)
    order = np.lexsort((-share[:, 0], own))
    played = order[share[order, 0] > 0]
    actors, clip, (weight, phase) = rows[own[played]], clip[played], share[played].T
    seconds = np.zeros(len(played))
    for number in np.unique(clip).tolist():
        source, of_clip = motions.tables.clips[number], clip == number
        seconds[of_clip] = source_phase(source, phase[of_clip]) * source.duration
    names = np.array([source.name for source in motions.tables.clips])[clip]
    ids = world.get(entity, Crowd).ids[actors]
    return PlayingClips(actors, ids, names, weight.copy(), seconds, phase.copy())
