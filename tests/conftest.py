"""Options of the test run, and what all tests have together."""

import gc
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import settings

from ecs_anim.assets.rig import Rig

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


def pytest_collection_finish() -> None:
    """What modules hold stays: looking for garbage in it again and again would take its time."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture(scope="session", autouse=True)
def _built_in_rigs_are_loaded_once() -> Iterator[None]:
    """Worlds of the same rigs share their meshes, clips, tables and gaits, as crowds of a world do; nobody changes any.

    What a scene takes from files is read as ever.
    """
    from ecs_anim.scenes import rigs
    from ecs_anim.scenes.loaded_rig import LoadedRig
    from ecs_anim.scenes.loader import SceneFile
    from ecs_anim.scenes.schema import RigModel

    load, made = rigs._load, dict[tuple[str, str], LoadedRig]()

    def of(scene: SceneFile, name: str, model: RigModel, loaded: dict[str, Rig]) -> LoadedRig:
        if model.model not in rigs.BUILT_IN or model.clips_from or model.texture:
            return load(scene, name, model, loaded)
        key = name, model.model_dump_json()
        if key not in made:
            made[key] = load(scene, name, model, loaded)
        return made[key]

    def once(model: str, make: Callable[[str], Rig]) -> Callable[[str], Rig]:
        first = cache(make)
        return lambda name: replace(first(model), name=name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rigs, "_load", of)
        patch.setattr(rigs, "_mannequin", once("mannequin", rigs._mannequin))
        patch.setattr(rigs, "BUILT_IN", {name: once(name, make) for name, make in rigs.BUILT_IN.items()})
        yield
