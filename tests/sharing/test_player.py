"""The controls of the page: keys, drags, selection, links, labels and messages."""

from pathlib import Path

import numpy as np
import pytest

from ecs_anim.gl.window.keys import NOTEBOOK_CONTROLS
from tests.helpers.browser import CHROMIUM, Browser
from tests.sharing.conftest import HOSTILE

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def test_a_title_with_markup_stays_text(browser: Browser) -> None:
    assert browser.evaluate("document.getElementById('title').textContent") == HOSTILE
    assert browser.evaluate("document.title") == HOSTILE
    assert browser.evaluate("document.documentElement.dataset.state") == "complete"


@pytest.mark.exhaustive
def test_keys_play_step_and_change_the_speed(browser: Browser) -> None:
    time = browser.evaluate("player.time")
    assert (time, browser.evaluate("player.isPlaying")) == (2, False)
    browser.press(".")
    assert browser.evaluate("player.time") == pytest.approx(2 + 1 / 60)
    browser.press(",")
    assert browser.evaluate("player.time") == pytest.approx(2)
    browser.press("+")
    assert browser.evaluate("[player.speed, document.getElementById('speed').value]") == [2, "2"]
    browser.press(" ")
    browser.wait("player.time > 2.1")
    assert browser.evaluate("document.getElementById('play').getAttribute('aria-label')") == "Pause"


def test_the_slider_shows_a_moment(browser: Browser) -> None:
    script = "const time = document.getElementById('time'); time.value = 7.5; time.dispatchEvent(new Event('input'));"
    browser.evaluate(f"(() => {{ {script} }})()")
    assert browser.evaluate("[player.time, player.isPlaying]") == [7.5, False]
    assert browser.evaluate("document.getElementById('clock').textContent") == "0:07.5 / 0:10.0"
    moved = browser.evaluate("player.motion.crowds[0].placement[0] - player.motion.crowds[0].start[0]")
    assert moved == pytest.approx(7.5)


@pytest.mark.exhaustive
def test_a_drag_orbits_like_the_window(browser: Browser) -> None:
    from ecs_anim.gl.window.controls import CameraHand
    from ecs_anim.view.camera import OrbitCamera

    view = browser.evaluate("({ ...player.scene.view })")
    camera = OrbitCamera(**{name: value for name, value in view.items() if name != "target"}, target=view["target"])
    height = browser.evaluate("player.canvas.clientHeight")
    browser.drag((300, 200), (360, 220))
    CameraHand(camera).drag(60, -20, height, pan=False)
    got = browser.evaluate("[player.viewpoints.own.azimuth, player.viewpoints.own.elevation]")
    np.testing.assert_allclose(got, [camera.azimuth, camera.elevation], atol=1e-6)
    browser.press("r")
    assert browser.evaluate("player.viewpoints.own.azimuth") == pytest.approx(view["azimuth"])


@pytest.mark.exhaustive
def test_a_click_selects_an_actor_and_shows_its_speed(browser: Browser) -> None:
    at = browser.evaluate("[...player.motion.crowds[0].placement.subarray(0, 3)]")
    matrix = np.reshape(browser.evaluate("player.view().viewProjection"), (4, 4)).T
    size = browser.evaluate("[player.canvas.clientWidth, player.canvas.clientHeight]")
    across, up, _, depth = matrix @ [at[0], at[1] + 1, at[2], 1]
    x, y = (0.5 + across / depth / 2) * size[0], (0.5 - up / depth / 2) * size[1]
    browser.click(x, y)
    assert browser.evaluate("player.selected") == {"crowd": 0, "actor": 0}
    facts = browser.evaluate("[...document.querySelectorAll('#actor-facts dd')].map((own) => own.textContent)")
    assert facts[2] == "1.00 m/s"
    assert browser.evaluate("document.getElementById('live').textContent").startswith("Selected")
    browser.press("f")
    target = browser.evaluate("player.viewpoints.own.target")
    browser.evaluate("player.seek(5), 1")
    assert browser.evaluate("player.viewpoints.own.target")[0] - target[0] == pytest.approx(3, abs=1e-4)
    browser.press("Escape")
    assert browser.evaluate("document.getElementById('details').hidden") is True


@pytest.mark.exhaustive
def test_keys_select_the_next_actor_and_the_actor_before(browser: Browser) -> None:
    browser.press("n")
    assert browser.evaluate("player.selected") == {"crowd": 0, "actor": 0}
    assert browser.evaluate("document.getElementById('live').textContent").startswith("Selected")
    crowd = "{ motion: { actor: Int32Array.of(4, 7, 9), count: 2 }, isShown: (index) => index < 2 }"
    stand_in = f"{{ people: [{crowd}, {crowd}], selected: null, select(own) {{ this.selected = own; }} }}"
    script = "[1, 1, -1, -1, 1].map((way) => (player.selectNext.call(own, way), Object.values(own.selected)))"
    assert browser.evaluate(f"(own => {script})({stand_in})") == [[0, 4], [0, 7], [0, 4], [1, 7], [0, 4]]


@pytest.mark.exhaustive
def test_a_link_keeps_the_colors_and_the_paths(browser: Browser) -> None:
    browser.evaluate("location.hash = '#t=1&colors=speed&paths=1', 1")
    browser.wait("player.colorMode === 'speed'")
    legend = "document.getElementById('legend').textContent"
    assert "m/s" in browser.evaluate(legend)
    assert browser.evaluate("document.getElementById('paths').getAttribute('aria-pressed')") == "true"
    browser.evaluate("player.colorMode = 'density', document.getElementById('link').click(), 1")
    browser.wait("location.hash.includes('colors=density') && location.hash.includes('paths=1')")
    browser.evaluate("location.hash = '#t=2&colors=oops&paths=0', 1")
    browser.wait("player.time === 2")
    assert browser.evaluate("[player.colorMode, player.showsPaths]") == ["density", False]


@pytest.mark.exhaustive
def test_a_link_shows_the_moment_and_the_view(browser: Browser, page: Path) -> None:
    browser.evaluate("location.hash = '#t=4.25&cam=1,2,3,8,90,30', 1")
    browser.wait("player.time === 4.25")
    own = browser.evaluate("(({ target, distance, azimuth }) => [...target, distance, azimuth])(player.viewpoints.own)")
    np.testing.assert_allclose(own, [1, 2, 3, 8, np.pi / 2])
    browser.evaluate("location.hash = '#t=oops&cam=1,2&actor=99,-1', 1")
    assert browser.evaluate("player.time") == 4.25


def test_each_control_has_a_name_and_the_help_has_the_keys_of_notebooks(browser: Browser) -> None:
    script = "[...document.querySelectorAll('button, select, input')].filter((own) => !own.closest('[hidden]'))"
    name = "own.getAttribute('aria-label') || own.labels?.[0]?.textContent || own.textContent"
    names = browser.evaluate(f"{script}.map((own) => {name})")
    assert all(name.strip() for name in names)
    browser.press("h")
    assert browser.evaluate("document.getElementById('help').open") is True
    shown = browser.evaluate("document.getElementById('help-rows').textContent")
    # Overlays that need a running world, and skinning methods, are not in recordings.
    others = {"B", "G", "D", "K"}
    assert all(control.label in shown for control in NOTEBOOK_CONTROLS if control.label not in others)
    browser.press("h")


@pytest.mark.exhaustive
def test_the_page_fits_a_phone(page: Path) -> None:
    with Browser((400, 800), is_touch=True) as browser:
        browser.open(page, "#t=1&actor=0,0")
        assert browser.evaluate("document.documentElement.scrollWidth") == 400
        assert browser.evaluate("player.canvas.clientHeight") > 500
        focal, aspect = browser.evaluate("(view => [view.focal, view.aspect])(player.view())")
        assert aspect < 1
        half_width = np.tan(np.radians(36) / 2) * 4 / 3  # of a picture with the shape 4:3, at the distance 1
        assert aspect / focal == pytest.approx(half_width)


@pytest.mark.exhaustive
def test_damaged_data_show_a_message(page: Path, tmp_path: Path) -> None:
    text = page.read_text()
    head, payload = text.split('id="payload">')
    broken = tmp_path / "broken.html"
    broken.write_text(f'{head}id="payload">§{payload}')
    with Browser((640, 480)) as browser:
        browser.open(broken)
        assert browser.evaluate("document.documentElement.dataset.state") == "failed"
        assert "damaged" in browser.evaluate("document.getElementById('failure').textContent")
        assert browser.messages == []
