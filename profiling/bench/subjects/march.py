"""Drawing times of a large crowd with levels of detail and culling, and of a small crowd with the classic crowd
shader.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.canvas import Stand, open_canvas
from ecs_anim.profiling.crowd_options import FLOOR, OPTIONS, with_option
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene
from ecs_anim.systems.queries import actor_count

ROUNDS = 9


@contextmanager
def case(
    *,
    scene: str = "march",
    actors: int | None = None,
    classic_actors: int = 2000,
    samples: int = 4,
    size: tuple[int, int] = (1280, 720),
) -> Iterator[Case]:
    """Yield the benchmark with `actors` actors of `scene`, and with `classic_actors` actors in the finest mesh."""
    file = read_scene(scene)
    (classic,) = [option for option in OPTIONS if option.name == FLOOR]
    with open_canvas(size, samples) as canvas:
        stands = {
            "classic": Stand(canvas, load_scene(with_option(file, classic), actors=classic_actors)),
            "levels": Stand(canvas, load_scene(file, actors=actors)),
        }
        yield Case(
            {name: Work(stand.frame) for name, stand in stands.items()},
            lambda: require(all(own.picture().std() > 1 for own in stands.values()), "nothing was drawn"),
            facts=lambda: {"actors": {name: actor_count(own.world) for name, own in stands.items()}, **canvas.facts},
        )
