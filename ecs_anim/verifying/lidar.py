"""Comparison of the pass `lidar` with the settings of the lidar, the boxes in space, and the passes of the camera."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.verifying.boxes import SKIN
from ecs_anim.verifying.camera import Reals, footprint, project, rotation_matrix
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import Picture

ACTOR = 3  # class number
SHAPE = Rule("sizes of lidar scans against the settings of the lidar")
RANGES = Rule("ranges of lidar returns outside of the range of the lidar", 0.0, "m")
NO_RETURN = Rule("lidar rays without a return, but with an id, a class or a point")
ACTORS = Rule("actors in the classes of lidar returns against the ids")
LENGTHS = Rule("distances of lidar points from the lidar against the ranges", 2e-3, "m")
RAYS = Rule("directions of lidar points against the rings and steps", np.radians(0.1).item(), "rad")
INTENSITY = Rule("intensities of lidar returns outside of 0 to 1")
BOXES = Rule("lidar points of actors outside of their boxes", SKIN, "m")
IN_FRONT = Rule("share of lidar points in front of the pass depth", 0.01)
NAMED = Rule("share of lidar points on the visible surface with another id than the pass ids", 0.02)
CLOSE = 0.05  # [m], a point that is less far from the pass depth is on the visible surface


def check_lidar(picture: Picture, findings: Findings) -> None:
    """Compare a scan. Without the pass `lidar`, compare nothing."""
    scan, facts = picture.passes.get("lidar"), picture.label.get("lidar")
    if scan is None or facts is None:
        findings.require(SHAPE, scan is None and facts is None, picture.place)
        return
    size = len(facts["elevations"]), facts["azimuth_steps"]
    findings.require(SHAPE, scan.shape == size, picture.place)
    if scan.shape == size:
        _check_returns(picture, scan, findings)
        _check_rays(picture, scan, findings)
        _check_boxes(picture, scan, findings)
        if {"ids", "depth"} <= picture.passes.keys():
            _check_passes(picture, scan, findings)


def _check_returns(picture: Picture, scan: NDArray[Any], findings: Findings) -> None:
    """Compare the fields of the returns with each other."""
    is_hit, place = scan["range"] > 0, picture.place
    nearest, farthest = picture.label["lidar"]["range"]
    own = scan["range"][is_hit].astype(np.float64)
    findings.measure(RANGES, max(0.0, np.max(nearest - own, initial=0), np.max(own - farthest, initial=0)), place)
    findings.measure(NO_RETURN, int((_is_named(scan) & ~is_hit).sum()), place)
    findings.measure(ACTORS, int(((scan["class"] == ACTOR) != (scan["id"] > 0)).sum()), place)
    findings.measure(INTENSITY, int((~((scan["intensity"] >= 0) & (scan["intensity"] <= 1))).sum()), place)


def _is_named(scan: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray((scan["id"] > 0) | (scan["class"] > 0) | scan["points"].any(axis=-1))


def _check_rays(picture: Picture, scan: NDArray[Any], findings: Findings) -> None:
    """Compare the points with the ranges, and with the directions of the rings and steps."""
    facts, is_hit = picture.label["lidar"], scan["range"] > 0
    matrix = np.array(facts["world_to_lidar"])
    points = scan["points"].astype(np.float64)[is_hit] @ matrix[:3, :3].T + matrix[:3, 3]
    distances = np.linalg.norm(points, axis=-1)
    away = np.abs(distances - scan["range"][is_hit]).max(initial=0)
    findings.measure(LENGTHS, float(away), picture.place)
    steps = facts["azimuth_steps"]
    azimuth = 2 * np.pi * ((np.arange(steps) + 0.5) / steps - 0.5)
    rise = np.array(facts["elevations"])[:, None]
    rays = np.stack(
        [np.cos(rise) * np.sin(azimuth), np.sin(rise) + 0 * azimuth, -np.cos(rise) * np.cos(azimuth)], axis=-1
    )[is_hit]
    aside = np.linalg.norm(np.cross(points, rays), axis=-1)
    angles = np.arctan2(aside, np.sum(points * rays, axis=-1))
    findings.measure(RAYS, float(angles.max(initial=0)), picture.place)


def _check_boxes(picture: Picture, scan: NDArray[Any], findings: Findings) -> None:
    """Compare the points of each actor in the picture with its box."""
    for actor in picture.label["actors"]:
        box, points = actor["box_3d"], scan["points"][scan["id"] == actor["id"]].astype(np.float64)
        if box is not None and len(points):
            own = (points - box["center"]) @ rotation_matrix(np.array(box["rotation"]))
            outside = np.abs(own) - np.array(box["size"]) / 2
            findings.measure(BOXES, float(outside.max()), picture.of(actor))


def _check_passes(picture: Picture, scan: NDArray[Any], findings: Findings) -> None:
    """Compare the points in the picture with the nearest and the farthest surface in the pixels around them.

    No point is in front of all these surfaces. The pixels around a point on a visible surface show its actor.
    """
    label, ids = picture.label, picture.passes["ids"]
    is_hit = scan["range"] > 0
    pixels, depths = project(label, scan["points"][is_hit].astype(np.float64))
    near, far = label["view"]["near"], label["view"]["far"]
    inner = (pixels >= 1) & (pixels < np.array([label["width"], label["height"]]) - 1)
    shown = inner.all(axis=-1) & (depths > near) & (depths < far)
    if not shown.any():
        return
    around = _around(picture.passes["depth"], pixels[shown])
    around = np.where(around == 0, np.inf, around)
    gap = CLOSE + footprint(label, depths[shown])
    findings.measure(IN_FRONT, float((around.min(axis=0) > depths[shown] + gap).mean()), picture.place)
    is_near = np.abs(around - depths[shown]) < gap
    same = is_near & (_around(ids, pixels[shown]) == scan["id"][is_hit][shown])
    on_surface = is_near.all(axis=0)
    if on_surface.any():
        findings.measure(NAMED, float((~same.any(axis=0))[on_surface].mean()), picture.place)


def _around(image: NDArray[Any], pixels: Reals) -> NDArray[Any]:
    """Return the values [9, n] of the nine pixels around positions [n, 2] inside of the border."""
    column, row = np.floor(pixels).astype(int).T
    return np.stack([image[row + down, column + across] for down in (-1, 0, 1) for across in (-1, 0, 1)])
