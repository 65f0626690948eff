"""Impostors for crowds whose palettes are computed on the CPU.

A sheet is a set of impostor pictures of several poses. A distant actor shows the sheet pose that is nearest to its own
pose. The actor's own pose can come from clips, blends, gaits or corrections. Body points that are far apart define the
distance between two poses. The sheet contains the poses of clips that differ most from each other. The sheet has
pictures of each pose for each appearance of the rig.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.bake.measure import character_size
from ecs_anim.levels.impostors import Impostors, apart_as_seen, most_rows, pictures_of
from ecs_anim.levels.posed import Chosen, PosedLevels
from ecs_anim.levels.surface import posed_points

# [texel], width and height of a picture; with this size, pictures do not overlap in the first two mipmap levels
CELL = 16, 24
MEMORY = 128 << 20  # [byte], memory limit for the pictures of a rig
MOST_POSES, LEAST_POSES = 32, 8
MOMENTS = 24  # number of candidate poses in each clip
POINTS = 14  # number of body points
SEEN, VERTICES = 32, 250  # numbers of view directions and of vertices that the measurement of the pictures' error uses
# An impostor replaces a mesh only if the allowed error is at least this factor times the error of the impostor. The
# factor is large because the error of an impostor changes in each time step.
MARGIN = 1.5

Reals = NDArray[np.float64]


class Nearest(NamedTuple):
    """The nearest sheet poses of several actors, and the distances to these poses."""

    poses: NDArray[np.intp]  # [actor]
    apart: NDArray[np.float32]  # [actor] f32, [rig units], root mean square distance of the body points
    # [actor, 3] f32, [rig units], offset from the body position in the picture to the body position of the actor.
    shifts: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class BodyPoints:
    """Points of the skin that are far apart. Each of these body points follows a single palette entry."""

    entries: NDArray[np.int64]  # [point]
    places: NDArray[np.float32]  # [point, 4] f32, position in the bind pose, and 1

    @classmethod
    def of(cls, meshes: Sequence[Mesh]) -> "BodyPoints":
        """Return body points at vertices that are far apart in the bind pose.

        The first body point is the lowest vertex. Each further body point is the vertex that is farthest from all
        chosen vertices.
        """
        positions = np.concatenate([mesh.positions for mesh in meshes])
        heaviest = [np.take_along_axis(m.palette_indices, m.weights.argmax(axis=1)[:, None], 1) for m in meshes]
        chosen = farthest_apart(positions[:, None], POINTS, first=int(positions[:, 1].argmin()))
        places = np.concatenate([positions, np.ones((len(positions), 1))], axis=1)[chosen]
        return cls(np.concatenate(heaviest)[chosen, 0].astype(np.int64), places.astype(np.float32))

    def under(
        self, palettes: NDArray[np.float32], rows: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the body points in the poses that `rows` selects from `palettes` [pose, entry, 3, 4].

        The first array [row, point, 3] contains the body points relative to their mean. The second array [row, 3]
        contains the mean.
        """
        parts = palettes[rows[:, None], self.entries] * self.places[:, None]
        # The additions have a fixed order, so that the results are equal on every CPU.
        points = parts[..., 0] + parts[..., 1] + parts[..., 2] + parts[..., 3]
        middle = points.mean(axis=1)
        return points - middle[:, None], middle


@dataclass(frozen=True, eq=False)
class PosedImpostors:
    """A sheet of impostor pictures. Each appearance of the rig has pictures of all sheet poses.

    `impostors.error` does not include the distance between an actor's pose and its sheet pose.
    """

    impostors: Impostors  # pictures of all sheet poses; each appearance has one `ClipPictures`
    body: BodyPoints
    points: NDArray[np.float32]  # [pose, point, 3] f32, body points relative to their mean
    middles: NDArray[np.float32]  # [pose, 3] f32

    def nearest(self, palettes: NDArray[np.float32], rows: NDArray[np.intp]) -> Nearest:
        """Return the nearest sheet pose for each actor in `rows`.

        `palettes` [actor, entry, 3, 4] are the poses of all actors. If several sheet poses have equal distances, the
        result is the first pose.
        """
        from ecs_anim.kernels.nearest_poses import nearest_poses  # compiled only if a crowd has impostors

        found = np.empty(len(rows), np.int32)
        apart, middles = np.empty(len(rows), np.float32), np.empty((len(rows), 3), np.float32)
        entries, places = self.body.entries, self.body.places
        matrices = palettes.reshape(*palettes.shape[:2], 12)
        nearest_poses(matrices, rows, entries, places, self.sheet, found, apart, middles)
        return Nearest(found.astype(np.intp), apart, middles - self.middles[found])

    @cached_property
    def sheet(self) -> NDArray[np.float32]:
        """Return the body point coordinates of all sheet poses, one column for each pose: [3 * point, pose].

        Copies of the last column follow, until the number of columns is a multiple of eight.
        """
        poses = self.points.reshape(len(self.points), -1)
        return np.ascontiguousarray(np.pad(poses, ((0, -len(poses) % 8), (0, 0)), "edge").T)


class Pictured(NamedTuple):
    """Actors of a crowd that are drawn as impostors in one picture."""

    rows: NDArray[np.intp]
    poses: NDArray[np.intp]
    shifts: NDArray[np.float32]  # [n, 3] f32, of `Nearest`


def why_unpictured(rig: Rig) -> str | None:
    """Return the reason why a rig cannot have impostors. If the rig can have impostors, return None."""
    if any(mesh.morphs is not None for mesh in rig.meshes):
        return f"rig {rig.name!r} must not have morph targets, because pictures cannot show them"
    most = most_rows(CELL, MEMORY) // LEAST_POSES
    if rig.variant_count > most:
        return f"rig {rig.name!r} must have at most {most} variants for pictures (got {rig.variant_count})"
    return None


def plan_posed_impostors(rig: Rig, clips: Sequence[Clip], max_rows: int) -> PosedImpostors | None:
    """Plan the impostors of a rig whose actors play `clips`. If `clips` is empty, the sheet contains the rest pose.

    Returns None if the rig cannot have impostors. Also returns None if `max_rows` rows are not enough for `LEAST_POSES`
    poses of each appearance.
    """
    looks = max(rig.variant_count, 1)
    count = min(MOST_POSES, max_rows // looks)
    if count < LEAST_POSES or why_unpictured(rig):
        return None
    levels = PosedLevels.of(rig)
    level = int(np.flatnonzero(levels.errors <= 0.5 * character_size(rig) / CELL[1])[-1])
    meshes, body = rig.level(level), BodyPoints.of(rig.level(rig.level_count - 1))
    palettes = _palettes(rig, clips)
    some = farthest_apart(body.under(palettes, np.arange(len(palettes)))[0], count)
    palettes = _upright(palettes[some], meshes)
    pictures, first_row = [], 0
    for look in range(looks):
        shaped = [mesh.of_figure(look % len(rig.figures)) if mesh.figures is not None else mesh for mesh in meshes]
        pictures.append(pictures_of(palettes, posed_points(shaped, palettes), first_row, CELL, look))
        first_row += len(palettes)
    whole = Impostors(tuple(pictures), level, 0.0)
    return PosedImpostors(
        replace(whole, error=_error(whole, meshes)), body, *body.under(palettes, np.arange(len(palettes)))
    )


def picture_far(
    chosen: Chosen, sheet: PosedImpostors, palettes: NDArray[np.float32], before: NDArray[np.intp] | None
) -> tuple[Chosen, Pictured]:
    """Move distant actors from `chosen` to the impostors. Return the new `Chosen` and the impostor actors.

    The level number of impostor actors is the number of mesh levels. An actor becomes an impostor if its impostor error
    is at most its allowed error. The impostor error is the root of the sum of two squares: the square of the sheet's
    error, and the square of the distance to the sheet pose. `before` [actor] are the levels in the previous picture.
    For an actor with a mesh in the previous picture, the function first divides the allowed error by `MARGIN`.
    """
    level = len(chosen.seen)
    seen = np.sort(np.concatenate(chosen.seen))
    allowed = chosen.allowed[seen]
    if before is not None:
        allowed = np.where(before[seen] < level, allowed / MARGIN, allowed)
    may = allowed >= sheet.impostors.error
    rows, allowed = seen[may], allowed[may]
    found = sheet.nearest(palettes, rows)
    fits = np.hypot(found.apart, sheet.impostors.error) <= allowed
    rows = rows[fits]
    levels = chosen.levels.copy()
    levels[rows] = level
    left = tuple(own[levels[own] < level] for own in chosen.seen)
    return replace(chosen, seen=left, levels=levels), Pictured(rows, found.poses[fits], found.shifts[fits])


def farthest_apart(points: NDArray[np.floating], count: int, first: int = 0) -> NDArray[np.intp]:
    """Return the indices of items that are far apart. `points` [item, point, 3] are the points of all items.

    The first index is `first`. Each further index is the item that is farthest from all chosen items (Gonzalez 1985).
    The distance of two items is the largest distance between their corresponding points. If fewer than `count` items
    are different, the result has fewer than `count` indices.
    """
    chosen, away = [first], np.full(len(points), np.inf)
    while True:
        away = np.minimum(away, np.linalg.norm(points - points[chosen[-1]], axis=-1).max(axis=-1))
        farthest = int(away.argmax())
        if len(chosen) == count or away[farthest] == 0:
            return np.array(chosen)
        chosen.append(farthest)


def _palettes(rig: Rig, clips: Sequence[Clip]) -> NDArray[np.float32]:
    """Return the palettes [pose, entry, 3, 4] at several times of each clip.

    If `clips` is empty, return the palette of the rest pose.
    """
    shares = (np.arange(MOMENTS) + 0.5) / MOMENTS
    poses = [clip.sample(clip.start + share * (clip.end - clip.start)) for clip in clips for share in shares]
    return np.stack([skin_palette(rig.skeleton, pose) for pose in poses or [rig.skeleton.rest_pose]])


def _upright(palettes: NDArray[np.float32], meshes: Sequence[Mesh]) -> NDArray[np.float32]:
    """Return the palettes with each pose moved horizontally to the origin.

    All poses then fit into narrow picture cells.
    """
    points = posed_points(meshes, palettes)[..., [0, 2]]
    moved = palettes.copy()
    moved[:, :, [0, 2], 3] -= (points.min(axis=1) + points.max(axis=1))[:, None] / 2
    return moved


def _error(impostors: Impostors, meshes: Sequence[Mesh]) -> float:
    """Return the error of impostor pictures for actors whose pose equals the sheet pose.

    The function measures the error from view directions between the view directions of the pictures.
    """
    rng = np.random.default_rng(0)
    some = slice(None, None, -(-sum(mesh.vertex_count for mesh in meshes) // VERTICES))
    first = impostors.clips[0]
    points = (posed_points(meshes, first.palettes) - first.centre)[rng.integers(0, first.phase_count, SEEN), some]
    texel = max(float((2 * clip.half_size(0.0) / impostors.cell).max()) for clip in impostors.clips)
    return float(np.hypot(apart_as_seen(points, points, rng), 0.5 * texel))
