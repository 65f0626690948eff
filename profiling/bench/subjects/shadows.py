"""Drawing times of a scene with each type of shadow."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np

from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.canvas import Stand, open_canvas
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.view.style import Shadows

KINDS = ("none", *(kind for kind in get_args(Shadows) if kind != "none"))
ROUNDS = 12


@contextmanager
def case(
    *, scene: str = "throng", actors: int | None = None, samples: int = 4, size: tuple[int, int] = (1280, 720)
) -> Iterator[Case]:
    """Yield the benchmark with pictures of one world. The world advances by one time step before each picture."""
    with open_canvas(size, samples) as canvas:
        stand = Stand(canvas, load_scene(scene, actors=actors))
        stage = stage_of(stand.world)

        def prepare(kind: Shadows) -> None:
            stand.step()
            stage.lighting = replace(stage.lighting, shadows=kind)

        pictures: dict[str, np.ndarray] = {}
        for kind in ("map", "none"):
            stage.lighting = replace(stage.lighting, shadows=kind)
            pictures[kind] = stand.picture().astype(int)
        require((pictures["none"] - pictures["map"]).max() >= 20, "the shadow map darkened nothing")
        yield Case(
            {kind: Work(stand.draw, partial(prepare, kind)) for kind in KINDS},
            facts=lambda: {"actors": actor_count(stand.world), **canvas.facts},
        )
