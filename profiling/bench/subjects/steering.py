"""Times of steering in a crowd: two opposite streams in a hall with periodic boundaries.

Half of the agents walk east, and half of the agents walk west. An agent that leaves the hall on one side enters the
hall on the opposite side. With the option `--against jupedsim`, JuPedSim steers the same agents with the same model and
the same parameters, in a hall with walls. With one thread, times are CPU times. With several threads, times are
wall-clock times.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from time import perf_counter_ns, thread_time_ns

import numpy as np

from ecs_anim.kernels.neighbours import NEAR, give_back, sort_into_cells
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.steering.agents import DX, EX, NAME, RADIUS, SPEED, VX, Agents, Turn, X, Y, new_agents, new_cells, turn_of
from ecs_anim.steering.models import MODELS, ForceModel
from ecs_anim.support.errors import InputError
from ecs_anim.systems.force_steering import choose_by_force
from ecs_anim.walls.arrays import no_walls

DT = np.float32(0.05)  # [s]
SEED = 1
ROUNDS = 30
JUPEDSIM = {"anticipation_velocity": "AnticipationVelocityModel", "collision_free_speed": "CollisionFreeSpeedModelV2"}


class CounterFlow:
    """Agents in a square hall with a density [1 / m2]. The agents do not overlap at the start."""

    def __init__(self, count: int, density: float, model: str, threads: int) -> None:
        self.side, self.model, self._count = (count / density) ** 0.5, model, count
        self.agents = _agents(count, self.side, model)
        self.ways = self.agents.own[:, DX].copy()
        self._laid, self._cells, self._turn = new_agents(count), new_cells(count), 0
        self._steer_rows = import_module(MODELS[model].kernel).steer
        self._parameters = MODELS[model].records(self._laid.parameters)
        self._parts = [(rows, np.zeros(NEAR, np.float32)) for rows in np.array_split(np.arange(count), threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def close(self) -> None:
        """Stop the worker threads."""
        if self._pool:
            self._pool.shutdown()

    def sort(self) -> None:
        """Sort all agents into the cells of a grid. The search for neighbours needs agents in the order of cells."""
        sort_into_cells(tuple(self.agents), self._count, tuple(self._cells), tuple(self._laid))

    def step(self) -> None:
        """Choose the next velocity of each agent. The method `step` does not move the agents, because `advance` moves
        them.
        """
        self.sort()
        model, turn = MODELS[self.model], turn_of(SEED, self._turn, float(DT))
        if isinstance(model, ForceModel):
            choose_by_force(self._laid, model, np.arange(self._count), turn, self._steer)
        else:
            self._steer(self._laid, None, turn)
        give_back(tuple(self._laid), tuple(self._cells), self._count, tuple(self.agents))

    def _steer(self, agents: Agents, _: object, turn: Turn) -> None:
        columns, cells = tuple(agents), tuple(self._cells)

        def steer(part: tuple[np.ndarray, np.ndarray]) -> None:
            self._steer_rows(columns, cells, no_walls(), self._parameters, turn, *part)

        list((self._pool.map if self._pool else map)(steer, self._parts))

    def advance(self) -> None:
        """Move all agents with the chosen velocities."""
        agents = self.agents
        agents.seen[:, [X, Y]] = (agents.seen[:, [X, Y]] + DT * agents.chosen[:, :2]) % np.float32(self.side)
        agents.seen[:, VX:RADIUS] = agents.chosen
        self._turn += 1

    @property
    def checksum(self) -> float:
        """Return the sum of all coordinates [m]."""
        return float(self.agents.seen[:, [X, Y]].sum(dtype=np.float64))


@contextmanager
def case(
    *,
    agents: int = 10_000,
    density: float = 1.0,
    model: str = "anticipation_velocity",
    threads: int = 1,
    against: str = "",
) -> Iterator[Case]:
    """Yield the benchmark with `agents` agents, the density `density` [1 / m2] and the steering model `model`."""
    if model not in MODELS:
        raise InputError(f"--model must be one of {', '.join(MODELS)} (got {model!r})")
    if against not in ("", "jupedsim"):
        raise InputError(f"--against must be jupedsim (got {against!r})")
    if against and model not in JUPEDSIM:
        raise InputError(f"--against jupedsim needs --model {' or '.join(JUPEDSIM)} (got {model!r})")
    flow = CounterFlow(agents, density, model, threads)
    flow.step()
    works = {"step": Work(flow.step, flow.advance, agents), "neighbours": Work(flow.sort, share=agents)}
    if against:
        works["jupedsim"] = Work(_jupedsim(flow), share=agents)
    yield Case(
        works,
        lambda: require((flow.agents.seen[:, VX] * flow.ways).mean() > 0, "the agents do not move forward"),
        unit="us",
        each="agent",
        facts=lambda: {"checksum": flow.checksum},
        clock=thread_time_ns if threads == 1 else perf_counter_ns,
    )
    flow.close()


def _agents(count: int, side: float, model: str) -> Agents:
    rng, agents = np.random.default_rng(SEED), new_agents(count)
    columns = int(np.ceil(count**0.5))
    cells = rng.permutation(columns * columns)[:count]
    middles = np.stack([cells % columns, cells // columns], axis=-1) + 0.5
    agents.seen[:, [X, Y]] = (middles + rng.uniform(-0.25, 0.25, (count, 2))) * side / columns
    ways = np.where(rng.random(count) < 0.5, 1, -1)
    agents.seen[:, VX] = agents.seen[:, EX] = agents.own[:, DX] = ways
    agents.seen[:, RADIUS], agents.own[:, SPEED] = 0.2, 1.2
    MODELS[model].records(agents.parameters)[:] = tuple(MODELS[model].parameters.values())
    agents.identity[:, NAME] = np.arange(count)
    return agents


def _jupedsim(flow: CounterFlow) -> Callable[[], object]:
    try:
        jps = import_module("jupedsim")
    except ImportError:
        raise InputError("--against jupedsim needs JuPedSim. Install it: pip install jupedsim") from None
    side, known = flow.side, MODELS[flow.model].parameters
    simulation = jps.Simulation(
        model=getattr(jps, JUPEDSIM[flow.model])(),
        geometry=[(-1, -1), (side + 1, -1), (side + 1, side + 1), (-1, side + 1)],
        dt=float(DT),
    )
    goals = {way: simulation.add_waypoint_stage((x, side / 2), 0.1) for way, x in ((1, side), (-1, 0.0))}
    journeys = {way: simulation.add_journey(jps.JourneyDescription([goal])) for way, goal in goals.items()}
    for seen, own in zip(flow.agents.seen, flow.agents.own, strict=True):
        way = int(own[DX])
        agent = getattr(jps, JUPEDSIM[flow.model] + "AgentParameters")(
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
            simulation.add_agent(agent)
        except RuntimeError:
            raise InputError("the agents of JuPedSim must not overlap at the start. Lower --density.") from None
    return simulation.iterate
