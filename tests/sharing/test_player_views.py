"""The page's views and colours: zoom, pan, touch, cameras, plan, paths, colours, themes and full screen."""

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
OWN = "player.viewpoints.own"
MIDDLE = (300.0, 180.0)  # [pixel], a point of the canvas
VIRIDIS = {"low": "#440154", "middle": "#21918c", "high": "#fde725"}  # matplotlib's colour map


def linear(color: str) -> list[float]:
    """Return linear RGB of a colour such as "#440154" (IEC 61966-2-1)."""
    encoded = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4).tolist()


def set_colors(browser: Browser, mode: str) -> None:
    script = (
        f"const own = document.getElementById('colors'); own.value = '{mode}'; own.dispatchEvent(new Event('change'))"
    )
    browser.evaluate(f"(() => {{ {script} }})()")
    browser.wait("!player.isStale")


def actor_color(browser: Browser) -> list[float]:
    browser.evaluate("player.draw(), 1")
    return browser.evaluate("[...player.people[0].colors.subarray(0, 3)]")


def legend(browser: Browser) -> str:
    return browser.evaluate("document.getElementById('legend').textContent")


@pytest.mark.exhaustive
def test_the_wheel_zooms_and_a_right_drag_pans(browser: Browser) -> None:
    before = browser.evaluate(f"{OWN}.distance")
    browser.wheel(*MIDDLE, -200)
    browser.wait(f"{OWN}.distance < {before}")
    assert browser.evaluate(f"{OWN}.distance") == pytest.approx(before * 0.88**2)
    target = np.array(browser.evaluate(f"{OWN}.target"))
    distance = browser.evaluate(f"{OWN}.distance")
    height = browser.evaluate("player.canvas.clientHeight")
    browser.drag(MIDDLE, (MIDDLE[0] + 50, MIDDLE[1]), button="right")
    moved = np.linalg.norm(np.array(browser.evaluate(f"{OWN}.target")) - target)
    tangent = np.tan(np.radians(36) / 2)  # of half the field of view of the scene
    assert moved == pytest.approx(50 / height * 2 * distance * tangent, rel=1e-6)
    assert browser.evaluate("player.selected") is None


@pytest.mark.exhaustive
def test_fingers_orbit_and_zoom(page: Path) -> None:
    with Browser((400, 800), is_touch=True) as browser:
        browser.open(page, "#t=2")
        azimuth, distance = browser.evaluate(f"[{OWN}.azimuth, {OWN}.distance]")
        browser.touch([(150, 300)], [(180, 300)], [(220, 300)])
        assert browser.evaluate(f"{OWN}.azimuth") - azimuth == pytest.approx(
            np.pi * 70 / browser.evaluate("player.canvas.clientHeight")
        )
        browser.touch([(180, 300), (220, 300)], [(160, 300), (240, 300)])
        assert browser.evaluate(f"{OWN}.distance") == pytest.approx(distance / 2)
        assert browser.evaluate("player.selected") is None
        at = browser.evaluate("[player.canvas.clientWidth / 2, player.canvas.clientHeight / 2]")
        browser.evaluate(f"player.follow(), {OWN}.target = [player.motion.crowds[0].placement[0], 0.9, 0], 1")
        browser.touch([tuple(at)])
        assert browser.evaluate("player.selected") == {"crowd": 0, "actor": 0}
        assert browser.messages == []


def test_a_scene_camera_and_a_drag_from_it_show_one_view(browser: Browser) -> None:
    assert browser.evaluate("[...document.getElementById('camera').options].map((own) => own.text)") == [
        "Free camera",
        "Plan from above",
        "Camera side",
    ]
    browser.press("c")
    assert browser.evaluate("document.getElementById('camera').value") == "0"
    # The camera stands at x = 8 m and looks at (0, 1, 0). The field of view is 30 degrees.
    np.testing.assert_allclose(browser.evaluate("player.view().eye"), [8, 2, 0], atol=1e-5)
    back = np.array([8, 1, 0]) / np.sqrt(65)
    np.testing.assert_allclose(browser.evaluate("player.view().axes[2]"), back, atol=1e-5)
    assert browser.evaluate("player.view().focal") == pytest.approx(1 / np.tan(np.radians(15)), rel=1e-5)
    before = browser.evaluate("player.view().eye")
    browser.evaluate("player.viewpoints.take(), 1")
    np.testing.assert_allclose(browser.evaluate("player.view().eye"), before, atol=1e-4)
    assert browser.evaluate("player.viewpoints.shown") == "own"


def test_the_plan_is_seen_from_above_with_north_up(browser: Browser) -> None:
    browser.press("p")
    right, up, back = browser.evaluate("player.view().axes")
    assert back[1] > 0.999
    np.testing.assert_allclose(right, [1, 0, 0], atol=1e-6)  # east
    assert up[2] < -0.999  # north is -z
    assert browser.evaluate("document.getElementById('camera').value") == "plan"
    browser.press("p")
    assert browser.evaluate("player.viewpoints.shown") == "own"


@pytest.mark.exhaustive
def test_colors_show_the_speed_and_the_density(browser: Browser) -> None:
    set_colors(browser, "speed")
    assert legend(browser) == "Speed02 m/s and more"
    np.testing.assert_allclose(actor_color(browser), linear(VIRIDIS["middle"]), atol=1e-3)  # 1 m/s of 2 m/s
    set_colors(browser, "density")
    assert "4 actors per m²" in legend(browser)
    share = 1 / (np.pi * 1.5**2) / 4  # of the last colour: one actor in the disc
    first, second = linear(VIRIDIS["low"]), linear("#3b528b")
    expected = np.array(first) + 4 * share * (np.array(second) - first)
    np.testing.assert_allclose(actor_color(browser), expected, atol=1e-3)
    set_colors(browser, "crowd")
    np.testing.assert_allclose(actor_color(browser), linear("#0072b2"), atol=1e-6)
    assert legend(browser) == browser.evaluate("player.motion.crowds[0].name")
    set_colors(browser, "own")
    assert browser.evaluate("[player.people[0].colors, document.getElementById('legend').hidden]") == [None, True]


@pytest.mark.exhaustive
def test_colors_show_the_waiting_time(browser: Browser) -> None:
    """The actor walks for 3 s and stands afterwards. It moves 0.2 m/s between 1 s and 2 s."""
    script = """(() => {
        const { motion } = player, [crowd] = motion.crowds;
        motion.sample = (time) => {
            const ways = [[1, 1], [2, 0.2], [3, 1]];
            let way = 0, from = 0;
            for (const [end, speed] of ways) {
                way += speed * Math.max(Math.min(time, end) - from, 0);
                from = end;
            }
            crowd.placement[0] = crowd.start[0] + way;
        };
    })()"""
    browser.evaluate(script)
    set_colors(browser, "waiting")
    assert "below 0.25 m/s" in legend(browser)
    browser.evaluate("player.select({ crowd: 0, actor: 0 }), player.seek(8.25), 1")
    browser.wait("!player.isComputing && !player.isStale")
    facts = browser.evaluate("document.getElementById('actor-facts').textContent")
    assert "6.3 s" in facts  # 1 s of slow steps, and 5.25 s at rest
    expected = np.array(linear("#3b528b")) + 0.25 * (np.array(linear("#21918c")) - linear("#3b528b"))
    np.testing.assert_allclose(actor_color(browser), expected, atol=1e-3)  # 6.25 s of 20 s
    browser.evaluate("player.seek(1.5), 1")
    browser.wait("!player.isStale")
    assert "0.5 s" in browser.evaluate("document.getElementById('actor-facts').textContent")


@pytest.mark.exhaustive
def test_the_details_have_the_heading_and_the_density(browser: Browser) -> None:
    browser.evaluate(
        "player.motion.crowds[0].placement.set([0, Math.SQRT1_2, 0, Math.SQRT1_2], 4), 1"
    )  # faces +X, east
    browser.evaluate("player.select({ crowd: 0, actor: 0 }), 1")
    names = browser.evaluate("[...document.querySelectorAll('#actor-facts dt')].map((own) => own.textContent)")
    values = browser.evaluate("[...document.querySelectorAll('#actor-facts dd')].map((own) => own.textContent)")
    facts = dict(zip(names, values, strict=True))
    assert (facts["Heading"], facts["Density"]) == ("0°", "0.14 /m²")


@pytest.mark.exhaustive
def test_paths_follow_the_actor(browser: Browser) -> None:
    browser.press("t")
    browser.evaluate("player.draw(), 1")
    corners = np.reshape(browser.evaluate("player.ribbons.corners"), (-1, 6))
    x = browser.evaluate("player.motion.crowds[0].placement[0]")
    assert [corners[:, 0].min(), corners[:, 0].max()] == pytest.approx([x - 2, x], abs=1e-3)  # since the start: 2 s
    browser.evaluate("player.seek(9), 1"), browser.evaluate("player.draw(), 1")
    corners = np.reshape(browser.evaluate("player.ribbons.corners"), (-1, 6))
    assert np.ptp(corners[:, 0]) == pytest.approx(4, abs=0.26)  # the last 4 seconds
    browser.press("t")
    browser.evaluate("player.draw(), 1")
    assert browser.evaluate("player.ribbons.corners.length") == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("is_dark", [False, True])
def test_the_theme_of_the_reader_has_readable_contrast(page: Path, is_dark: bool) -> None:
    with Browser((640, 480), is_dark=is_dark) as browser:
        browser.open(page, "#t=2")
        script = "(([text, back]) => [text, back].map((own) => own.match(/[0-9.]+/g).map(Number)))"
        pair = "((own) => [own.color, getComputedStyle(document.body).backgroundColor])"
        for part in ("document.body", "document.getElementById('clock')", "document.getElementById('link')"):
            text, back = browser.evaluate(f"{script}({pair}(getComputedStyle({part})))")
            light = [
                np.dot(linear("#" + bytes(map(int, own[:3])).hex()), [0.2126, 0.7152, 0.0722]) for own in (text, back)
            ]
            assert (max(light) + 0.05) / (min(light) + 0.05) >= 4.5  # WCAG 2.2, 1.4.3
            assert (light[1] < light[0]) == is_dark


@pytest.mark.exhaustive
def test_the_button_shows_the_page_in_the_full_screen(browser: Browser) -> None:
    assert browser.evaluate("document.getElementById('full').hidden") is False
    browser.click_on("#full")
    browser.wait("document.fullscreenElement !== null")
    browser.click_on("#full")
    browser.wait("document.fullscreenElement === null")


@pytest.mark.exhaustive
def test_all_controls_are_in_the_accessibility_tree(browser: Browser) -> None:
    """Screen readers read this tree."""
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    own = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if "role" in node}
    for role, name in [("button", "Play"), ("slider", "Time"), ("combobox", "Colours"), ("button", "Help")]:
        assert (role, name) in own
    assert any(role in ("image", "img") and name.startswith("Picture of the crowd") for role, name in own)
    spoken = browser.evaluate("document.getElementById('time').getAttribute('aria-valuetext')")
    assert spoken == "2.0 seconds of 10.0 seconds"
