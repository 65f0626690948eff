"""The class `Bake`: a table with all clips of a rig, and the reference implementation that samples the table."""

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.bake.formats import decode
from ecs_anim.bake.measure import BakeError
from ecs_anim.bake.options import BakeOptions
from ecs_anim.bake.row_span import RowSpan, mix
from ecs_anim.bake.spaces import LocalSpace, Space
from ecs_anim.maths.transform import Pose
from ecs_anim.support.arguments import unknown
from ecs_anim.support.array_layouts import Shape
from ecs_anim.support.checked import checked, checked_fields


@dataclass(frozen=True)
class BakedClip:
    """The rows of a clip in the table of a bake, and the properties of the clip in its file."""

    name: str
    span: RowSpan
    first_row: int
    loops: bool  # true = the clip starts again after its end; false = the last pose stays
    error: BakeError
    extras: Mapping[str, object]

    @property
    def rows(self) -> slice:
        """Return the range of table rows that contain the clip."""
        return slice(self.first_row, self.first_row + self.span.interval_count + 1)


@checked_fields
@dataclass(frozen=True, eq=False)
class Bake:
    """A table of rows that contains all clips of a rig.

    A clip number is an index in `Bake.clips`. All arrays are read-only.
    """

    name: str  # name of the rig
    options: BakeOptions
    space: Space
    clips: tuple[BakedClip, ...]
    rows: NDArray[Any]  # [row_count, row_width] f32, f16 or u8
    # The value of a stored code is offset + scale x code. Both arrays have one row for each clip, or no rows in the
    # format f32.
    offset: Annotated[NDArray[np.float32], Shape("range", "column")]
    # in the format u8, a code is the byte divided by 255
    scale: Annotated[NDArray[np.float32], Shape("range", "column")]
    size: float  # [rig units], the character's largest extent
    content: str  # digest of the inputs: `signature.content_key`

    def __repr__(self) -> str:
        rows = f"{len(self.rows)} rows of {self.options.number_format}"
        return f"<Bake {reprlib.repr(self.name)}: {len(self.clips)} clips, {rows}>"

    @property
    def skeleton(self) -> Skeleton:
        return self.space.skeleton

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Return a dictionary from clip name to clip number."""
        return {clip.name: number for number, clip in enumerate(self.clips)}

    @property
    def nbytes(self) -> int:
        """Return the size of the bake on the GPU in bytes: the size of its rows and of its channel ranges."""
        return self.rows.nbytes + self.offset.nbytes + self.scale.nbytes

    @checked
    def decoded(self, clip: str | int) -> NDArray[np.float32]:
        """Return the decoded table rows of one clip, [interval_count + 1, row_width] f32."""
        number = self._number(clip)
        return self._decode(number, self.rows[self.clips[number].rows])

    @checked
    def sample(self, clip: str | int, time: ArrayLike, *, loop: bool | None = None) -> Pose | NDArray[np.float32]:
        """Sample a clip at the times `time` [...] in seconds.

        For a local bake, the result is a `Pose` [..., joint]. For a model bake, the result is an array of palettes. The
        clip covers the times from its start to its end. If `loop` is True, times outside of the clip wrap by whole
        durations. If `loop` is False, times outside of the clip are clamped. The default of `loop` is the setting in
        the clip's file. The method interpolates linearly between neighbouring rows, and then normalises rotations.
        Raises InputError, which is also a KeyError, for an unknown clip. Raises ValueError for a time that is not
        finite.
        """
        rows = self._between(clip, time, loop)
        return self.space.pose(rows) if isinstance(self.space, LocalSpace) else self.space.palette(rows)

    @checked
    def palette(self, clip: str | int, time: ArrayLike, *, loop: bool | None = None) -> NDArray[np.float32]:
        """Return the skin matrices [..., palette entry, 3, 4] f32 at the times `time` [...] in seconds.

        The method works for local bakes and for model bakes. `Bake.sample` describes the arguments.
        """
        return self.space.palette(self._between(clip, time, loop)).astype(np.float32)

    @checked
    def closes(self, clip: str | int) -> bool:
        """Return whether the last table row of the clip equals its first table row.

        A quaternion and its exact negative count as equal.
        """
        rows, planes = self.decoded(clip), 4 * self.space.rotation_width
        first, last = (row[:planes].reshape(4, -1) for row in (rows[0], rows[-1]))
        turned = np.all(last == first, axis=0) | np.all(np.abs(last + first) < 1e-6, axis=0)
        return bool(turned.all() and np.array_equal(rows[0, planes:], rows[-1, planes:]))

    def _between(self, clip: str | int, time: ArrayLike, loop: bool | None) -> NDArray[np.float32]:
        number = self._number(clip)
        baked = self.clips[number]
        before, after, share = baked.span.around(time, baked.loops if loop is None else loop)
        codes = self.rows[baked.rows]
        return mix(self._decode(number, codes[before]), self._decode(number, codes[after]), share)

    def _decode(self, number: int, codes: NDArray[Any]) -> NDArray[np.float32]:
        return decode(codes, *(array[number] if len(array) else array for array in (self.offset, self.scale)))

    def _number(self, clip: str | int) -> int:
        if isinstance(clip, str):
            if clip not in self.index:
                raise unknown("clip", clip, self.index)
            return self.index[clip]
        if not 0 <= clip < len(self.clips):
            raise ValueError(
                f"the clip must be the name of a clip, or a clip number from 0 to {len(self.clips) - 1} (got {clip})"
            )
        return clip
