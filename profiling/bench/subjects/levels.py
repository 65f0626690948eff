"""Time that levels of detail and held poses save, and the errors that they cause in pictures.

The first variant uses the finest meshes and computes a new pose in each time step. The second variant uses levels of
detail and held poses. The option `--impostors` adds a variant with impostors for far actors. For the errors, the
benchmark compares the vertices of visible actors and the pixels of pictures.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ecs_anim.profiling.apart import SEEN, apart_of, save_apart, share_apart
from ecs_anim.profiling.bench.harness import Case, Work
from ecs_anim.profiling.canvas import Stand, open_canvas
from ecs_anim.profiling.validation.level_errors import measure_skins, posed
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene

ROUNDS = 9


@contextmanager
def case(
    *,
    scene: str = "plaza",
    actors: int | None = None,
    frames: int = 600,
    pictures: int = 6,
    samples: int = 4,
    size: tuple[int, int] = (1280, 720),
    impostors: bool = False,
    out: str = "",
) -> Iterator[Case]:
    """Yield the benchmark with `scene` after `frames` frames.

    `out` is the path of a PNG file with the difference between the pictures of the variants.

    The benchmark compares the vertices in `pictures` frames.
    """
    file = read_scene(scene)
    ways = {"finest": posed(file, with_levels=False), "levels": posed(file, with_levels=True)}
    if impostors:
        ways["impostors"] = posed(file, with_levels=True, impostors=True)
    with open_canvas(size, samples) as canvas:
        stands = {name: Stand(canvas, load_scene(way, actors=actors)) for name, way in ways.items()}
        skins = measure_skins([stand.world for stand in stands.values()], frames, pictures, size)
        finest, *others = (stand.picture() for stand in stands.values())
        with canvas.renderer.pass_target(*size) as target:
            first = stands["finest"]
            first.drawing.draw_passes(first.world, target)
            people = target.read().ids > 0
        if out:
            save_apart(Path(out), finest, others[-1])
        aparts = [apart_of(finest, other) for other in others]
        yield Case(
            {name: Work(stand.frame) for name, stand in stands.items()},
            facts=lambda: {
                **skins,
                "other_pixels": share_apart(aparts[-1]),
                "other_pixels_of_people": [
                    round(float((apart > SEEN)[people].sum() / max(people.sum(), 1)), 4) for apart in aparts
                ],
                **canvas.facts,
            },
        )
