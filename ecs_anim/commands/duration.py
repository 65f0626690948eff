"""The length of a run, as `--frames` or `--seconds` state it."""

from dataclasses import dataclass

from ecs_anim.support.budgets import require


@dataclass(frozen=True)
class Duration:
    """A number of steps, a time of the world, or neither."""

    frames: int | None
    seconds: float | None

    @property
    def problems(self) -> tuple[str, ...]:
        """A line if both are given."""
        both = self.frames is not None and self.seconds is not None
        return ("--frames and --seconds both set the length of the run; give one of them",) if both else ()

    def steps(self, frame_rate: int) -> int | None:
        """Return the nearest number of steps, at least 1; None = not given. `frame_rate` is in steps per second.

        Raises InputError for more steps than the budget allows.
        """
        if self.seconds is None:
            return self.frames
        steps = max(1, round(self.seconds * frame_rate))
        require("steps", steps, "--seconds", "choose a shorter time")
        return steps
