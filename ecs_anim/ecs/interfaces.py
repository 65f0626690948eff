"""Two interfaces of objects that a world uses: its schedule of systems, and its portrait for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.jump import Holder
from ecs_anim.support.timings import Timings

if TYPE_CHECKING:
    from ecs_anim.ecs.world import World


class Schedule(Protocol):
    """The ordered systems of a world. The schedule advances the world."""

    threads: int

    def run(self, world: World, dt: float, timings: Timings, posed: bool = True) -> None:
        """Advance each crowd by `dt` seconds. If `posed` is false, compute only poses that later steps need."""

    def skip(self, world: World, ends: NDArray[np.float64], dt: float) -> tuple[int, tuple[Holder, ...]]:
        """Skip steps until a system requires that a step is computed. `ends` contains the end time [s] of each step.

        Return the number of skipped steps, and the systems that require the next step.
        """

    def needs_poses(self, world: World, entity: int) -> tuple[str, ...]:
        """Return the names of the systems that need an entity's poses in every step."""

    def pose_systems(self, world: World, entity: int) -> tuple[str, ...]:
        """Return the names of the systems that compute poses of an entity."""

    def share(self, work: Callable[[int, Iterator[Any]], object], jobs: Sequence[Any]) -> None:
        """Distribute `jobs` over the threads: each thread calls `work` with its thread number and an iterator of
        jobs.
        """

    def close(self) -> None:
        """Stop all threads."""


class Portrait(Protocol):
    """The three forms in which a notebook shows a world: a text, a picture and an HTML page."""

    def text(self, world: World) -> str:
        """Return a short description of the world."""

    def png(self, world: World) -> bytes | None:
        """Return a picture of the world as PNG data, or None if drawing is impossible."""

    def html(self, world: World) -> str | None:
        """Return HTML that plays the next seconds of the world, or None if the notebook must show the picture."""
