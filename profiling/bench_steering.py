"""`python -m ecs_anim.profiling.bench_steering`: what an agent costs who steers, among others.

Counter-flow in a hall without end: half of the people go east, half west, and those who leave on one side come in on
the other. Times are the thread's own, by the median of steps; of more threads than one, the clock's. The checksum is
of where all are at last. Stops where nobody gets on.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from time import perf_counter_ns, thread_time_ns

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.kernels.neighbours import NEAR, give_back, sort_into_cells
from ecs_anim.kernels.steering import steer
from ecs_anim.steering.agents import (
    DX,
    EX,
    MODEL,
    NAME,
    PARAMETERS,
    RADIUS,
    SPEED,
    VX,
    Agents,
    X,
    Y,
    new_agents,
    new_cells,
)
from ecs_anim.steering.models import DEFAULTS, MODELS
from ecs_anim.walls.arrays import no_walls

DT = np.float32(0.05)  # [s]
WARMUP = 5  # steps
SEED = 1


@click.command()
@click.option("--agents", "count", default=10_000, show_default=True)
@click.option("--density", default=1.0, show_default=True, help="People a square metre.")
@click.option("--model", type=click.Choice(MODELS), default=MODELS[0], show_default=True)
@click.option("--threads", default=1, show_default=True)
@click.option("--steps", default=30, show_default=True, help="Steps that are timed.")
@click.option("--json", "as_json", type=click.Choice(["-"]), help="Print JSON.")
def main(count: int, density: float, model: str, threads: int, steps: int, as_json: str | None) -> None:
    """Time neighbours and steering."""
    side = (count / density) ** 0.5
    agents = _counter_flow(count, side, MODELS.index(model))
    ways, times = agents.own[:, DX].copy(), []
    laid, cells = new_agents(count), new_cells(count)
    parts = [
        (first, end, np.zeros(NEAR, np.float32))
        for first, end in pairwise(np.linspace(0, count, threads + 1).astype(int).tolist())
    ]
    now = thread_time_ns if threads == 1 else perf_counter_ns

    def steer_part(turn: int, part: tuple[int, int, NDArray[np.float32]]) -> None:
        steer(tuple(laid), tuple(cells), no_walls(), SEED, turn, float(DT), *part)

    with ThreadPoolExecutor(threads) as pool:
        for turn in range(WARMUP + steps):
            begin = now()
            sort_into_cells(tuple(agents), count, tuple(cells), tuple(laid))
            sorted_at = now()
            run = map if threads == 1 else pool.map
            list(run(partial(steer_part, turn), parts))
            give_back(tuple(laid), tuple(cells), count, tuple(agents))
            times.append((sorted_at - begin, now() - sorted_at))
            _go_on(agents, side)
    if not (agents.seen[:, VX] * ways).mean() > 0:
        raise RuntimeError("nobody gets on: this would be the time of nothing")
    _show(times[WARMUP:], count, float(agents.seen[:, [X, Y]].sum(dtype=np.float64)), as_json is not None)


def _show(times: Sequence[tuple[int, int]], count: int, checksum: float, as_json: bool) -> None:
    neighbours, steering = (float(time) for time in np.median(times, axis=0) / 1e3)
    figures = {
        "us_per_agent_step": (neighbours + steering) / count,
        "neighbours_us": neighbours / count,
        "steering_us": steering / count,
        "checksum": checksum,
    }
    click.echo(json.dumps(figures) if as_json else "\n".join(f"{name:>18} {own:.4g}" for name, own in figures.items()))


def _counter_flow(count: int, side: float, model: int) -> Agents:
    """People in a square hall [m], none of whom stand in others."""
    rng, agents = np.random.default_rng(SEED), new_agents(count)
    columns = int(np.ceil(count**0.5))
    cells = rng.permutation(columns * columns)[:count]
    middles = np.stack([cells % columns, cells // columns], axis=-1) + 0.5
    agents.seen[:, [X, Y]] = (middles + rng.uniform(-0.25, 0.25, (count, 2))) * side / columns
    ways = np.where(rng.random(count) < 0.5, 1, -1)
    agents.seen[:, VX] = agents.seen[:, EX] = agents.own[:, DX] = ways
    agents.seen[:, RADIUS], agents.own[:, SPEED] = 0.2, 1.2
    published = [*DEFAULTS[MODELS[model]].values()]
    agents.own[:, PARAMETERS : PARAMETERS + len(published)] = published
    agents.who[:, MODEL], agents.who[:, NAME] = model, np.arange(count)
    return agents


def _go_on(agents: Agents, side: float) -> None:
    """Take the step that was chosen."""
    agents.seen[:, [X, Y]] = (agents.seen[:, [X, Y]] + DT * agents.chosen[:, :2]) % np.float32(side)
    agents.seen[:, VX:RADIUS] = agents.chosen


if __name__ == "__main__":
    main()
