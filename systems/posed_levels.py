"""Levels of detail of crowds whose poses the CPU computes.

A scene can request levels of detail. A window can use levels of detail to keep its frame rate.
"""

from collections import defaultdict
from collections.abc import Callable

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.components.baked import Detail
from ecs_anim.components.character import Character
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.impostors.posed_impostors import PicturedDraw
from ecs_anim.gl.model.crowd import CrowdDraw, Drawable
from ecs_anim.gl.model.levelled_crowd import LevelledDraw
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.levels.posed import LevelMemory, PosedLevels
from ecs_anim.systems.posed_impostors import PosedSheets


class PosedLevelling:
    """The levels of detail of all rigs that were drawn with levels of detail.

    `model` is a function that returns the GPU buffers of a level of detail.
    """

    def __init__(self, model: Callable[[Rig, int, Method], ModelBuffers], capabilities: Capabilities) -> None:
        self._model, self._capabilities = model, capabilities
        self._sheets = PosedSheets(model)
        self._known: dict[Rig, PosedLevels] = {}
        # by entity, and whether actors fade in or out
        self._memories: dict[tuple[int, bool], LevelMemory] = defaultdict(LevelMemory)

    def levelled(self, world: World, entity: int, draw: CrowdDraw, pixel_error: float | None) -> Drawable:
        """Return the draw call data of the crowd with meshes of coarser levels of detail.

        The limit of the geometric error is `pixel_error` or the scene's limit, whichever is larger.

        The method does not change the draw call data of these crowds:

        - crowds without a limit
        - bones
        - crowds with dual quaternions, because the error bound is valid only for linear skinning
        - crowds with morph weights below 0 or above 1, because the bounding balls do not contain the shapes with such
          weights

        Actors that fade in or out are not drawn as impostors, because an impostor always covers all of its pixels.
        """
        detail, character = world.find(entity, Detail), world.find(entity, Character)
        told = None if detail is None else detail.pixel_error
        allowed = [error for error in (pixel_error, told) if error is not None]
        if not allowed or character is None or not (draw.actor_count and _is_bounded_skin(draw)):
            return draw
        rig = character.rig
        if not rig.meshes:
            return draw
        if rig not in self._known:
            self._known[rig] = PosedLevels.of(rig)
        models = [self._model(rig, level, draw.skinning) for level in range(rig.level_count)]
        memory = self._memories[entity, draw.coverage is not None]
        levelled = draw, self._known[rig], models, max(allowed), character.level, memory
        is_pictured = detail is not None and detail.impostors and draw.coverage is None
        sheet = self._sheets.of(world, rig, self._capabilities) if is_pictured else None
        return LevelledDraw(*levelled) if sheet is None else PicturedDraw(*levelled, sheet=sheet)

    def forget_pictures(self) -> None:
        """Forget the levels of detail in earlier pictures.

        The next picture then does not depend on earlier pictures.
        """
        self._memories.clear()

    def forget(self) -> None:
        """Free all levels of detail and all sheets."""
        self._known.clear()
        self._sheets.forget()
        self.forget_pictures()


def _is_bounded_skin(draw: CrowdDraw) -> bool:
    weights = draw.morph_weights
    is_within = weights is None or not weights.size or bool(weights.min() >= 0 and weights.max() <= 1)
    return draw.caster is not None and draw.skinning == "linear" and is_within
