"""Drawing of props: static objects that are drawn as crowds with one palette entry."""

from collections.abc import Sequence

import numpy as np

from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.levelled_crowd import LevelledDraw
from ecs_anim.levels.posed import PosedLevels
from ecs_anim.maths import affine
from ecs_anim.rigs.props import Props
from ecs_anim.systems.uploaded_models import UploadedModels


class PropDraws:
    """The draw call data of all props of one world. The data do not change from picture to picture."""

    def __init__(self, models: UploadedModels) -> None:
        self._models = models
        self._known: dict[Props, tuple[CrowdDraw, PosedLevels]] = {}

    def draws(self, props: Sequence[Props], pixel_error: float | None = None) -> list[LevelledDraw]:
        """Return the draw call data of `props`. The renderer draws only the visible copies.

        The geometric error of coarser levels of detail is at most `pixel_error`. By default, the copies have the finest
        level.
        """
        return [self._draw(own, pixel_error or 0.0) for own in props]

    def forget(self) -> None:
        """Forget the props of a world."""
        self._known.clear()

    def _draw(self, own: Props, pixel_error: float) -> LevelledDraw:
        levels = range(own.model.level_count)
        models = [self._models.level(own.model, level, "linear") for level in levels]
        if own not in self._known:
            palettes = np.tile(affine.IDENTITY.astype(np.float32), (own.copy_count, 1, 1, 1))
            draw = CrowdDraw(models[0], own.instances, palettes, own.shadow_radius, contacts=own.contacts)
            self._known[own] = draw, PosedLevels.of(own.model)
        draw, posed = self._known[own]
        return LevelledDraw(draw, posed, models, pixel_error)
