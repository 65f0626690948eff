"""MOTChallenge text: bounding boxes of people in pictures, one box per row, without column names."""

import numpy as np

from ecs_anim.trajectories.columns import Columns
from ecs_anim.trajectories.rows import Reals

WIDTHS = (9, 10)  # numbers of columns: MOT16's ground truth; detections, results and MOT15
TALL = 1.7  # [m], usual height of people
BOX = {"frame": 0, "id": 1, "box_left": 2, "box_top": 3, "box_width": 4, "box_height": 5}
WORLD = Columns({"frame": 0, "id": 1, "x": 7, "y": 8}, notes=("x and y: the file's positions on the ground",))
PIXELS = Columns(BOX, notes=("x and y: the middle of a box's lower edge, in pixels of the picture; y points down",))
SAMPLES = 20  # number of rows that are examined


def mot_columns(table: Reals) -> Columns | None:
    """Return the column for each role if the table [n, 9 or 10] contains boxes around people in each frame. Otherwise,
    return None.
    """
    if table.shape[1] not in WIDTHS or not len(table):
        return None
    frames, ids, width, height = table[:, 0], table[:, 1], table[:, 4], table[:, 5]
    whole = (frames == np.rint(frames)).all() and (ids == np.rint(ids)).all() and (frames >= 0).all()
    if not whole or (width <= 0).any() or (height <= 0).any():
        return None
    has_world = table.shape[1] == max(WIDTHS) and not (table[:, 7:9] == -1).all()
    return WORLD if has_world else PIXELS


def metres_of_a_pixel(table: Reals) -> float:
    """Return the size of a pixel [m] at the distance of the people.

    The function assumes that the boxes show people with the body height `TALL`.
    """
    return TALL / float(np.median(table[:, 5]))


def feet(columns: dict[str, Reals]) -> dict[str, Reals]:
    """Return `columns` with new x and y: the middle of the lower edge of each box."""
    found = {role: values for role, values in columns.items() if not role.startswith("box")}
    found["x"] = columns["box_left"] + columns["box_width"] / 2
    found["y"] = columns["box_top"] + columns["box_height"]
    return found
