"""A rig that a user poses with sliders: two clips, their blend weight, a time, and rotations of joints."""

import math
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.blending import blend
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.maths.quaternion import from_axis_angle, multiply
from ecs_anim.maths.transform import Pose
from ecs_anim.rigs.exposed import Part, exposed
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.studio import points_of, studio_of
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.skinning import entries_of

NO_TURN = (0.0, 0.0, 0.0)

Turn = tuple[float, float, float]  # [degrees], rotations about the x, y and z axes of a joint


@dataclass
class RigPose:
    """Settings that select a pose of a rig. Without clips, the rig is in its rest pose."""

    rig: Rig
    clip: str = ""
    second: str = ""  # clip that is blended in; "" = none
    weight: float = 0.0  # 0 to 1, weight of the second clip
    phase: float = 0.0  # 0 to 1, position in both clips
    turns: dict[int, Turn] = field(default_factory=dict)  # by joint, applied after the clips

    @property
    def duration(self) -> float:
        """Return the time [s] in which the phase moves from 0 to 1: the weighted mean of the durations of both clips,
        or 1 without clips.
        """
        first, second = (self.rig.clips[name].duration if name else 0.0 for name in (self.clip, self.second))
        weight = self.weight if self.second else 0.0
        return (1 - weight) * first + weight * second or 1.0

    def advance(self, seconds: float) -> None:
        """Advance the phase by `seconds`. At the end of the clips, the phase continues at 0."""
        self.phase = (self.phase + seconds / self.duration) % 1.0

    def pose(self) -> Pose:
        """Return the pose [joint] of the rig."""
        pose = self._sample(self.clip)
        if self.second and self.weight > 0:
            pose = blend(pose, self._sample(self.second), self.weight)
        rotation = np.array(pose.rotation)
        for joint, turn in self.turns.items():
            rotation[joint] = multiply(rotation[joint], _quaternion(turn))
        return Pose(pose.translation, rotation, pose.scale)

    def _sample(self, name: str) -> Pose:
        if not name:
            return self.rig.skeleton.rest_pose
        clip = self.rig.clips[name]
        return clip.sample(clip.start + self.phase * clip.duration, loop=False)


class RigDesk:
    """Worlds that show a rig in the pose of a `RigPose`. For each part of the rig that the user has selected, there is
    one world.
    """

    def __init__(self, rig: Rig, aspect: float) -> None:
        self.settings = RigPose(rig, next(iter(rig.clips), ""))
        self._points = points_of(exposed(rig, "surface"), list(rig.clips)[:1])
        self._aspect = aspect
        self._worlds: dict[Part, World] = {}
        self.world = self._world_of("surface")
        self.update()

    def show_part(self, part: Part) -> None:
        """Show the surface, the skeleton, the skin weights or the normals of the bind pose. The camera does not
        change.
        """
        world = self._world_of(part)
        stage_of(world).camera = stage_of(self.world).camera
        self.world = world
        self.update()

    def update(self) -> None:
        """Write the pose of the settings to the palette of the shown world."""
        pose = self.settings.pose()
        ((_, (character, palette)),) = self.world.query(Character, Palette)
        skeleton = character.rig.skeleton
        matrices = np.ascontiguousarray(skin_palette(skeleton, pose)[None], np.float32)
        palette.matrices[:] = (
            matrices if keeps_matrices(palette.method) else entries_of(skeleton, matrices, palette.method)
        )

    def close(self) -> None:
        """Close all worlds."""
        for world in self._worlds.values():
            world.close()

    def _world_of(self, part: Part) -> World:
        if part not in self._worlds:
            studio = studio_of(exposed(self.settings.rig, part), aspect=self._aspect, points=self._points)
            self._worlds[part] = load_scene(studio.scene, threads=1)
        return self._worlds[part]


def _quaternion(turn: Turn) -> NDArray[np.floating]:
    """Return the rotation about the x axis, then about the turned y axis, then about the turned z axis."""
    axes = np.eye(3)
    return reduce(
        multiply, [from_axis_angle(axis, math.radians(angle)) for axis, angle in zip(axes, turn, strict=True)]
    )
