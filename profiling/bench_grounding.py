"""What grounding costs against sampling and blending: python -m ecs_anim.profiling.bench_grounding [--actors N]

All actors stand on a height field within the range of grounding, play a blend of walk and run and wear one additive
layer. Each round times every system of one frame; the figures are medians over the rounds, so that they meet the same
noise. It fails if the feet were not on the ground.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

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
grounding = {{}}
"""
BLENDING, GROUNDING = ("sampling", "layers"), ("foot_contacts", "grounding")


def main() -> None:
    """Print a line a figure, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
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
    size = max(40.0, 1.4 * actors**0.5)
    text = SCENE.format(model=model, walk=walk, run=run, lean=lean, actors=actors, size=size, slow=1.5, fast=3.4)
    with load_scene(parse_scene(text, "bench_grounding.toml", Path()), threads=1) as world:
        timings = []
        for _ in range(rounds + 5):
            timings.append(Timings())
            world.step(1 / 60, timings[-1])
        names = [*BLENDING, "model_matrices", "footing", *GROUNDING]
        ms = {name: float(np.median([t.wall_ns[name] for t in timings[5:]])) / 1e6 for name in names}
        watch_feet(world)
        (feet,) = measure_feet(world, 20)
    if not feet["planted_near_share"] or feet["planted_near_share"] < 0.9:
        sys.exit(f"bench_grounding: the feet were not on the ground: {feet}")
    blending, grounding = (sum(ms[name] for name in part) for part in (BLENDING, GROUNDING))
    return {
        "actors": actors,
        **{f"{name}_ms": round(value, 3) for name, value in ms.items()},
        "grounding_to_sampling_and_blending": round(grounding / blending, 2),
        "grounding_to_sampling": round(grounding / ms["sampling"], 2),
        "ns_per_actor": round(1e6 * grounding / actors),
        "planted_near_share": feet["planted_near_share"],
    }


if __name__ == "__main__":
    main()
