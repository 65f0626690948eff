"""Options of the test run, and what all tests have together."""

import signal
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings

EXHAUSTIVE = "exhaustive"
DRAWS = 30  # that hypothesis makes of what a test does not say otherwise of; with --exhaustive its own number, 100


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(f"--{EXHAUSTIVE}", action="store_true", help="the long tests too: every CPU, every attack")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells leave it to what they run in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", f"{EXHAUSTIVE}: takes minutes; runs with --{EXHAUSTIVE}")
    settings.register_profile("daily", max_examples=DRAWS)
    settings.load_profile("default" if config.getoption(EXHAUSTIVE) else "daily")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption(EXHAUSTIVE):
        return
    long = [item for item in items if item.get_closest_marker(EXHAUSTIVE)]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session", autouse=True)
def _grids_are_made_once() -> Iterator[None]:
    """A grid over a ground's triangles takes seconds, many tests load the same scenes, and nobody changes a grid."""
    from ecs_anim.ground.triangle_grid import TriangleGrid

    make, made = TriangleGrid.of, {}

    def of(triangles: np.ndarray, double_sided: np.ndarray) -> TriangleGrid:
        key = triangles.tobytes(), double_sided.tobytes()
        if key not in made:
            made[key] = make(triangles, double_sided)
        return made[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TriangleGrid, "of", of)
        yield
