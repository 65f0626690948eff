"""Palettes in 16 bits a number: half the memory, with a bound on what that costs.

A palette's numbers are kept as shares of the way from the least to the greatest that the crowd has in the same place of
an entry: t in 0 .. 65535 stands for low + t / 65535 * span. The steps are even, so the error of each number is at most
`span / 131070`; halves of floats (five bits of exponent, eleven of the number) would be sixteen times as far off for
rotations and translations near 1, and OpenGL reads both formats from texture buffers. What is the same in all entries
is exact.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh

Bits = Literal[32, 16]  # that a number of a palette takes on its way to the GPU
STEPS = 65535  # between low and low + span

Shares = NDArray[np.uint16]
Lanes = NDArray[np.float32]  # [row_count, 4], of an entry


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
