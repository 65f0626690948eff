"""What is drawn of a ground."""

from dataclasses import dataclass
from typing import Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Texture

# What a surface is part of: its class in pictures of classes.
SurfaceKind = Literal["ground", "wall", "door", "block", "seat"]


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of one look, in world space, that do not move."""

    positions: NDArray[np.float32]  # [vertex_count, 3] f32, [m]
    normals: NDArray[np.float32]  # [vertex_count, 3] f32, unit
    indices: NDArray[np.uint32]  # [triangle_count * 3] u32, counter-clockwise seen from outside
    uvs: NDArray[np.float32] | None = None  # [vertex_count, 2] f32, where there is a texture
    colors: NDArray[np.float32] | None = None  # [vertex_count, 3] f32, linear RGB times the colour
    texture: Texture | None = None
    color: tuple[float, float, float] | None = None  # linear RGB, times the texture; None = the ground's own colour
    double_sided: bool = False
    unlit: bool = False  # shows its own colour whatever the light
    kind: SurfaceKind = "ground"

    @property
    def triangle_count(self) -> int:
        return len(self.indices) // 3

    @property
    def is_wall(self) -> bool:
        """Whether it bounds the ground and is no part of it: nobody stands there, and the grid's lines are not."""
        match self.kind:
            case "wall" | "door":
                return True
            case "ground" | "block" | "seat":
                return False
            case _:
                assert_never(self.kind)

    def corners(self) -> NDArray[np.float32]:
        """Corner positions [triangle_count, 3, 3] f32 [m]."""
        return self.positions[self.indices].reshape(-1, 3, 3)
