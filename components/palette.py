"""Skinning palettes, which the GPU reads."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import LAYOUTS, METHODS, Method
from ecs_anim.ecs.bounds import FINITE, Beside, Index, OneOf
from ecs_anim.ecs.column_memory import RowMemory
from ecs_anim.ecs.columns import Column, Kept, Lengths
from ecs_anim.runtime.short_palette import Bits

CACHE, ALIGNMENT = 10 << 20, 16  # bytes; see docs/decisions/palettes-past-the-caches.md
MOST_STREAMED = 64  # entries an actor: eight actors' have to stay in the nearest cache until they are written


@dataclass
class Palette:
    """Skin matrices of every actor, in the rig's own units, or the entries of another skinning method.

    Palettes are large, and the next step computes them anew. When actors are added or removed, palettes therefore stay
    in place: `source` moves with the actors, and `matrices` sorts the palettes for a reader before the next step.
    Written by: skin palettes; the schedule (`renew`); `systems.skinning` changes the method. Read by: drawing.
    """

    # [row_count, palette_count, 3, 4] f32, model x inverse bind; else as many rows as the method's layout has
    made: Annotated[Kept[NDArray[np.float32]], FINITE, Lengths(0, 2)]
    # [actor_count] i32, row of `made`, -1 = none yet; None = of a hybrid crowd
    source: Annotated[Column[np.int32], Index("made", or_none=True)] | None
    # what an entry holds: `ecs_anim.assets.skinning.LAYOUTS`
    method: Annotated[Kept[Method], OneOf(METHODS)] = "linear"
    bits: Bits = 32  # 16: numbers travel to the GPU as `ecs_anim.runtime.short_palette` packs them
    _sorted: NDArray[np.int32] | None = field(default=None, init=False, repr=False)  # `source` while it is 0, 1, 2...
    _streamed: tuple[NDArray[np.float32] | None, bool] = field(default=(None, False), init=False, repr=False)
    _memory: RowMemory = field(default_factory=RowMemory, init=False, repr=False)  # of `made`

    @property
    def matrices(self) -> NDArray[np.float32]:
        """Return palettes [actor_count, palette_count, rows, 4] f32 of the last step; 0 for actors added since then.

        In a hybrid crowd, the first axis is the palette row of the near actors.
        """
        self.sort()
        return self.made

    @property
    def is_streamed(self) -> bool:
        """Whether it is too large for caches, so that it had better be written past them, and may be."""
        made, is_streamed = self._streamed
        if made is not self.made:  # asking an array for its address takes a while
            made, is_short = self.made, self.made.shape[1] <= MOST_STREAMED
            is_streamed = is_short and made.nbytes > CACHE and made.ctypes.data % ALIGNMENT == 0
            self._streamed = made, is_streamed
        return is_streamed

    @property
    def is_sorted(self) -> bool:
        """Whether `made` has a row for each actor, in their order; population puts another `source`."""
        return self.source is self._sorted

    def renew(self) -> None:
        """All rows are about to be written: what they hold need not be sorted."""
        if self.source is not None and not self.is_sorted:
            self.made = self._memory.resize(self.made, len(self.source))
            self._set_sorted(self.source)

    def clear_all_but(self, rows: NDArray[np.int32]) -> None:
        """Set the palettes of all rows but these to 0."""
        others = np.ones(len(self.made), np.bool_)
        others[rows] = False
        self.made[others] = 0

    def sort(self) -> None:
        """Give each actor the row of `made` that is the actor's own."""
        source = self.source
        if source is None or self.is_sorted:
            return
        rows = np.flatnonzero(source != np.arange(len(source), dtype=np.int32))
        known = source[rows] >= 0
        moved = np.zeros((len(rows), *self.made.shape[1:]), np.float32)
        moved[known] = self.made[source[rows[known]]]
        self.made = self._memory.resize(self.made, len(source))
        self.made[rows] = moved
        self._set_sorted(source)

    def flaw(self, beside: Beside) -> str:
        """Describe a mismatch between the rows of an entry and the skinning method; empty if there is none."""
        rows = LAYOUTS[self.method].rows
        if self.made.shape[2] != rows:
            return f"{self.method} skinning has {rows} rows an entry (got {self.made.shape[2]})"
        if self.source is None and self.method != "linear":
            return "the GPU poses this crowd, and skins it linearly"
        return ""

    def _set_sorted(self, source: NDArray[np.int32]) -> None:
        source[:] = np.arange(len(source), dtype=np.int32)
        self._sorted = source
