"""`python -m ecs_anim.profiling.bench_steering`: what an agent costs who steers, among others.

Counter-flow in a hall without end: half of the people go east, half west, and those who leave on one side come in on
the other. Times are the thread's own, by the median of steps; of more threads than one, the clock's. The checksum is
of where all are at last. Stops where nobody gets on.

`--against jupedsim` has JuPedSim, where it is installed, steer the same people by the same model with the same
parameters, a step of theirs after each of ours, in a hall with walls.
"""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from time import perf_counter_ns, thread_time_ns

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.kernels.neighbours import NEAR, give_back, sort_into_cells
from ecs_anim.steering.agents import (
    DX,
    EX,
    NAME,
    RADIUS,
    SPEED,
    VX,
    Agents,
    Turn,
    X,
    Y,
    new_agents,
    new_cells,
)
from ecs_anim.steering.models import MODELS
from ecs_anim.walls.arrays import no_walls

DT = np.float32(0.05)  # [s]
WARMUP = 5  # steps
SEED = 1


@click.command()
@click.option("--agents", "count", default=10_000, show_default=True)
@click.option("--density", default=1.0, show_default=True, help="People a square metre.")
@click.option("--model", type=click.Choice([*MODELS]), default="anticipation_velocity", show_default=True)
@click.option("--threads", default=1, show_default=True)
@click.option("--steps", default=30, show_default=True, help="Steps that are timed.")
@click.option("--against", type=click.Choice(["jupedsim"]), help="Time this program too, step by step.")
@click.option("--json", "as_json", type=click.Choice(["-"]), help="Print JSON.")
def main(
    count: int, density: float, model: str, threads: int, steps: int, against: str | None, as_json: str | None
) -> None:
    """Time neighbours and steering."""
    side = (count / density) ** 0.5
    agents = _counter_flow(count, side, model)
    ways, times, others = agents.own[:, DX].copy(), [], []
    step_other = _jupedsim(agents, side, model) if against else None
    laid, cells = new_agents(count), new_cells(count)
    steer, parameters = import_module(MODELS[model].kernel).steer, MODELS[model].records(laid.parameters)
    parts = [(rows, np.zeros(NEAR, np.float32)) for rows in np.array_split(np.arange(count), threads)]
    now = thread_time_ns if threads == 1 else perf_counter_ns

    def steer_part(turn: int, part: tuple[NDArray[np.intp], NDArray[np.float32]]) -> None:
        steer(tuple(laid), tuple(cells), no_walls(), parameters, Turn(SEED, turn, float(DT)), *part)

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
            if step_other is not None:
                begin = thread_time_ns()
                step_other()
                others.append(thread_time_ns() - begin)
    if not (agents.seen[:, VX] * ways).mean() > 0:
        raise RuntimeError("nobody gets on: this would be the time of nothing")
    checksum = float(agents.seen[:, [X, Y]].sum(dtype=np.float64))
    _show(times[WARMUP:], others[WARMUP:], count, checksum, as_json is not None)


def _show(times: Sequence[tuple[int, int]], others: Sequence[int], count: int, checksum: float, as_json: bool) -> None:
    neighbours, steering = (float(time) for time in np.median(times, axis=0) / 1e3)
    figures = {
        "us_per_agent_step": (neighbours + steering) / count,
        "neighbours_us": neighbours / count,
        "steering_us": steering / count,
        "checksum": checksum,
    }
    if others:
        figures["jupedsim_us_per_agent_step"] = float(np.median(others) / 1e3) / count
    click.echo(json.dumps(figures) if as_json else "\n".join(f"{name:>26} {own:.4g}" for name, own in figures.items()))


def _counter_flow(count: int, side: float, model: str) -> Agents:
    """People in a square hall [m], none of whom stand in others."""
    rng, agents = np.random.default_rng(SEED), new_agents(count)
    columns = int(np.ceil(count**0.5))
    cells = rng.permutation(columns * columns)[:count]
    middles = np.stack([cells % columns, cells // columns], axis=-1) + 0.5
    agents.seen[:, [X, Y]] = (middles + rng.uniform(-0.25, 0.25, (count, 2))) * side / columns
    ways = np.where(rng.random(count) < 0.5, 1, -1)
    agents.seen[:, VX] = agents.seen[:, EX] = agents.own[:, DX] = ways
    agents.seen[:, RADIUS], agents.own[:, SPEED] = 0.2, 1.2
    MODELS[model].records(agents.parameters)[:] = tuple(MODELS[model].parameters.values())
    agents.who[:, NAME] = np.arange(count)
    return agents


def _jupedsim(agents: Agents, side: float, model: str) -> Callable[[], object]:
    """What takes a step of JuPedSim, with the same people in a square hall [m]."""
    try:
        jps = import_module("jupedsim")
    except ImportError:
        raise click.UsageError("--against jupedsim needs it: pip install jupedsim") from None
    name = {"anticipation_velocity": "AnticipationVelocityModel", "collision_free_speed": "CollisionFreeSpeedModelV2"}
    simulation = jps.Simulation(
        model=getattr(jps, name[model])(),
        geometry=[(-1, -1), (side + 1, -1), (side + 1, side + 1), (-1, side + 1)],
        dt=float(DT),
    )
    goals = {way: simulation.add_waypoint_stage((x, side / 2), 0.1) for way, x in ((1, side), (-1, 0.0))}
    journeys = {way: simulation.add_journey(jps.JourneyDescription([goal])) for way, goal in goals.items()}
    known = MODELS[model].parameters
    for seen, own in zip(agents.seen, agents.own, strict=True):
        way = int(own[DX])
        person = getattr(jps, name[model] + "AgentParameters")(
            position=(float(seen[X]), float(seen[Y])),
            desired_speed=float(own[SPEED]),
            radius=float(seen[RADIUS]),
            time_gap=known["time_gap"],
            strength_neighbor_repulsion=known["strength"],
            range_neighbor_repulsion=known["range"],
            journey_id=journeys[way],
            stage_id=goals[way],
        )
        try:
            simulation.add_agent(person)
        except RuntimeError:
            raise click.UsageError("JuPedSim lets nobody begin in others; lower --density") from None
    step: Callable[[], object] = simulation.iterate
    return step


def _go_on(agents: Agents, side: float) -> None:
    """Take the step that was chosen."""
    agents.seen[:, [X, Y]] = (agents.seen[:, [X, Y]] + DT * agents.chosen[:, :2]) % np.float32(side)
    agents.seen[:, VX:RADIUS] = agents.chosen


if __name__ == "__main__":
    main()
