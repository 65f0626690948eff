"""Levels of detail of crowds that the CPU poses, for pictures that must be ready in time."""

from collections.abc import Callable

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.components.character import Character
from ecs_anim.ecs.world import World
from ecs_anim.gl.model.crowd import CrowdDraw, Drawable
from ecs_anim.gl.model.levelled_crowd import LevelledDraw
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.levels.posed import PosedLevels


class PosedLevelling:
    """What is known of the levels of each rig that was drawn so; `model` gives a level's buffers."""

    def __init__(self, model: Callable[[Rig, int, Method], ModelBuffers]) -> None:
        self._model = model
        self._known: dict[Rig, PosedLevels] = {}

    def levelled(self, world: World, entity: int, draw: CrowdDraw, pixel_error: float | None) -> Drawable:
        """The same crowd with meshes that may be off by so many pixels; None = as it is.

        So are bones, crowds of dual quaternions, whose skins are not where their matrices' means are, and faces that
        morph targets take farther than by a weight of 0 to 1: balls round them would not hold.
        """
        character = world.find(entity, Character)
        is_skin = draw.caster is not None and draw.skinning == "linear"
        if pixel_error is None or character is None or not draw.actor_count or not (is_skin and _is_bounded(draw)):
            return draw
        rig = character.rig
        if rig not in self._known:
            self._known[rig] = PosedLevels.of(rig)
        models = [self._model(rig, level, draw.skinning) for level in range(rig.level_count)]
        return LevelledDraw(draw, self._known[rig], models, pixel_error, character.level)

    def forget(self) -> None:
        """Of all rigs."""
        self._known.clear()


def _is_bounded(draw: CrowdDraw) -> bool:
    weights = draw.morph_weights
    return weights is None or not weights.size or bool(weights.min() >= 0 and weights.max() <= 1)
