"""The uniform block of a picture. All drawing passes of the picture share the uniform block."""

import numpy as np

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.device.program import FRAME_BINDING
from ecs_anim.gl.device.resource import Resource
from ecs_anim.view.style import GroundStyle, Lighting, View
from ecs_anim.view.sun_fit import SunFit

# [s]; the ripples of water repeat after this time, so that 32-bit numbers in the shader are precise at late times
RIPPLE_PERIOD = 60.0

CLEAR = 3.0  # start of the fog, in distances of the far plane, if view rays are parallel

# std140 layout of the block in shaders/frame.glsl.
FRAME = np.dtype(
    [
        ("view_projection", np.float32, (4, 4)),
        ("inverse_view_projection", np.float32, (4, 4)),
        *(
            (name, np.float32, 4)
            for name in (
                "eye",
                "sun_direction",
                "sun_color",
                "sky_color",
                "bounce_color",
                "zenith_color",
                "horizon_color",
                "fog",
                "ground",
                "ground_color",
                "line_color",
            )
        ),
        ("shadow_rows", np.float32, (3, 4)),
        ("shadow", np.float32, 4),
    ]
)


class FrameBlock(Resource):
    """The buffer of the uniform block. The buffer is bound to the binding point that every program reads."""

    def __init__(self) -> None:
        self._buffer = self.keep(StreamBuffer(gl.GL_UNIFORM_BUFFER))

    def write(self, data: np.ndarray) -> None:
        """Upload the uniform block for the following draw calls. `data` is a result of the function `frame_data`."""
        self._buffer.write(data)
        gl.glBindBufferBase(gl.GL_UNIFORM_BUFFER, FRAME_BINDING, self._buffer.name)


def frame_data(
    view: View,
    lighting: Lighting,
    ground: GroundStyle | None,
    sun_fit: SunFit | None = None,
    *,
    uneven: bool = False,
    time: float = 0.0,
) -> np.ndarray:
    """Return the data of the uniform block as an array [1] with the dtype `FRAME`.

    If `sun_fit` is None, no surface is in shadow. If `uneven` is True, the shaders use the height of an actor's
    position as the height of the ground below this actor. `time` [s] is the simulation time, which moves the ripples of
    water.
    """
    data = np.zeros(1, FRAME)
    view_projection = view.view_projection
    # GLSL stores matrices column by column.
    data["view_projection"] = view_projection.T
    data["inverse_view_projection"] = np.linalg.inv(view_projection).T
    data["eye"][0, :3] = view.eye
    if view.is_parallel:  # depths 0 to 1 of the picture are `start` to `start + reach`
        reach = -2 / float(view.projection[2, 2])
        data["eye"][0, 3], data["fog"][0, 3] = reach * (-1 - float(view.projection[2, 3])) / 2, reach
    sun = np.asarray(lighting.sun_direction, np.float64)
    data["sun_direction"][0, :3] = sun / np.linalg.norm(sun)
    for name in ("sun_color", "sky_color", "bounce_color", "zenith_color", "horizon_color"):
        data[name][0, :3] = getattr(lighting, name)
    style = ground or GroundStyle()
    data["fog"][0, :2] = fog_range(style, view)
    data["fog"][0, 2] = time % RIPPLE_PERIOD
    data["ground"][0] = style.height, ground is not None, uneven, style.wetness
    data["ground_color"][0, :3] = style.color
    data["line_color"][0, :3] = style.line_color
    if sun_fit is not None:
        data["shadow_rows"] = sun_fit.rows
        data["shadow"] = 1 / sun_fit.texel_count, sun_fit.texel, 1, sun_fit.bias
    return data


def fog_range(style: GroundStyle, view: View) -> tuple[float, float]:
    """Return the distances [m] from the camera at which the fog starts and ends.

    Both distances grow with the height of the camera, and are at most 0.6 times the distance of the far plane. If view
    rays are parallel, no visible point has fog.
    """
    if view.is_parallel:  # the eye is at most twice as far away as the far plane
        return CLEAR * view.far, (CLEAR + 1) * view.far
    height = max(float(view.eye[1]) - style.height, 0.0)
    end = min(max(style.fog_end, 12.0 * height), 0.6 * view.far)
    return end * style.fog_start / style.fog_end, end
