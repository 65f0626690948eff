"""Comparison of the passes of a picture with each other."""

import numpy as np

from ecs_anim.verifying.camera import rays
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import Picture

NOTHING, ACTOR = 0, 3  # class numbers
CLASSES = Rule("actors in the pass classes against the pass ids", 0, "px")
EMPTY = Rule("surfaces in the pass depth against the pass classes", 0, "px")
RANGE = Rule("depths outside of the clipping planes", 1e-3, "m")
UNIT = Rule("lengths of normals against 1", 0.02)
TOWARDS = Rule("share of normals that point away from the camera", 0.02)
CORNER = 1.7321  # distance of a cube's corner from its centre; wide lenses are drawn as the faces of a cube
AWAY = 0.02  # cosine, from which a normal points away; the resolution of 8 bits


def check_surfaces(picture: Picture, findings: Findings) -> None:
    """Compare classes with ids, depths with classes and clipping planes, and normals with rays."""
    passes, place, view = picture.passes, picture.place, picture.label["view"]
    classes, depth, normals = (passes.get(name) for name in ("classes", "depth", "normals"))
    if classes is not None and "ids" in passes:
        findings.measure(CLASSES, int(((classes == ACTOR) != (passes["ids"] > 0)).sum()), place)
    if classes is not None and depth is not None:
        is_known = np.isfinite(depth)
        findings.measure(EMPTY, int(((classes == NOTHING) != (depth == 0))[is_known].sum()), place)
    if depth is not None and (depth > 0).any():
        seen = depth[depth > 0].astype(np.float64)
        far = view["far"] * (CORNER if view["depth_along"] == "ray" else 1)
        findings.measure(RANGE, max(view["near"] - seen.min(), seen.max() - far, 0.0), place)
    if normals is not None and normals.any():
        is_there = normals.any(axis=-1)
        own = normals[is_there] / 127.5 - 1
        findings.measure(UNIT, float(np.abs(np.linalg.norm(own, axis=-1) - 1).max()), place)
        ahead = rays(picture.label)[1][is_there]
        toward = np.sum(own * ahead, axis=-1) / np.linalg.norm(ahead, axis=-1)
        findings.measure(TOWARDS, float((toward > AWAY).mean()), place)
