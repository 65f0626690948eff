"""Every GPU object is freed exactly once."""

from ctypes import c_int, c_uint

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Texture
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import Buffer, StreamBuffer, address
from ecs_anim.gl.device.resource import Resource, delete, generate
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from tests.helpers.gl import capsule, context_fixture, flat_box, identity_palettes, instances_at, take_picture  # noqa: F401
from tests.helpers.readback import gpu_vertices

KINDS = {"Buffers": "Buffer", "Textures": "Texture", "VertexArrays": "VertexArray", "Framebuffers": "Framebuffer"}

NAMES = range(1, 20_000)  # as many as the tests of one process may come to use: drivers need not re-use names


def live_names() -> dict[str, int]:
    """How many of the first names of each kind are in use."""
    counts = {kind: sum(getattr(gl, f"glIs{one}")(name) for name in NAMES) for kind, one in KINDS.items()}
    counts["Programs"] = sum(gl.glIsProgram(name) and not delete_pending(name) for name in NAMES)
    return counts


def delete_pending(program: int) -> bool:
    """OpenGL keeps a deleted program while it is in use; Mesa, also while transform feedback remembers it."""
    value = c_int()
    gl.glGetProgramiv(program, gl.GL_DELETE_STATUS, value)
    return bool(value.value)


def draw_and_read(renderer: Renderer) -> None:
    texture = Texture(np.full((8, 8, 4), 200, np.uint8))
    meshes = (capsule(material=Material(texture=texture)), flat_box(Material(texture=texture)))
    with renderer.upload(meshes) as model:
        crowd = CrowdDraw(model, instances_at(np.zeros((2, 3))), identity_palettes(2))
        take_picture(renderer, [crowd], size=(16, 16))
        gpu_vertices(renderer, crowd, 1)


@pytest.mark.exhaustive
def test_nothing_is_left_of_a_renderer(context):
    before = live_names()
    with Renderer(context) as renderer:
        draw_and_read(renderer)
    assert live_names() == before


@pytest.mark.exhaustive
def test_uploads_do_not_pile_up(context):
    with Renderer(context) as renderer:
        draw_and_read(renderer)
        before = live_names()
        for _ in range(20):
            draw_and_read(renderer)
        assert live_names() == before


@pytest.mark.exhaustive
def test_the_renderer_frees_models_that_nobody_freed(context):
    before = live_names()
    with Renderer(context) as renderer:
        model = renderer.upload((capsule(),))
    assert model.freed
    assert live_names() == before


def test_freed_once():
    class Counted(Resource):
        count = 0

        def _release(self):
            self.count += 1

    counted = Counted()
    with counted:
        counted.free()
    counted.free()
    assert counted.count == 1
    assert counted.freed


def test_names_are_made_and_deleted(context):
    name = generate("Buffers")
    gl.glBindBuffer(gl.GL_ARRAY_BUFFER, name)
    assert gl.glIsBuffer(c_uint(name))
    delete("Buffers", name)
    assert not gl.glIsBuffer(c_uint(name))


def test_buffers_hold_what_they_were_given(context):
    data = np.arange(12, dtype=np.float32)
    for make in (lambda: Buffer(gl.GL_ARRAY_BUFFER, data), lambda: written(data)):
        with make() as buffer:
            back = np.zeros_like(data)
            buffer.bind()
            gl.glGetBufferSubData(gl.GL_ARRAY_BUFFER, 0, back.nbytes, address(back))
            np.testing.assert_array_equal(back, data)


def written(data: np.ndarray) -> StreamBuffer:
    buffer = StreamBuffer(gl.GL_ARRAY_BUFFER)
    buffer.write(data)
    return buffer


def test_strided_arrays_are_refused():
    with pytest.raises(ValueError, match="contiguous"):
        address(np.zeros((4, 4), np.float32)[:, ::2])
