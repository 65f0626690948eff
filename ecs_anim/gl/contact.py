"""Soft shadows where actors touch the ground."""

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl import api as gl
from ecs_anim.gl.buffers import StreamBuffer
from ecs_anim.gl.crowd import CONTACT_FLOATS, CrowdDraw
from ecs_anim.gl.model import INSTANCE, INSTANCE_FLOATS, point_instance_attributes
from ecs_anim.gl.program import Program
from ecs_anim.gl.resource import Resource, delete, generate


class ContactShadows(Resource):
    """One instanced draw a crowd: a quad below every actor that darkens the ground.

    Drawn right after the ground, so that it darkens nothing else; it writes no depth.
    """

    def __init__(self, instances: StreamBuffer) -> None:
        self._instances = instances
        self._contacts = StreamBuffer(gl.GL_ARRAY_BUFFER)
        self._program = Program("contact.vert", "contact.frag")
        self._vertex_array = generate("VertexArrays")
        gl.glBindVertexArray(self._vertex_array)
        instances.bind()
        point_instance_attributes()
        self._contacts.bind()
        _point_contact_attribute()
        gl.glBindVertexArray(0)

    def draw(self, crowds: Sequence[CrowdDraw], floor: float) -> None:
        """Darken the ground below all crowds that have a shadow radius; `floor` [m] is below those without contacts."""
        gl.glDepthMask(gl.GL_FALSE)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_ZERO, gl.GL_SRC_COLOR)
        gl.glDisable(gl.GL_CULL_FACE)
        self._program.use()
        for crowd in crowds:
            if crowd.shadow_radius > 0 and crowd.actor_count:
                self._instances.write(crowd.instances)
                self._contacts.write(
                    level_contacts(crowd.actor_count, floor) if crowd.contacts is None else crowd.contacts
                )
                self._program.set_float("radius", crowd.shadow_radius)
                gl.glBindVertexArray(self._vertex_array)
                gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, 4, crowd.actor_count)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        gl.glDepthMask(gl.GL_TRUE)

    def _release(self) -> None:
        delete("VertexArrays", self._vertex_array)
        self._contacts.free()
        self._program.free()


def level_contacts(actor_count: int, floor: float) -> NDArray[np.float32]:
    """Level ground at one height below all actors, [actor_count, 4] f32."""
    return np.tile(np.array([floor, 0, 1, 0], np.float32), (actor_count, 1))


def _point_contact_attribute() -> None:
    location = INSTANCE + INSTANCE_FLOATS // 4
    gl.glEnableVertexAttribArray(location)
    gl.glVertexAttribPointer(location, CONTACT_FLOATS, gl.GL_FLOAT, gl.GL_FALSE, 4 * CONTACT_FLOATS, ctypes.c_void_p(0))
    gl.glVertexAttribDivisor(location, 1)
