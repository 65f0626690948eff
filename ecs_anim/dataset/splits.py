"""Splits of a data set by seed: training, validation and test."""

import hashlib
import math
from collections.abc import Sequence

from ecs_anim.support.errors import InputError

NAMES = ("train", "val", "test")
CLOSE = 1e-6  # largest difference of the sum of shares from 1


def split_seeds(seeds: Sequence[int], shares: Sequence[float]) -> dict[str, tuple[int, ...]]:
    """Return the seeds of each split. `shares` are the shares of `train`, `val` and, if given, `test`.

    Pictures of one seed are in one split, because they show the same scene. A digest of each seed decides its split,
    so that splits do not follow the order of the seeds. Raises InputError for invalid shares, and if a split with a
    share above 0 gets no seed.
    """
    _require_shares(shares)
    mixed = sorted(seeds, key=lambda seed: hashlib.sha256(str(seed).encode()).digest())
    counts = _counts(len(seeds), shares)
    found, begin = dict[str, tuple[int, ...]](), 0
    for name, count, share in zip(NAMES, counts, shares, strict=False):
        if share > 0 and not count:
            raise InputError(
                f"the split {name!r} with the share {share:g} gets none of the {len(seeds)} seeds. Use more seeds."
            )
        found[name] = tuple(sorted(mixed[begin : begin + count]))
        begin += count
    return found


def _require_shares(shares: Sequence[float]) -> None:
    if not 2 <= len(shares) <= len(NAMES):
        raise InputError(
            f"a split must have two or three shares: train, val and test (got {len(shares)}). Write 0.8,0.1,0.1."
        )
    if not all(math.isfinite(share) and share >= 0 for share in shares) or abs(math.fsum(shares) - 1) > CLOSE:
        got = ", ".join(f"{share:g}" for share in shares)
        raise InputError(f"the shares of a split must be 0 or more, with the sum 1 (got {got}). Write 0.8,0.1,0.1.")


def _counts(total: int, shares: Sequence[float]) -> list[int]:
    """Distribute `total` seeds by shares. The largest remainders get the seeds that are left after rounding down."""
    exact = [share * total for share in shares]
    counts = [math.floor(number + CLOSE) for number in exact]
    by_remainder = sorted(range(len(shares)), key=lambda own: counts[own] - exact[own])
    for own in by_remainder[: total - sum(counts)]:
        counts[own] += 1
    return counts
