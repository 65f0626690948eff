"""Draw the picture of random furniture in props.md: `python docs/draw_furniture.py docs/furniture.jpg`."""

import sys

from PIL import Image

import ecs_anim as ea
from ecs_anim.scenes.shipped import shipped_text


def main() -> None:
    """Draw the scene plaza with furniture."""
    with ea.load_scene(shipped_text("plaza") + "\n[furniture]\ndensity = 0.03\n") as world:
        for _ in range(60):
            world.step(1 / 60)
        Image.fromarray(ea.render(world, (960, 540))).save(sys.argv[1], quality=85)


if __name__ == "__main__":
    main()
