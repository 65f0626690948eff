"""The triangles that all people share: body, tube of hair and tube of the skirt, at each level of detail.

A level of detail has some vertices of the finest mesh, so each person's vertices fit all levels.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from ecs_anim.anny import hair, skirt
from ecs_anim.anny.base import base
from ecs_anim.anny.body_places import mean_body
from ecs_anim.anny.clothed import dressed
from ecs_anim.anny.garments import ANKLE, WAIST, Garment
from ecs_anim.anny.texels import CAP, PARTS
from ecs_anim.levels.simplify import is_open, nearest, simplified
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin import skirt as tubes
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.weights import toe_share

TRIANGLES = (9000, 3300, 1000, 300)  # number at each level of detail
INFLUENCES = 4
NEAR = 0.12  # largest distance in the texture that an edge collapse can move a corner at the finest level
HEAD_SHARES = (1, 1, 1, 1, 0.85, 0.6, 0.4)  # share of the head in the movement of each ring of the tube of hair
USUAL = (
    Garment("bottom", (0, 0, 0), ANKLE, WAIST),
    Garment("top", (0, 0, 0), 0.92, sleeve=0.54, thickness=0.009),
)
SKIRT = (1.05, 0.5, 0.01, 0.04)  # [m], dimensions of the usual skirt, see `skirt_tube`


@dataclass(frozen=True)
class Level:
    """The mesh of a level of detail. A corner is a vertex with texture coordinates."""

    vertices: Array  # [c], vertex of each corner
    uvs: Array  # [c, 2]
    triangles: Array  # [m, 3], corners


@cache
def usual_vertices() -> Array:
    """Return the vertices [v, 3] of the mean body in usual clothes, with long hair and a skirt, in metres."""
    skin = hair.with_hair(dressed(mean_body(), USUAL, None), "long")
    return np.concatenate([skin, hair.hair_tube(skin, "long"), skirt.skirt_tube(skin, *SKIRT)])


@cache
def finest() -> Level:
    """Return the finest mesh."""
    body, count = base(), len(mean_body())
    vertices, uvs, triangles = [body.corners], [body.uvs], [body.triangles]
    for name, (columns, rows) in {"hair": (hair.COUNT, hair.ROWS), "skirt": (skirt.COUNT, skirt.ROWS)}.items():
        own = tubes.tube_triangles(columns, rows)
        triangles.append(sum(map(len, vertices)) + np.arange(own.size).reshape(-1, 3))
        vertices.append(count + own.ravel())
        uvs.append(_tube_uvs(own, columns, rows, PARTS[name]))
        count += 2 + columns * rows
    return Level(*map(np.concatenate, (vertices, uvs, triangles)))


def _tube_uvs(triangles: Array, columns: int, rows: int, part: tuple[float, float, float, float]) -> Array:
    """Return texture coordinates [3 * m, 2] of the corners of a tube, whose seam is at its first column."""
    row, column = np.divmod(np.maximum(triangles - 1, 0), columns)
    is_end = (triangles == 0) | (triangles == 1 + columns * rows)
    wraps = (np.where(is_end, 0, column).max(axis=1, keepdims=True) == columns - 1) & (column == 0)
    u = np.where(is_end, 0.5, np.where(wraps, columns, column) / columns)
    v = np.where(is_end, np.sign(triangles), CAP * row / (rows - 1))
    left, right, top, bottom = part
    return np.stack([left + u * (right - left), top + v * (bottom - top)], axis=-1).reshape(-1, 2)


@cache
def levels() -> tuple[Level, ...]:
    """Return the mesh of each level of detail, the finest first."""
    return tuple(map(_level, TRIANGLES))


def _level(count: int) -> Level:
    full, points = finest(), usual_vertices()
    if count == TRIANGLES[0]:  # whole eyes, because simplification would remove their irises
        is_eye = np.append(base().eyes, np.zeros(len(points) - len(base().eyes), bool))[full.vertices]
        eyes = full.triangles[is_eye[full.triangles[:, 0]]]
        return _joined(full, _simplified(full, full.triangles[~is_eye[full.triangles[:, 0]]], count - len(eyes)), eyes)
    return _simplified(full, full.triangles, count)


def _joined(full: Level, level: Level, triangles: Array) -> Level:
    """Return a level with additional triangles of the finest mesh."""
    corners, own = np.unique(triangles, return_inverse=True)
    joined = len(level.vertices) + own.reshape(-1, 3)
    return Level(
        np.append(level.vertices, full.vertices[corners]),
        np.concatenate([level.uvs, full.uvs[corners]]),
        np.concatenate([level.triangles, joined]),
    )


def _simplified(full: Level, finer: Array, count: int) -> Level:
    """Return a mesh with about `count` of the triangles `finer` [m, 3] of the finest mesh."""
    points = usual_vertices()
    triangles = full.vertices[finer]
    placed, became = simplified("anny", points, triangles, count)
    corners = became[triangles]
    left = np.flatnonzero(is_open(corners))
    used, own = np.unique(corners[left], return_inverse=True)
    binders = nearest(points, became, used, placed)[own.reshape(-1)]
    corners = _textured(full, points, finer[left], binders.reshape(-1, 3)).ravel()
    rows = np.column_stack([binders, full.uvs[corners]])
    found, corner = np.unique(rows, axis=0, return_inverse=True)
    return Level(found[:, 0].astype(np.int64), found[:, 1:], corner.reshape(-1, 3))


def _textured(full: Level, points: Array, old: Array, vertices: Array) -> Array:
    """Return a corner for each corner [m, 3] of triangles with new vertices. `old` [m, 3] are their former corners.

    The corners of a triangle are in one part of the texture: the part that contains most of its vertices.
    """
    charts = _charts(full)
    has = np.zeros((len(points), charts.max() + 1))
    has[full.vertices, charts] = 1
    score = has[vertices].sum(axis=1)
    score[np.arange(len(old)), charts[old[:, 0]]] += 0.5
    chart = score.argmax(axis=1)
    same = charts[old[:, 0]] == chart
    near = NEAR * (TRIANGLES[0] / len(old)) ** 0.25
    own = np.where(same[:, None], full.uvs[old[:, 0]], np.nan)
    first = _of_vertices(full, charts, vertices[:, 0], chart, own, near)
    goals = np.where(same[:, None, None], full.uvs[old], full.uvs[first][:, None])
    found = np.stack([_of_vertices(full, charts, vertices[:, k], chart, goals[:, k], near) for k in range(3)], axis=1)
    for row, k in np.argwhere(found < 0):
        own = np.flatnonzero(charts == chart[row])
        distance = np.abs(points[full.vertices[own]] - points[vertices[row, k]]).sum(axis=1)
        is_far = np.abs(full.uvs[own] - goals[row, k]).sum(axis=1) > near
        found[row, k] = own[(distance + is_far).argmin()]
    return found


def _of_vertices(full: Level, charts: Array, vertices: Array, chart: Array, goals: Array, near: float) -> Array:
    """Return the corner of each vertex [n] in the part `chart` [n] of the texture, or -1 for a vertex without one.

    The function chooses the corner that is nearest to the texture coordinates `goals` [n, 2], and at most `near` away.
    """
    order = np.argsort(full.vertices, kind="stable")
    first, count = np.searchsorted(full.vertices[order], vertices), np.bincount(full.vertices)[vertices]
    best, least = np.full(len(vertices), -1), np.full(len(vertices), near)
    for k in range(count.max()):
        own = order[first + np.minimum(k, count - 1)]
        distance = np.nan_to_num(np.abs(full.uvs[own] - goals).sum(axis=1))
        better = (charts[own] == chart) & (distance < least)
        best, least = np.where(better, own, best), np.where(better, distance, least)
    return best


def _charts(full: Level) -> Array:
    """Return the number [c] of the part of the texture that contains a corner. Triangles connect the parts."""
    chart = np.unique(np.column_stack([full.vertices, full.uvs]), axis=0, return_inverse=True)[1].reshape(-1)
    before = np.zeros_like(chart)
    while not np.array_equal(before, chart):
        before = chart.copy()
        least = chart[full.triangles].min(axis=1)
        lowest = np.arange(chart.max() + 1)
        np.minimum.at(lowest, chart[full.triangles].ravel(), np.repeat(least, 3))
        chart = lowest[chart]
    return np.unique(chart, return_inverse=True)[1].reshape(-1)


def _with_toes(weights: Array, z: Array) -> Array:
    """Return skin weights [v, 22] whose feet bend where shoes bend. `z` contains the forward positions [m]."""
    result = weights.copy()
    for side in P.SIDES:
        foot, toes = (P.INDEX[f"{side}{name}"] for name in ("Foot", "ToeBase"))
        both = weights[:, foot] + weights[:, toes]
        result[:, toes] = both * toe_share(z[: len(both)])
        result[:, foot] = both - result[:, toes]
    return result


@cache
def weights() -> tuple[Array, Array]:
    """Return the joints [v, 4] and the skin weights [v, 4] of all vertices."""
    hanging, skirted = np.zeros((2 + hair.ROWS * hair.COUNT, len(P.JOINTS))), skirt.skirt_tube(mean_body(), *SKIRT)
    head = np.concatenate([[1], np.repeat(HEAD_SHARES, hair.COUNT), [HEAD_SHARES[-1]]])
    hanging[:, P.INDEX["Head"]], hanging[:, P.INDEX["Spine2"]] = head, 1 - head
    joints, shares = tubes.tube_weights(skirted)
    legs = np.zeros((len(skirted), len(P.JOINTS)))
    np.add.at(legs, (np.arange(len(skirted))[:, None], joints), shares)
    full = np.concatenate([_with_toes(base().weights, usual_vertices()[:, 2]), hanging, legs])
    found = np.argsort(-full, axis=1, kind="stable")[:, :INFLUENCES]
    own = np.take_along_axis(full, found, axis=1)
    own = np.where(own < 0.01, 0, own)
    return np.where(own > 0, found, 0), own / own.sum(axis=1, keepdims=True)
