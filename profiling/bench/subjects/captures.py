"""Times of captures with labels, relative to captures without labels. Before each capture, the world advances by one
time step.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ecs_anim.gl.device.context import shared_context
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.capturing import capture
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.view.capture import Capture

PASSES = ["ids", "classes", "depth", "normals"]
KINDS: Mapping[str, Mapping[str, Any]] = {
    "picture": {"passes": ["rgb"]},
    "numbers": {"passes": PASSES},
    "numbers, keypoints": {"passes": PASSES, "keypoints": True},
    "numbers, whole bodies": {"passes": PASSES, "amodal": True},
    "numbers, flow": {"passes": [*PASSES, "flow"]},
    "picture, all labels": {"passes": ["rgb", *PASSES, "flow"], "keypoints": True, "joints": True, "amodal": True},
}
ROUNDS = 9


@contextmanager
def case(
    *, scene: str = "throng", actors: int = 1000, distance: float = 45.0, size: tuple[int, int] = (1280, 720)
) -> Iterator[Case]:
    """Yield the benchmark with captures of `scene`. The camera distance is `distance` [m], and `size` is in pixels."""
    with load_scene(scene, actors=actors) as world:
        stage = stage_of(world)
        stage.camera.distance = distance
        seen: dict[str, Capture] = {}

        def work(kind: str) -> Callable[[], None]:
            def run() -> None:
                (seen[kind],) = capture(world, [{}], size=size, **KINDS[kind])

            return run

        def check() -> None:
            full = seen["picture, all labels"]
            assert full.actors is not None
            assert full.actors.occlusion is not None
            assert full.flow is not None
            assert full.ids is not None
            require(full.actors.occlusion.any(), "no actor hides another actor")
            require(np.nan_to_num(full.flow[full.ids > 0]).any(), "no actor has moved")

        yield Case(
            {kind: Work(work(kind), lambda: world.step(1 / stage.frame_rate)) for kind in KINDS},
            check,
            facts=lambda: {"actors": actor_count(world), "renderer": shared_context().capabilities.renderer},
        )
