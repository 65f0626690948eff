"""Crowds that JuPedSim simulates: bottlenecks, corners, counter-flows and T-junctions with several models.

JuPedSim (the 'jupedsim' extra) writes the recordings. The module uses neither the file readers nor the renderer of this
project.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

DT = 0.01  # duration of a time step [s]
AGENTS = 150
CLEAR = 0.48  # distance between the grid positions of agents [m]
JITTER = 0.06  # largest random offset of the initial positions [m]
TO_WALLS = 0.28  # distance between the initial positions and walls [m]
SPEED, DEVIATION, SLOWEST = 1.34, 0.2, 0.5  # desired speed: mean, standard deviation and minimum [m/s]
RADIUS = 0.15  # [m]

Box = tuple[float, float, float, float]  # smallest x and y, largest x and y [m]


@dataclass(frozen=True)
class Place:
    """A walkable area that consists of boxes. For each group of agents, the place defines the box in which the group
    starts, and the exit of the group.
    """

    walkable: tuple[Box, ...]
    groups: tuple[tuple[Box, Box], ...]


def bottleneck(width: float) -> Place:
    """Return a room whose door is `width` [m] wide."""
    door = (9.9, 4 - width / 2, 10.7, 4 + width / 2)
    return Place(((0, 0, 10, 8), (10.6, 0, 15, 8), door), (((0, 0, 9, 8), (14, 0.5, 14.8, 7.5)),))


def corner(width: float) -> Place:
    """Return a corridor with a right-angled corner. The corridor is `width` [m] wide."""
    corridor = (0, 0, 24, width), (24 - width, 0, 24, 16)
    return Place(corridor, (((0, 0, 18, width), (24.3 - width, 15, 23.7, 15.8)),))


def counter_flow(width: float) -> Place:
    """Return a corridor that is `width` [m] wide, with two groups that walk in opposite directions."""
    east = (0, 0, 12, width), (29, 0.3, 29.8, width - 0.3)
    west = (18, 0, 30, width), (0.2, 0.3, 1, width - 0.3)
    return Place(((0, 0, 30, width),), (east, west))


def junction(width: float) -> Place:
    """Return a T-junction: two streams merge into a corridor that is `width` [m] wide."""
    left, right = 16 - width / 2, 16 + width / 2
    way_out = (left + 0.3, 13, right - 0.3, 13.8)
    return Place(
        ((0, 0, 32, width), (left, 0, right, 14)), (((0, 0, 12, width), way_out), ((20, 0, 32, width), way_out))
    )


PLACES: Mapping[str, Callable[[float], Place]] = MappingProxyType(
    {"bottleneck": bottleneck, "corner": corner, "counter-flow": counter_flow, "junction": junction}
)
MODELS: Mapping[str, Mapping[str, Any]] = MappingProxyType(  # parameters with values other than JuPedSim's defaults
    {
        "AnticipationVelocityModel": {"radius": RADIUS},
        "CollisionFreeSpeedModelV2": {"radius": RADIUS},
        "SocialForceModel": {"radius": RADIUS},
        "GeneralizedCentrifugalForceModel": {"a_min": 0.15, "b_min": 0.15, "b_max": 0.2},
    }
)


@dataclass(frozen=True)
class Run:
    """One JuPedSim simulation with a place, a model and a seed."""

    place: str
    width: float  # [m]
    model: str
    seed: int
    rate: float = 25.0  # frame rate of the recording [Hz]
    seconds: float = 60.0
    agents: int = AGENTS

    @property
    def name(self) -> str:
        """Return the file name without the extension."""
        return f"{self.place}-{self.width:g}m-{self.model}-{self.seed}-{self.rate:g}Hz"


def simulate(run: Run, folder: Path) -> Path:
    """Run a simulation, and write the recording into `folder`. Return the path of the file.

    Raises ImportError if JuPedSim is not installed. Raises RuntimeError if the model pushes an agent out of the area.
    """
    jps, place, path = import_module("jupedsim"), PLACES[run.place](run.width), folder / f"{run.name}.sqlite"
    path.unlink(missing_ok=True)
    writer = jps.SqliteTrajectoryWriter(output_file=path, every_nth_frame=round(1 / run.rate / DT))
    boxes = ", ".join(f"(({_ring(box)}))" for box in place.walkable)
    simulation = jps.Simulation(
        model=getattr(jps, run.model)(), geometry=f"MULTIPOLYGON ({boxes})", dt=DT, trajectory_writer=writer
    )
    rng, kind = np.random.default_rng(run.seed), getattr(jps, f"{run.model}AgentParameters")
    for start, goal in place.groups:
        stage = simulation.add_exit_stage(_corners(goal))
        journey = simulation.add_journey(jps.JourneyDescription([stage]))
        for x, y, speed in _agents(start, run.agents // len(place.groups), rng):
            where = {"position": (x, y), "journey_id": journey, "stage_id": stage}
            simulation.add_agent(kind(desired_speed=speed, **where, **MODELS[run.model]))
    try:
        for _ in range(round(run.seconds / DT)):
            if simulation.agent_count() == 0:
                break
            simulation.iterate()
    finally:
        writer.close()
    return path


def _agents(start: Box, count: int, rng: np.random.Generator) -> Iterator[tuple[float, float, float]]:
    """Yield the position x, y [m] and the desired speed [m/s] of `count` agents.

    Each agent starts near the middle of a randomly chosen grid cell in the box `start`.
    """
    (x0, y0, x1, y1), wide = start, CLEAR + 2 * JITTER
    x, y = (np.arange(low + TO_WALLS, high - TO_WALLS + 1e-9, wide) for low, high in ((x0, x1), (y0, y1)))
    cells: NDArray[np.float64] = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    if len(cells) < count:
        raise ValueError(
            f"the area {start} has room for at most {len(cells)} agents (got {count}). Lower the number of agents."
        )
    chosen = cells[rng.permutation(len(cells))[:count]] + rng.uniform(-JITTER, JITTER, (count, 2))
    speeds = np.maximum(rng.normal(SPEED, DEVIATION, count), SLOWEST)
    yield from zip(*chosen.T.tolist(), speeds.tolist(), strict=True)


def _corners(box: Box) -> list[tuple[float, float]]:
    x0, y0, x1, y1 = box
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def _ring(box: Box) -> str:
    return ", ".join(f"{x:.12g} {y:.12g}" for x, y in (*_corners(box), _corners(box)[0]))
