"""Results of one camera at one moment, as arrays: pictures, and labels of the actors in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.passes import Images
from ecs_anim.view.pinhole import PinholeCamera
from ecs_anim.view.silhouettes import Silhouettes

OUTSIDE, HIDDEN, VISIBLE = 0, 1, 2  # of joints, as COCO counts them: not in the picture, behind something, seen


@dataclass(frozen=True, eq=False)
class SeenActors:
    """Actors with pixels in an id picture, by id. With amodal labels, wholly hidden actors are included.

    The amodal mask of an actor has the pixels that the actor covers inside the picture when nothing else is drawn.
    """

    ids: NDArray[np.int64]  # [n] i64, rising
    areas: NDArray[np.int64]  # [n] i64, [pixel] that are seen of each; 0 = hidden wholly
    # [n, 4] i64, [pixel]: left, top, width, height of what is seen of each; zeros = hidden wholly
    boxes: NDArray[np.int64]
    # Amodal labels, of visible and hidden actors. None = not requested.
    amodal_areas: NDArray[np.int64] | None = None  # [n] i64, [pixel], 1 or more
    amodal_boxes: NDArray[np.int64] | None = None  # [n, 4] i64, [pixel]: left, top, width, height
    occlusion: NDArray[np.float64] | None = None  # [n] f64, share of the whole that is hidden: 0 = none of it, 1 = all
    silhouettes: Silhouettes | None = None  # the masks of whole bodies

    @classmethod
    def of(cls, ids: NDArray[np.uint32]) -> "SeenActors":
        """Return the actors in an id picture [height, width], in which 0 means no actor."""
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
        """Add amodal labels and fully hidden actors. Every visible actor must have a silhouette."""
        areas = np.zeros(len(silhouettes.ids), np.int64)
        boxes = np.zeros((len(silhouettes.ids), 4), np.int64)
        rows = np.searchsorted(silhouettes.ids, self.ids)
        areas[rows], boxes[rows] = self.areas, self.boxes
        occlusion = 1 - areas / silhouettes.areas
        return SeenActors(silhouettes.ids, areas, boxes, silhouettes.areas, silhouettes.boxes, occlusion, silhouettes)


@dataclass(frozen=True, eq=False)
class CrowdJoints:
    """Joints or keypoints of the actors of a crowd with at least one in the picture, visible or hidden."""

    crowd: str
    joint_names: tuple[str, ...]  # [joint]
    actor_ids: NDArray[np.int64]  # [n] i64
    joints_3d: NDArray[np.float64]  # [n, joint, 3] f64, points in space [m]
    joints_2d: NDArray[np.float64]  # [n, joint, 2] f64, [pixel] from the upper left corner; NaN: not before the camera
    depths: NDArray[np.float64]  # [n, joint] f64, [m] along the camera's axis
    visibility: NDArray[np.uint8]  # [n, joint] u8: 0 not in the picture, 1 behind something, 2 seen


@dataclass(frozen=True, eq=False)
class Capture(Images):
    """Pictures and labels of one camera. Data that was not requested is None. Row 0 of a picture is its top.

    Images are attributes by the names of their passes:

    * `rgb`: [height, width, 3] u8, sRGB
    * `ids`: [height, width] u32, of actors, for life; 0 = no actor
    * `classes`: [height, width] u8, into `ecs_anim.view.label_passes.CLASSES`: 3 = an actor
    * `depth`: [height, width] f32, [m] along the camera's axis; 0 = nothing
    * `normals`: [height, width, 3] f32, unit, in the world; 0 = nothing
    * `flow`: [height, width, 2] f32, [pixel] by which what is seen has moved, right and down; NaN = unknown
    """

    camera: PinholeCamera  # as it was then; its lens is of the pictures' size
    camera_name: str  # of the scene's; "" of any other
    time: float  # [s] of the world
    frame: int  # steps that the world had taken
    images: Mapping[str, NDArray[Any]]  # by the names of the passes
    flow_since: float | None = None  # [s] of the world; None = flow was not asked for before
    actors: SeenActors | None = None  # of `ids`
    joints: tuple[CrowdJoints, ...] | None = None  # of each crowd, in the world's order
    # COCO's, in place of joints, of each crowd whose rig has any; NaN and 0 = a rig without this one
    keypoints: tuple[CrowdJoints, ...] | None = None

    def mask(self, actor_id: int) -> NDArray[np.bool_]:
        """Which pixels [height, width] are an actor's. Raises ValueError where ids were not asked for."""
        if self.ids is None:
            raise ValueError("masks are made of ids; capture passes=('ids',)")
        return np.asarray(self.ids == actor_id)

    def amodal_mask(self, actor_id: int) -> NDArray[np.bool_]:
        """Which pixels [height, width] an actor covers when nothing else is drawn, seen or hidden.

        Raises ValueError without amodal data.
        """
        if self.actors is None or self.actors.silhouettes is None:
            raise ValueError("this capture has no amodal masks; capture amodal=True")
        return self.actors.silhouettes.mask(actor_id)
