"""All that is known of a character's levels of detail, worked out once when it is loaded."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.bake.bake import Bake
from ecs_anim.levels.bounds import animated_bounds
from ecs_anim.levels.error import Comparison, sample_palettes
from ecs_anim.levels.joints import Binding, Entries, drop_joints, used_entries

POSES, FEWER = 64, 4  # in which joints are let go; every fourth of them for comparing surfaces
JOINT_SHARE = 1.0  # of a level's error: how far joints that are let go may move a vertex


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of detail, finest first, and balls that hold the character."""

    meshes: tuple[tuple[Mesh, ...], ...]  # [level], bound to the level's entries
    entries: tuple[Entries, ...]  # [level], palette entries in use; each level's are among those of the one before
    errors: NDArray[np.float32]  # [level] f32, [rig units], how far from the finest; 0 first, never falling
    bounds: NDArray[np.float32]  # [clip_count + 1, 4] f32, centre and radius [rig units]; the last for all poses
    has_impostors: bool = False  # the last level has no meshes, and shows pictures: levels/impostors.py

    @property
    def count(self) -> int:
        return len(self.meshes)

    @property
    def last_mesh(self) -> int:
        """The coarsest level with meshes."""
        return self.count - 1 - self.has_impostors


def build_levels(rig: Rig, bake: Bake, only: int | None = None) -> Levels:
    """Return the levels of a rig's meshes, or only one of them, under the clips of its bake.

    Raises ValueError for a rig without meshes.
    """
    if not rig.meshes:
        raise ValueError(f"rig {rig.name!r} has no meshes")
    palettes = sample_palettes(bake, POSES)
    binding = Binding.whole(rig.skeleton)
    first, *coarser = range(rig.level_count) if only is None else (only,)
    finest = tuple(binding.bind(mesh) for mesh in rig.level(first))
    meshes, errors = [finest], [0.0]
    for number in coarser:
        level = rig.level(number)
        beside = Comparison(finest, level, palettes[::FEWER])
        binding = drop_joints(binding, level, palettes, JOINT_SHARE * beside.error(level))
        meshes.append(tuple(binding.bind(mesh) for mesh in level))
        errors.append(beside.error(meshes[-1]))
    entries = _nested([used_entries(level) for level in meshes])
    worst = np.maximum.accumulate(np.array(errors, np.float32))
    return Levels(tuple(meshes), entries, worst, animated_bounds(bake, finest))


def _nested(entries: list[Entries]) -> tuple[Entries, ...]:
    """Each level's with those of all coarser ones."""
    return tuple(np.unique(np.concatenate(entries[number:])) for number in range(len(entries)))
