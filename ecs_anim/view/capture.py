"""Captures: arrays with the pictures and the actor labels of one camera at one world time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.passes import Images
from ecs_anim.view.pinhole import PinholeCamera
from ecs_anim.view.silhouettes import Silhouettes

OUTSIDE, HIDDEN, VISIBLE = 0, 1, 2  # COCO's visibility of joints: outside the picture, behind an object, visible


@dataclass(frozen=True, eq=False)
class SeenActors:
    """The visible actors in an id picture, sorted by actor id.

    If the capture has amodal labels, the rows also include fully hidden actors.

    The amodal mask of an actor contains all pixels that the actor would cover in a picture without other objects.
    """

    ids: NDArray[np.int64]  # [n] i64, ascending
    areas: NDArray[np.int64]  # [n] i64, [pixel], visible area of each actor; 0 = fully hidden
    # [n, 4] i64, [pixel]: left, top, width, height of the box around each actor's visible pixels; zeros = fully hidden
    boxes: NDArray[np.int64]
    # Amodal labels of visible and hidden actors. None = amodal labels were not requested.
    amodal_areas: NDArray[np.int64] | None = None  # [n] i64, [pixel], 1 or more
    amodal_boxes: NDArray[np.int64] | None = None  # [n, 4] i64, [pixel]: left, top, width, height
    # [n] f64, hidden fraction of the body: 0 = fully visible, 1 = fully hidden.
    occlusion: NDArray[np.float64] | None = None
    silhouettes: Silhouettes | None = None  # amodal masks

    @classmethod
    def of(cls, ids: NDArray[np.uint32]) -> "SeenActors":
        """Return the visible actors in an id picture [height, width]. A pixel with id 0 shows no actor."""
        rows, columns = np.nonzero(ids)
        if not len(rows):
            none = np.zeros(0, np.int64)
            return cls(none, none, np.zeros((0, 4), np.int64))
        found = ids[rows, columns]
        order = np.argsort(found, kind="stable")
        shown, start, area = np.unique(found[order], return_index=True, return_counts=True)
        left, top = (np.minimum.reduceat(axis[order], start) for axis in (columns, rows))
        right, bottom = (np.maximum.reduceat(axis[order], start) for axis in (columns, rows))
        boxes = np.stack([left, top, right - left + 1, bottom - top + 1], axis=-1)
        return cls(shown.astype(np.int64), area.astype(np.int64), boxes.astype(np.int64))

    def with_amodal(self, silhouettes: Silhouettes) -> "SeenActors":
        """Return a copy that also contains the amodal labels and the fully hidden actors of `silhouettes`.

        Every visible actor must have a silhouette.
        """
        areas = np.zeros(len(silhouettes.ids), np.int64)
        boxes = np.zeros((len(silhouettes.ids), 4), np.int64)
        rows = np.searchsorted(silhouettes.ids, self.ids)
        areas[rows], boxes[rows] = self.areas, self.boxes
        occlusion = 1 - areas / silhouettes.areas
        return SeenActors(silhouettes.ids, areas, boxes, silhouettes.areas, silhouettes.boxes, occlusion, silhouettes)


@dataclass(frozen=True, eq=False)
class CrowdJoints:
    """Joints or keypoints of the actors in a crowd.

    An actor has a row if at least one of its joints is inside the picture, even if an object hides this joint.
    """

    crowd: str
    joint_names: tuple[str, ...]  # [joint]
    actor_ids: NDArray[np.int64]  # [n] i64
    joints_3d: NDArray[np.float64]  # [n, joint, 3] f64, world positions [m]
    joints_2d: NDArray[np.float64]  # [n, joint, 2] f64, [pixel] from the upper left corner; NaN = behind the camera
    depths: NDArray[np.float64]  # [n, joint] f64, [m] along the optical axis
    visibility: NDArray[np.uint8]  # [n, joint] u8: 0 outside the picture, 1 behind an object, 2 visible


@dataclass(frozen=True, eq=False)
class Capture(Images):
    """Pictures and labels of one camera. Attributes that were not requested are None.

    Row 0 of a picture is the top row. Each label pass is an attribute:

    * `rgb` is an array [height, width, 3] u8 with sRGB colours.
    * `ids` is an array [height, width] u32. Actor ids never change. The id 0 means no actor.
    * `classes` is an array [height, width] u8 with indices of `ecs_anim.view.label_passes.CLASSES`. The class index of
      an actor is 3.
    * `depth` is an array [height, width] f32 with distances in metres along the optical axis, or along the ray for
      fisheye and equirectangular lenses. The depth 0 means no surface.
    * `normals` is an array [height, width, 3] f32 with unit vectors in world space. The vector 0 means no surface.
    * `flow` is an array [height, width, 2] f32 with the movement of the visible surface to the right and down in
      pixels. NaN means that the movement is unknown.
    * `lidar` is an array [ring, step] with the fields `range`, `id`, `class`, `intensity` and `points` of
      `ecs_anim.view.lidar.RETURN`. The range 0 means no return.
    """

    camera: PinholeCamera  # the camera at this time; its lens has the size of the pictures
    camera_name: str  # name in the scene; "" for a camera outside the scene
    time: float  # [s], world time
    frame: int  # number of completed world steps
    images: Mapping[str, NDArray[Any]]  # images by pass name
    flow_since: float | None = None  # [s], world time of the previous flow pass; None = flow was not requested before
    actors: SeenActors | None = None  # actors of the image `ids`
    joints: tuple[CrowdJoints, ...] | None = None  # one item for each crowd, in the world's order
    # COCO keypoints, for each crowd whose rig has keypoints. For a keypoint that the rig does not have, the coordinates
    # are NaN and the visibility is 0.
    keypoints: tuple[CrowdJoints, ...] | None = None

    def mask(self, actor_id: int) -> NDArray[np.bool_]:
        """Return a mask [height, width] bool of an actor's visible pixels.

        Raise ValueError if the pass `ids` was not requested.
        """
        if self.ids is None:
            raise ValueError(
                "a mask needs the label pass 'ids', but this capture does not contain the pass. Make the capture "
                "with passes=('ids',)."
            )
        return np.asarray(self.ids == actor_id)

    def amodal_mask(self, actor_id: int) -> NDArray[np.bool_]:
        """Return a mask [height, width] bool of all pixels that an actor would cover as the only visible object.

        Raises ValueError if amodal labels were not requested.
        """
        if self.actors is None or self.actors.silhouettes is None:
            raise ValueError("this capture has no amodal masks. Make the capture with amodal=True.")
        return self.actors.silhouettes.mask(actor_id)
