"""Construction of a bake. Each clip gets the lowest number of rows per second for which its error is within
the limit.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.bake.bake import Bake, BakedClip
from ecs_anim.bake.formats import Encoded, encode, is_ranged
from ecs_anim.bake.measure import BakeError, character_size, worst_difference, worst_error
from ecs_anim.bake.options import BODY, DEGREES_BY_MM, BakeOptions
from ecs_anim.bake.rotation_only import rotations_only
from ecs_anim.bake.row_span import RowSpan
from ecs_anim.bake.signature import content_key
from ecs_anim.bake.spaces import Space, space_of
from ecs_anim.runtime.even_times import even_times
from ecs_anim.runtime.row_counts import check_rows, intervals_at, is_above_max_rate, key_interval_count
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError, not_among

DEFAULT = BakeOptions()


@checked
def bake_rig(rig: Rig, options: BakeOptions = DEFAULT, clips: Sequence[str] | None = None) -> Bake:
    """Return a bake of a rig. `clips` are the names of the baked clips. By default, the bake contains all clips.

    Raises InputError for an unknown clip name and for too many rows. Also raises InputError for a model-space bake of a
    rig without a skin.
    """
    chosen = choose_clips(rig, clips)
    space = space_of(options.space, rig.skeleton, tuple(_told(clip, options) for clip in chosen))
    if options.space == "model" and not rig.skeleton.palette_count:
        raise InputError(
            f"{rig.name}: a bake in model space needs a model with a skin or a mesh. Bake this model in local space."
        )
    size = character_size(rig)
    made: list[tuple[Encoded, BakeError]] = []
    try:
        for clip in chosen:
            made.append(_bake_clip(clip, space, options, size, sum(len(encoded.codes) for encoded, _ in made)))
    except InputError as error:
        raise InputError(f"{rig.name}: {error}") from None
    first = np.cumsum([0, *(len(encoded.codes) for encoded, _ in made)])
    ranged = [encoded for encoded, _ in made] if is_ranged(options.number_format) else []
    return Bake(
        name=rig.name,
        options=options,
        space=space,
        clips=tuple(_baked(clip, int(first[k]), *made[k]) for k, clip in enumerate(chosen)),
        rows=frozen(np.concatenate([encoded.codes for encoded, _ in made])),
        offset=frozen(np.array([each.offset for each in ranged], "<f4").reshape(len(ranged), space.row_width)),
        scale=frozen(np.array([each.scale for each in ranged], "<f4").reshape(len(ranged), space.row_width)),
        size=size,
        content=content_key(rig.skeleton, chosen, options, size),
    )


def choose_clips(rig: Rig, names: Sequence[str] | None) -> tuple[Clip, ...]:
    """Return the clips with the names `names`. If `names` is None, return all clips of the rig.

    Raise InputError for an unknown clip name and for a rig without clips.
    """
    if not rig.clips:
        raise InputError(
            f"{rig.name}: a bake needs a model with clips, but this model has none. Use a model with animations."
        )
    if names is not None and not names:
        raise InputError(
            f"{rig.name}: the list of clips is empty, but a bake needs at least one clip. Name a clip. To bake all"
            " clips, leave out the list."
        )
    for name in names or ():
        if name not in rig.clips:
            raise InputError(not_among(f"{rig.name}: no clip", name, rig.clips, "its clips are"))
    return tuple(rig.clips[name] for name in dict.fromkeys(names if names is not None else rig.clips))


def loops(clip: Clip) -> bool:
    """Return whether a clip loops. The value of `loop` in the clip's `extras` decides. The default is True."""
    return bool(clip.extras.get("loop", True))


def _baked(clip: Clip, first_row: int, encoded: Encoded, error: BakeError) -> BakedClip:
    span = RowSpan(clip.start, clip.duration, len(encoded.codes) - 1)
    return BakedClip(clip.name, span, first_row, loops(clip), error, dict(clip.extras))


def _bake_clip(
    clip: Clip, space: Space, options: BakeOptions, size: float, other_rows: int
) -> tuple[Encoded, BakeError]:
    target = BakeError(options.error_mm / BODY * size, math.radians(options.error_mm * DEGREES_BY_MM))
    told = _told(clip, options)
    rate = options.rate
    count = intervals_at(told, rate) if rate else _fewest_intervals(told, space, target, other_rows)
    rows = _rows(told, space, count, target, other_rows)
    encoded = encode(rows, options.number_format)
    return encoded, _error(clip, space, encoded.decode())


def _told(clip: Clip, options: BakeOptions) -> Clip:
    """Return the clip without the tracks that the bake does not store.

    The number of rows depends only on the stored tracks. The reported error, however, compares the bake with the
    original clip.
    """
    return rotations_only(clip) if options.rotation_only else clip


def _fewest_intervals(clip: Clip, space: Space, target: BakeError, other_rows: int) -> int:
    """Return a small number of row intervals with which the error of the bake is within `target`.

    The search starts with one interval per key. If the error is within `target`, the search halves the number of
    intervals while the error stays within `target`. If the first error is too large, the search doubles the number of
    intervals until the error is within `target`. For clips with STEP keys, the error is never
    within `target`, so the search ends at the row rate `MAX_RATE`.
    """

    def good(count: int) -> bool:
        return _error(clip, space, _rows(clip, space, count, target, other_rows)).within(target)

    if clip.duration <= 0:
        return 0
    count = key_interval_count(clip, [track.times for track in clip.tracks])
    if good(count):
        while count > 1 and good((count + 1) // 2):
            count = (count + 1) // 2
        return count
    while not is_above_max_rate(clip, 2 * count):
        count *= 2
        if good(count):
            break
    return count


def _rows(clip: Clip, space: Space, count: int, target: BakeError, other_rows: int) -> NDArray[np.float32]:
    """Return the rows [count + 1, row_width] of a clip at evenly spaced times from its start to its end.

    `other_rows` is the number of rows of other clips. Raises InputError if the total number of rows is above the limit.
    """
    check_rows(clip, count, space.row_width, other_rows, "set a lower rate")
    rows = np.concatenate([space.pack(clip.sample(block, loop=False)) for block in even_times(clip, count)])
    return _closed(clip, space, space.continuous(rows), target)


def _closed(clip: Clip, space: Space, rows: NDArray[np.float32], target: BakeError) -> NDArray[np.float32]:
    """Return `rows` without a jump of the pose at the end of the loop.

    If the last row of a loop nearly equals the first row, both rows become equal. Quaternions in the last row do not
    change their sign.
    """
    ends = space.frames(rows[:1]), space.frames(rows[-1:])
    if not (loops(clip) and worst_difference([ends]).within(target)):
        return rows
    width = space.rotation_width
    a, b = (row[: 4 * width].reshape(4, width) for row in (rows[0], rows[-1]))
    b[:] = np.where(np.sum(a * b, axis=0) < 0, -a, a)
    rows[-1, 4 * width :] = rows[0, 4 * width :]
    return rows


def _error(clip: Clip, space: Space, rows: NDArray[np.float32]) -> BakeError:
    span = RowSpan(clip.start, clip.duration, len(rows) - 1)
    return worst_error(clip, space, span.interval_count, lambda times: space.frames(span.read(rows, times)))


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make `array` read-only. Return `array`."""
    array.flags.writeable = False
    return array
