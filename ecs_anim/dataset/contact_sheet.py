"""A contact sheet: some pictures of a data set with drawn labels, for visual checks."""

import colorsys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import Label
from ecs_anim.labels.keypoints import COCO_LINES
from ecs_anim.labels.rle import mask_of
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, read_bytes
from ecs_anim.support.images import decode_image
from ecs_anim.support.panels import INK, PANEL, font_of, text_size, with_panel
from ecs_anim.support.pictures import png_bytes
from ecs_anim.view.capture import VISIBLE

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

PICTURE = Kind("picture", "picture_bytes")
ACROSS, DOWN = 4, 6  # largest numbers of moments and of cameras
WIDTH, MARGIN = 480, 8  # [pixel], width of a picture and gap between pictures
FINER = 2  # lines are drawn at this factor of the resolution and then scaled down, so that their edges are smooth
COVER = 0.45  # opacity of an actor's colour in the picture
TURN = 0.618  # hue difference of consecutive ids, so that their colours are different
LARGEST_DOT, DOT = 3.0, 0.012  # largest dot [pixel of the sheet], and size of a dot as a share of the actor's height

Color = tuple[int, int, int]


class ContactSheet:
    """A contact sheet with one row per camera and one column per moment.

    For a large data set, the sheet shows only some of the cameras and moments.
    """

    def __init__(self, plan: Plan) -> None:
        self._cameras = _some(plan.cameras, DOWN)
        self._numbers = _some(range(len(plan.seeds) * len(plan.frames)), ACROSS)
        self._labels: dict[tuple[str, int], Label] = {}

    def add(self, label: Label) -> None:
        """Store the label of a picture if the sheet shows this picture. Ignore the labels of other pictures."""
        if label["camera"] in self._cameras and label["number"] in self._numbers:
            self._labels[label["camera"], label["number"]] = label

    def png(self, folder: Path) -> bytes:
        """Return the sheet as PNG data. `folder` is the data set's folder. Raises InputError for missing pictures."""
        rows = []
        for camera in self._cameras:
            cells = [_cell(folder, self._labels[camera, number]) for number in self._numbers]
            rows.append(np.concatenate([_framed(cell) for cell in cells], axis=1))
        return png_bytes(np.pad(np.concatenate(rows), ((MARGIN, 0), (MARGIN, 0), (0, 0)), constant_values=PANEL[0]))


def _some(of: Sequence[Any], most: int) -> list[Any]:
    """Return at most `most` evenly spaced items of a sequence, with the first and the last item."""
    count = min(len(of), most)
    return [of[round(k * (len(of) - 1) / max(count - 1, 1))] for k in range(count)]


def _framed(cell: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.pad(cell, ((0, MARGIN), (0, MARGIN), (0, 0)), constant_values=PANEL[0])


def _cell(folder: Path, label: Label) -> NDArray[np.uint8]:
    """Return a picture with its drawn labels, scaled to the width `WIDTH`."""
    from PIL import Image, ImageDraw

    try:
        whole = decode_image(read_bytes(folder / label["files"]["rgb"], PICTURE))[..., :3]
    except ValueError as error:
        raise InputError(f"{folder / label['files']['rgb']}: {error}") from None
    size = (WIDTH, max(1, round(WIDTH * label["height"] / label["width"])))
    seen = [actor for actor in label["actors"] if actor["area"] > 0]
    tinted = Image.fromarray(_tinted(whole, seen))
    fine = tinted.resize((FINER * size[0], FINER * size[1]), Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(fine)
    for actor in seen:
        _draw_actor(draw, actor, fine.width / label["width"])
    return _named(np.asarray(fine.resize(size, Image.Resampling.LANCZOS)), label)


def _tinted(picture: NDArray[np.uint8], actors: Sequence[Mapping[str, Any]]) -> NDArray[np.uint8]:
    colors = picture.copy()
    for actor in actors:
        left, top, width, height = actor["bbox"]
        box = np.s_[top : top + height, left : left + width]
        mask = mask_of(actor["segmentation"])[box]
        mixed = (1 - COVER) * picture[box][mask] + COVER * np.array(_color(actor["id"]))
        colors[box][mask] = np.rint(mixed).astype(np.uint8)
    return colors


def _draw_actor(draw: "ImageDraw", actor: Mapping[str, Any], scale: float) -> None:
    """Draw an actor's boxes and keypoints. `scale` is the width of the cell divided by the width of the picture."""
    for box, line in ((actor["amodal_bbox"], 1), (actor["bbox"], FINER)):  # the amodal box has a thinner line
        left, top, width, height = (scale * number for number in box)
        draw.rectangle((left, top, left + width, top + height), outline=_color(actor["id"]), width=line)
    if actor["keypoints"]:
        _draw_keypoints(draw, np.reshape(actor["keypoints"], (-1, 3)), scale, DOT * height)


def _draw_keypoints(draw: "ImageDraw", points: NDArray[np.float64], scale: float, dot: float) -> None:
    """Draw the keypoints and the lines between them. Visible keypoints are bright, and hidden keypoints are dark."""
    radius = min(dot, FINER * LARGEST_DOT)
    at, told = scale * points[:, :2], points[:, 2]
    for a, b in COCO_LINES:
        if told[a] and told[b]:
            color = INK if told[a] == told[b] == VISIBLE else PANEL
            draw.line((*at[a], *at[b]), fill=color, width=max(1, round(radius / 2)))
    for (x, y), seen in zip(at[told > 0], told[told > 0], strict=True):
        box = (x - radius, y - radius, x + radius, y + radius)
        draw.ellipse(box, fill=INK if seen == VISIBLE else PANEL)


def _color(actor: int) -> Color:
    red, green, blue = colorsys.hsv_to_rgb(TURN * actor % 1.0, 0.75, 1.0)
    return round(255 * red), round(255 * green), round(255 * blue)


def _named(cell: NDArray[np.uint8], label: Label) -> NDArray[np.uint8]:
    """Return the picture `cell` with a text at the lower left. The text states the camera, the seed and the frame."""
    from PIL import ImageDraw

    text = f"{label['camera']}, seed {label['seed']}, frame {label['frame']}"
    size = text_size(cell, 1 / 20)
    font, height = font_of(size), cell.shape[0]
    picture = with_panel(cell, (0, height - 1.6 * size, font.getlength(text) + size, height))
    ImageDraw.Draw(picture).text((size / 2, height - 0.8 * size), text, fill=INK, font=font, anchor="lm")
    return np.asarray(picture)
