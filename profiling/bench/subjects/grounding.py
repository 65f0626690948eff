"""Times of time steps of a crowd on a height field, with and without grounding of the feet.

All actors play a blend of a walk and a run with one additive layer. Times are CPU times of one thread. The command
`ecs-anim profile` shows the time of each system.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import thread_time_ns

from ecs_anim.profiling.bench.harness import Case, require, steps_of
from ecs_anim.profiling.validation.feet import measure_feet, watch_feet
from ecs_anim.scenes.build import load_scene

SCENE = """
seed = 5
[rigs.people]
model = "{model}"
height = 1.75
[ground]
kind = "heights"
size = [{size}, {size}]
spacing = 0.25
function = "1.1 * sin(x / 6) * cos(y / 7) + 0.12 * sin(x / 1.9 - y / 2.7)"
[[crowds]]
rig = "people"
count = {actors}
layout = {{ kind = "disc", spacing = 0.6 }}
heading_degrees = "random"
parameters = {{ speed = [1.5, 3.4] }}
blend_spaces = [{{ name = "gait", parameters = ["speed"], members = [{{ clip = "{walk}" }}, {{ clip = "{run}" }}] }}]
layers = [{{ clip = "{lean}", weight = 0.3 }}]
locomotion = {{}}
{grounding}
"""
LEAST_PLANTED = 0.9  # smallest allowed share of pinned feet that are near the ground
ROUNDS = 60


@contextmanager
def case(*, actors: int = 10_000, model: str = "mannequin", clips: str = "walk,run,lean_left") -> Iterator[Case]:
    """Yield the benchmark with a crowd of `model`. `clips` names a walk, a run and an additive clip."""
    walk, run, lean = clips.split(",")
    told = {"model": model, "walk": walk, "run": run, "lean": lean, "actors": actors}
    told["size"] = max(40.0, 1.4 * actors**0.5)
    texts = {"free": SCENE.format(**told, grounding=""), "grounded": SCENE.format(**told, grounding="grounding = {}")}
    with ExitStack() as stack:
        worlds = {name: stack.enter_context(load_scene(text, threads=1)) for name, text in texts.items()}

        def check() -> None:
            watch_feet(worlds["grounded"])
            (feet,) = measure_feet(worlds["grounded"], 20)
            require((feet["planted_near_share"] or 0) > LEAST_PLANTED, f"the feet are not on the ground: {feet}")

        works = {name: steps_of(world, actors) for name, world in worlds.items()}
        yield Case(works, check, unit="us", each="actor", clock=thread_time_ns)
