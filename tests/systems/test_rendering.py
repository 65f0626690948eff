"""Pictures in one call: the same bits however they are asked for, and nothing that piles up."""

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.gl.device.context import open_headless
from ecs_anim.gl.picture.renderer import Renderer as ContextRenderer
from ecs_anim.profiling.soak import growth, held
from ecs_anim.systems import rendering
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.rendering import forget_pictures
from tests.helpers import EXHAUSTIVE
from tests.helpers.gl import context_fixture  # noqa: F401

SIZE = (80, 45)
ANY_MEMORY = 10**12  # [byte]; other tests of the process leave it restless


@pytest.fixture
def world():
    with ea.load_scene("throng", actors=20, threads=1) as world:
        yield world


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def drawn_by_hand(world, size, samples):
    """With a context and a renderer of its own."""
    with open_headless() as context, ContextRenderer(context, samples) as renderer, renderer.target(*size) as target:
        DrawWorld(renderer).draw(world, target)
        return target.read_pixels()


@EXHAUSTIVE
def test_a_picture_is_the_one_that_is_drawn_by_hand(context, world):
    expected = drawn_by_hand(world, SIZE, 4)
    context.make_current()
    for _ in range(2):
        picture = ea.render(world, SIZE)
        assert (picture.shape, picture.dtype) == ((45, 80, 3), np.uint8)
        np.testing.assert_array_equal(picture, expected)
    assert np.ptp(picture) > 50


@EXHAUSTIVE
def test_a_picture_is_the_one_that_the_command_writes(context, world, tmp_path):
    code = "from ecs_anim.cli import main; main()"
    options = ["--headless", "--actors", "20", "--frames", "7", "--size", "81x46", "--out", tmp_path / "x.png"]
    subprocess.run([sys.executable, "-c", code, "run", "throng", *options], check=True, capture_output=True)
    for _ in range(7):
        world.step(1 / 60)
    np.testing.assert_array_equal(ea.render(world, (81, 46)), np.asarray(Image.open(tmp_path / "x.png")))


@EXHAUSTIVE
def test_pictures_follow_the_world_and_the_size(context, world):
    first = ea.render(world, SIZE)
    for size in [(1, 1), (7, 301), (64, 64), (320, 9), SIZE]:
        assert ea.render(world, size).shape == (size[1], size[0], 3)
    np.testing.assert_array_equal(ea.render(world, SIZE), first)
    world.step(0.5)
    assert not np.array_equal(ea.render(world, SIZE), first)


@EXHAUSTIVE
def test_samples_smooth(context, world):
    np.testing.assert_array_equal(ea.render(world, SIZE, samples=1), drawn_by_hand(world, SIZE, 1))
    context.make_current()
    assert not np.array_equal(ea.render(world, SIZE, samples=1), ea.render(world, SIZE, samples=4))
    np.testing.assert_array_equal(ea.render(world, SIZE, samples=10**6), ea.render(world, SIZE, samples=10**7))


def test_another_camera_is_for_one_picture(context, world):
    own = stage_of(world).camera
    before = ea.render(world, SIZE)
    turned = ea.render(world, SIZE, {"azimuth_degrees": 60.0, "distance": 6.0})
    assert not np.array_equal(turned, before)
    np.testing.assert_array_equal(ea.render(world, SIZE), before)
    by_object = ea.OrbitCamera(own.target, 6.0, np.radians(60.0), own.elevation, own.vertical_fov)
    np.testing.assert_array_equal(ea.render(world, SIZE, by_object), turned)
    own.azimuth, own.distance = by_object.azimuth, 6.0
    np.testing.assert_array_equal(ea.render(world, SIZE), turned)


def test_worlds_take_turns(context, world):
    with ea.load_scene("single", threads=1) as other:
        pictures = [ea.render(one, SIZE) for one in (world, other, world, other)]
    assert not np.array_equal(pictures[0], pictures[1])
    np.testing.assert_array_equal(pictures[:2], pictures[2:])


@EXHAUSTIVE
def test_nothing_piles_up(context, world):
    """Worlds, sizes and samples that change."""

    def draw(count):
        with ea.load_scene("single", threads=1) as other:
            for number in range(count):
                ea.render((world, other)[number % 2], (20 + number % 5, 9), samples=1 + number % 3)

    draw(12)
    before = held()
    draw(50)
    assert growth(before, held(), ANY_MEMORY) == []
    assert len(rendering._kept) <= rendering.MOST_KEPT


@EXHAUSTIVE
def test_a_world_that_is_closed_or_gone_leaves_nothing(context):
    def draw(close):
        world = ea.load_scene("single", threads=1)
        ea.render(world, SIZE)
        if close:
            world.close()

    draw(close=True)
    before = held()
    draw(close=True)
    assert growth(before, held(), ANY_MEMORY) == []
    draw(close=False)
    gc.collect()
    draw(close=True)  # the next picture frees what the collected world held
    assert growth(before, held(), ANY_MEMORY) == []


@EXHAUSTIVE
def test_more_worlds_than_are_kept(context):
    with ExitStack() as stack:
        worlds = [stack.enter_context(ea.load_scene("single", threads=1)) for _ in range(rendering.MOST_KEPT + 2)]
        pictures = [ea.render(world, SIZE) for world in worlds * 2]
    assert all(np.array_equal(picture, pictures[0]) for picture in pictures)


@EXHAUSTIVE
def test_a_renderer_of_ones_own(context, world):
    before = held()
    with ea.Renderer(SIZE, samples=2) as renderer:
        np.testing.assert_array_equal(renderer.render(world), ea.render(world, SIZE, samples=2))
        turned = {"azimuth_degrees": 250.0}
        np.testing.assert_array_equal(renderer.render(world, turned), ea.render(world, SIZE, turned, samples=2))
        assert renderer.size == SIZE
        renderer.resize((30, 20))
        np.testing.assert_array_equal(renderer.render(world), ea.render(world, (30, 20), samples=2))
        with pytest.raises(ea.InputError, match="a picture must have .*got 0x5"):
            renderer.resize((0, 5))
        assert renderer.render(world).shape == (20, 30, 3)
    with pytest.raises(RuntimeError, match="this renderer is freed"):
        renderer.render(world)
    rendering._forget(world)
    assert growth(before, held(), ANY_MEMORY) == []


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        ({"size": (0, 5)}, ea.InputError, "a picture must have 1x1 to"),
        ({"size": (5, 10**6)}, ea.InputError, "a picture must have .*got 5x1000000"),
        ({"size": (640.0, 360)}, ValueError, "size must be whole numbers"),
        ({"size": 640}, ValueError, r"size must be two numbers, width and height, such as \(1280, 720\) \(got 640\)"),
        ({"size": "640x360"}, ValueError, "size must be whole numbers"),
        ({"samples": 0}, ValueError, r"samples must be a whole number >= 1 \(got 0\)"),
        ({"camera": "mine"}, KeyError, "no camera 'mine'; cameras of the scene are: none"),
        (
            {"camera": 3.0},
            TypeError,
            r"render\(\): camera must be an OrbitCamera or a PinholeCamera or a Follow or a dict or a string",
        ),
        ({"camera": {"azimut_degrees": 1.0}}, KeyError, "did you mean 'azimuth_degrees'"),
    ],
)
def test_arguments_that_cannot_be_are_told_in_a_line(context, world, arguments, kind, told):
    with pytest.raises(kind, match=told) as error:
        ea.render(world, **arguments)
    assert "\n" not in str(error.value)


def test_a_picture_that_the_memory_does_not_hold_is_told(context, world, monkeypatch):
    if not context.capabilities.is_software:
        pytest.skip("this OpenGL draws in memory of its own")
    ea.render(world, SIZE)
    monkeypatch.setattr("ecs_anim.support.budgets.LITTLE", 0)
    monkeypatch.setattr("ecs_anim.support.budgets.available_bytes", lambda: 1_000_000)
    with pytest.raises(
        ea.InputError, match=r"200x200 pixels takes too much memory: 0.0019 GB of memory, but only 0.001 GB are free"
    ):
        ea.render(world, (200, 200))
    assert ea.render(world, SIZE).shape == (45, 80, 3)
    monkeypatch.setattr("ecs_anim.support.budgets.available_bytes", lambda: 0)
    with pytest.raises(ea.InputError, match="only 0 GB are free"):
        ea.render(world, (200, 200))  # nor is there memory to go back
    monkeypatch.undo()
    assert ea.render(world, SIZE).shape == (45, 80, 3)


def test_a_closed_world_says_so(context):
    world = ea.load_scene("single", threads=1)
    world.close()
    with pytest.raises(RuntimeError, match="this world is closed"):
        ea.render(world, SIZE)
    assert (repr(world), world._repr_png_()) == ("<World: closed>", None)


def test_a_notebook_shows_the_world(context, world):
    world.step(0.25)
    assert repr(world) == "<World: 'Throng', 20 actors, frame 1, 0.25 s>"
    picture = np.asarray(Image.open(BytesIO(world._repr_png_())))
    np.testing.assert_array_equal(picture, ea.render(world, (640, 360)))


@EXHAUSTIVE
def test_threads_have_pictures_too():
    """No thread keeps the context, which would be lost with it."""
    code = """
import threading, ecs_anim as ea
from ecs_anim.systems import rendering
from concurrent.futures import ThreadPoolExecutor
sizes = [(64, 36), (32, 18), (48, 48)] * 3
with ea.load_scene("throng", actors=20, threads=1) as world:
    first = []
    thread = threading.Thread(target=lambda: first.append(ea.render(world, (64, 36))))
    thread.start()
    thread.join()
    with ThreadPoolExecutor(3) as threads:
        pictures = list(threads.map(lambda size: ea.render(world, size), sizes))
    assert [picture.shape[1::-1] for picture in pictures] == sizes
    assert (ea.render(world, (64, 36)) == first[0]).all() and (pictures[0] == first[0]).all() and first[0].std() > 5
    closing = threading.Thread(target=world.close)
    closing.start()
    closing.join()
    assert world.closed and not rendering._kept
print("drawn")
"""
    done = run_python(code)
    assert (done.stdout, done.stderr, done.returncode) == ("drawn\n", "", 0)


def test_a_context_of_another_thread_is_refused(context):
    """A driver may let it pass, and draw nothing."""

    def use():
        try:
            context.make_current()
        except RuntimeError as error:
            return str(error)

    with ThreadPoolExecutor(1) as threads:
        assert (
            threads.submit(use).result()
            == "this OpenGL context must be used in the thread that created it. Draw in that thread."
        )
    context.make_current()


def test_contexts_nest(context):
    from ecs_anim.gl.device.context import current_context

    with open_headless() as other:
        with context.current(), other.current(), context.current():
            assert current_context() is context
        assert current_context() is other
    assert current_context() is None
    context.make_current()
    assert current_context() is context


@EXHAUSTIVE
def test_what_a_context_keeps_goes_with_it(context, world):
    with open_headless():
        renderer = ea.Renderer(SIZE)
        renderer.render(world)
    assert renderer.freed
    context.make_current()


@EXHAUSTIVE
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_of_a_process_that_draws_says_that_it_cannot():
    code = """
import os, signal, ecs_anim as ea
world = ea.load_scene("single", threads=1)
picture = ea.render(world, (32, 18))
child = os.fork()
if child == 0:
    signal.alarm(30)
    try:
        ea.render(world, (32, 18))
    except ea.InputError as error:
        print(error)
    print(world._repr_png_(), flush=True)
    world.close()
    os._exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
assert (ea.render(world, (32, 18)) == picture).all()
"""
    done = run_python(code)
    assert (done.returncode, done.stderr) == (0, "")
    told, shown = done.stdout.splitlines()
    assert "forked from a process that draws" in told
    assert shown == "None"


@EXHAUSTIVE
def test_without_opengl_a_world_shows_its_text():
    code = """
import ecs_anim as ea
from ecs_anim.gl.device import context
def fail(): raise ImportError('Library "EGL" not found.')
context._create_headless = fail
with ea.load_scene("single", threads=1) as world:
    print(world._repr_png_(), repr(world))
    ea.render(world)
"""
    done = run_python(code)
    assert done.stdout == "None <World: 'One mannequin, walking in place', 1 actor, frame 0, 0.00 s>\n"
    assert done.stderr.splitlines()[-1].startswith(
        "ecs_anim.support.errors.InputError: headless drawing needs an EGL library"
    )


@EXHAUSTIVE
def test_a_picture_depends_on_none_that_was_drawn_before_once_they_are_forgotten():
    crowd = 'path = "baked"\nlevel = "auto"\ncount = 200\nlayout = { kind = "scatter", radius = 20.0 }\n'
    scene = f"""
[rigs.people]
model = "mannequin"
[camera]
distance = 45.0
[[crowds]]
rig = "people"
{crowd}clips = [{{ name = "run" }}]
"""

    def last(forgets, drawn):
        with ea.load_scene(scene, threads=1) as world:
            for frame in range(6):
                world.step(1 / 60)
                if frame in drawn:
                    ea.render(world, (160, 90))
            if forgets:
                forget_pictures(world)
            return ea.render(world, (160, 90))

    alone, all_before = last(False, ()), range(5)
    assert not np.array_equal(last(False, all_before), alone)  # poses of far actors are held
    for drawn in ((), (2,), all_before):
        assert np.array_equal(last(True, drawn), alone)
