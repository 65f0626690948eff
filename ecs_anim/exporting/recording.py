"""Recording of the actors in a world. Each step of the world gives one frame."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import Method
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.palette import Palette
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.exporting.actor_rows import ActorRows, actor_rows
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.systems.palette_poses import PaletteJoints, corrected_poses, pose_rows
from ecs_anim.systems.poses import local_poses
from ecs_anim.systems.queries import stage_of, who_is_there

PLACE = 10  # count of numbers in a row before the weights: translation 3, rotation 4, scale 1, clip 1, phase 1
POSE = 10  # count of numbers for a joint: translation 3, rotation 4, scale 3
AT_ONCE = 2048  # the poses of at most this number of actors are in memory at one time
# If a crowd has only these pose systems, the pose of an actor is exactly the pose of its clip.
BY_CLIPS = {"sampling", "morphs", "model_matrices", "skin_palettes", "foot_contacts", "foot_measures"}
BY_LAYERS = BY_CLIPS | {"layers"}


class Look(NamedTuple):
    """The properties of an actor that define its appearance."""

    variant: int  # number of its texture or figure
    tint: tuple[float, ...]  # linear RGBA, multiplies the base colour


@dataclass
class RecordedCrowd:
    """Recording of a crowd. Actors are numbered in the order of their arrival."""

    row_width: ClassVar[int] = PLACE  # count of numbers in a row of `places` before the weights

    world: World
    entity: int
    name: str
    character: Character
    places: ActorRows  # transform, number of the single clip or -1, phase of the clip, and weights of morph targets
    poses: ActorRows  # poses for the frames in which no single clip defines the pose
    ids: list[int] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    shear: float = 0.0  # [model units], largest shear of local matrices, which files cannot store
    _numbers: dict[int, int] = field(default_factory=dict)  # actor numbers by id
    # The ids in the last call of `_numbered`, and their actor numbers. Most frames contain the same actors as the frame
    # before.
    _last: tuple[NDArray[np.int64], NDArray[np.int32]] = (np.zeros(0, np.int64), np.zeros(0, np.int32))

    @classmethod
    @contextmanager
    def of(cls, world: World, entity: int, path: Path) -> Iterator[Self]:
        """Yield an empty recording of a crowd for use inside the `with` block. Raise InputError for disk errors."""
        character, morphs = world.get(entity, Character), world.find(entity, Morphs)
        weights = 0 if morphs is None else len(morphs.targets)
        joints = character.rig.skeleton.joint_count
        with actor_rows(cls.row_width + weights, path) as places, actor_rows(POSE * joints, path) as poses:
            yield cls(world, entity, world.get(entity, Crowd).name, character, places, poses)

    @property
    def skinning(self) -> Method:
        """Return the skinning method of the crowd."""
        palette = self.world.find(self.entity, Palette)
        return "linear" if palette is None else palette.method

    @property
    def wants_poses(self) -> bool:
        """Return whether each step must compute the poses of the crowd."""
        return not {*self.world.pose_systems(self.entity)} <= BY_LAYERS - {"morphs"}

    def take(self) -> None:
        """Record the current state of the crowd. Raise InputError for disk errors."""
        rows = self._there()
        actors = self._numbered(rows)
        clips, phases = self._clips(rows)
        self.places.append(actors, np.column_stack([*self._places(rows), clips, phases, self._weights(rows)]))
        posed = np.flatnonzero(clips < 0)
        for_each = np.array_split(rows[posed], -(-len(posed) // AT_ONCE)) if len(posed) else []
        found = [np.zeros((0, self.poses.width), np.float32), *map(self._poses, for_each)]
        self.poses.append(actors[posed], np.concatenate(found))

    def _there(self) -> NDArray[np.int32]:
        return np.flatnonzero(who_is_there(self.world, self.entity)).astype(np.int32)

    def _numbered(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the numbers of the actors `rows` in the recording.

        A new actor gets a number, and keeps the appearance from its first frame.
        """
        ids = self.world.get(self.entity, Crowd).ids[rows]
        if np.array_equal(ids, self._last[0]):
            return self._last[1]
        look = self.world.get(self.entity, Appearance)
        for row, own in zip(rows.tolist(), ids.tolist(), strict=True):
            if own not in self._numbers:
                self._numbers[own] = len(self.ids)
                self.ids.append(own)
                variant = 0 if look.variant is None else int(look.variant[row])
                self.looks.append(Look(variant, tuple(look.tint[row].tolist())))
        self._last = ids, np.array([self._numbers[own] for own in ids.tolist()], np.int32)
        return self._last[1]

    def _places(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.float32], ...]:
        transforms = self.world.get(self.entity, Transforms)
        return transforms.translation[rows], transforms.rotation[rows], transforms.scale[rows]

    def _weights(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        morphs = self.world.find(self.entity, Morphs)
        return np.zeros((len(rows), 0), np.float32) if morphs is None else morphs.weights[rows]

    def _clips(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the clip of each actor in `rows`, and the phase of the clip.

        The clip is -1 if no single clip defines the pose.
        """
        playback, arrays = self.world.get(self.entity, Playback), self.character.motions.arrays
        motion = arrays.motion[playback.motion[rows, 0]]
        clips = arrays.member["clip"][motion["first_member"]]
        alone = (playback.slot_count[rows] == 1) & (motion["parameter_x"] < 0)
        if not {*self.world.pose_systems(self.entity)} <= BY_CLIPS:
            alone[:] = False
        return np.where(alone, clips, -1).astype(np.int32), playback.phase[rows, 0]

    def _poses(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the local poses [n, joint x 10] of the actors `rows`, with ten numbers per joint."""
        if {*self.world.pose_systems(self.entity)} <= BY_LAYERS:
            return pose_rows(local_poses(self.world, self.entity, rows))
        poses, shear = corrected_poses(self.world, self.entity, rows, self._joints)
        self.shear = max(self.shear, shear)
        return poses

    @cached_property
    def _joints(self) -> PaletteJoints:
        return PaletteJoints.of(self.character.rig.skeleton)


@contextmanager
def recorded(world: World, crowds: Sequence[int], frames: int, path: Path) -> Iterator[list[RecordedCrowd]]:
    """Record crowds over `frames` frames. The first frame contains the current state of the world.

    The world takes one step of the scene before each further frame. During the recording, the data are in temporary
    files next to `path`. Raises InputError for disk errors.
    """
    dt = 1 / stage_of(world).frame_rate
    with ExitStack() as files:
        found = [files.enter_context(RecordedCrowd.of(world, entity, path)) for entity in crowds]
        posed = any(own.wants_poses for own in found)
        for frame in frames_with_progress(frames, "recording"):
            if frame:
                world.step(dt, posed=posed)
            for own in found:
                own.take()
        yield found
