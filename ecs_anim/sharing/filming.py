"""Recording of crowds for a shared file: positions, the clips that actors play, poses and morph weights."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.ecs.world import World
from ecs_anim.exporting.recording import AT_ONCE, BY_CLIPS, RecordedCrowd
from ecs_anim.roles.roles import find_roles
from ecs_anim.sharing.camera_tracks import Track, tracks_of
from ecs_anim.sharing.moving import FilmedSurfaces
from ecs_anim.sharing.targets import FilmedTargets
from ecs_anim.sharing.tints import FilmedTints
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.systems.baked_actors import new_baked_actors, pack_plays
from ecs_anim.systems.joints import joint_matrices
from ecs_anim.systems.palette_poses import pose_rows
from ecs_anim.systems.queries import stage_of

# Columns of a row: translation 3, rotation 4, scale 1, clips 2, phases 2, weight of the second clip 1, then the weights
# of morph targets.
TRANSLATION, ROTATION, SCALE, CLIPS, PHASES, FADE, WEIGHTS = 0, 3, 7, 8, 10, 12, 13
WITNESSES = 200  # number of actors in a crowd whose exact joints are recorded, so that errors can be measured
# number of steps of the world between two measurements; the number is odd, so that some measurements are between two
# samples
WITNESS_STEPS = 7
PLAYED_FPS = 30  # largest number of samples per second in crowds that play clips, whose movements are smooth
FEET = 3.0  # weight of the errors of feet, because errors of feet are easily visible on the ground


@dataclass(frozen=True)
class Witness:
    """The exact joint positions of some actors at one time, for the measurement of the recording's errors."""

    time: float  # [s] after the first sample
    actors: NDArray[np.int32]  # [n] numbers of actors, ascending
    joints: NDArray[np.float32]  # [n, joint, 3] [m], positions in the world
    roots: NDArray[np.float32]  # [n, 3] [m], positions of the actors


@dataclass
class FilmedCrowd(RecordedCrowd):
    """The recording of a crowd. If systems change the poses of clips, for example by grounding, the recording contains
    poses. Otherwise, it contains only which clips the actors play. In hybrid crowds with such systems, the recording
    contains the clips of all actors, and also the poses of near actors.
    """

    row_width: ClassVar[int] = WEIGHTS

    witnesses: list[Witness] = field(default_factory=list)
    tints: FilmedTints = field(default_factory=FilmedTints)
    dt: float = 0.0  # [s] between two samples
    capacity: int = 0  # largest number of present actors
    size: float = 0.0  # [m], length of a rig unit for the largest actor

    @cached_property
    def is_posed(self) -> bool:
        """Return whether the recording contains poses."""
        return self._is_corrected and self.world.find(self.entity, Baked) is None

    @cached_property
    def has_near_poses(self) -> bool:
        """Return whether the recording contains the poses of the near actors of a hybrid crowd."""
        return self._is_corrected and self.world.find(self.entity, Nearness) is not None

    @property
    def _is_corrected(self) -> bool:
        return not {*self.world.pose_systems(self.entity)} <= BY_CLIPS

    def take(self) -> None:
        """Record the current state of the crowd. Raise InputError for disk errors."""
        rows = self._there()
        actors, places = self._numbered(rows), self._places(rows)
        self.capacity, self.size = max(self.capacity, len(rows)), max(self.size, float(places[2].max(initial=0)))
        tints = self.world.get(self.entity, Appearance).tint[rows]
        self.tints.take(self.places.frame_count * self.dt, actors, tints)
        plays = np.zeros((len(rows), WEIGHTS - CLIPS), np.float32) if self.is_posed else self._plays(rows)
        self.places.append(actors, np.column_stack([*places, plays, self._weights(rows)]))
        if self.is_posed or self.has_near_poses:
            posed = np.flatnonzero(self._has_pose(rows))
            batches = np.array_split(rows[posed], -(-len(posed) // AT_ONCE)) if len(posed) else []
            poses = [np.zeros((0, self.poses.width), np.float32), *map(self._poses, batches)]
            self.poses.append(actors[posed], np.concatenate(poses))

    def _has_pose(self, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return for each of the actors `rows` whether the CPU has computed its pose."""
        near = self.world.find(self.entity, Nearness)
        return np.ones(len(rows), np.bool_) if near is None else near.palette_row[rows] >= 0

    def _plays(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the clips, the phases and the weight of the second clip of the actors `rows`, [n, 5]."""
        data = new_baked_actors(self.world.get(self.entity, Crowd).actor_count)
        pack_plays(self.world, self.entity, data)
        plays = data[rows]
        is_single = plays["clip"][:, 0] == plays["clip"][:, 1]
        plays["phase"][is_single, 1] = plays["fade"][is_single] = 0
        return np.column_stack([plays["clip"], plays["phase"], plays["fade"]]).astype(np.float32)

    def witness(self, time: float) -> None:
        """Record the exact joint positions of some actors. `time` [s] is the time after the first sample."""
        rows = self._there()
        rows = rows[:: max(len(rows) // WITNESSES, 1)]
        # sorts by actor number, because actors change their rows when other actors depart
        rows = rows[np.argsort(self._numbered(rows))]
        joints = joint_matrices(self.world, self.entity, rows)[..., 3].astype(np.float32)
        self.witnesses.append(Witness(time, self._numbered(rows), joints, self._places(rows)[0].copy()))

    def clip_poses(self, clip: int) -> NDArray[np.float32]:
        """Return the local poses [row, joint x 10] of the table rows of a clip."""
        tables = self.character.motions.tables
        return pose_rows(tables.layout.unpack(tables.clip_rows(clip)))

    def ankles(self) -> list[int]:
        """Return the joints of the feet. If the skeleton has no roles, return no joints."""
        return [leg[-1] for leg in find_roles(self.character.rig).legs if leg is not None]

    def weights(self) -> NDArray[np.float64]:
        """Return the weight of the errors of each joint [joint]: the length of a rig unit in metres, and more
        for feet.
        """
        skeleton = self.character.rig.skeleton
        weights = np.full(skeleton.joint_count, self.size or 1.0)
        weights[[joint for ankle in self.ankles() for joint in skeleton.below(ankle)]] *= FEET
        return weights

    def rest_pose(self) -> NDArray[np.float32]:
        """Return the rest pose [joint x 10]."""
        return pose_rows(self.character.rig.skeleton.rest_pose[None])[0]

    @property
    def morphs(self) -> int:
        """Return the number of morph targets."""
        return self.places.width - WEIGHTS


class Film(NamedTuple):
    """The recording of a world."""

    crowds: list[FilmedCrowd]
    surfaces: FilmedSurfaces
    targets: FilmedTargets
    tracks: list[Track]  # of the scene's cameras
    seconds: float  # [s], recorded time


@contextmanager
def filmed(world: World, seconds: float, fps: int, path: Path) -> Iterator[Film]:
    """Record a world for about `seconds`, with about `fps` samples of poses per second.

    The first sample contains the current state of the world. During the recording, the data are in temporary files next
    to `path`. Raises InputError for disk errors.
    """
    rate = stage_of(world).frame_rate
    stride = max(round(rate / fps), 1)
    played_stride = stride * max(round(rate / (PLAYED_FPS * stride)), 1)
    steps = max(round(seconds * rate / played_stride), 1) * played_stride
    with ExitStack() as files:
        crowds = [
            files.enter_context(FilmedCrowd.of(world, entity, path))
            for entity in (entity for entity, _ in world.query(Crowd))
        ]
        strides = [stride if own.is_posed else played_stride for own in crowds]
        for own, own_stride in zip(crowds, strides, strict=True):
            own.dt = own_stride / rate
        surfaces, tracks = FilmedSurfaces(world), tracks_of(world, rate / stride)
        targets = FilmedTargets(world)
        posed = any(own.is_posed or own.has_near_poses for own in crowds) or bool(targets.shown)
        for step in frames_with_progress(steps + 1, "recording"):
            is_sample, is_witness = step % stride == 0, step % WITNESS_STEPS == 0
            if step:
                world.step(1 / rate, posed=is_witness or (is_sample and posed))
            surfaces.take(step / rate)
            if is_sample:
                targets.take(step / rate)
                for track in tracks:
                    track.take(world)
            for own, own_stride in zip(crowds, strides, strict=True):
                if step % own_stride == 0:
                    own.take()
                if is_witness:
                    own.witness(step / rate)
        yield Film(crowds, surfaces, targets, tracks, steps / rate)
