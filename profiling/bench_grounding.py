"""What grounding costs against sampling and blending: python -m ecs_anim.profiling.bench_grounding [--actors N]

All actors stand on a height field within the range of grounding, play a blend of walk and run and wear one additive
layer. They take turns, frame by frame, with as many who are not grounded: legs are moved while palettes are made, so
contacts and grounding are what steps take more, by the thread's own time. Grounding alone is that less what asking
clips for contacts takes (`foot_contacts`): probes, rays, plans, legs, and lifting pins that are in the air. The
figures are medians over the rounds. It fails if the feet were not on the ground.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.ecs.world import World
from ecs_anim.profiling.feet import measure_feet, watch_feet
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.timings import Timings

SCENE = """
seed = 5
[rigs.people]
model = "{model}"
height = 1.75
[ground]
kind = "heights"
size = [{size}, {size}]
spacing = 0.25
function = "1.1 * sin(x / 6) * cos(z / 7) + 0.12 * sin(x / 1.9 + z / 2.7)"
[[crowds]]
rig = "people"
count = {actors}
layout = {{ kind = "disc", spacing = 0.6 }}
heading_degrees = "random"
parameters = {{ speed = [{slow}, {fast}] }}
blend_spaces = [{{ name = "gait", parameters = ["speed"], members = [{{ clip = "{walk}" }}, {{ clip = "{run}" }}] }}]
layers = [{{ clip = "{lean}", weight = 0.3 }}]
locomotion = {{}}
{grounding}
"""
STEP, BLENDING = "step", ("sampling", "layers")


def main() -> None:
    """Print a line a figure, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actors", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--model", default="mannequin", help="or a glTF file with --clips")
    parser.add_argument("--clips", default="walk,run,lean_left", help="a walk, a run, an additive clip")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.model, options.clips.split(","), options.actors, options.rounds)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            print(f"{name:32} {value}")


def measure(model: str, clips: list[str], actors: int, rounds: int) -> dict[str, Any]:
    """Milliseconds a frame by system, one thread, and the ratios of grounding to what it is compared with."""
    walk, run, lean = clips
    size, found = max(40.0, 1.4 * actors**0.5), []
    told = {"model": model, "walk": walk, "run": run, "lean": lean, "actors": actors, "size": size}
    with ExitStack() as stack:
        worlds = []
        for grounding in ("grounding = {}", ""):
            text = SCENE.format(**told, slow=1.5, fast=3.4, grounding=grounding)
            worlds.append(stack.enter_context(load_scene(parse_scene(text, "bench_grounding.toml", Path()), threads=1)))
        for _ in range(rounds + 5):
            found.append([_frame(world) for world in worlds])
        watch_feet(worlds[0])
        (feet,) = measure_feet(worlds[0], 20)
    if not feet["planted_near_share"] or feet["planted_near_share"] < 0.9:
        sys.exit(f"bench_grounding: the feet were not on the ground: {feet}")
    grounded, free = (_medians(frames[5:]) for frames in zip(*found, strict=True))
    blending, both = sum(grounded[name] for name in BLENDING), grounded[STEP] - free[STEP]
    alone = both - grounded["foot_contacts"]
    return {
        "actors": actors,
        **{f"{name}_ms": round(grounded[name], 3) for name in (STEP, *BLENDING, "footing", "foot_contacts")},
        "grounding_ms": round(alone, 3),
        "grounding_to_sampling_and_blending": round(alone / blending, 2),
        "with_contacts_to_sampling_and_blending": round(both / blending, 2),
        "with_contacts_to_sampling": round(both / grounded["sampling"], 2),
        "ns_per_actor": round(1e6 * both / actors),
        "planted_near_share": feet["planted_near_share"],
    }


def _frame(world: World) -> dict[str, float]:
    """What a step took of this thread's time, and its systems of everybody's [ns]."""
    timings, begin = Timings(), time.thread_time_ns()
    world.step(1 / 60, timings)
    return {STEP: time.thread_time_ns() - begin, **timings.wall_ns}


def _medians(frames: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of the step and each system [ms]."""
    return {name: float(np.median([frame[name] for frame in frames])) / 1e6 for name in frames[0]}


if __name__ == "__main__":
    main()
