"""Instance attributes of vertex arrays."""

from copy import copy

import numpy as np

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.model.instances import InstancedArray
from ecs_anim.view.instances import INSTANCE
from tests.gl.test_calls import counted_calls
from tests.helpers.gl import context_fixture  # noqa: F401


def rows_of() -> StreamBuffer:
    buffer = StreamBuffer(gl.GL_ARRAY_BUFFER)
    buffer.write(np.zeros(1, INSTANCE))
    return buffer


def calls_of(array: InstancedArray, buffer: StreamBuffer, first: int = 0) -> int:
    with counted_calls() as calls:
        array.bind(buffer, first)
    return calls["glVertexAttribPointer"]


def test_attributes_are_set_again_for_each_new_buffer_and_row(context):
    with InstancedArray() as array, rows_of() as one:
        assert calls_of(array, one) == 3
        assert calls_of(array, one) == 0
        assert calls_of(array, one, first=1) == 3
        assert calls_of(array, one) == 3


def test_another_buffer_with_the_same_name_is_another_buffer(context):
    """Drivers use the names of deleted buffers again. The attributes would still read the deleted buffer."""
    with InstancedArray() as array, rows_of() as one:
        array.bind(one, 0)
        assert calls_of(array, copy(one)) == 3
