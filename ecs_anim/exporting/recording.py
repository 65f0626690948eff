"""Recording of the actors of a world, frame by frame, while the world is stepped."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

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
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.systems.joints import model_joints
from ecs_anim.systems.poses import local_poses
from ecs_anim.systems.queries import stage_of, who_is_there

PLACE = 10  # numbers of a row before the weights: translation 3, rotation 4, scale 1, clip 1, phase 1
POSE = 10  # of a joint: translation 3, rotation 4, scale 3
AT_ONCE = 2048  # actors whose poses are in memory together
# Systems that leave a pose as clips have it; layers are on top of clips.
BY_CLIPS = {"sampling", "morphs", "model_matrices", "skin_palettes", "foot_contacts", "foot_measures"}
BY_LAYERS = BY_CLIPS | {"layers"}


class Look(NamedTuple):
    """How an actor looks."""

    variant: int  # which of several textures or figures
    tint: tuple[float, ...]  # linear RGBA, multiplies the base colour


@dataclass
class RecordedCrowd:
    """A crowd and its actors so far; actors are numbered in the order of their arrival."""

    world: World
    entity: int
    name: str
    character: Character
    places: ActorRows  # where they are, the clip that they play alone or -1, its phase, and weights of morph targets
    poses: ActorRows  # in frames where they do not play one clip alone
    ids: list[int] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    shear: float = 0.0  # [model units], by how much local matrices were more than turned, moved and scaled
    _numbers: dict[int, int] = field(default_factory=dict)  # by id

    @classmethod
    @contextmanager
    def of(cls, world: World, entity: int, path: Path) -> Iterator[Self]:
        """An empty one, for as long as the block lasts. Raises InputError where the disk says no."""
        character, morphs = world.get(entity, Character), world.find(entity, Morphs)
        weights = 0 if morphs is None else len(morphs.targets)
        joints = character.rig.skeleton.joint_count
        with actor_rows(PLACE + weights, path) as places, actor_rows(POSE * joints, path) as poses:
            yield cls(world, entity, world.get(entity, Crowd).name, character, places, poses)

    @property
    def skinning(self) -> Method:
        """How vertices follow joints."""
        palette = self.world.find(self.entity, Palette)
        return "linear" if palette is None else palette.method

    @property
    def wants_poses(self) -> bool:
        """Whether each step has to pose the crowd."""
        return not {*self.world.pose_systems(self.entity)} <= BY_LAYERS - {"morphs"}

    def take(self) -> None:
        """The crowd as it is now. Raises InputError where the disk says no."""
        rows = self._there()
        actors = self._numbered(rows)
        clips, phases = self._clips(rows)
        self.places.append(actors, np.column_stack([*self._places(rows), clips, phases, self._weights(rows)]))
        posed = np.flatnonzero(clips < 0)
        for_each = np.array_split(rows[posed], -(-len(posed) // AT_ONCE)) if len(posed) else []
        found = [np.zeros((0, self.poses.width), np.float32), *map(self._poses, for_each)]
        self.poses.append(actors[posed], np.concatenate(found))

    def _there(self) -> NDArray[np.int32]:
        """Return the rows of actors that are shown."""
        return np.flatnonzero(who_is_there(self.world, self.entity)).astype(np.int32)

    def _numbered(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Numbers of actors; newcomers get theirs, and keep the look that they come with."""
        ids = self.world.get(self.entity, Crowd).ids[rows].tolist()
        look = self.world.get(self.entity, Appearance)
        for row, own in zip(rows.tolist(), ids, strict=True):
            if own not in self._numbers:
                self._numbers[own] = len(self.ids)
                self.ids.append(own)
                variant = 0 if look.variant is None else int(look.variant[row])
                self.looks.append(Look(variant, tuple(look.tint[row].tolist())))
        return np.array([self._numbers[own] for own in ids], np.int32)

    def _places(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.float32], ...]:
        transforms = self.world.get(self.entity, Transforms)
        return transforms.translation[rows], transforms.rotation[rows], transforms.scale[rows]

    def _weights(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        morphs = self.world.find(self.entity, Morphs)
        return np.zeros((len(rows), 0), np.float32) if morphs is None else morphs.weights[rows]

    def _clips(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The clip that each actor plays and nothing else, -1 = none such, and its phase."""
        playback, arrays = self.world.get(self.entity, Playback), self.character.motions.arrays
        motion = arrays.motion[playback.motion[rows, 0]]
        clips = arrays.member["clip"][motion["first_member"]]
        alone = (playback.slot_count[rows] == 1) & (motion["parameter_x"] < 0)
        if not {*self.world.pose_systems(self.entity)} <= BY_CLIPS:
            alone[:] = False
        return np.where(alone, clips, -1).astype(np.int32), playback.phase[rows, 0]

    def _poses(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Local poses [n, joint x 10]."""
        if {*self.world.pose_systems(self.entity)} <= BY_LAYERS:
            pose = local_poses(self.world, self.entity, rows)
        else:
            pose = self._corrected(rows)
        return np.concatenate([pose.translation, pose.rotation, pose.scale], axis=-1).reshape(-1, self.poses.width)

    def _corrected(self, rows: NDArray[np.int32]) -> Pose:
        """Return the local poses of the joints: rig-space joints relative to their parents."""
        local = model_joints(self.world, self.entity, rows)
        parents = self.character.rig.skeleton.parents
        hanging = np.flatnonzero(parents >= 0)
        local[:, hanging] = affine.multiply(affine.inverse(local[:, parents[hanging]]), local[:, hanging])
        pose = Pose.from_matrix(local)
        self.shear = max(self.shear, float(np.abs(pose.to_matrix() - local).max(initial=0)))
        return pose


@contextmanager
def recorded(world: World, crowds: Sequence[int], frames: int, path: Path) -> Iterator[list[RecordedCrowd]]:
    """Record crowds over `frames` frames: first the world as it is, then one step of the scene for each frame.

    The recorded data lie in temporary files beside `path`. Raises InputError for disk errors.
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
