"""Draw the picture of lenses in cameras.md: `python docs/draw_lenses.py docs/lenses.jpg`."""

import math
import sys

import numpy as np
from PIL import Image

import ecs_anim as ea

SEEN_FROM = [-2.0, 2.2, 3.0]
FISHEYE = ea.FisheyeLens.of_view((360, 360), math.radians(200), field_of_view=math.radians(200))
PANORAMA = ea.EquirectangularLens((720, 360))
PLAN = ea.OrthographicLens((360, 360), 30.0)


def main() -> None:
    """Draw the same place with each lens, side by side."""
    with ea.load_scene("plaza", actors=120) as world:
        for _ in range(60):
            world.step(1 / 30)
        cameras = [ea.PinholeCamera.looking(lens, SEEN_FROM, [8.0, 1.0, 3.0]) for lens in (FISHEYE, PANORAMA)]
        cameras.append(ea.PinholeCamera.looking(PLAN, [-3.0, 40.0, 1.0], [-3.0, 0.0, 1.0], up=[0.0, 0.0, -1.0]))
        pictures = [ea.render(world, camera=camera, size=camera.lens.size) for camera in cameras]
    Image.fromarray(np.concatenate(pictures, axis=1)).save(sys.argv[1], quality=82)


if __name__ == "__main__":
    main()
