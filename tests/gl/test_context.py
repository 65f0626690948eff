import os
import subprocess
import sys

import pytest

from ecs_anim.gl.device import context as context_module
from ecs_anim.gl.device.context import display_available, explain, open_window
from ecs_anim.support.errors import InputError
from tests.helpers.gl import context_fixture  # noqa: F401

STRICT_ENVIRONMENT = {  # Mesa with GL 3.3 and nothing newer
    "MESA_GL_VERSION_OVERRIDE": "3.3",
    "MESA_GLSL_VERSION_OVERRIDE": "330",
    "MESA_EXTENSION_OVERRIDE": "-GL_ARB_compute_shader -GL_ARB_shader_storage_buffer_object -GL_ARB_buffer_storage"
    " -GL_ARB_texture_storage -GL_ARB_base_instance -GL_ARB_multi_draw_indirect -GL_ARB_direct_state_access",
}
DRAW = """
from dataclasses import replace
from ecs_anim.gl.device.context import open_headless
from tests.helpers.gl import *
from tests.helpers.readback import gpu_vertices
from tests.gl.test_surface import floor_at
context = open_headless()
renderer = Renderer(context)
model = renderer.upload((capsule(),))
crowd = CrowdDraw(model, instances_at(np.zeros((3, 3))), identity_palettes(3))
picture = take_picture(renderer, [crowd])
assert picture.std() > 5
surface = renderer.upload_surface(floor_at(0.0))
with renderer.target(64, 64) as target:
    view = View.of(OrbitCamera(), 1.0)
    renderer.draw(target, view, Lighting(shadows="map"), GroundStyle(plane=False), [crowd], [surface])
    shaded = target.read_pixels().astype(int)
    renderer.draw(target, view, Lighting(shadows="none"), GroundStyle(plane=False), [crowd], [surface])
    assert (target.read_pixels() - shaded).max() > 40
assert gpu_vertices(renderer, crowd, 0)[0].shape == (3, model.meshes[0].mesh.vertex_count, 3)
with renderer.pass_target(64, 64) as target:
    last = replace(crowd, ids=np.arange(70_000, 70_003))
    renderer.draw_passes(target, View.of(OrbitCamera(), 1.0), GroundStyle(), [last], [surface])
    passes = target.read()
    assert set(np.unique(passes.ids)) == {0, 70_002} and passes.depth.max() > 5
assert gl.glGetError() == 0
print(context.capabilities.version, int(picture.sum()))
"""


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, timeout=120
    )


class NoSuchDisplayException(Exception):
    pass


class NoSuchConfigException(Exception):
    pass


class ContextException(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ImportError('Library "EGL" not found.'), ["EGL", "apt install libegl1"]),
        (ImportError('Library "GL" not found.'), ["GL", "libgl1"]),
        (NoSuchConfigException("No standard config is available."), ["driver", "libgl1-mesa-dri"]),
        (ContextException("Could not create GL context"), ["OpenGL 3.3", "Update"]),
        (ValueError("Invalid EGL device id: 0"), ["driver", "libgl1-mesa-dri"]),
        (NoSuchDisplayException('Cannot connect to "None"'), ["display", "--headless"]),
        (RuntimeError("anything else"), ["anything else", "apt install"]),
    ],
)
def test_each_failure_says_what_is_missing_and_what_helps(error, words):
    message = explain(error)
    assert "\n" not in message
    for word in [*words, "--no-draw"]:
        assert word in message


def test_a_failure_to_open_is_an_input_error():
    def fail():
        raise ImportError('Library "EGL" not found.')

    with pytest.raises(InputError, match="libegl1"):
        context_module._guarded(fail)


def test_capabilities_are_told(context):
    capabilities = context.capabilities
    assert capabilities.version >= (3, 3)
    assert capabilities.max_texture_buffer_size >= 65536
    assert capabilities.max_samples >= 1
    assert "OpenGL" in capabilities.summary


def test_without_a_display_no_window(monkeypatch):
    if not sys.platform.startswith("linux"):
        assert display_available()
        return
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not display_available()
    with pytest.raises(InputError, match="--headless"):
        open_window("", 10, 10)
    monkeypatch.setenv("DISPLAY", ":0")
    assert display_available()


@pytest.mark.exhaustive
def test_draws_on_strict_gl_3_3_and_leaves_without_a_traceback():
    """The context is left open on purpose."""
    done = run_python(DRAW, **STRICT_ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.exhaustive
def test_too_old_an_opengl_is_told():
    code = "from ecs_anim.gl.device.context import open_headless\nopen_headless()"
    done = run_python(code, MESA_GL_VERSION_OVERRIDE="3.1")
    if done.returncode == 0:  # not Mesa: the override means nothing
        return
    assert "InputError" in done.stderr.splitlines()[-1]
    assert "--no-draw" in done.stderr.splitlines()[-1]


@pytest.mark.exhaustive
def test_drawing_imports_no_window_of_pyglets_and_no_shader_for_comparison():
    ours = "ecs_anim.gl.picture.renderer, ecs_anim.gl.window.window, ecs_anim.systems.drawing"
    left_out = {"pyglet.gl", "ecs_anim.gl.crowds.classic_crowd", "ecs_anim.gl.crowds.bake_classic"}
    code = f"import sys\nimport {ours}\nassert not {left_out} & set(sys.modules)"
    done = run_python(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.exhaustive
def test_a_context_that_nobody_uses_is_out_of_the_loop_of_windows():
    """A loop that another window runs would switch to it, and has no canvas there."""
    code = """
import pyglet
from ecs_anim.gl.device.context import open_headless
context = open_headless()
assert len(pyglet.app.windows) == 1
context.let_go()
assert len(pyglet.app.windows) == 0
context.make_current()
assert len(pyglet.app.windows) == 1
context.let_go()
context.free()
assert len(pyglet.app.windows) == 0
"""
    done = run_python(code)
    assert (done.returncode, done.stderr) == (0, "")
