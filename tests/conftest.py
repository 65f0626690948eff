"""Options of the test run, and what all tests have together."""

import gc
import signal
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from ecs_anim.assets.rig import Rig

EXHAUSTIVE, NEW_DRAWS = "exhaustive", "new-draws"
DRAWS, MANY_DRAWS = 30, 40  # that hypothesis makes where a test does not say otherwise; the latter with --exhaustive


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(f"--{EXHAUSTIVE}", action="store_true", help="the long tests too: every CPU, every attack")
    parser.addoption(f"--{NEW_DRAWS}", action="store_true", help="hypothesis draws by chance, not as ever")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells leave it to what they run in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", f"{EXHAUSTIVE}: takes longer than 0.4 s; runs with --{EXHAUSTIVE}")
    draws = MANY_DRAWS if config.getoption(EXHAUSTIVE) else DRAWS
    as_ever = not config.getoption(NEW_DRAWS.replace("-", "_"))
    settings.register_profile("ours", max_examples=draws, derandomize=as_ever, deadline=None)  # slow is not wrong
    settings.load_profile("ours")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_FailuresAtOnce(config))


class _FailuresAtOnce:
    """Print each failure as soon as it happens, so that a run that does not end shows its failures too."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal:
            terminal.write_line(f"\nFAILED in {report.when}: {report.nodeid}\n{report.longreprtext[-2000:]}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption(EXHAUSTIVE):
        return
    long = [item for item in items if item.get_closest_marker(EXHAUSTIVE)]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


def pytest_collection_finish() -> None:
    """What modules hold stays: looking for garbage in it again and again would take its time."""
    gc.collect()
    gc.freeze()


def _make_once(patch: pytest.MonkeyPatch, owner: object, name: str, key: Callable[..., Hashable]) -> None:
    """Let a function give again what it gave for the same key."""
    make, made = getattr(owner, name), dict[Hashable, object]()

    def once(*arguments: object) -> object:
        own = key(*arguments)
        if own not in made:
            made[own] = make(*arguments)
        return made[own]

    patch.setattr(owner, name, once)


@pytest.fixture(scope="session", autouse=True)
def _what_hangs_on_assets_is_made_once() -> Iterator[None]:
    """Grids over a ground, levels of detail and orders of triangles: seconds in all, and nobody changes any."""
    from ecs_anim.gl.model import model
    from ecs_anim.ground.triangle_grid import TriangleGrid
    from ecs_anim.systems import baked_levels

    with pytest.MonkeyPatch.context() as patch:
        _make_once(patch, TriangleGrid, "of", lambda triangles, doubled: (triangles.tobytes(), doubled.tobytes()))
        _make_once(patch, baked_levels, "build_levels", lambda rig, bake, only: (*rig.meshes, bake.content, only))
        _make_once(patch, model, "reuse_order", lambda indices, count: (indices.tobytes(), count))
        yield


@pytest.fixture(scope="session", autouse=True)
def _built_in_rigs_are_loaded_once() -> Iterator[None]:
    """Worlds of the same rigs share their meshes, clips, tables and gaits, as crowds of a world do; nobody changes any.

    What a scene takes from files is read as ever.
    """
    from ecs_anim.scenes import rigs
    from ecs_anim.scenes.loaded_rig import LoadedRig
    from ecs_anim.scenes.scene_key import SceneKey
    from ecs_anim.scenes.schema import RigModel

    load, made = rigs._load, dict[tuple[str, str], LoadedRig]()

    def of(key: SceneKey, folder: Path, name: str, model: RigModel, loaded: dict[str, Rig]) -> LoadedRig:
        if model.model not in rigs.BUILT_IN or model.clips_from or model.texture:
            return load(key, folder, name, model, loaded)
        known = name, model.model_dump_json()
        if known not in made:
            made[known] = load(key, folder, name, model, loaded)
        return made[known]

    def once(model: str, make: Callable[[str], Rig]) -> Callable[[str], Rig]:
        first = cache(make)
        return lambda name: replace(first(model), name=name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rigs, "_load", of)
        patch.setattr(rigs, "_mannequin", once("mannequin", rigs._mannequin))
        patch.setattr(rigs, "BUILT_IN", {name: once(name, make) for name, make in rigs.BUILT_IN.items()})
        yield
