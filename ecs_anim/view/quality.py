"""Picture quality under a time limit. Pictures without a time limit always have the highest quality."""

from dataclasses import dataclass

MAP_SIZE = 2048  # [texel] both ways, of the sun's shadow map


@dataclass(frozen=True)
class Quality:
    """Settings that trade picture quality for speed."""

    samples: int = 4  # of a pixel
    scale: float = 1.0  # of width and height; what is drawn smaller is shown enlarged
    level_error: float | None = None  # [pixel drawn] that meshes may be off; None = as the scene says
    quick_shadows: bool = False  # shadows with hard edges: one look at the sun's map in place of nine
    map_size: int = MAP_SIZE  # [texel]


FINEST = Quality()
# For processors that draw, where motion matters more than smooth edges; finest first. Each takes 0.5 to 0.8 of the one
# before: docs/decisions/window-quality.md.
LADDER = (
    Quality(samples=1),
    Quality(samples=1, level_error=0.75),
    Quality(samples=1, level_error=1.0, quick_shadows=True),
    Quality(samples=1, level_error=1.2, quick_shadows=True, scale=0.7, map_size=1024),
    Quality(samples=1, level_error=1.5, quick_shadows=True, scale=0.5, map_size=1024),
)
