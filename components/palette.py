"""Palette: the component with a crowd's skin matrices for the GPU."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import LAYOUTS, METHODS, Method
from ecs_anim.ecs.bounds import FINITE, Beside, Index, OneOf
from ecs_anim.ecs.column_memory import RowMemory
from ecs_anim.ecs.columns import Column, Kept, Lengths
from ecs_anim.runtime.short_palette import Bits

CACHE, ALIGNMENT = 10 << 20, 16  # [byte]; see docs/decisions/palettes-past-the-caches.md
MOST_STREAMED = 64  # palette entries of an actor; the entries of eight actors must fit in the fastest cache


@dataclass
class Palette:
    """The skin matrices of each actor in rig units, or the palette entries of another skinning method.

    Palettes are large, and every step computes all palettes again. Therefore, the removal of actors does not sort the
    palettes in the array `made`. When actors move to other rows, only the column `source` changes. The property
    `matrices` first sorts the palettes, and then returns the palettes in the order of the actors.

    Written by: the system `skin_palettes`, the schedule (only by `renew`), and `systems.skinning` (only `method`). Read
    by: the drawing code.
    """

    # [row_count, palette_count, 3, 4] f32, model matrix x inverse bind matrix; other methods have other last axes
    made: Annotated[Kept[NDArray[np.float32]], FINITE, Lengths(0, 2)]
    # [actor_count] i32, the actor's row in `made`; -1 = no palette yet; None = the crowd is hybrid
    source: Annotated[Column[np.int32], Index("made", or_none=True)] | None
    # skinning method; `ecs_anim.assets.skinning.LAYOUTS` describes the palette entries
    method: Annotated[Kept[Method], OneOf(METHODS)] = "linear"
    bits: Bits = 32  # size of a number on the GPU; 16 = `ecs_anim.runtime.short_palette` converts the numbers
    _sorted: NDArray[np.int32] | None = field(default=None, init=False, repr=False)  # the array `source` after sorting
    _streamed: tuple[NDArray[np.float32] | None, bool] = field(default=(None, False), init=False, repr=False)
    _memory: RowMemory = field(default_factory=RowMemory, init=False, repr=False)  # memory of `made`

    @property
    def matrices(self) -> NDArray[np.float32]:
        """The palettes of the last step, [actor_count, palette_count, rows, 4] f32.

        Actors that joined after the last step have palettes of zeros.

        In a hybrid crowd, only near actors have palettes, and the first axis is the palette row.
        """
        self.sort()
        return self.made

    @property
    def is_streamed(self) -> bool:
        """True if kernels can write the array `made` to memory without the CPU caches.

        Three conditions must hold: the array is larger than the caches, an actor has few palette entries, and the
        memory of the array is aligned.
        """
        made, is_streamed = self._streamed
        if made is not self.made:  # The result is stored, because reading the address of an array is slow.
            made, is_short = self.made, self.made.shape[1] <= MOST_STREAMED
            is_streamed = is_short and made.nbytes > CACHE and made.ctypes.data % ALIGNMENT == 0
            self._streamed = made, is_streamed
        return is_streamed

    @property
    def is_sorted(self) -> bool:
        """True if the palettes in `made` are in the order of the actors.

        When actors join or leave, the crowd gets a new array `source`. The palettes are then no longer sorted.
        """
        return self.source is self._sorted

    def renew(self) -> None:
        """Prepare the array `made` for a step that writes all palettes.

        The palettes of the previous step stay unsorted, because the new step overwrites all of them.
        """
        if self.source is not None and not self.is_sorted:
            self.made = self._memory.resize(self.made, len(self.source))
            self._set_sorted(self.source)

    def clear_all_but(self, rows: NDArray[np.int32]) -> None:
        """Set all palettes to 0, except the palettes of the actors in `rows`."""
        others = np.ones(len(self.made), np.bool_)
        others[rows] = False
        self.made[others] = 0

    def sort(self) -> None:
        """Sort the rows of `made`, so that the palettes are in the order of the actors."""
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
        """Return a message if the shape of a palette entry does not fit the skinning method.

        If there is no error, return ''.
        """
        rows = LAYOUTS[self.method].rows
        if self.made.shape[2] != rows:
            return f"{self.method} skinning must have {rows} rows per entry (got {self.made.shape[2]})"
        if self.source is None and self.method != "linear":
            return "the skinning method must be linear, because the GPU computes the poses of the crowd"
        return ""

    def _set_sorted(self, source: NDArray[np.int32]) -> None:
        source[:] = np.arange(len(source), dtype=np.int32)
        self._sorted = source
