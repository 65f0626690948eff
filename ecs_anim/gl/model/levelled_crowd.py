"""Drawing of a crowd whose palettes the CPU computes, with culling and levels of detail."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.model.crowd import CrowdDraw, GroundBelow
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.part import Part
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.levels.posed import Chosen, LevelMemory, PosedLevels, choose
from ecs_anim.view.cull_view import CullView
from ecs_anim.view.sun_fit import SunFit


@dataclass(eq=False)
class LevelledDraw:
    """A crowd with levels of detail in one picture. Raises ValueError if the skinning method is not linear."""

    whole: CrowdDraw
    levels: PosedLevels
    models: Sequence[ModelBuffers]  # models of all levels
    pixel_error: float  # [pixel], largest allowed error of a coarser mesh in the picture
    finest: int = 0  # finest level that is drawn
    memory: LevelMemory | None = None  # levels of the actors in the previous picture; None = no previous picture

    in_front: ClassVar[bool] = False
    _chosen: Chosen | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.whole.skinning != "linear":
            raise ValueError(
                f"detail levels need linear skinning (got {self.whole.skinning!r}). Use skinning = 'linear'."
            )

    @property
    def shadow_radius(self) -> float:
        return self.whole.shadow_radius

    @property
    def ground_below(self) -> GroundBelow:
        return self.whole.ground_below

    @property
    def casts_shadow(self) -> bool:
        return self.whole.casts_shadow

    @property
    def ids(self) -> NDArray[np.int64] | None:
        return self.whole.ids

    def check(self) -> None:
        self.whole.check()

    def prepare(self, view: CullView, sun: SunFit | None) -> None:
        """Choose the visible actors and their levels of detail."""
        whole = self.whole
        bounds = self.levels.bounds(whole.instances, whole.palettes)
        memory, ids = self.memory, whole.ids
        before = memory.of(ids) if memory is not None and ids is not None else None
        chosen = choose(self.levels, bounds, whole.instances[:, 3], view, self.pixel_error, before)
        self._chosen = self._revised(chosen, before)
        if memory is not None and ids is not None:
            memory.keep(ids, self._chosen.levels)

    def _revised(self, chosen: Chosen, before: NDArray[np.intp] | None) -> Chosen:
        """Return the chosen actors without a change. Subclasses override this method to change the choice."""
        return chosen

    def _standing_rows(self) -> NDArray[np.intp]:
        return np.sort(np.concatenate(self._rows.seen))

    def shown(self, stream: CrowdStream) -> Iterator[Part]:
        for level, rows in enumerate(self._rows.seen):
            if len(rows):
                model = self.models[max(level, self.finest)]
                yield from stream.upload(self.whole.only(rows).posed, model)

    def casting(self, stream: CrowdStream) -> Iterator[Part]:
        if len(self._rows.casting):
            yield from self.whole.only(self._rows.casting).casting(stream)

    def standing(self, stream: CrowdStream) -> Iterator[Part]:
        return self.whole.only(self._standing_rows()).standing(stream)

    def posed_past(self) -> Callable[[], None] | None:
        return None

    @property
    def _rows(self) -> Chosen:
        assert self._chosen is not None, "call `prepare` first"
        return self._chosen
