"""The lamps near the camera, for shaders with the define LAMPS."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.device.program import LAMPS_BINDING
from ecs_anim.gl.device.resource import Resource
from ecs_anim.view.style import Lamps, View

SIDE = 4  # a picture has SIDE x SIDE lamps
AHEAD = 40.0  # [m], largest distance between the camera and the point below which the middle of the lamps is


class LampsBlock(Resource):
    """The buffer of the uniform block `Lamps` in shaders/light.glsl."""

    def __init__(self) -> None:
        self._buffer = self.keep(StreamBuffer(gl.GL_UNIFORM_BUFFER))

    def write(self, lamps: Lamps, view: View) -> None:
        """Upload the lamps for the following draw calls."""
        color = np.array([[*lamps.color, lamps.reach]])
        self._buffer.write(np.concatenate([lamp_places(lamps, view), color]).astype(np.float32))
        gl.glBindBufferBase(gl.GL_UNIFORM_BUFFER, LAMPS_BINDING, self._buffer.name)


def lamp_places(lamps: Lamps, view: View) -> NDArray[np.float64]:
    """Return the positions of the lamps near the camera, with a 1 in the last column, [16, 4] f64 [m].

    Lamps hang at the nodes of a square grid on the plan.
    """
    ahead = -view.view[2, :3].astype(np.float64) * min(view.focus, AHEAD)
    middle = (view.eye + ahead)[[0, 2]]
    first = np.floor(middle / lamps.spacing) - (SIDE // 2 - 1)
    x, z = np.meshgrid(*(lamps.spacing * (own + np.arange(SIDE)) for own in first))
    return np.stack([x.ravel(), np.full(x.size, lamps.height), z.ravel(), np.ones(x.size)], axis=-1)
