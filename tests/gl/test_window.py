"""The viewer's loop on a headless window: what a display shows, without a display."""

import sys

import numpy as np
import pytest
from PIL import Image

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.window import window as window_module
from ecs_anim.gl.window.keys import KEYS, Action
from ecs_anim.gl.window.window import STILL, Viewer
from ecs_anim.systems import window_view
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.quality import FINEST, LADDER
from ecs_anim.view.style import GroundStyle, Lighting, View
from tests.helpers.gl import open_hidden_window, shared_context

SIZE = (321, 203)

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pyglet is headless on Linux only")


@pytest.fixture
def viewer(monkeypatch, tmp_path):
    shared = shared_context()

    monkeypatch.setattr(window_module, "open_window", open_hidden_window)
    with Viewer("test", SIZE, OrbitCamera(), picture_folder=tmp_path) as viewer:
        yield viewer
        assert gl.glGetError() == gl.GL_NO_ERROR
    shared.make_current()


class Show:
    """Counts steps, keeps what the window and the target showed, and closes after some frames."""

    def __init__(self, viewer: Viewer, renderer: Renderer, frames: int = 3) -> None:
        self.viewer, self.renderer, self.frames = viewer, renderer, frames
        self.steps: list[float] = []
        self.pictures: list[np.ndarray] = []

    def draw(self, target) -> None:
        view = View.of(self.viewer.camera, target.aspect)
        self.renderer.draw(target, view, Lighting(), GroundStyle(), [], quality=self.viewer.quality)
        self.pictures.append(target.read_pixels())
        if self.drawn == self.frames:
            self.viewer.close()

    @property
    def drawn(self) -> int:
        return len(self.pictures)

    @property
    def target_pixels(self) -> np.ndarray:
        """Return the last picture that was drawn."""
        return self.pictures[-1]

    def run(self) -> None:
        self.viewer.run(self.steps.append, self.draw, lambda: "overlay")


def hide_text(viewer: Viewer) -> None:
    """Select the state without text. The states before are the status and the help panel."""
    viewer._act(Action.NEXT_OVERLAY)
    viewer._act(Action.NEXT_OVERLAY)


def window_pixels(size: tuple[int, int]) -> np.ndarray:
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, 0)
    gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
    gl.glReadPixels(0, 0, *size, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, address(pixels))
    return pixels[::-1]


@pytest.mark.exhaustive
def test_the_window_shows_the_picture(viewer):
    hide_text(viewer)
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer)
        show.run()
    assert show.target_pixels.shape == (*SIZE[::-1], 3)
    difference = np.abs(window_pixels(SIZE).astype(int) - show.target_pixels)
    assert difference.max() <= 1


@pytest.mark.exhaustive
def test_the_overlay_covers_only_its_corners(viewer):
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer)
        show.run()
    changed = (np.abs(window_pixels(SIZE).astype(int) - show.target_pixels) > 1).any(axis=-1)
    assert changed[10:40, 10:60].any()
    assert changed[-30:, 10:200].any()
    assert not changed[70:120].any()


@pytest.mark.exhaustive
def test_frames_step_unless_paused_and_run_can_be_called_again(viewer):
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer)
        show.run()
        assert len(show.steps) == 3
        viewer._act(Action.PAUSE)
        again = Show(viewer, renderer)
        again.run()
        assert (again.steps, again.drawn) == ([], 3)
        viewer._act(Action.SINGLE_STEP)
        third = Show(viewer, renderer)
        third.run()
        assert len(third.steps) == 1


@pytest.mark.exhaustive
def test_the_help_panel_covers_the_upper_left_and_the_next_press_hides_all_text(viewer):
    viewer._act(Action.NEXT_OVERLAY)
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer)
        show.run()
        changed = (np.abs(window_pixels(SIZE).astype(int) - show.target_pixels) > 1).any(axis=-1)
        assert changed[12:150, 12:200].all()
        assert not changed[-10:].any(), "all lines fit into the window"
        assert not changed[:, -10:].any()
        viewer._act(Action.NEXT_OVERLAY)
        show = Show(viewer, renderer)
        show.run()
        assert np.abs(window_pixels(SIZE).astype(int) - show.target_pixels).max() <= 1


def test_the_window_reports_every_key_by_the_name_in_the_table(viewer):
    from pyglet.window import key

    assert [key.symbol_string(getattr(key, name)) for name in KEYS] == list(KEYS)


def test_keys_change_the_speed_and_say_so(viewer):
    from pyglet.window import key

    texts = []
    for symbol in (key.PLUS, key.EQUAL, key.NUM_ADD, key.PLUS, key.MINUS, key.NUM_SUBTRACT):
        viewer._on_key_press(symbol, 0)
        texts.append(viewer.message.text)
    assert texts == ["speed 2", "speed 4", "speed 8", "speed 8", "speed 4", "speed 2"]
    viewer._on_key_press(key.SPACE, 0)
    assert viewer.message.text == "paused"
    viewer._on_key_press(key.SPACE, 0)
    assert viewer.message.text == "continued"
    assert viewer.playback.advance(0.01) == 0.02


@pytest.mark.exhaustive
def test_a_message_is_drawn_even_without_other_text_until_its_time_is_over(viewer):
    hide_text(viewer)
    now = 0.0
    viewer.message.clock = lambda: now
    viewer.message.say("saved a picture")
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer)
        show.run()
        changed = (np.abs(window_pixels(SIZE).astype(int) - show.target_pixels) > 1).any(axis=-1)
        assert changed.any()
        assert not changed[:80].any()
        now = 3.0
        again = Show(viewer, renderer)
        again.run()
        assert np.abs(window_pixels(SIZE).astype(int) - again.target_pixels).max() <= 1


@pytest.mark.exhaustive
def test_a_picture_that_cannot_be_saved_is_reported_in_the_window(viewer, monkeypatch, capsys):
    def fail(path, pixels):
        raise window_module.InputError(f"{path.name}: the disk is full")

    monkeypatch.setattr(window_module, "save_png", fail)
    viewer._act(Action.SCREENSHOT)
    with Renderer(viewer.context) as renderer:
        Show(viewer, renderer, frames=2).run()
    assert viewer.message.text == "ecs-anim-001.png: the disk is full"
    assert "the disk is full" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_a_screenshot_is_a_fine_picture_without_the_overlay(viewer, tmp_path, capsys):
    for _ in range(9):
        viewer._live.took(9.0)
    viewer._act(Action.SCREENSHOT)
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer, frames=1)
        show.run()
    (path,) = tmp_path.glob("*.png")
    assert path.name in capsys.readouterr().out
    assert viewer.message.text == f"saved {path}"
    np.testing.assert_array_equal(np.asarray(Image.open(path)), show.pictures[0])
    assert show.pictures[0].shape == (*SIZE[::-1], 3)


@pytest.mark.exhaustive
def test_pictures_that_take_long_become_coarser_and_fill_the_window_all_the_same(viewer):
    if not viewer._live.is_governed:
        pytest.skip("a GPU draws here: its pictures are all of the finest quality")
    hide_text(viewer)
    with Renderer(viewer.context) as renderer:
        Show(viewer, renderer, frames=1).run()
        fine = window_pixels(SIZE).astype(int)
        for _ in range(9):
            viewer._live.took(9.0)
        show = Show(viewer, renderer, frames=1)
        show.run()
    assert viewer.quality == LADDER[-1]
    assert show.target_pixels.shape == (round(SIZE[1] / 2), round(SIZE[0] / 2), 3)
    off = np.abs(window_pixels(SIZE).astype(int) - fine)
    assert 0 < off.mean() < 2
    assert off[-40:].mean() < 6  # the ground, with its lines


@pytest.mark.exhaustive
def test_what_stands_still_is_drawn_once_and_finely_until_something_moves(viewer, monkeypatch):
    if not viewer._live.is_governed:
        pytest.skip("a GPU draws here: its pictures are all of the finest quality")
    from pyglet.window import key

    monkeypatch.setattr(viewer._live, "took", lambda seconds: None)
    viewer._act(Action.PAUSE)
    qualities, refreshed = [], []
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer, frames=1000)

        def draw(target) -> None:
            qualities.append(viewer.quality)
            show.draw(target)

        def overlay() -> str:
            refreshed.append(True)
            if len(refreshed) == 2 * STILL:
                viewer.context.window.dispatch_event("on_key_press", key.R, 0)
            if len(refreshed) == 2 * STILL + 3:
                viewer.close()
            return ""

        viewer.run(show.steps.append, draw, overlay)
    assert qualities == [LADDER[0]] * (STILL - 1) + [FINEST] + [LADDER[0]] * 3
    assert show.steps == []


def test_an_error_while_drawing_comes_out_and_frees_the_window(viewer):
    def fail(target) -> None:
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        viewer.run(lambda dt: None, fail)


@pytest.mark.exhaustive
def test_a_click_tells_its_pixel_and_a_drag_does_not(viewer):
    from pyglet.window import mouse

    window, clicks = viewer.context.window, []
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer, frames=2)

        def hand(dt: float) -> None:
            if not show.steps:
                window.dispatch_event("on_mouse_press", 50, 20, mouse.LEFT, 0)
                window.dispatch_event("on_mouse_release", 50, 20, mouse.LEFT, 0)
                window.dispatch_event("on_mouse_press", 60, 20, mouse.LEFT, 0)
                window.dispatch_event("on_mouse_drag", 90, 20, 30, 0, mouse.LEFT, 0)
                window.dispatch_event("on_mouse_release", 90, 20, mouse.LEFT, 0)
                window.dispatch_event("on_mouse_press", 60, 20, mouse.RIGHT, 0)
                window.dispatch_event("on_mouse_release", 60, 20, mouse.RIGHT, 0)
            show.steps.append(dt)

        viewer.run(hand, show.draw, clicked=lambda *place: clicks.append(place))
    assert clicks == [(50, SIZE[1] - 1 - 20, SIZE)]


@pytest.mark.exhaustive
def test_escape_lets_go_before_it_closes(viewer):
    from pyglet.window import key

    held = [True, False]
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer, frames=100)

        def press(dt: float) -> None:
            viewer.context.window.dispatch_event("on_key_press", key.ESCAPE, 0)

        viewer.run(press, show.draw, actions={Action.BACK: lambda: held.pop(0)})
        assert (held, show.drawn) == ([], 2)
        viewer.run(press, show.draw)
    assert show.drawn == 3


@pytest.mark.exhaustive
def test_mouse_and_keys_reach_camera_and_time(viewer):
    from pyglet.window import key, mouse

    window, before = viewer.context.window, viewer.camera.azimuth
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer, frames=2)

        def first_frame(dt: float) -> None:
            if not show.steps:
                window.dispatch_event("on_mouse_drag", 50, 50, 30, 0, mouse.LEFT, 0)
                window.dispatch_event("on_mouse_drag", 50, 50, 0, 10, mouse.RIGHT, 0)
                window.dispatch_event("on_mouse_scroll", 50, 50, 0, 2)
                window.dispatch_event("on_key_press", key.SPACE, 0)
            show.steps.append(dt)

        viewer.run(first_frame, show.draw)
    assert viewer.camera.azimuth > before
    assert viewer.camera.distance < 4.5
    assert viewer.camera.target[1] != 1.0
    assert viewer.playback.paused
    assert len(show.steps) == 1


@pytest.mark.exhaustive
def test_a_locked_camera_stays_and_a_key_asks_for_the_next(viewer):
    from pyglet.window import key, mouse

    window, before, asked = viewer.context.window, viewer.camera.view_matrix(), []
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer, frames=2)

        def first_frame(dt: float) -> None:
            if not show.steps:
                viewer.locks_camera = True
                window.dispatch_event("on_mouse_drag", 50, 50, 30, 0, mouse.LEFT, 0)
                window.dispatch_event("on_mouse_scroll", 50, 50, 0, 2)
                window.dispatch_event("on_key_press", key.C, 0)
            show.steps.append(dt)

        viewer.run(first_frame, show.draw, actions={Action.NEXT_CAMERA: lambda: asked.append(True)})
    np.testing.assert_array_equal(viewer.camera.view_matrix(), before)
    assert asked == [True]


@pytest.mark.exhaustive
def test_a_scene_is_shown_from_its_cameras_one_after_the_other(viewer, monkeypatch):
    """The command's own window: `--camera two` first, then, by the key, the scene's own, and `one`."""
    from ecs_anim.commands import window as command
    from ecs_anim.scenes.build import load_scene
    from ecs_anim.systems.drawing import DrawWorld
    from ecs_anim.systems.queries import stage_of

    scene = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
clips = [{ name = "walk" }]
[[cameras]]
name = "one"
eye = [0, 1, 5]
look_at = [0, 1, 0]
[[cameras]]
name = "two"
eye = [5, 1, 0]
look_at = [0, 1, 0]
"""
    seen, messages = [], []

    class Seen(DrawWorld):
        def draw(self, world, target, marks=None, camera=None, **options):
            seen.append(tuple(camera.position.round(3).tolist()))
            super().draw(world, target, marks, camera, **options)
            viewer._act(Action.NEXT_CAMERA)
            messages.append(viewer.message.text)
            viewer._act(Action.SWAP_SKINNING)
            messages.append(viewer.message.text)

    monkeypatch.setattr(command, "Viewer", lambda *given: viewer)
    monkeypatch.setattr(window_view, "DrawWorld", Seen)
    with load_scene(scene, threads=1) as world:
        own = tuple(stage_of(world).camera.position.round(3).tolist())
        command.show_in_window(world, SIZE, 4, camera="two")
    assert seen[:4] == [(5.0, 1.0, 0.0), own, (0.0, 1.0, 5.0), (5.0, 1.0, 0.0)]
    assert messages[:4] == ["camera: free", "dual quaternion skinning", "camera: one", "linear skinning"]
    assert viewer.freed


class Tape:
    """Stored moments from 2 s to 6 s, and the moments that the window has selected."""

    def __init__(self) -> None:
        self.time, self.span = 6.0, (2.0, 6.0)
        self.selected: list[float] = []

    def seek(self, time: float) -> None:
        self.selected.append(time)
        self.time = time


def run_with(viewer, moments, *acts, clicked=None) -> Show:
    """Show a picture, then one picture before each act, and one picture after the last act."""
    waiting = [lambda: None, *acts]
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer, frames=len(waiting) + 1)

        def draw(target) -> None:
            show.draw(target)
            if waiting:
                waiting.pop(0)()

        viewer.run(show.steps.append, draw, clicked=clicked, moments=moments)
    return show


def white_columns(size: tuple[int, int], row: int) -> np.ndarray:
    """Return the columns of the row (from below) whose pixels are almost white."""
    return np.flatnonzero((window_pixels(size)[-1 - row] > 230).all(axis=-1))


@pytest.mark.exhaustive
def test_the_timeline_shows_the_present_moment_until_the_text_is_hidden(viewer):
    """The bar is from x = 90 to x = 161 in a window of 321 pixels: 80 and 150 pixels are for the texts."""
    tape = Tape()
    for time, end in ((2.0, 90), (4.0, 90 + 35), (6.0, 90 + 71)):
        tape.time = time
        run_with(viewer, tape)
        knob = white_columns(SIZE, 22 + 4)  # above the bar, on the knob
        knob = knob[(knob > 80) & (knob < 171)]
        np.testing.assert_allclose([knob.min(), knob.max()], [end - 3, end + 3], atol=1.5)
        past = white_columns(SIZE, 22)
        past = past[(past > 80) & (past < 171)]
        np.testing.assert_allclose([past.min(), past.max()], [min(90, end - 3), end + 3], atol=1.5)
    hide_text(viewer)
    show = run_with(viewer, tape)
    assert np.abs(window_pixels(SIZE).astype(int) - show.target_pixels).max() <= 1


@pytest.mark.exhaustive
def test_a_drag_on_the_timeline_selects_moments_and_no_other_drag_does(viewer):
    from pyglet.window import key, mouse

    window, tape, before = viewer.context.window, Tape(), viewer.camera.view_matrix()
    clicks = []

    def press() -> None:
        window.dispatch_event("on_mouse_press", 125, 20, mouse.LEFT, 0)

    def drag() -> None:
        for x in (100, 0):  # both drags are before the next picture, which shows only the last moment
            window.dispatch_event("on_mouse_drag", x, 150, x - 125, 130, mouse.LEFT, 0)

    def drag_to_the_end() -> None:
        window.dispatch_event("on_mouse_drag", 300, 150, 300, 0, mouse.LEFT, 0)

    def release() -> None:
        window.dispatch_event("on_mouse_release", 300, 150, mouse.LEFT, 0)

    run_with(viewer, tape, press, drag, drag_to_the_end, release, clicked=lambda *place: clicks.append(place))
    np.testing.assert_allclose(tape.selected, [4.0, 2.0, 6.0], atol=0.03)
    assert tape.selected[1:] == [2.0, 6.0]
    assert viewer.playback.paused
    np.testing.assert_array_equal(viewer.camera.view_matrix(), before)
    assert clicks == []

    def drag_above() -> None:
        window.dispatch_event("on_mouse_press", 125, 60, mouse.LEFT, 0)
        window.dispatch_event("on_mouse_drag", 155, 20, 30, 0, mouse.LEFT, 0)
        window.dispatch_event("on_mouse_release", 155, 20, mouse.LEFT, 0)

    run_with(viewer, tape, drag_above)
    assert len(tape.selected) == 3
    assert not np.array_equal(viewer.camera.view_matrix(), before)
    hide_text(viewer)
    turned = viewer.camera.view_matrix()

    def drag_where_the_timeline_was() -> None:
        window.dispatch_event("on_key_press", key.SPACE, 0)
        press()
        drag()
        release()

    run_with(viewer, tape, drag_where_the_timeline_was)
    assert len(tape.selected) == 3
    assert not viewer.playback.paused
    assert not np.array_equal(viewer.camera.view_matrix(), turned)


@pytest.mark.exhaustive
def test_the_scene_goes_back_by_a_key_and_by_the_timeline(viewer, monkeypatch):
    """The command's own window: each key press shows a frame of the first run again."""
    from pyglet.window import key, mouse

    from ecs_anim.commands import window as command
    from ecs_anim.components.palette import Palette
    from ecs_anim.components.transforms import Transforms
    from ecs_anim.scenes.build import load_scene
    from ecs_anim.systems.drawing import DrawWorld

    window, shown = viewer.context.window, []

    def press(symbol: int) -> None:
        window.dispatch_event("on_key_press", symbol, 0)

    acts = [lambda: None] * 5 + [lambda: press(key.COMMA), lambda: press(key.LEFT), lambda: press(key.PERIOD)]
    acts += [lambda: window.dispatch_event("on_mouse_press", 90, 20, mouse.LEFT, 0), lambda: press(key.COMMA)]
    acts += [lambda: window.dispatch_event("on_mouse_release", 90, 20, mouse.LEFT, 0), viewer.close]

    class Seen(DrawWorld):
        def draw(self, world, *given, **options):
            super().draw(world, *given, **options)
            ((_, (transforms, palette)),) = world.query(Transforms, Palette)
            shown.append((world.frame, transforms.translation.tobytes() + palette.matrices.tobytes()))
            acts.pop(0)()

    monkeypatch.setattr(command, "Viewer", lambda *given: viewer)
    monkeypatch.setattr(window_view, "DrawWorld", Seen)
    with load_scene("throng", actors=3, threads=1) as world:
        command.show_in_window(world, SIZE, None)
    frames, contents = zip(*shown, strict=True)
    assert frames == (1, 2, 3, 4, 5, 6, 5, 4, 5, 0, 0, 0)
    assert len({contents[frames.index(frame)] for frame in range(7)}) == 7
    for frame, content in shown:
        assert content == contents[frames.index(frame)]
    assert viewer.message.text == "the window stores no moment before 0.00 s"
