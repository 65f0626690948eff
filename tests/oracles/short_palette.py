"""Palettes in 16 bits in plain numpy: the reference for the kernel, and the bound on its error."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.runtime.short_palette import STEPS, Lanes, Shares


def encode(palettes: NDArray[np.float32]) -> tuple[Shares, Lanes, Lanes]:
    """Shares, of the palettes' shape [actor, entry, row, 4], with low and span. All actors share the two."""
    low, high = palettes.min(axis=(0, 1)), palettes.max(axis=(0, 1))
    span = high - low
    shares = np.rint((palettes - low).astype(np.float64) * (STEPS / np.where(span > 0, span, 1)))
    return shares.astype(np.uint16), low, span


def decode(shares: Shares, low: Lanes, span: Lanes) -> NDArray[np.float32]:
    """The palettes that shares stand for, as the shader reads them."""
    return (low + span * (shares / STEPS)).astype(np.float32)


def position_error(mesh: Mesh, span: Lanes) -> float:
    """How far 16 bits may move a vertex of a linearly skinned mesh at most, in the mesh's units.

    Half a step in each number of a matrix, times the position's coordinates; the blend of matrices is off by no more
    than they are, as weights add up to one.
    """
    reach = np.abs(mesh.positions.astype(np.float64)) @ (span[:, :3].T / (2 * STEPS)) + span[:, 3] / (2 * STEPS)
    return float(np.linalg.norm(reach, axis=1).max(initial=0.0))
