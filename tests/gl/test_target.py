import numpy as np
import pytest

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.support.errors import InputError
from tests.helpers.gl import context_fixture  # noqa: F401


def clear(target: RenderTarget, color: tuple[float, float, float], box: tuple[int, int, int, int] | None = None):
    target.bind()
    if box:
        gl.glEnable(gl.GL_SCISSOR_TEST)
        gl.glScissor(*box)
    gl.glClearColor(*color, 1.0)
    gl.glClear(gl.GL_COLOR_BUFFER_BIT)
    gl.glClearColor(0.0, 0.0, 0.0, 0.0)
    gl.glDisable(gl.GL_SCISSOR_TEST)


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("size", [(1, 1), (3, 5), (17, 2), (641, 3)])
def test_odd_sizes(context, size, samples):
    with RenderTarget(context, *size, samples) as target:
        clear(target, (1.0, 0.0, 0.5))
        target.resolve()
        pixels = target.read_pixels()
    assert pixels.shape == (size[1], size[0], 3)
    assert pixels.dtype == np.uint8
    assert (pixels == [255, 0, 188]).all()  # linear 0.5 is 188 in sRGB


def test_top_row_first(context):
    with RenderTarget(context, 5, 4) as target:
        clear(target, (0, 0, 0))
        clear(target, (1, 1, 1), (0, 3, 2, 1))  # OpenGL counts rows from the bottom
        target.resolve()
        pixels = target.read_pixels()[..., 0]
    expected = np.zeros((4, 5))
    expected[0, :2] = 255
    np.testing.assert_array_equal(pixels, expected)


def test_samples_are_clamped(context):
    with RenderTarget(context, 8, 8, 64) as target:
        assert target.samples == context.capabilities.max_samples
    with RenderTarget(context, 8, 8, 0) as target:
        assert target.samples == 1


@pytest.mark.parametrize("size", [(0, 10), (10, -1), (10, 1 << 20)])
def test_impossible_sizes_are_told(context, size):
    with pytest.raises(InputError, match=f"{size[0]}x{size[1]}"):
        RenderTarget(context, *size)
