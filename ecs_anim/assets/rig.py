"""Rigs. A rig is a skeleton with its meshes and its clips."""

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NoReturn, Self

from ecs_anim.assets.avatar import Avatar
from ecs_anim.assets.clip import Clip
from ecs_anim.assets.figures import Figure
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.morphs import NO_TARGETS, MorphTargets
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths.transform import Pose
from ecs_anim.support.arguments import unknown
from ecs_anim.support.checked import checked, checked_fields


class Clips(dict[str, Clip]):
    """A mapping from clip names to clips. The error message for an unknown name suggests the most similar name."""

    def __missing__(self, name: str) -> NoReturn:
        raise unknown("clip", name, self)


@checked_fields
@dataclass(frozen=True, eq=False)
class Rig:
    """A loaded character. A rig is immutable. Several crowds can share one rig."""

    name: str
    skeleton: Skeleton
    meshes: tuple[Mesh, ...]  # meshes of all levels of detail
    clips: Mapping[str, Clip]  # in the file's order
    morph_targets: MorphTargets = NO_TARGETS  # morph targets of all meshes
    ignored_extensions: tuple[str, ...] = ()  # extensions of its file that the loader did not read
    # Figures of the meshes; empty = all actors have one shape.
    figures: tuple[Figure, ...] = ()
    extensions: tuple[str, ...] = ()  # glTF extensions that its file uses
    avatar: Avatar | None = None  # avatar data of a VRM file

    def __post_init__(self) -> None:
        object.__setattr__(self, "clips", Clips(self.clips))
        counts = {0 if mesh.figures is None else len(mesh.figures.positions) for mesh in self.meshes}
        if counts - {0, len(self.figures)}:
            got = ", ".join(map(str, sorted(counts)))
            raise ValueError(
                f"each mesh of a rig must have all {len(self.figures)} figures (body shapes) of the rig, or none (got"
                f" meshes with {got} figures)"
            )

    @property
    def level_count(self) -> int:
        """Return the number of levels of detail."""
        return 1 + max((mesh.level for mesh in self.meshes), default=0)

    @property
    def variant_count(self) -> int:
        """Return the number of texture images among which an actor's variant number selects.

        If no mesh has texture variants, return the number of figures. For a rig without texture variants and without
        figures, return 0.
        """
        return min((mesh.variant_count for mesh in self.meshes if mesh.variant_count), default=len(self.figures))

    def __repr__(self) -> str:
        parts = f"{self.skeleton.joint_count} joints, {len(self.meshes)} meshes, {len(self.clips)} clips"
        return f"<Rig {reprlib.repr(self.name)}: {parts}>"

    @checked
    def posed(self, pose: Pose) -> Self:
        """Return a copy of the rig with `pose` [joint] as its rest pose, and without clips.

            ea.render(rig.posed(rig.clips["walk"].sample(0.4)))

        Raises ValueError if the number of joints in `pose` differs from the number of joints in the rig.
        """
        return replace(self, skeleton=replace(self.skeleton, rest_pose=pose), clips={})

    @checked
    def level(self, level: int) -> tuple[Mesh, ...]:
        """Return the meshes of the level of detail `level`. Level 0 is the finest.

        If `level` is above the last level, return the meshes of the last level.
        """
        level = min(level, self.level_count - 1)
        return tuple(mesh for mesh in self.meshes if mesh.level == level)
