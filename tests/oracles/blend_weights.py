"""Blend spaces in plain numpy: how much of each member clip a parameter asks for; the oracle of the kernels."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Weights = NDArray[np.float64]


def weights_1d(points: ArrayLike, x: ArrayLike) -> Weights:
    """Weights [..., member] of members at sorted points [member] for parameters x [...]; they sum to 1.

    Linear between neighbours; beyond the ends the end member alone.
    """
    points, x = np.asarray(points, np.float64), np.asarray(x, np.float64)
    eye = np.eye(len(points))
    return np.stack([np.interp(x, points, eye[member]) for member in range(len(points))], axis=-1)


def weights_2d(points: ArrayLike, p: ArrayLike) -> Weights:
    """Weights [..., member] of members at points [member, 2] for parameters p [..., 2]; they sum to 1.

    Gradient band interpolation (R. S. Johansen, Automated Semi-Procedural Animation for Character
    Locomotion, 2009, section 6.3): each member's influence falls to nothing at every other member.
    """
    points, p = np.asarray(points, np.float64), np.asarray(p, np.float64)[..., None, :]
    if len(points) == 1:
        return np.ones((*p.shape[:-2], 1))
    influence = []
    for member, own in enumerate(points):
        towards = np.delete(points, member, axis=0) - own
        along = np.sum((p - own) * towards, axis=-1) / np.sum(towards * towards, axis=-1)
        influence.append(np.clip(1 - along, 0, 1).min(axis=-1))
    weights = np.stack(influence, axis=-1)
    return weights / weights.sum(axis=-1, keepdims=True)
