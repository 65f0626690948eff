"""A crowd that is driven by a controller runs on without new memory or code, to the same bits however it is cut up."""

import importlib
import pkgutil

import numba
import numpy as np
import pytest

from ecs_anim import kernels
from ecs_anim.components.controller import Controller
from ecs_anim.components.crowd import Crowd
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene

ACTORS, STEPS = 700, 300
pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="without compiling this takes minutes")


def addresses(world):
    """Return the addresses of all columns, including layers."""
    parts = [part for entity, _ in world.query(Crowd) for part in world.components(entity)]
    parts += [layer for part in parts for layer in getattr(part, "layers", ())]
    return [value.ctypes.data for part in parts for value in vars(part).values() if isinstance(value, np.ndarray)]


def signature_counts():
    """Return the number of compiled signatures of every compiled function."""
    modules = [
        importlib.import_module(info.name) for info in pkgutil.iter_modules(kernels.__path__, "ecs_anim.kernels.")
    ]
    found = {f"{m.__name__}.{name}": value for m in modules for name, value in vars(m).items()}
    return {
        name: len(value.signatures)
        for name, value in found.items()
        if hasattr(value, "signatures") and not isinstance(value, type)
    }


def run(threads, chunk_size):
    with load_scene("controllers", actors=ACTORS, threads=threads, chunk_size=chunk_size) as world:
        ((_, (controller,)),) = world.query(Controller)
        assert len(controller.machine.state_names) == 4
        before = addresses(world), signature_counts()
        seen = set()
        for _ in range(STEPS):
            world.step(1 / 60)
            seen |= set(controller.state.tolist())
        assert before[1], "kernels were found"
        assert seen == {0, 1, 2, 3}, "every state is entered"
        assert (addresses(world), signature_counts()) == before
        return poses_hash(world), controller.state.tobytes()


@pytest.fixture(scope="module")
def expected():
    return run(1, 64)


@pytest.mark.parametrize(("threads", "chunk_size"), [(1, 512), (1, 4096), (2, 64), (2, 512), (2, 4096)])
def test_a_controlled_crowd_is_the_same_in_any_chunks(expected, threads, chunk_size):
    assert run(threads, chunk_size) == expected
