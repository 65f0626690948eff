"""The length of a run, which the user sets with `--frames` or `--seconds`."""

from dataclasses import dataclass

from ecs_anim.support.budgets import require


@dataclass(frozen=True)
class Duration:
    """The length of a run: a number of time steps, a duration in world time, or no limit."""

    frames: int | None
    seconds: float | None

    @property
    def problems(self) -> tuple[str, ...]:
        """Return a list with one error line if the user gave both `--frames` and `--seconds`."""
        both = self.frames is not None and self.seconds is not None
        return ("--frames and --seconds must not be given together. Leave out one of these options",) if both else ()

    def steps(self, frame_rate: int) -> int | None:
        """Return the number of time steps (at least 1), or None if the user gave neither `--frames` nor `--seconds`.

        `frame_rate` is the number of time steps per second. Raises InputError if the number of time steps exceeds the
        budget.
        """
        if self.seconds is None:
            return self.frames
        steps = max(1, round(self.seconds * frame_rate))
        require("steps", steps, "--seconds", "choose a shorter time")
        return steps
