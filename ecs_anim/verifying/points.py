"""Comparison of keypoints and joints with the camera, the passes and each other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.verifying.boxes import is_around_camera
from ecs_anim.verifying.camera import Reals, apart_on_picture, footprint, project, rotation_matrix
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import Check, Picture

OUTSIDE, HIDDEN, VISIBLE = 0, 1, 2
ROUNDING = 1e-4  # [m], of points in labels
FACE = 5  # number of keypoints on the head; the others are joints
PROJECTED = Rule("keypoints against their points in space through the camera", 0.01, "px")
INSIDE = Rule("visibility 0 of keypoints against the edges of the picture")
COVERED = Rule("visible keypoints without a pixel of their actor")
IN_FRONT = Rule("visible keypoints behind the pass depth", 0.4, "m")
UNCOVERED = Rule("hidden keypoints in front of the pass depth")
JOINTS = Rule("keypoints of the limbs against the joints", 3e-4, "m")
FIXED = Rule("keypoints of the head against their place in the frame of a joint", 1e-3, "m")
BEFORE = Rule("joints in front of the visible skin of their actor", 0.1, "m")
UNITS = Rule("lengths of quaternions against 1", 5e-4)
CLOSE = 0.009  # [m], a keypoint that is less far behind the surface is visible; below the 0.01 m of the passes
THIN = 5  # [pixel]; pixels can miss a hand or a foot in front of the body that is thinner
SIDES = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])  # corners of the square in which rounding moves a pixel
EDGE = 0.01  # [pixel] at the edges of the picture; rounding decides there


class PointCheck(Check):
    """Comparison of the points of all actors. The head keypoints of an actor keep their place in a joint's frame."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._seed = -1
        self._heads: dict[int, Reals] = {}  # of the present seed, by actor: places in the frame of each joint

    def add(self, picture: Picture) -> None:
        """Compare the points of a picture."""
        if picture.label["seed"] != self._seed:
            self._seed, self._heads = picture.label["seed"], {}
        for actor in picture.label["actors"]:
            self._check_joints(picture, actor)
            if actor["keypoints_3d"] and actor["keypoints"]:
                points = np.array([own or [np.nan] * 3 for own in actor["keypoints_3d"]])
                self._check_keypoints(picture, actor, points)
                self._check_skeleton(picture, actor, points)

    def _check_joints(self, picture: Picture, actor: dict[str, Any]) -> None:
        positions, rotations = (np.array(actor["joints"][name]) for name in ("positions", "rotations"))
        lengths = np.linalg.norm(rotations, axis=-1)
        self._findings.measure(UNITS, float(np.abs(lengths - 1).max(initial=0)), picture.of(actor))
        if is_around_camera(picture.label, actor):
            return  # the near plane of the camera cuts this skin open
        pixels, depths = project(picture.label, positions)
        gaps = _gaps(picture, actor, pixels, depths) + THIN * footprint(picture.label, depths)
        self._findings.measure(BEFORE, float(-np.nanmin(gaps, initial=0)), picture.of(actor))

    def _check_keypoints(self, picture: Picture, actor: dict[str, Any], points: Reals) -> None:
        label, place, told = picture.label, picture.of(actor), np.reshape(actor["keypoints"], (-1, 3))
        pixels, depths = project(label, points)
        shown = told[:, 2] > OUTSIDE
        errors = np.abs(apart_on_picture(label, pixels, told[:, :2])).max(axis=-1) - ROUNDING / footprint(label, depths)
        self._findings.measure(PROJECTED, float(errors[shown].max(initial=0)), place)
        sides = np.array([label["width"], label["height"]])
        inner = np.all((pixels > EDGE) & (pixels < sides - EDGE), axis=-1)
        outer = ~np.all((pixels > -EDGE) & (pixels < sides + EDGE), axis=-1)
        self._findings.measure(INSIDE, int((inner & ~shown).sum() + (outer & shown).sum()), place)
        if {"ids", "depth"} <= picture.passes.keys():
            near = _is_near(picture.passes["ids"], actor["id"], told[:, :2]) & shown
            gaps = np.nan_to_num(_gaps(picture, actor, pixels, depths))
            self._findings.measure(COVERED, int(((told[:, 2] == VISIBLE) & ~near).sum()), place)
            self._findings.measure(IN_FRONT, float(gaps[told[:, 2] == VISIBLE].max(initial=0)), place)
            blur = (ROUNDING / footprint(label, depths))[:, None]  # rounding can move a point to the next pixel
            around = [_gaps(picture, actor, pixels + blur * side, depths) for side in SIDES]
            clear = near & (np.max(around, axis=0) <= CLOSE)
            self._findings.measure(UNCOVERED, int(((told[:, 2] == HIDDEN) & clear).sum()), place)

    def _check_skeleton(self, picture: Picture, actor: dict[str, Any], points: Reals) -> None:
        """Compare keypoints with joints.

        A keypoint of a limb is a joint. A keypoint of the head keeps its place relative to at least one joint.
        """
        positions = np.array(actor["joints"]["positions"])
        limbs = points[FACE:][np.isfinite(points[FACE:, 0])]
        away = np.linalg.norm(limbs[:, None] - positions, axis=-1).min(axis=1, initial=np.inf)
        self._findings.measure(JOINTS, float(away.max(initial=0)), picture.of(actor))
        turns = rotation_matrix(np.array(actor["joints"]["rotations"]))
        local = np.einsum("jba,kjb->kja", turns, points[:FACE, None] - positions)
        before = self._heads.setdefault(actor["id"], local)
        moved = np.linalg.norm(local - before, axis=-1).max(axis=0)  # of the keypoint that moved most, by joint
        self._findings.measure(FIXED, float(np.nan_to_num(moved).min(initial=np.inf)), picture.of(actor))


def _gaps(picture: Picture, actor: dict[str, Any], pixels: Reals, depths: Reals) -> Reals:
    """Return the distance [n] [m] of points behind the visible skin of their actor.

    NaN = the pixel of the point shows another surface, or the point is outside of the picture.
    """
    if not {"ids", "depth"} <= picture.passes.keys():
        return np.full(len(depths), np.nan)
    label, ids = picture.label, picture.passes["ids"]
    inside = np.all((pixels >= 0) & (pixels < [label["width"], label["height"]]), axis=-1)
    column, row = np.where(inside[:, None], pixels, 0).astype(int).T
    own = inside & (ids[row, column] == actor["id"])
    return np.where(own, depths - picture.passes["depth"][row, column], np.nan)


def _is_near(ids: NDArray[np.int64], actor: int, pixels: Reals) -> NDArray[np.bool_]:
    """Return for each point whether one of its four nearest pixels shows the actor."""
    padded = np.pad(ids == actor, 2)
    column, row = (np.floor(pixels - 0.5).astype(int).clip(-2, (ids.shape[1], ids.shape[0])) + 2).T
    return np.asarray(np.any([padded[row + down, column + across] for down in (0, 1) for across in (0, 1)], axis=0))
