"""The built-in trees. A tree has a trunk with branches, and a crown of leaf clusters around irregular lumps."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.assets.rig import Rig
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.maths.small_matrices import length, unit
from ecs_anim.rigs.prop_shapes import Reals, Shape, colored_mesh, joined, lump, prop_rig, tube
from ecs_anim.rigs.surfaces import plain_mesh

BARK = "#6d5744"
LEAF_PIXELS, LEAVES = 128, 110  # size of the picture of a leaf cluster, and number of its leaves
LEAF_SQUARES = 40  # number of squares on each lump of a crown
CUTOFF = 0.4  # a leaf cluster has holes where its alpha is lower


@dataclass(frozen=True)
class _Kind:
    """The shape of a kind of trees."""

    seed: int
    trunk: float  # [m], height at which the branches begin
    crown: tuple[float, float, float]  # [m], half sizes of the crown
    middle: float  # [m], height of the middle of the crown
    lumps: int  # number of lumps in the crown
    color: str  # colour of the leaves


TREES: Mapping[str, _Kind] = {
    "tree": _Kind(11, 2.0, (1.55, 1.35, 1.55), 3.65, 9, "#7da453"),
    "tall_tree": _Kind(25, 1.9, (1.25, 1.75, 1.25), 3.75, 9, "#6f9c4e"),
    "wide_tree": _Kind(37, 1.9, (1.85, 1.15, 1.75), 3.35, 10, "#8fae58"),
}


def tree_rig(name: str) -> Rig:
    """Return the tree whose name is `name`, a name in `TREES`. The trees are 4.7 to 5.4 m high."""
    kind = TREES[name]
    rng = np.random.default_rng(kind.seed)
    middles, sizes = _lumps(kind, rng)
    wood = joined([_trunk(kind, rng), *(_branch(kind, tip, rng) for tip in middles[1 : kind.lumps : 2])])
    inside = joined(
        [
            lump(at, 0.66 * size, kind.color, rng, 0.15, rings=4, segments=6)
            for at, size in zip(middles, sizes, strict=True)
        ]
    )
    dark = replace(inside, colors=0.42 * _shade(kind, inside.positions) * inside.colors)
    bark = colored_mesh(Material("bark"), wood.shaded(0.0, 0.5, 0.7))
    return prop_rig(name, bark, colored_mesh(Material("crown"), dark), _clusters(kind, middles, sizes, rng))


def _lumps(kind: _Kind, rng: np.random.Generator) -> tuple[Reals, Reals]:
    """Return the middles [lump, 3] and half sizes [lump, 3] of the lumps of a crown. The first lump is the core."""
    number = np.arange(kind.lumps - 1)
    up = 1 - 2 * (number + 0.5) / len(number)
    angle = number * (math.pi * (3 - math.sqrt(5))) + rng.uniform(0, math.tau)
    around = np.sqrt(1 - up * up)
    ball = np.stack([around * sin(angle), up, around * cos(angle)], axis=-1)
    reach = rng.uniform(0.52, 0.66, (len(number), 1))
    middles = np.array([0.0, kind.middle, 0.0]) + np.array(kind.crown) * ball * reach
    sizes = np.array(kind.crown) * rng.uniform(0.36, 0.50, (len(number), 1))
    core = np.array([[0.0, kind.middle, 0.0]]), 0.62 * np.array([kind.crown])
    return np.concatenate([core[0], middles]), np.concatenate([core[1], sizes])


def _trunk(kind: _Kind, rng: np.random.Generator) -> Shape:
    heights = np.array([-0.05, 0.0, 0.12, 0.35, 0.9, kind.trunk, kind.middle])
    radii = np.array([0.24, 0.22, 0.165, 0.14, 0.125, 0.11, 0.05])
    lean = rng.uniform(-0.06, 0.06, 2)
    centres = np.stack([lean[0] * sin(heights), heights, lean[1] * sin(1.3 * heights)], axis=-1)
    return tube(centres, radii, BARK, 9)


def _branch(kind: _Kind, tip: Reals, rng: np.random.Generator) -> Shape:
    start = np.array([0.0, kind.trunk - 0.1 + rng.uniform(0, 0.35), 0.0])
    share = np.linspace(0, 1, 4)[:, None]
    bend = np.array([0.0, -0.12, 0.0]) * sin(math.pi * share)
    return tube(start + share * (tip - start) + bend, (0.075, 0.06, 0.045, 0.02), BARK, 6)


def _shade(kind: _Kind, points: Reals) -> Reals:
    """Return the brightness [point, 1] of leaves. The lower and the inner leaves are darker."""
    off = (points - np.array([0.0, kind.middle, 0.0])) / np.array(kind.crown)
    outside = np.clip(length(off), 0, 1.1)
    found: Reals = (np.clip(0.30 + 0.55 * outside + 0.22 * off[:, 1], 0.25, 1.1))[:, None]
    return found


def _clusters(kind: _Kind, middles: Reals, sizes: Reals, rng: np.random.Generator) -> Mesh:
    """Return squares that cover the lumps. Each square shows a picture of leaves."""
    each = LEAF_SQUARES
    turn = unit(rng.normal(size=(len(middles), each, 3)))
    at = (middles[:, None] + 0.86 * sizes[:, None] * turn).reshape(-1, 3)
    outward = unit((turn + 0.8 * unit((at - [0.0, kind.middle - 0.3, 0.0]).reshape(turn.shape))).reshape(-1, 3))
    facing = unit(outward + 0.5 * unit(rng.normal(size=outward.shape)))
    side = unit(np.cross(facing, unit(rng.normal(size=outward.shape))))
    size = rng.uniform(0.24, 0.36, (len(at), 1))
    u, v = size * side, size * np.cross(facing, side)
    points = np.stack([at - u - v, at + u - v, at + u + v, at - u + v], axis=1).reshape(-1, 3)
    uvs = np.tile(np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32), (len(at), 1))
    corners = 4 * np.arange(len(at))[:, None] + np.array([0, 1, 2, 0, 2, 3])
    tints = np.array(hex_to_linear(kind.color)) * rng.uniform(0.82, 1.18, (len(at), 1))
    tints *= 1 + rng.uniform(-0.12, 0.12, (len(at), 3)) * [1.0, 0.3, 0.6]
    colors = np.ones((len(points), 4), np.float32)
    colors[:, :3] = np.clip(np.repeat(tints, 4, axis=0) * _shade(kind, points), 0, 1)
    normals = np.repeat(outward, 4, axis=0)
    leaves = Texture(leaf_cluster(), repeat=False)
    material = Material("leaves", texture=leaves, alpha_cutoff=CUTOFF, double_sided=True)
    return plain_mesh(material, points, normals, corners, uvs=uvs, colors=colors)


def leaf_cluster() -> NDArray[np.uint8]:
    """Return a picture [128, 128, 4] u8 of a cluster of pale leaves. Vertex colours give the hue."""
    rng = np.random.default_rng(5)
    y, x = (np.indices((LEAF_PIXELS, LEAF_PIXELS)) + 0.5) * (2 / LEAF_PIXELS) - 1
    shade, alpha = np.full(x.shape, 0.86), np.zeros(x.shape)
    reach, angle = 0.8 * np.sqrt(rng.random(LEAVES)), rng.uniform(0, math.tau, LEAVES)
    for at, spoke, bright in zip(angle, reach, rng.uniform(0.72, 1.0, LEAVES), strict=True):
        turn = at + rng.uniform(-0.9, 0.9)
        off_x, off_y = x - spoke * cos(at), y - spoke * sin(at)
        along, across = off_x * cos(turn) + off_y * sin(turn), off_y * cos(turn) - off_x * sin(turn)
        edge = 0.065 * np.clip(1 - (along / 0.17) ** 2, 0, 1) - np.abs(across)  # a leaf of 0.34 by 0.13 half pictures
        cover = np.clip(edge * LEAF_PIXELS / 4 + 0.5, 0, 1) * (np.abs(along) < 0.17)
        rib = bright * (0.92 + 0.08 * np.clip(np.abs(across) / 0.02, 0, 1))
        shade, alpha = shade + cover * (rib - shade), np.maximum(alpha, cover)
    picture = np.stack([shade, shade, shade, alpha], axis=-1)
    return np.rint(255 * np.clip(picture, 0, 1)).astype(np.uint8)
