"""The format `kitti`: 3D object detection in the layout of KITTI (Geiger and others 2012).

KITTI's boxes turn only about the vertical axis. Therefore, the labels use a level coordinate frame at the camera: x to
the right, y down, z forward, with y exactly vertical. The matrix P2 of each picture contains the pitch and the roll of
the camera and projects points of this frame to pixels.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.dataset.formats.output import Output
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import PERSON, Label
from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import product

Reals = NDArray[np.float64]
Actor = Mapping[str, Any]
FOLDER = "kitti/training"
# Occlusion from which an actor counts as partly occluded (1) and as largely occluded (2).
PARTLY, LARGELY = 0.05, 0.5
FLIP = np.diag([1.0, -1.0, -1.0])  # from the frame of our cameras (y up, z backward) to y down, z forward
EDGES = 1e-9  # [m], least distance of a point in front of the camera


class Kitti:
    """Writer of the text files, and links to the pictures."""

    def __init__(self, plan: Plan, output: Output) -> None:
        self._output, self._count = output, 0
        self._splits: dict[str, list[str]] = {name: [] for name in plan.splits}

    def add(self, label: Label) -> None:
        """Write the labels and the matrices of a picture. Pictures have consecutive numbers over all cameras."""
        stem = f"{self._count:06d}"
        self._count += 1
        if label["split"] is not None:
            self._splits[label["split"]].append(stem)
        level, projection = level_frame(label["view"])
        lines = [_line(actor, label, level, projection) for actor in label["actors"] if actor["area"]]
        self._output.write(f"{FOLDER}/label_2/{stem}.txt", "".join(line for line in lines if line).encode())
        self._output.write(f"{FOLDER}/calib/{stem}.txt", _calibration(projection).encode())
        self._output.link(label["files"]["rgb"], f"{FOLDER}/image_2/{stem}.png")

    def finish(self) -> None:
        """Write the lists of picture numbers of the splits."""
        for name, stems in self._splits.items():
            self._output.write(f"kitti/ImageSets/{name}.txt", "".join(f"{stem}\n" for stem in stems).encode())


def level_frame(view: Mapping[str, Any]) -> tuple[Reals, Reals]:
    """Return the matrix [3, 4] from space to the level frame of a camera, and the matrix P2 [3, 4].

    `view` is the field of a label.
    """
    to_view = np.array(view["world_to_view"])[:3]
    turn = np.array([FLIP[row, row] * to_view[row, :3] for row in range(3)])  # from space to y down, z forward
    ahead = np.array([turn[2, 0], 0.0, turn[2, 2]])
    if elementary.hypot(ahead[0], ahead[2]) < 1e-6:  # the camera looks straight down or up
        ahead = np.array([turn[1, 0], 0.0, turn[1, 2]]) * -np.sign(turn[2, 1])
    ahead /= elementary.hypot(ahead[0], ahead[2])
    axes = np.array([[-ahead[2], 0.0, ahead[0]], [0.0, -1.0, 0.0], ahead])
    eye = -np.sum(to_view[:, :3] * to_view[:, 3:], axis=0)
    level = np.concatenate([axes, -np.sum(axes * eye, axis=1)[:, None]], axis=1)
    lens = np.array([[view["fx"], 0.0, view["cx"]], [0.0, view["fy"], view["cy"]], [0.0, 0.0, 1.0]])
    projection = np.concatenate([product(lens, product(turn, axes.T)), np.zeros((3, 1))], axis=1)
    return level, projection


def _line(actor: Actor, label: Label, level: Reals, projection: Reals) -> str:
    """Return the line of an actor, or an empty text for an actor without a 3D box."""
    box = actor["box_3d"]
    if box is None:
        return ""
    length, width, height = box["size"]
    center = np.sum(level[:, :3] * np.array(box["center"]), axis=1) + level[:, 3]
    location = center + np.array([0.0, height / 2, 0.0])
    direction = [elementary.cos(actor["heading"]), 0.0, -elementary.sin(actor["heading"])]
    ahead = np.sum(level[:, :3] * direction, axis=1)
    rotation = float(-elementary.arctan2(ahead[2], ahead[0]))
    alpha = _wrapped(rotation - float(elementary.arctan2(location[0], location[2])))
    left, top, across, down = actor["amodal_bbox"]
    occlusion = actor["occlusion"]
    occluded = (occlusion >= PARTLY) + (occlusion >= LARGELY)
    truncated = _truncation(corners_of(location, (length, width, height), rotation), projection, label)
    numbers = [alpha, left, top, left + across, top + down, height, width, length, *location, _wrapped(rotation)]
    kind = "Pedestrian" if actor["category"] == PERSON else "Misc"
    return f"{kind} {truncated:.2f} {occluded} " + " ".join(f"{number:.4f}" for number in numbers) + "\n"


def corners_of(location: Reals, size: tuple[float, float, float], rotation: float) -> Reals:
    """Return the corners [8, 3] of a box in the level frame. `location` is the middle of the bottom."""
    length, width, height = size
    pick = np.array([[corner >> axis & 1 for axis in range(3)] for corner in range(8)], np.float64)
    x, y, z = ((pick - [0.5, 0.0, 0.5]) * [length, -height, width]).T
    cos, sin = elementary.cos(rotation), elementary.sin(rotation)
    turned = np.stack([cos * x + sin * z, y, cos * z - sin * x])
    return turned.T + location


def _truncation(corners: Reals, projection: Reals, label: Label) -> float:
    """Return the share of the projected box that is outside of the picture."""
    points = np.sum(projection[:, :3] * corners[:, None], axis=-1)
    if (points[:, 2] <= EDGES).any():
        return 1.0
    pixels = points[:, :2] / points[:, 2:]
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    inside = np.clip(high, 0, (label["width"], label["height"])) - np.clip(low, 0, (label["width"], label["height"]))
    return float(1 - np.prod(inside) / np.prod(high - low))


def _calibration(projection: Reals) -> str:
    """Return the text of a calibration file. KITTI's other matrices are identities."""
    identity, rigid = np.eye(3), np.eye(3, 4)
    matrices = {f"P{number}": projection for number in range(4)}
    matrices |= {"R0_rect": identity, "Tr_velo_to_cam": rigid, "Tr_imu_to_velo": rigid}
    return "".join(f"{name}: {' '.join(f'{value:.12e}' for value in own.ravel())}\n" for name, own in matrices.items())


def _wrapped(angle: float) -> float:
    """Return an angle [rad] in [-pi, pi)."""
    return float((angle + np.pi) % (2 * np.pi) - np.pi)
