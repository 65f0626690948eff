"""`python -m ecs_anim.profiling.bench_captures`: what labels cost beside the picture alone.

One world, captured in turn with more and more labels after a step each, to the last number; medians, and medians of the
ratios to the picture within a round. Stops where nobody was hidden, or nothing moved: then nothing was measured.
"""

import json
from collections.abc import Mapping
from time import perf_counter_ns
from typing import Any

import click
import numpy as np

from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import shared_context
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.capturing import capture
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.view.capture import Capture

PASSES = ["ids", "classes", "depth", "normals"]
KINDS: Mapping[str, Mapping[str, Any]] = {
    "picture": {"passes": ["rgb"]},
    "numbers": {"passes": PASSES},
    "numbers, keypoints": {"passes": PASSES, "keypoints": True},
    "numbers, whole bodies": {"passes": PASSES, "whole": True},
    "numbers, flow": {"passes": [*PASSES, "flow"]},
    "picture, all labels": {"passes": ["rgb", *PASSES, "flow"], "keypoints": True, "joints": True, "whole": True},
}


@click.command()
@click.argument("scene", default="throng")
@click.option("--actors", type=int, default=1000, show_default=True)
@click.option("--distance", type=float, default=45.0, show_default=True, help="[m] of the camera.")
@click.option("--rounds", default=9, show_default=True)
@click.option("--size", nargs=2, default=(1280, 720), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(scene: str, actors: int, distance: float, rounds: int, size: tuple[int, int], as_json: bool) -> None:
    """Capture with each kind of labels in alternated rounds."""
    with load_scene(scene, actors=actors) as world:
        stage_of(world).camera.distance = distance
        for _ in range(2):  # compiles everything
            *_, seen = [_captured(world, kind, size)[0] for kind in KINDS]
        _require_work(seen)
        spent = np.array([[_captured(world, kind, size)[1] for kind in KINDS] for _ in range(rounds)]) / 1e6
        assert seen.actors is not None
        found = {
            "scene": scene,
            "actors": actor_count(world),
            "in the picture": len(seen.actors.ids),
            "size": size,
            "renderer": shared_context().capabilities.renderer,
            "ms": dict(zip(KINDS, np.median(spent, axis=0).round(1).tolist(), strict=True)),
            "ratio to the picture": dict(
                zip(KINDS, np.median(spent / spent[:, :1], axis=0).round(2).tolist(), strict=True)
            ),
        }
    click.echo(json.dumps(found, indent=None if as_json else 1))


def _captured(world: World, kind: str, size: tuple[int, int]) -> tuple[Capture, int]:
    """A capture after one step, and the nanoseconds that it took; all that was drawn is read back."""
    world.step(1 / stage_of(world).frame_rate)
    begin = perf_counter_ns()
    (seen,) = capture(world, [{}], size=size, **KINDS[kind])
    return seen, perf_counter_ns() - begin


def _require_work(seen: Capture) -> None:
    """Raise RuntimeError where labels tell nothing."""
    assert seen.actors is not None
    assert seen.actors.occlusion is not None
    assert seen.flow is not None
    assert seen.ids is not None
    if not seen.actors.occlusion.any():
        raise RuntimeError("nobody is hidden behind anybody")
    if not np.nan_to_num(seen.flow[seen.ids > 0]).any():
        raise RuntimeError("nobody has moved")


if __name__ == "__main__":
    main()
