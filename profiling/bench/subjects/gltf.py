"""Time to load a glTF model, relative to the time in which pygltflib parses the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygltflib

from ecs_anim.gltf.load import load_rig
from ecs_anim.mannequin import PATH
from ecs_anim.profiling.bench.harness import Case, Work, require

ROUNDS = 5


@contextmanager
def case(*, model: str = "mannequin") -> Iterator[Case]:
    """Yield the benchmark with the file `model`, or with the built-in mannequin."""
    path = PATH if model == "mannequin" else Path(model)
    require(load_rig(path).skeleton.joint_count, f"{path} has no joints")
    parse = pygltflib.GLTF2().load
    yield Case({"pygltflib's parse": Work(lambda: parse(path)), "load_rig": Work(lambda: load_rig(path))})
