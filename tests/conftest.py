"""Options of the test run."""

import pytest

EXHAUSTIVE = "exhaustive"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(f"--{EXHAUSTIVE}", action="store_true", help="run the long attacks too: minutes")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{EXHAUSTIVE}: takes minutes; runs with --{EXHAUSTIVE}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption(EXHAUSTIVE):
        for item in items:
            if item.get_closest_marker(EXHAUSTIVE):
                item.add_marker(pytest.mark.skip(reason=f"minutes; asked for by --{EXHAUSTIVE}"))
