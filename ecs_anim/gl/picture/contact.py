"""Drawing of contact shadows: soft shadows on the ground below actors."""

from collections.abc import Sequence
from typing import get_args

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import CONTACTS_UNIT
from ecs_anim.gl.model.crowd import Drawable, GroundBelow
from ecs_anim.gl.model.instances import InstancedQuad
from ecs_anim.gl.model.stream import CrowdStream

GROUNDS: tuple[GroundBelow, ...] = get_args(GroundBelow)  # the index is the number of the ground type in the shader


class ContactShadows(Resource):
    """A drawing pass for contact shadows. A quad below every actor darkens the ground.

    Each crowd needs one instanced draw call. The renderer draws contact shadows directly after the ground and before
    all actors. Therefore, contact shadows darken only the ground. The pass does not write depths.
    """

    def __init__(self, stream: CrowdStream) -> None:
        self._stream = stream
        self._program = self.keep(Program("contact.vert", "contact.frag"))
        self._program.use()
        self._program.set_int("contacts", CONTACTS_UNIT)
        self._quad = self.keep(InstancedQuad())

    def draw(self, crowds: Sequence[Drawable]) -> None:
        """Draw contact shadows below the actors of all crowds whose shadow radius is above 0."""
        gl.glDepthMask(gl.GL_FALSE)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_ZERO, gl.GL_SRC_COLOR)
        gl.glDisable(gl.GL_CULL_FACE)
        self._program.use()
        for crowd in crowds:
            if crowd.shadow_radius > 0:
                self._draw_crowd(crowd)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        gl.glDepthMask(gl.GL_TRUE)

    def _draw_crowd(self, crowd: Drawable) -> None:
        self._program.set_float("radius", crowd.shadow_radius)
        self._program.set_int("ground", GROUNDS.index(crowd.ground_below))
        for part in crowd.standing(self._stream):
            part.instances.draw_quad(self._quad, len(part.model.meshes))
