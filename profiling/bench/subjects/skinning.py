"""Times of dual-quaternion skinning, relative to linear skinning.

With the option `--part step`, the benchmark measures the computation of palettes. With `--part picture`, the benchmark
measures drawing.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ecs_anim.assets import dual_palette
from ecs_anim.assets.skinning import Method
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.profiling.bench.harness import Case, Work, require, steps_of
from ecs_anim.profiling.canvas import Stand, open_canvas
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.skinning import set_skinning

METHODS: dict[str, Method] = {"linear": "linear", "dual quaternions": "dual_quaternion"}
ACTORS = {"step": 10_000, "picture": 200}  # number of actors, by the value of `part`


@contextmanager
def case(*, part: str = "step", actors: int | None = None) -> Iterator[Case]:
    """Yield the benchmark with `actors` mannequins. The default number of actors depends on `part`."""
    if part not in ACTORS:
        raise InputError(f"--part must be one of {', '.join(ACTORS)} (got {part!r})")
    count = actors or ACTORS[part]
    worlds = {name: _world(count, method) for name, method in METHODS.items()}
    linear, dual = (_palettes(world) for world in worlds.values())
    require(np.allclose(dual_palette.to_matrices(dual), linear, atol=1e-5), "the palettes have different poses")
    if part == "step":
        yield Case({name: steps_of(own) for name, own in worlds.items()})
    else:
        with open_canvas((512, 512)) as canvas:
            works = {name: Work(Stand(canvas, world).draw) for name, world in worlds.items()}
            yield Case(works, facts=lambda: canvas.facts)
    for world in worlds.values():
        world.close()


def _world(actors: int, method: Method) -> World:
    world = load_scene("throng", actors=actors, threads=1)
    for entity, _ in world.query(Palette):
        set_skinning(world, entity, method)
    world.step(0.5)
    return world


def _palettes(world: World) -> np.ndarray:
    ((_, (palette,)),) = world.query(Palette)
    return np.asarray(palette.matrices)
