"""Nothing piles up while scenes run and are loaded again; the long form is `python -m ecs_anim.profiling.soak`."""

from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import Buffer, StreamBuffer
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.profiling import soak
from ecs_anim.profiling.soak import check_errors, growth, held
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.skinning import swap_skinning
from tests.helpers import EXHAUSTIVE, some
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401

ANY_MEMORY = 10**12  # [byte]; other tests of the process leave it restless


def same(before: Counter[str], after: Counter[str]) -> bool:
    return growth(before, after, ANY_MEMORY) == []


@EXHAUSTIVE
@pytest.mark.parametrize("scene", some(["throng", "hills", "twist"], "hills"))
def test_frames_leave_nothing_behind(renderer, scene):
    drawing = DrawWorld(renderer)
    with load_scene(scene, actors=8) as world, renderer.target(48, 32) as target:
        soak.run(world, drawing, target, 3)
        before = held()
        soak.run(world, drawing, target, 12)
        assert same(before, held())


@pytest.mark.parametrize("scene", ["throng", "hills"])
@EXHAUSTIVE
def test_reloads_leave_nothing_behind(renderer, scene):
    drawing = DrawWorld(renderer)
    with renderer.target(48, 32) as target:
        soak.reload(scene, 8, drawing, target)
        before = held()
        for _ in range(2):
            soak.reload(scene, 8, drawing, target)
        assert same(before, held())


@EXHAUSTIVE
def test_changes_of_method_and_format_leave_nothing_behind(renderer):
    from ecs_anim.components.palette import Palette

    drawing = DrawWorld(renderer)
    with load_scene("single") as world, renderer.target(48, 32) as target:

        def change() -> None:
            swap_skinning(world)
            for _, (palette,) in world.query(Palette):
                palette.bits = 48 - palette.bits
            soak.run(world, drawing, target, 1)

        for _ in range(4):
            change()
        before = held()
        for _ in range(12):
            change()
        assert same(before, held())


@EXHAUSTIVE
def test_what_is_left_behind_is_counted(context):
    before = held()
    data = np.zeros(100, np.float32)
    with Buffer(gl.GL_ARRAY_BUFFER, data), StreamBuffer(gl.GL_UNIFORM_BUFFER) as empty, RenderTarget(context, 8, 8, 4):
        empty.bind()  # a name is an object from then on
        with Program("sky.vert", "sky.frag"):
            after = held()
        assert after[soak.BUFFER_BYTES] - before[soak.BUFFER_BYTES] == data.nbytes
        changes = {"Buffer": 2, "Texture": 1, "Framebuffer": 2, "Renderbuffer": 2, "Program": 1, "Shader": 0}
        for kind, more in changes.items():
            assert after[kind] - before[kind] == more, kind
        assert soak.objects(after) - soak.objects(before) == sum(changes.values())
    assert same(before, held())


def test_growth_is_told():
    before = Counter(dict.fromkeys((*soak.KINDS, soak.BUFFER_BYTES), 5) | {soak.MEMORY_BYTES: 100})
    assert growth(before, before, 0) == []
    assert growth(before, before + Counter(Texture=1), 0) == ["Texture grew from 5 to 6"]
    assert growth(before, before - Counter({soak.BUFFER_BYTES: 1}), 0) == []
    more = before + Counter({soak.MEMORY_BYTES: 50})
    assert growth(before, more, 50) == []
    assert growth(before, more, 49) == ["bytes of memory grew from 100 to 150"]


def test_errors_are_not_overlooked(context):
    check_errors()
    gl.glEnable(0xFFFF)
    with pytest.raises(RuntimeError, match="0x0500"):
        check_errors()
    check_errors()


@EXHAUSTIVE
def test_a_leak_is_an_exit_code(context, monkeypatch):
    monkeypatch.setattr(soak, "WARM_UP", 2)
    monkeypatch.setattr(soak, "WARM_UP_RELOADS", 1)
    arguments = ["single", "--frames", "2", "--reloads", "1", "--size", "16", "16", "--memory", "1000"]
    done = CliRunner().invoke(soak.main, arguments)
    assert (done.exit_code, "LEAK" in done.output) == (0, False), (done.output, done.exception)
    kept = []
    run = soak.run

    def leak(*arguments):
        kept.append(Buffer(gl.GL_ARRAY_BUFFER, np.zeros(1)))
        run(*arguments)

    monkeypatch.setattr(soak, "run", leak)
    done = CliRunner().invoke(soak.main, arguments)
    assert done.exit_code == 1
    assert "LEAK: 2 frames of single: Buffer grew" in done.output
    context.make_current()
