"""Recorded data of single actors: the positions, and either the poses or the clip that defines the poses."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.exporting.recording import PLACE, POSE, Look, RecordedCrowd
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.clip_table import ClipTables

BATCH = 12_000  # largest number of rows in memory: frames times actors
EVEN = 1e-5  # [s]; a playback rate counts as constant if the time in the clip differs at most by this time
SEAMLESS = 1e-4  # a clip is seamless if the numbers of its first and last local matrices differ at most by this value


class Play(NamedTuple):
    """A clip that an actor plays at a constant rate.

    At frame k, the actor has completed `start` + k * `rate` cycles of the clip.
    """

    clip: int
    start: float  # [cycles] at frame 0; negative for an actor that arrives after frame 0
    rate: float  # [cycles/frame], > 0


@dataclass(frozen=True, eq=False)
class Actor:
    """Data of an actor in all frames.

    In a frame without the actor, the arrays repeat the data of a frame in which the actor is present.
    """

    id: int
    look: Look
    there: NDArray[np.bool_]  # [frame], whether the actor is present
    places: NDArray[np.float32]  # [frame, 10 + target], recorded rows
    poses: NDArray[np.float32]  # [frame, joint x 10], zeros if a clip defines the pose
    tables: ClipTables
    seamless: NDArray[np.bool_]  # [clip], true = the last pose of the clip equals its first pose

    @property
    def translation(self) -> NDArray[np.float32]:
        """Return the translations [frame, 3] [m]."""
        return self.places[:, 0:3]

    @cached_property
    def rotation(self) -> NDArray[np.float32]:
        """Return rotations [frame, 4] as quaternions x, y, z, w.

        The dot product of consecutive quaternions is at least 0.
        """
        return along(self.places[:, 3:7])

    @property
    def scale(self) -> NDArray[np.float32]:
        """Return the scales [frame] from rig units to metres."""
        return self.places[:, 7]

    @property
    def weights(self) -> NDArray[np.float32]:
        """Return the weights of morph targets [frame, target]."""
        return self.places[:, PLACE:]

    @property
    def _clips(self) -> NDArray[np.int32]:
        return self.places[:, 8].astype(np.int32)

    @property
    def _phases(self) -> NDArray[np.float64]:
        return self.places[:, 9].astype(np.float64)

    def play(self) -> Play | None:
        """Return the clip that the actor plays forwards and at a constant rate in all frames.

        Return None if the actor does not play such a clip.
        """
        frames, clips = np.flatnonzero(self.there), self._clips
        clip = int(clips[frames[0]])
        if clip < 0 or (clips[frames] != clip).any() or len(frames) < 2:
            return None
        phases = self._phases[frames]
        steps = np.diff(phases)
        cycles = phases[0] + np.concatenate([[0], np.cumsum(steps - np.round(steps))])
        rate = (cycles[-1] - cycles[0]) / (frames[-1] - frames[0])
        start = cycles[0] - rate * frames[0]
        off = np.abs(start + rate * frames - cycles).max() * self.tables.duration[clip]
        turns_over = cycles.max() > 1 + EVEN
        if rate <= 0 or off > EVEN or (turns_over and not self.seamless[clip]):
            return None
        return Play(clip, start, rate)

    def pose(self) -> Pose:
        """Return the local poses [frame, joint]. The dot product of consecutive quaternions is at least 0."""
        rows = self.poses.reshape(len(self.poses), -1, POSE).copy()
        for clip in np.unique(self._clips[self._clips >= 0]).tolist():
            frames = np.flatnonzero(self._clips == clip)
            pose = self.tables.sample(clip, self._phases[frames] * self.tables.duration[clip])
            rows[frames] = np.concatenate([pose.translation, pose.rotation, pose.scale], axis=-1)
        return Pose(rows[..., 0:3], along(rows[..., 3:7]), rows[..., 7:10])


def actors_of(crowd: RecordedCrowd) -> Iterator[list[Actor]]:
    """Yield all actors of a recorded crowd. The function reads the recording in batches of actors."""
    tables = crowd.character.motions.tables
    seamless = np.array([is_seamless(tables, clip) for clip in range(len(tables.clips))])
    batch = max(1, BATCH // crowd.places.frame_count)
    for first in range(0, len(crowd.ids), batch):
        end = min(first + batch, len(crowd.ids))
        places, there = crowd.places.read(first, end)
        poses, _ = crowd.poses.read(first, end)
        held = np.stack([_held(there[:, own]) for own in range(end - first)])
        yield [
            Actor(
                crowd.ids[first + k], crowd.looks[first + k], there[:, k], places[at, k], poses[at, k], tables, seamless
            )
            for k, at in enumerate(held)
        ]


def along(rotation: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `rotation` [frame, ..., 4] with signs for which the dot product of consecutive quaternions is at least 0.

    With these signs, the interpolation between two frames takes the short arc.
    """
    turned = np.sum(rotation[1:] * rotation[:-1], axis=-1) < 0
    sign = np.cumprod(np.where(turned, -1, 1), axis=0, dtype=np.float32)
    return np.concatenate([rotation[:1], rotation[1:] * sign[..., None]])


def is_seamless(tables: ClipTables, clip: int) -> bool:
    """Return whether the last pose of a clip equals its first pose."""
    first, last = (tables.layout.unpack(tables.clip_rows(clip)[row]).to_matrix() for row in (0, -1))
    return bool(np.abs(first - last).max() <= SEAMLESS * max(1.0, float(np.abs(first).max())))


def _held(there: NDArray[np.bool_]) -> NDArray[np.intp]:
    """For each frame k, return the last frame up to k in which the actor is present.

    For frames before the arrival of the actor, return the actor's first frame.
    """
    numbers = np.where(there, np.arange(len(there)), -1)
    return np.maximum(np.maximum.accumulate(numbers), np.argmax(there))
