"""Draw the picture of the pass lidar in passes.md: `python docs/draw_lidar.py docs/lidar.jpg`."""

import sys

import numpy as np
from PIL import Image, ImageDraw

import ecs_anim as ea

SIZE = (560, 420)
CAMERA = ea.PinholeCamera.looking(ea.Lens.of_view(SIZE, 0.9), [-10.0, 3.0, 9.0], [2.0, 0.6, 0.0])
PLAN = ea.OrthographicLens(SIZE, 56.0)
MAP = ea.PinholeCamera.looking(PLAN, [-2.0, 60.0, 4.0], [-2.0, 0.0, 4.0], up=[0.0, 0.0, -1.0])
# of the classes nothing, ground, wall, actor, door, block, seat, prop
COLORS = ("#000000", "#7a8288", "#9a7b5c", "#ff8f1f", "#c94fc0", "#a8a04a", "#4fa8a0", "#59b866")
BACK = (24, 27, 31)


def main() -> None:
    """Draw a camera's picture, and the points of the lidar at the camera: on the picture, and seen from above."""
    with ea.load_scene("plaza", actors=160) as world:
        for _ in range(90):
            world.step(1 / 30)
        (seen,) = ea.capture(world, [CAMERA], ["rgb", "lidar"], size=SIZE)
    returns = seen.lidar[seen.lidar["range"] > 0]
    over = Image.fromarray(seen.rgb // 3)
    _draw(over, CAMERA, returns)
    above = Image.new("RGB", SIZE, BACK)
    _draw(above, MAP, returns)
    Image.fromarray(np.concatenate([seen.rgb, over, above], axis=1)).save(sys.argv[1], quality=85)


def _draw(picture: Image.Image, camera: ea.PinholeCamera, returns: np.ndarray) -> None:
    pixels, depths = camera.project(returns["points"])
    draw = ImageDraw.Draw(picture)
    for (x, y), depth, kind in zip(pixels.tolist(), depths.tolist(), returns["class"].tolist(), strict=True):
        if depth > 0 and 0 <= x < SIZE[0] and 0 <= y < SIZE[1]:
            draw.rectangle([x - 0.5, y - 0.5, x + 0.5, y + 0.5], fill=COLORS[kind])


if __name__ == "__main__":
    main()
