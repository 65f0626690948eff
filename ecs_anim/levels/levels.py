"""Levels of detail of a character. The program computes these data once, after the character is loaded."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.bake.bake import Bake
from ecs_anim.levels.bounds import animated_bounds
from ecs_anim.levels.error import Comparison, sample_palettes
from ecs_anim.levels.joints import Binding, Entries, drop_joints, used_entries

# number of poses for the reduction of joints; the measurement of surface distances uses every fourth of these poses
POSES, FEWER = 64, 4
JOINT_SHARE = 1.0  # largest vertex movement that the removal of joints can cause, as a fraction of the level's error


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of detail of a character, finest level first, and the bounding spheres of the character."""

    meshes: tuple[tuple[Mesh, ...], ...]  # [level]; meshes use only the palette entries of their level
    # [level], used palette entries; each level uses a subset of the entries of the next finer level.
    entries: tuple[Entries, ...]
    errors: NDArray[np.float32]  # [level] f32, [rig units], distance from the finest level; 0 first, never decreasing
    # [clip_count + 1, 4] f32, centre and radius [rig units]; the last row is valid for all poses.
    bounds: NDArray[np.float32]
    has_impostors: bool = False  # whether the last level has impostors and no meshes: levels/impostors.py

    @property
    def count(self) -> int:
        return len(self.meshes)

    @property
    def last_mesh(self) -> int:
        """Return the number of the coarsest level that has meshes."""
        return self.count - 1 - self.has_impostors


def build_levels(rig: Rig, bake: Bake, only: int | None = None) -> Levels:
    """Return the levels of detail of a rig that plays the clips in `bake`.

    If `only` is given, return only the level with the number `only`. Raises ValueError for a rig without meshes.
    """
    if not rig.meshes:
        raise ValueError(f"rig {rig.name!r} must have at least one mesh. Load a model with meshes.")
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
    """For each level, return the palette entries of this level and of all coarser levels."""
    return tuple(np.unique(np.concatenate(entries[number:])) for number in range(len(entries)))
