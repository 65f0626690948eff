"""Quality steps of pictures for drawing under a time limit. Without a time limit, pictures have the highest quality."""

from dataclasses import dataclass

MAP_SIZE = 2048  # [texel], width and height of the shadow map


@dataclass(frozen=True)
class Quality:
    """Settings of one quality step. Pictures with lower quality take less time to draw."""

    samples: int = 4  # samples per pixel
    scale: float = 1.0  # factor of width and height; smaller pictures are enlarged for the window
    level_error: float | None = None  # [drawn pixel], largest error of meshes; None = value of the scene
    quick_shadows: bool = False  # whether shadows have hard edges, with one look-up of the shadow map in place of nine
    map_size: int = MAP_SIZE  # [texel]


FINEST = Quality()
# Quality steps for software renderers, finest first. There, frame rate matters more than smooth edges. Each step takes
# 0.5 to 0.8 times as long as the step before: docs/decisions/window-quality.md.
LADDER = (
    Quality(samples=1),
    Quality(samples=1, level_error=0.75),
    Quality(samples=1, level_error=1.0, quick_shadows=True),
    Quality(samples=1, level_error=1.2, quick_shadows=True, scale=0.7, map_size=1024),
    Quality(samples=1, level_error=1.5, quick_shadows=True, scale=0.5, map_size=1024),
)
