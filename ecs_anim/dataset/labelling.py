"""Labels: the data about one picture. A label is a line of labels.jsonl."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.dataset.actor_facts import actor_facts, skeletons
from ecs_anim.dataset.label_formats import BodyModel
from ecs_anim.dataset.movement import Before
from ecs_anim.dataset.rounding import METRE_DIGITS, PIXEL_DIGITS, SHARE_DIGITS, UNIT_DIGITS, rounded
from ecs_anim.ecs.world import World
from ecs_anim.labels.coco import PERSON
from ecs_anim.labels.keypoints import COCO
from ecs_anim.labels.rle import segmentation_of
from ecs_anim.labels.schema import VERSION
from ecs_anim.maths import affine, quaternion
from ecs_anim.systems.actor_ids import find_actors
from ecs_anim.systems.cameras import sensor_of
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.camera_record import camera_facts
from ecs_anim.view.capture import OUTSIDE, Capture, SeenActors

# Two lists about keypoints. The first list contains pixel x, pixel y and visibility v of all keypoints, as in COCO. The
# second list contains x, y, z [m] of each keypoint in space.
Points = tuple[list[float], list[list[float] | None]]


def label_of(
    world: World,
    seen: Capture,
    facts: Mapping[str, Any],
    *,
    before: Before | None = None,
    first_track: int = 0,
    poses: BodyModel | None = None,
) -> dict[str, Any]:
    """Return the data of a line in labels.jsonl: the items of `facts`, the time, the camera and the actors.

    The capture `seen` must contain ids, keypoints and amodal labels. `before` contains the positions of all actors one
    time step earlier. The track id of an actor is `first_track` plus the id of the actor. `poses` is the body model
    whose pose parameters the labels contain.
    """
    assert seen.ids is not None
    height, width = seen.ids.shape
    own = sensor_of(world, seen.camera_name or None)
    return {
        "version": VERSION,
        **facts,
        "time": seen.time,
        "width": width,
        "height": height,
        "view": camera_facts(seen.camera, width, height),
        "sensor": own.sensor.facts() if own is not None and own.sensor is not None else None,
        "lidar": stage_of(world).lidar.facts(seen.camera) if seen.lidar is not None else None,
        "flow_since": seen.flow_since,
        "skeletons": skeletons(world),
        "actors": list(_actors(world, seen, before, first_track, poses)),
    }


def _actors(
    world: World, seen: Capture, before: Before | None, first_track: int, poses: BodyModel | None
) -> Iterator[dict[str, Any]]:
    """Yield a label for each actor in the capture `seen`, even for an actor that is completely hidden."""
    actors, points = seen.actors, dict(_points_of(seen))
    assert actors is not None
    people = {crowd.crowd for crowd in seen.keypoints or ()}
    known = actor_facts(world, actors.ids, before, poses)
    boxes = _in_camera({actor: facts["box_3d"] for actor, facts in known.items() if facts["box_3d"]}, seen)
    for row, (actor, found) in enumerate(zip(actors.ids.tolist(), find_actors(world, actors.ids), strict=True)):
        assert found is not None
        crowd, rig = world.get(found.entity, Crowd).name, world.get(found.entity, Character).rig.name
        flat, in_world = points.get(actor, ([0.0] * (3 * len(COCO)), None))
        yield {
            "id": actor,
            "track_id": first_track + actor,
            "crowd": crowd,
            "category": PERSON if crowd in people else rig,
            **_masks(seen, actors, row),
            "keypoints": flat if crowd in people else None,
            "keypoints_3d": in_world,
            **known[actor],
            "box_3d": boxes.get(actor),
        }


def _in_camera(boxes: Mapping[int, Mapping[str, Any]], seen: Capture) -> dict[int, dict[str, Any]]:
    """Return the boxes of actors with their centres and their rotations in the coordinate frame of the camera."""
    view = np.asarray(seen.camera.view_matrix(), np.float64)[:3]
    centers = np.array([box["center"] for box in boxes.values()]).reshape(-1, 3)
    rotations = np.array([box["rotation"] for box in boxes.values()]).reshape(-1, 4)
    turned = quaternion.multiply(quaternion.from_matrix(view[:, :3]), rotations)
    columns = rounded(affine.transform_points(view, centers), METRE_DIGITS), rounded(turned, UNIT_DIGITS)
    return {
        actor: {**box, "in_camera": {"center": center, "rotation": rotation}}
        for (actor, box), center, rotation in zip(boxes.items(), *columns, strict=True)
    }


def _masks(seen: Capture, actors: SeenActors, row: int) -> dict[str, Any]:
    """Return the area, the box and the mask of an actor's visible pixels, and the same three values of its complete
    body.

    If the visible area is 0, the mask of the visible pixels is None.
    """
    assert actors.amodal_areas is not None
    assert actors.amodal_boxes is not None
    assert actors.occlusion is not None
    actor, area, box, whole = (
        column[row].tolist() for column in (actors.ids, actors.areas, actors.boxes, actors.amodal_boxes)
    )
    return {
        "area": area,
        "bbox": box,
        "segmentation": segmentation_of(_mask(seen, actor, box), box) if area else None,
        "amodal_area": int(actors.amodal_areas[row]),
        "amodal_bbox": whole,
        "amodal_segmentation": segmentation_of(seen.amodal_mask(actor), whole),
        "occlusion": round(float(actors.occlusion[row]), SHARE_DIGITS),
    }


def _mask(seen: Capture, actor: int, box: Sequence[int]) -> NDArray[np.bool_]:
    """Return the mask of an actor, computed only within its box: left, top, width, height [pixel]."""
    assert seen.ids is not None
    left, top, width, height = box
    inside, mask = np.s_[top : top + height, left : left + width], np.zeros(seen.ids.shape, np.bool_)
    mask[inside] = seen.ids[inside] == actor
    return mask


def _points_of(seen: Capture) -> Iterator[tuple[int, Points]]:
    """Yield the id and the keypoints of each actor that has keypoints in the picture."""
    for crowd in seen.keypoints or ():
        shown = crowd.visibility != OUTSIDE
        flat = np.zeros((*shown.shape, 3))
        flat[..., :2][shown] = np.round(crowd.joints_2d[shown], PIXEL_DIGITS)
        flat[..., 2] = crowd.visibility
        for actor, own, where in zip(crowd.actor_ids.tolist(), flat, crowd.joints_3d, strict=True):
            yield actor, (_flat(own), _or_none(where))


def _flat(points: NDArray[np.float64]) -> list[float]:
    """Return one list with x, y and v of all keypoints. v is an integer."""
    return [number for x, y, v in points.tolist() for number in (x, y, int(v))]


def _or_none(points: NDArray[np.float64]) -> list[list[float] | None]:
    """Return a list with x, y, z of each keypoint. If the rig lacks a keypoint, its item is None."""
    rounded = np.round(points, METRE_DIGITS)
    return [point if found else None for point, found in zip(rounded.tolist(), np.isfinite(points[:, 0]), strict=True)]
