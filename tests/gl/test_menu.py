"""The menu of the window: keys and the mouse select and open names, and scenes replace each other in one window."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.commands import window as command
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.window.menu import PAGE, Choices, label_of, visible_rows
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.shipped import scenes_beside, shipped_scenes
from ecs_anim.systems import window_view
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import actor_count
from tests.gl.test_window import SIZE, Show, hide_text, viewer, window_pixels  # noqa: F401

NAMES = tuple(f"scene {number}" for number in range(30))
SMALL = """
[rigs.a]
model = "mannequin"
[[crowds]]
rig = "a"
count = {count}
"""


@given(st.integers(1, 60), st.integers(0, 59), st.integers(1, 40))
def test_the_selected_name_is_visible_and_the_list_is_as_long_as_possible(count, selected, most):
    rows = visible_rows(count, selected % count, most)
    assert selected % count in rows
    assert len(rows) == min(count, most)
    assert rows[0] >= 0
    assert rows[-1] < count


def test_labels_of_files_have_no_folder_and_no_control_characters():
    assert label_of("a/b/street.toml") == "street.toml"
    assert label_of("plaza") == "plaza"
    assert label_of("x" * 50) == "x" * 23 + "…"
    assert "\x1b" not in label_of("\x1b[31m.toml")


def test_the_menu_has_the_scene_files_beside_a_scene_and_the_shipped_scenes(tmp_path):
    for name in ("b.toml", "a.toml", "walk.glb"):
        (tmp_path / name).touch()
    folder = [str(tmp_path / "a.toml"), str(tmp_path / "b.toml")]
    assert scenes_beside(str(tmp_path / "b.toml")) == folder + shipped_scenes()
    assert scenes_beside("plaza") == shipped_scenes()


def run_with(viewer, acts) -> list[str]:  # noqa: F811
    """Call one of `acts` in each picture. Return the names that the window opens."""
    opened, waiting = [], [*acts]
    with Renderer(viewer.context) as renderer:
        show = Show(viewer, renderer, frames=1000)

        def overlay() -> str:
            waiting.pop(0)() if waiting else viewer.close()
            return ""

        viewer.run(show.steps.append, show.draw, overlay, choices=Choices(NAMES, opened.append, NAMES[5]))
    return opened


@pytest.mark.exhaustive
def test_keys_and_clicks_open_names(viewer):  # noqa: F811
    from pyglet.window import key, mouse

    window = viewer.context.window

    def press(*symbols: int):
        return lambda: [window.dispatch_event("on_key_press", symbol, 0) for symbol in symbols]

    def click():
        window.dispatch_event("on_mouse_press", SIZE[0] - 60, SIZE[1] - 45, mouse.LEFT, 0)
        window.dispatch_event("on_mouse_release", SIZE[0] - 60, SIZE[1] - 45, mouse.LEFT, 0)

    wait = [lambda: None] * 3
    acts = [
        *(press(key.M, key.DOWN, key.DOWN, key.UP, key.RETURN), *wait),  # 5 + 1
        *(press(key.M, key.PAGEDOWN, key.ENTER), *wait),  # 6 + PAGE
        *(press(key.M), *wait, press(*[key.PAGEUP] * 3), *wait, click, *wait),  # a click on the second row
        *(press(key.M, key.ESCAPE, key.RETURN), *wait),  # Escape hides the menu and keeps the window
        *(press(key.M, key.M, key.RETURN), *wait),
    ]
    assert run_with(viewer, acts) == [NAMES[6], NAMES[6 + PAGE], NAMES[1]]
    assert not viewer.freed


@pytest.mark.exhaustive
def test_the_menu_covers_the_right_edge_only_while_it_is_shown(viewer):  # noqa: F811
    from pyglet.window import key

    hide_text(viewer)
    viewer.playback.pause()

    def shown_after(*symbols: int) -> np.ndarray:
        run_with(viewer, [lambda symbol=symbol: viewer._on_key_press(symbol, 0) for symbol in symbols])
        return window_pixels(SIZE).astype(int)

    plain = shown_after(key.K)
    with_menu, hidden = ((np.abs(shown_after(*keys) - plain) > 1).any(axis=-1) for keys in ([key.M], [key.M, key.M]))
    assert with_menu[15:100, -200:-15].mean() > 0.95
    assert not with_menu[:, :80].any()
    assert not hidden.any()


@pytest.mark.exhaustive
def test_a_scene_replaces_a_scene_and_an_error_keeps_the_present_scene(viewer, monkeypatch, tmp_path, capsys):  # noqa: F811
    """The user chooses a broken scene, then a scene with three actors, and closes the window with Q."""
    from pyglet.window import key

    texts = {"a": SMALL.format(count=2), "b": SMALL.format(count=2) + "cuont = 1\n", "c": SMALL.format(count=3)}
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text)
    names = [str(tmp_path / f"{name}.toml") for name in "abc"]
    seen, worlds, messages = [], [], []
    symbols = iter([key.G, key.M, key.DOWN, key.RETURN, None, None, None, key.M, key.DOWN, key.RETURN, *[None] * 5])

    class Seen(DrawWorld):
        def draw(self, world, *given, **options):
            super().draw(world, *given, **options)
            seen.append((actor_count(world), {*self.overlays.shown}))
            worlds.append(world)
            messages.append(viewer.message.text)
            viewer._on_key_press(next(symbols, key.Q) or key.R, 0)

    monkeypatch.setattr(command, "Viewer", lambda *given: viewer)
    monkeypatch.setattr(window_view, "DrawWorld", Seen)
    with load_scene(names[0], threads=1) as world:
        command.show_in_window(world, SIZE, None, menu=command.SceneMenu(names, load_scene, names[0]))
    counts = [count for count, _ in seen]
    assert counts == sorted(counts)
    assert {*counts} == {2, 3}
    assert seen[-1] == (3, {"goals"}), "the overlay stays on"
    assert f"opening {names[1]}" in messages
    (error,) = {text for text in messages if "unknown key" in text}
    assert error.startswith(f"{names[1]}: crowds")
    assert "\n" not in error
    assert "unknown key" in capsys.readouterr().err
    assert all(world.closed for world in worlds)
