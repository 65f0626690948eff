"""Comparison of boxes in space with the masks, the pass `depth`, the camera and the headings."""

from typing import Any

import numpy as np

from ecs_anim.verifying.camera import Reals, footprint, rays, rotation_matrix
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import Picture
from ecs_anim.verifying.shapes import mask_of_runs

SKIN = 0.02  # [m]; a drawn level of detail or a baked pose can differ from the finest skin by this length
SAMPLED = 0.5  # [pixel]; the pixels of lenses that bend lines sample a nearby ray
CENTER = Rule("centres of boxes in the camera's frame", 3e-4, "m")
TURN = Rule("rotations of boxes in the camera's frame", 1e-3)
HEADING = Rule("headings against the boxes", 1e-3, "rad")
CONTAINED = Rule("pixels of amodal masks outside of the projected box", 0, "px")
DEPTHS = Rule("visible surfaces outside of the box", SKIN, "m")
GAZE = Rule("lengths of gazes against 1", 5e-4)
UPRIGHT = 0.999  # cosine, from which a box counts as upright


def check_boxes(picture: Picture, findings: Findings) -> None:
    """Compare the boxes of all actors in a picture."""
    label = picture.label
    origins, directions = rays(label)
    for actor in label["actors"]:
        if actor["gaze"] is not None:
            findings.measure(GAZE, abs(float(np.linalg.norm(actor["gaze"])) - 1), picture.of(actor))
        if actor["box_3d"] is not None:
            _check_frame(picture, actor, findings)
            _check_content(picture, actor, origins, directions, findings)


def is_around_camera(label: dict[str, Any], actor: dict[str, Any]) -> bool:
    """Return whether the camera is in the box of an actor, or nearer to the box than its nearest visible depth."""
    box = actor["box_3d"]
    if box is None:
        return False
    offset = np.array(box["in_camera"]["center"]) @ rotation_matrix(np.array(box["in_camera"]["rotation"]))
    return bool(np.all(np.abs(offset) <= np.array(box["size"]) / 2 + label["view"]["near"]))


def _check_frame(picture: Picture, actor: dict[str, Any], findings: Findings) -> None:
    box, view = actor["box_3d"], np.array(picture.label["view"]["world_to_view"])
    axes, in_camera = (rotation_matrix(np.array(own["rotation"])) for own in (box, box["in_camera"]))
    center = view[:3, :3] @ box["center"] + view[:3, 3]
    findings.measure(CENTER, float(np.abs(center - box["in_camera"]["center"]).max()), picture.of(actor))
    findings.measure(TURN, float(np.abs(view[:3, :3] @ axes - in_camera).max()), picture.of(actor))
    if axes[1, 2] > UPRIGHT:
        heading = np.arctan2(-axes[2, 0], axes[0, 0])
        away = abs((heading - actor["heading"] + np.pi) % (2 * np.pi) - np.pi)
        findings.measure(HEADING, float(away), picture.of(actor))


def _check_content(
    picture: Picture, actor: dict[str, Any], origins: Reals, directions: Reals, findings: Findings
) -> None:
    """Compare a box with the rays of the amodal mask and with the points of the visible surface."""
    box, axes = actor["box_3d"], rotation_matrix(np.array(actor["box_3d"]["rotation"]))
    half, place = np.array(box["size"]) / 2, picture.of(actor)
    mask = mask_of_runs(actor["amodal_segmentation"])
    begin, along = (origins[mask] - box["center"]) @ axes, directions[mask] @ axes
    pixel = footprint(picture.label, np.linalg.norm(box["in_camera"]["center"]))
    findings.measure(CONTAINED, int(_misses(begin, along, half + SKIN + pixel).sum()), place)
    if {"ids", "depth"} <= picture.passes.keys() and actor["area"]:
        own = picture.passes["ids"] == actor["id"]
        surface = origins[own] + directions[own] * picture.passes["depth"][own][:, None].astype(np.float64)
        points = (surface - box["center"]) @ axes
        findings.measure(
            DEPTHS, float(np.nanmax(np.abs(points) - half, initial=-np.inf)) - SAMPLED * float(pixel), place
        )


def _misses(origin: Reals, along: Reals, half: Reals) -> Reals:
    """Return for each ray whether it misses a box, by the slab method of Kay and Kajiya 1986."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([(-half - origin) / along, (half - origin) / along])
    return ends.min(axis=0).max(axis=-1) > ends.max(axis=0).min(axis=-1)
