"""Times of time steps in a building with storeys, and of as many people on one floor of equal area.

The building is the scene `tower`: six crowds on six storeys. On the one floor, six equal crowds stand side by side and
walk to two exits. The floor has no storeys. Each measurement is the CPU time of one step on one thread, at equal times
of both scenes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time_ns
from typing import Any

from ecs_anim.profiling.bench.harness import DT, Case, require, steps_of
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_toml
from ecs_anim.scenes.shipped import shipped_text
from ecs_anim.systems.queries import actor_count

SCENE = "tower"
ROUNDS = 300
BUILDING = ("levels", "stairs", "lifts", "timeline")  # keys of the scene that the one floor does not have
DEPTH = 5.75  # [m], distance of two crowds on the one floor; each crowd of 100 people has this depth
EXIT = 6.0  # [m], side of the square exits


@contextmanager
def case(*, actors: int = 600, seconds: float = 4.0) -> Iterator[Case]:
    """Yield the benchmark with `actors` actors, from the time `seconds` [s] of both scenes."""
    storeys = parse_toml(shipped_text(SCENE), SCENE)
    with (
        load_scene(one_floor(storeys), actors=actors, threads=1) as flat,
        load_scene(storeys, actors=actors, threads=1) as tower,
    ):
        for world in (flat, tower):
            for _ in range(round(seconds / DT)):
                world.step(DT)
        yield Case(
            {"one floor": steps_of(flat), "storeys": steps_of(tower)},
            lambda: require(actor_count(flat) == actor_count(tower), "actors have left one of the scenes"),
            facts=lambda: {"actors": actor_count(tower), "until": round(tower.time, 2)},
            clock=process_time_ns,
        )


def one_floor(storeys: dict[str, Any]) -> dict[str, Any]:
    """Return a scene with the crowds of a scene with storeys on one square floor of equal area, without storeys."""
    half = sum(_rectangle_area(level["area"]) for level in storeys["levels"]) ** 0.5 / 2
    crowds, count = [], len(storeys["crowds"])
    exits = [_square(side * (half - EXIT), EXIT - half, EXIT / 2) for side in (-1, 1)]
    for number, own in enumerate(storeys["crowds"]):
        center = [0.0, (number - (count - 1) / 2) * DEPTH]
        layout = {key: value for key, value in own["layout"].items() if key != "level"} | {"center": center}
        steering = own["steering"] | {"goals": [{"at": {"area": corners}} for corners in exits]}
        crowds.append(own | {"layout": layout, "steering": steering})
    walls = {"wkt": f"POLYGON (({', '.join(f'{x} {y}' for x, y in _square(0.0, 0.0, half))}, {-half} {-half}))"}
    rest = {key: value for key, value in storeys.items() if key not in BUILDING}
    return rest | {"walls": walls, "crowds": crowds}


def _rectangle_area(corners: list[list[float]]) -> float:
    """Return the area [m2] of a rectangle along the axes of the plan."""
    low, high = min(corners), max(corners)
    return (high[0] - low[0]) * (high[1] - low[1])


def _square(x: float, y: float, half: float) -> list[list[float]]:
    """Return the corners of a square with its middle at a plan point."""
    return [[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]]
