"""The levels of detail of baked and hybrid crowds: their meshes, their errors and their impostor pictures."""

from dataclasses import replace
from typing import NamedTuple, Self

from ecs_anim.assets.influences import limit_influences
from ecs_anim.assets.mesh import SET
from ecs_anim.assets.rig import Rig
from ecs_anim.bake.bake import Bake
from ecs_anim.components.baked import Baked, Detail
from ecs_anim.components.character import Character
from ecs_anim.levels.impostors import Impostors, plan_impostors, with_impostors
from ecs_anim.levels.levels import Levels, build_levels


class BakedLook(NamedTuple):
    """The properties of a crowd that determine its meshes and its impostors."""

    rig: Rig
    bake: Bake
    level: int | None  # None = all levels of detail
    influences: int
    has_impostors: bool = False  # true = the crowd uses impostors if the rig supports them

    @classmethod
    def of(cls, character: Character, baked: Baked, detail: Detail | None) -> Self:
        """Return the properties of a crowd. A crowd with the shader "classic" has only one level of detail."""
        own = detail if not baked.is_classic else None
        level = None if own is not None else character.level
        return cls(character.rig, baked.bake, level, baked.influences, own is not None and own.impostors)

    def levels(self, max_rows: int) -> tuple[Levels, Impostors | None]:
        """Return the levels of detail of the meshes, and the plan of the impostor pictures.

        The plan has at most `max_rows` rows of pictures. At most `influences` joints move each vertex.
        """
        levels = build_levels(self.rig, self.bake, self.level)
        if self.influences < SET:
            limited = tuple(tuple(limit_influences(mesh, self.influences) for mesh in own) for own in levels.meshes)
            levels = replace(levels, meshes=limited)
        plan = plan_impostors(levels, self.bake, max_rows) if self.has_impostors else None
        return levels if plan is None else with_impostors(levels, plan), plan
