"""Materials of floors and of other surfaces."""

from typing import Literal

# Materials of floors: slabs of 1 m by 0.5 m, asphalt, grass, a grid with lines every 1 m and 10 m, a uniform colour,
# tiles of 0.3 m, wooden planks, bricks, panels of concrete.
FloorMaterial = Literal["paving", "asphalt", "grass", "grid", "plain", "tiles", "planks", "bricks", "concrete"]
# Materials of surfaces; "glass": window panes, "water": calm water with ripples, on level faces.
SurfaceMaterial = Literal[
    "paving", "asphalt", "grass", "grid", "plain", "tiles", "planks", "bricks", "concrete", "glass", "water"
]  # fmt: skip
WallMaterial = Literal["plain", "tiles", "planks", "bricks", "concrete"]
# Floors that a picture can replace.
LAID: tuple[SurfaceMaterial, ...] = ("paving", "asphalt", "tiles", "planks", "bricks", "concrete")
