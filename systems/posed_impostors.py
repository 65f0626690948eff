"""Impostors of actors whose poses the CPU computes.

If a crowd uses impostors, its rig has one sheet of pictures. Crowds with the same rig use the same sheet.
"""

from collections.abc import Callable

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.components.baked import Baked, Detail
from ecs_anim.components.character import Character
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.impostors.atlas import max_rows
from ecs_anim.gl.impostors.posed_impostors import Sheet
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.levels.posed_impostors import CELL, MEMORY, plan_posed_impostors


class PosedSheets:
    """The impostor sheets of the rigs in a world.

    `model` is a function that returns the GPU buffers of a level of detail.
    """

    def __init__(self, model: Callable[[Rig, int, Method], ModelBuffers]) -> None:
        self._model = model
        self._sheets: dict[Rig, Sheet | None] = {}

    def of(self, world: World, rig: Rig, capabilities: Capabilities) -> Sheet | None:
        """Return the sheet of a rig. The sheet shows poses from all clips in `pictured_clips`.

        If impostors are impossible for the rig, return None.
        """
        if rig not in self._sheets:
            plan = plan_posed_impostors(rig, pictured_clips(world, rig), max_rows(capabilities, CELL, MEMORY))
            if plan is None:
                self._sheets[rig] = None
            else:
                self._sheets[rig] = Sheet(plan, self._model(rig, plan.impostors.level, "linear"), capabilities)
        return self._sheets[rig]

    def forget(self) -> None:
        """Free all sheets."""
        for sheet in self._sheets.values():
            if sheet is not None:
                sheet.free()
        self._sheets.clear()


def pictured_clips(world: World, rig: Rig) -> list[Clip]:
    """Return the clips of all crowds that have this rig and use impostors. Each clip appears once."""
    found: dict[Clip, None] = {}
    for entity, (character, detail) in world.query(Character, Detail):
        if character.rig is rig and detail.impostors and world.find(entity, Baked) is None:
            found |= dict.fromkeys(character.motions.clips)
    return list(found)
