"""Division of the total number of actors, which a user can set, into numbers for the crowds of a scene."""

from collections.abc import Sequence

import numpy as np

from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.schema_layout import PointsLayout


def actor_counts(crowds: Sequence[CrowdModel], total: int | None) -> list[int]:
    """Return the number of actors of each crowd.

    The sum of the numbers is `total`. If `total` is None, the numbers are the counts in the scene.

    If `total` is larger than the sum in the scene, crowds with fixed positions keep their counts, and the ratios
    between the counts of all other crowds do not change. If all crowds have fixed positions, the ratios between all
    counts do not change.
    """
    counts = np.array([crowd.count for crowd in crowds])
    scaled = np.array([not _is_fixed(crowd) for crowd in crowds])
    if total is None or total <= counts.sum() or not scaled.any():
        return share_out(counts.tolist(), total)
    counts[scaled] = share_out(counts[scaled].tolist(), total - int(counts[~scaled].sum()))
    return [int(count) for count in counts]


def share_out(counts: Sequence[int], total: int | None) -> list[int]:
    """Return `counts`, scaled to the sum `total` and rounded to integers with the largest remainder method."""
    if total is None:
        return list(counts)
    exact = np.array(counts, np.float64) * (total / sum(counts))
    shares = np.floor(exact).astype(int)
    by_remainder = np.argsort(shares - exact, kind="stable")
    shares[by_remainder[: total - shares.sum()]] += 1
    return [int(share) for share in shares]


def _is_fixed(crowd: CrowdModel) -> bool:
    """Return whether a list of points or a recording determines the positions of the actors."""
    return isinstance(crowd.layout, PointsLayout) or crowd.trajectories is not None
