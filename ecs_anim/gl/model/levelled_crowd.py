"""A crowd whose palettes the CPU makes, drawn without who is not seen and with coarser meshes for who is far."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.model.crowd import CrowdDraw, GroundBelow
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.part import Part
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.levels.posed import Chosen, LevelMemory, PosedLevels, choose
from ecs_anim.view.cull_view import CullView
from ecs_anim.view.sun_fit import SunFit


class LevelledDraw:
    """For one picture. `models` are all levels', of which those before `finest` are not drawn.

    `memory` knows the levels of the picture before and is told this one's; None = this is the first.
    """

    in_front = False

    def __init__(
        self,
        whole: CrowdDraw,
        levels: PosedLevels,
        models: Sequence[ModelBuffers],
        pixel_error: float,
        finest: int = 0,
        memory: LevelMemory | None = None,
    ) -> None:
        if whole.skinning != "linear":
            raise ValueError(f"levels are of linear skinning (got {whole.skinning!r})")
        self._whole, self._levels, self._models = whole, levels, tuple(models)
        self._pixel_error, self._finest = pixel_error, finest
        self._memory = memory
        self._chosen: Chosen | None = None

    @property
    def shadow_radius(self) -> float:
        return self._whole.shadow_radius

    @property
    def ground_below(self) -> GroundBelow:
        return self._whole.ground_below

    @property
    def casts_shadow(self) -> bool:
        return self._whole.casts_shadow

    @property
    def ids(self) -> NDArray[np.int64] | None:
        return self._whole.ids

    def check(self) -> None:
        self._whole.check()

    def prepare(self, view: CullView, sun: SunFit | None) -> None:
        """Choose who is drawn, and how finely."""
        whole = self._whole
        bounds = self._levels.bounds(whole.instances, whole.palettes)
        memory, ids = self._memory, whole.ids
        before = memory.of(ids) if memory is not None and ids is not None else None
        chosen = choose(self._levels, bounds, whole.instances[:, 3], view, self._pixel_error, before)
        self._chosen = self._revised(chosen, before)
        if memory is not None and ids is not None:
            memory.keep(ids, self._chosen.levels)

    def _revised(self, chosen: Chosen, before: NDArray[np.intp] | None) -> Chosen:
        """The choice, or another one of somebody who knows how to draw it."""
        return chosen

    def _standing_rows(self) -> NDArray[np.intp]:
        """Whoever is seen."""
        return np.sort(np.concatenate(self._rows.seen))

    def shown(self, stream: CrowdStream) -> Iterator[Part]:
        for level, rows in enumerate(self._rows.seen):
            if len(rows):
                model = self._models[max(level, self._finest)]
                yield from stream.upload(self._whole.only(rows).posed, model)

    def casting(self, stream: CrowdStream) -> Iterator[Part]:
        if len(self._rows.casting):
            yield from self._whole.only(self._rows.casting).casting(stream)

    def standing(self, stream: CrowdStream) -> Iterator[Part]:
        return self._whole.only(self._standing_rows()).standing(stream)

    def posed_past(self) -> Callable[[], None] | None:
        return None

    @property
    def _rows(self) -> Chosen:
        assert self._chosen is not None, "`prepare` comes first"
        return self._chosen
