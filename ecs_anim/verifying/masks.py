"""Comparison of masks, boxes, areas and occlusions with the passes `ids` and `depth`."""

from typing import Any

import numpy as np

from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import Picture
from ecs_anim.verifying.shapes import Mask, apart, box_of, mask_of_runs

SHOWN = Rule("actors with visible pixels against the pass ids")
AREA = Rule("visible areas against the pass ids", 0, "px")
BOX = Rule("visible boxes against the pass ids", 0, "px")
MASK = Rule("visible masks against the pass ids", 0, "px")
AMODAL_AREA = Rule("amodal areas against amodal masks", 0, "px")
AMODAL_BOX = Rule("amodal boxes against amodal masks", 0, "px")
WITHIN = Rule("visible pixels outside of amodal masks", 0, "px")
OCCLUSION = Rule("occlusions against areas", 1e-4)
IN_FRONT = Rule("hidden pixels of amodal masks without a surface", 0, "px")


def check_masks(picture: Picture, findings: Findings) -> None:
    """Compare the masks of all actors in a picture."""
    ids = picture.passes.get("ids")
    if ids is not None:
        shown = set(np.unique(ids).tolist()) - {0}
        findings.measure(SHOWN, len(shown ^ {actor["id"] for actor in picture.shown}), picture.place)
    for actor in picture.label["actors"]:
        whole = mask_of_runs(actor["amodal_segmentation"])
        _check_amodal(actor, whole, picture.of(actor), findings)
        if ids is not None:
            _check_visible(actor, ids == actor["id"], whole, picture.of(actor), findings)
        if "classes" in picture.passes and ids is not None:
            hidden = whole & (ids != actor["id"])
            findings.measure(IN_FRONT, int((picture.passes["classes"][hidden] == 0).sum()), picture.of(actor))


def _check_visible(actor: dict[str, Any], mask: Mask, whole: Mask, place: str, findings: Findings) -> None:
    told = mask_of_runs(actor["segmentation"]) if actor["segmentation"] else np.zeros_like(mask)
    findings.measure(AREA, abs(actor["area"] - int(mask.sum())), place)
    findings.measure(BOX, apart(actor["bbox"], box_of(mask)), place)
    findings.measure(MASK, int((told != mask).sum()), place)
    findings.measure(WITHIN, int((mask & ~whole).sum()), place)


def _check_amodal(actor: dict[str, Any], whole: Mask, place: str, findings: Findings) -> None:
    area = int(whole.sum())
    findings.measure(AMODAL_AREA, abs(actor["amodal_area"] - area), place)
    findings.measure(AMODAL_BOX, apart(actor["amodal_bbox"], box_of(whole)), place)
    findings.measure(OCCLUSION, abs(actor["occlusion"] - (1 - actor["area"] / max(area, 1))), place)
