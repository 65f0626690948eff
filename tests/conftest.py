"""Options of the test run."""

import signal

import pytest

EXHAUSTIVE = "exhaustive"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(f"--{EXHAUSTIVE}", action="store_true", help="the long tests too: every CPU, every attack")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells leave it to what they run in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", f"{EXHAUSTIVE}: takes minutes; runs with --{EXHAUSTIVE}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption(EXHAUSTIVE):
        return
    long = [item for item in items if item.get_closest_marker(EXHAUSTIVE)]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]
