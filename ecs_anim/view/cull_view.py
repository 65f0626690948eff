"""From where a crowd is looked at, as culling wants to know it, and how exact it must look."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.view.frustum import frustum_planes, map_planes

PIXEL_ERROR = 0.75  # [pixel]
MARGIN = 1.2  # by how much a coarser level must be better than needed before it is taken
SPEED = 2.0  # [body sizes a second] of runners' limbs against their bodies; walkers' are half as fast
MANY = 1 << 16  # more levels than there are
LARGE = 1e6  # [pixel], larger than anybody
VIEW_PLANES, SUN_PLANES, PLANE_COUNT = 6, 5, 12  # the last says how far ahead something is


class CullSettings(NamedTuple):
    """Numbers that `kernels.culling` and gl/shaders/cull.comp are given."""

    pixels: float  # of a metre at a distance of one metre
    pixel_error: float  # [pixel], how far surfaces may be from the finest level's
    stays: float  # 1 / MARGIN
    half_size: float  # [pixel], smaller actors are posed every second picture
    quarter_size: float  # [pixel], smaller actors are posed every fourth picture
    last_mesh: int  # the coarsest level of actors that play a mix of clips, and the last that is posed
    last_level: int  # the coarsest level of actors that play a single clip
    caster_level: int  # level that throws shadows; -1 = no shadows
    picture: int  # a running number
    all_posed: bool  # every drawn actor is posed


def half_rate_size(pixel_error: float, seconds: float) -> float:
    """[pixel] below which limbs move by less than `pixel_error` in these seconds; in three times that below a third."""
    return pixel_error / max(SPEED * seconds, 1e-9)


@dataclass(frozen=True)
class CullView:
    """A picture's view, and the sun's map where there is one."""

    planes: NDArray[np.float32]  # [12, 4] f32: six of the view, five of the sun's map, and metres ahead of the eye
    pixels: float  # of a metre at a distance of one metre
    has_sun: bool = False
    exact: bool = False  # numbers are drawn, which pictures of actors cannot tell

    @classmethod
    def of(
        cls, view_projection: ArrayLike, height: int, sun_rows: ArrayLike | None = None, *, exact: bool = False
    ) -> Self:
        """For a picture `height` pixels high; `sun_rows` [3, 4] are those of `SunFit`, None = there is no map."""
        matrix = np.asarray(view_projection, np.float64)
        planes = np.zeros((PLANE_COUNT, 4))
        planes[:VIEW_PLANES] = frustum_planes(matrix)
        if sun_rows is not None:
            planes[VIEW_PLANES : VIEW_PLANES + SUN_PLANES] = map_planes(sun_rows)
        size = np.linalg.norm(matrix[3, :3])
        planes[-1] = matrix[3] / size
        up = matrix[1, :3] - matrix[1, :3] @ planes[-1, :3] * planes[-1, :3]  # an off-centre picture leans on w
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
        """Return the kernel settings for the picture with this running number.

        `seconds` of the world's time pass from one picture to the next. An actor is posed every second picture where
        limbs move by less than `pixel_error` in that time, every fourth where they do so in three times that;
        `rates` false: always. Levels past `last_mesh` are impostors.
        """
        half = min(half_rate_size(pixel_error, seconds), LARGE) if rates else 0.0
        last_level = last_mesh if self.exact else MANY
        caster = caster_level if self.has_sun else -1
        return CullSettings(
            self.pixels, pixel_error, 1 / MARGIN, half, half / 3, last_mesh, last_level, caster, picture, not rates
        )


def caster_level(errors: NDArray[np.float32], scale: float, texel: float) -> int:
    """The coarsest level whose error [rig units] at this scale [m] stays within a texel [m] of the sun's map."""
    return int(np.flatnonzero(errors * scale <= texel)[-1])
