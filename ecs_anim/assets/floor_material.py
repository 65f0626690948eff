"""Materials of floors and of other surfaces."""

from typing import Literal

# Materials of floors: slabs of 1 m by 0.5 m, asphalt, grass, a grid with lines every 1 m and 10 m, a uniform colour.
FloorMaterial = Literal["paving", "asphalt", "grass", "grid", "plain"]
# Materials of surfaces; "glass": window panes, "water": calm water with ripples, on level faces.
SurfaceMaterial = Literal["paving", "asphalt", "grass", "grid", "plain", "glass", "water"]
