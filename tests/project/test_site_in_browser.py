"""The site in Chromium: copy buttons, ranking of search results, films, and the width of pages."""

import functools
import shutil
import threading
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.helpers.browser import CHROMIUM, Browser
from tests.project.documents import ROOT, blocks_of

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]
PAGES = ("index", "shipped-scenes", "steering", "tutorial/scene", "reference/scene", "decisions/simd-kernels", "search")
WAIT = 10.0  # [s]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def serve():
    """Return a function that serves a folder and returns the address of the folder."""
    servers = []

    def begin(folder):
        servers.append(ThreadingHTTPServer(("localhost", 0), functools.partial(Quiet, directory=folder)))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://localhost:{servers[-1].server_port}"

    yield begin
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def address(site, serve):
    return serve(site)


def test_a_copy_button_copies_the_code(browser, address):
    browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.visit(f"{address}/index.html")
    browser.click_on("button.copy")
    browser.wait("document.querySelector('[role=status].copy-status').textContent == 'Copied'", WAIT)
    install = next(block for block in blocks_of(ROOT / "README.md") if block.language == "sh")
    assert browser.evaluate("navigator.clipboard.readText()") == install.text.rstrip()
    assert browser.evaluate("document.querySelector('button.copy').textContent") == "Copied"
    browser.wait("document.querySelector('button.copy').textContent == 'Copy'", WAIT)


def test_the_keyboard_reaches_copy_buttons_and_each_block_has_one(browser, address):
    browser.visit(f"{address}/steering.html")
    blocks = len(blocks_of(ROOT / "docs/steering.md"))
    assert browser.evaluate("document.querySelectorAll('pre').length") == blocks > 3
    names = "[...document.querySelectorAll('pre')].map(b => b.parentNode.querySelector('button').ariaLabel)"
    assert browser.evaluate(names) == ["Copy code"] * blocks
    assert browser.evaluate("document.querySelector('button.copy').tabIndex") == 0


@pytest.mark.parametrize("word", ["shadow", "steering", "impostors", "palette"])
def test_search_shows_guides_before_decisions(browser, address, word):
    browser.visit(f"{address}/search.html?q={word}")
    browser.wait("document.querySelector('.search-summary').textContent.startsWith('Search finished')", WAIT)
    links = browser.evaluate("[...document.querySelectorAll('ul.search li > a')].map(a => a.getAttribute('href'))")
    pages = [link.partition("#")[0] for link in links]
    decisions = [page.startswith("decisions/") for page in pages]
    assert any(decisions)
    assert decisions == sorted(decisions), "no other page is after a decision page"
    guides = [number for number, page in enumerate(pages) if page.startswith("tutorial/") or "/" not in page]
    assert guides
    assert guides[0] < decisions.index(True)


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("page", PAGES)
def test_pages_fit_into_the_window(browser, address, page, width):
    browser.resize((width, 900), is_mobile=width < 600)
    browser.visit(f"{address}/{page}.html")
    assert browser.evaluate("innerWidth") == width
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("preference", "plays"), [("no-preference", True), ("reduce", False)])
def test_the_film_of_the_front_page_plays_unless_the_reader_prefers_reduced_motion(
    generators, browser, serve, tmp_path, monkeypatch, preference, plays
):
    pytest.importorskip("av", reason="the video extra is not installed")
    import films
    from pages_from_code import gallery

    monkeypatch.setattr(films, "FOLDER", tmp_path / "films")
    monkeypatch.setattr(gallery, "FRONT", replace(films.FRONT, scene="single", size=(96, 54), seconds=1.0, camera=()))
    films.draw(gallery.FRONT)
    shutil.copy(ROOT / "docs/_static/films.js", tmp_path)
    text = f'<!doctype html>{gallery.front_film()}<script src="films.js"></script>'
    (tmp_path / "page.html").write_text(text, "utf-8")
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": preference}])
    browser.visit(f"{serve(tmp_path)}/page.html")
    browser.wait("document.querySelector('video').readyState >= 3", WAIT)
    if plays:
        browser.wait("document.querySelector('video').currentTime > 0.2", WAIT)
    film = "(v => [v.paused, v.muted, v.loop, v.controls, v.videoWidth])(document.querySelector('video'))"
    assert browser.evaluate(film) == [not plays, True, True, True, 96]
