"""The timelines of notebook widgets. The user selects a moment, plays the world, or steps forwards and backwards."""

from collections.abc import Callable
from typing import Protocol

from ecs_anim.ecs.world import World
from ecs_anim.systems.history import History


class LiveTimeline(Protocol):
    """The moments that a notebook widget can show. The unit of moments is the unit of the slider."""

    @property
    def time(self) -> float:
        """The present moment."""

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last moment."""

    def refresh(self) -> None:
        """Begin a new timeline if the stored moments are no longer valid."""

    def play(self, dt: float) -> None:
        """Advance by `dt` seconds."""

    def step(self, dt: float) -> None:
        """Show the next stored moment. After the last stored moment, advance by `dt` seconds."""

    def step_back(self) -> bool:
        """Show the previous moment. Return whether there is a previous moment."""

    def seek(self, time: float) -> None:
        """Show the stored moment that is nearest to `time`."""


class LiveHistory(History):
    """The history of a world. The user's code can also change the world.

    After each run of the user's code, a new timeline begins, because a repetition of time steps would omit the changes
    by the code.
    """

    def __init__(self, world: World, code_runs: Callable[[], object] = lambda: None) -> None:
        """Begin with the present frame. `code_runs` returns another value after each run of the user's code."""
        super().__init__(world)
        self._code_runs, self._last_run = code_runs, code_runs()

    def refresh(self) -> None:
        """If the user's code ran since the last call, or took time steps, begin a new timeline."""
        last_run = self._code_runs()
        if last_run != self._last_run or not self.is_complete:
            self._last_run = last_run
            self.restart()
