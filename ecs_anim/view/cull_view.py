"""Parameters for culling: the view of a picture, and the allowed error of levels of detail."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.view.frustum import frustum_planes, map_planes

PIXEL_ERROR = 0.75  # [pixel]
# A coarser level replaces a finer level only if the allowed error is at least `MARGIN` times the error of the coarser
# level.
MARGIN = 1.2
SPEED = 2.0  # [body sizes per second], speed of a runner's limbs relative to the body; walkers have half this speed
MANY = 1 << 16  # larger than any level count
DISTANT = 1e6  # [m], depth of all actors if view rays are parallel
LARGE = 1e6  # [pixel], larger than any actor
VIEW_PLANES, SUN_PLANES, PLANE_COUNT = 6, 5, 12  # the last plane measures the depth


class CullSettings(NamedTuple):
    """Culling parameters for the CPU kernel `kernels.culling` and for the shader gl/shaders/cull.comp."""

    pixels: float  # [pixel], size of one metre at a distance of one metre
    pixel_error: float  # [pixel], largest distance between a level's surface and the finest level
    stays: float  # 1 / MARGIN
    half_size: float  # [pixel]; smaller actors get a new pose in every second picture
    quarter_size: float  # [pixel]; smaller actors get a new pose in every fourth picture
    last_mesh: int  # coarsest level for actors that blend clips, and coarsest posed level
    last_level: int  # coarsest level for actors that play a single clip
    caster_level: int  # level that casts shadows; -1 = no shadows
    picture: int  # running number of the picture
    all_posed: bool  # whether every drawn actor gets a new pose


def half_rate_size(pixel_error: float, seconds: float) -> float:
    """Return the size [pixel] of an actor whose limbs move by `pixel_error` pixels in `seconds` seconds.

    The limbs of smaller actors move by less than `pixel_error`. The size is inversely proportional to `seconds`.
    """
    return pixel_error / max(SPEED * seconds, 1e-9)


@dataclass(frozen=True)
class CullView:
    """Frustum planes of a picture, and of its shadow map if the picture has one. Culling uses these planes."""

    # [12, 4] f32: six planes of the view frustum, five planes of the shadow map, and one plane for the depth [m].
    planes: NDArray[np.float32]
    pixels: float  # [pixel], size of one metre at a distance of one metre
    has_sun: bool = False
    exact: bool = False  # whether the picture stores numbers, which impostors cannot show

    @classmethod
    def of(
        cls, view_projection: ArrayLike, height: int, sun_rows: ArrayLike | None = None, *, exact: bool = False
    ) -> Self:
        """Return the culling view of a picture that is `height` pixels high.

        `sun_rows` [3, 4] are the rows of `SunFit.rows`. If `sun_rows` is None, the picture has no shadow map.
        """
        matrix = np.asarray(view_projection, np.float64)
        planes = np.zeros((PLANE_COUNT, 4))
        planes[:VIEW_PLANES] = frustum_planes(matrix)
        if sun_rows is not None:
            planes[VIEW_PLANES : VIEW_PLANES + SUN_PLANES] = map_planes(sun_rows)
        size = float(np.linalg.norm(matrix[3, :3]))
        if size == 0:  # parallel view rays: the size of an actor does not depend on its distance
            size = 1 / DISTANT
        planes[-1] = matrix[3] / size
        # An off-centre projection also depends on w.
        up = matrix[1, :3] - matrix[1, :3] @ planes[-1, :3] * planes[-1, :3]
        pixels = float(np.linalg.norm(up) / size * height / 2)
        return cls(planes.astype(np.float32), pixels, sun_rows is not None, exact)

    def settings(
        self,
        picture: int,
        *,
        caster_level: int = -1,
        last_mesh: int = MANY,
        pixel_error: float = PIXEL_ERROR,
        seconds: float = 0.0,
        rates: bool = True,
    ) -> CullSettings:
        """Return the culling settings for the picture with the running number `picture`.

        `seconds` is the world time between two pictures. An actor gets a new pose in every picture, in every second
        picture or in every fourth picture. If the limbs of an actor move by less than `pixel_error` in the time
        `seconds`, the actor gets a new pose in every second picture. If the limbs move by less than `pixel_error` in
        the time 3 x `seconds`, the actor gets a new pose in every fourth picture. If `rates` is False, every actor gets
        a new pose in every picture. Levels of detail with numbers above `last_mesh` are impostors.
        """
        half = min(half_rate_size(pixel_error, seconds), LARGE) if rates else 0.0
        last_level = last_mesh if self.exact else MANY
        caster = caster_level if self.has_sun else -1
        return CullSettings(
            self.pixels, pixel_error, 1 / MARGIN, half, half / 3, last_mesh, last_level, caster, picture, not rates
        )


def caster_level(errors: NDArray[np.float32], scale: float, texel: float) -> int:
    """Return the number of the level of detail for shadows: the coarsest level whose error is at most `texel` [m].
    `texel` is the size of a texel of the shadow map.

    `errors` are in rig units. `scale` [m] is the length of a rig unit.
    """
    return int(np.flatnonzero(errors * scale <= texel)[-1])
