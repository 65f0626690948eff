"""Pages and browsers that several tests of shared files use."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import ecs_anim as ea
from ecs_anim.scenes.shipped import shipped_folder
from ecs_anim.systems.queries import stage_of
from tests.helpers.browser import Browser
from tests.sharing.still import still_page

HOSTILE = "<script>document.documentElement.dataset.state = 'hacked'</script>"
CAMERA = """
[[cameras]]
name = "side"
eye = [8.0, 2.0, 0.0]
look_at = [0.0, 1.0, 0.0]
vertical_fov_degrees = 30.0
"""


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with one actor and one camera. The actor glides 1 m/s to the east."""
    text = (shipped_folder() / "single.toml").read_text() + CAMERA
    world = ea.load_scene(text)
    world.step(1 / 60)
    stage_of(world).title = HOSTILE
    with pytest.MonkeyPatch.context() as patch:
        return still_page(world, tmp_path_factory.mktemp("page"), patch)


@pytest.fixture(scope="module")
def _browser() -> Iterator[Browser]:
    with Browser((640, 480)) as browser:
        yield browser


@pytest.fixture
def browser(_browser: Browser, page: Path) -> Iterator[Browser]:
    """The page, paused at 2 s. At the end, the page has sent no message and no request."""
    _browser.call("Page.navigate", url="about:blank")
    _browser.open(page, "#t=2")
    yield _browser
    assert _browser.messages == []
