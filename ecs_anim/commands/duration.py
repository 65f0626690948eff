"""The length of a run, from `--frames` or `--seconds`."""

from dataclasses import dataclass

from ecs_anim.support.budgets import require


@dataclass(frozen=True)
class Duration:
    """The length of a run: a number of steps, a duration in world time, or neither."""

    frames: int | None
    seconds: float | None

    @property
    def problems(self) -> tuple[str, ...]:
        """Return an error line if both options are given."""
        both = self.frames is not None and self.seconds is not None
        return ("--frames and --seconds must not be given together. Give one of them",) if both else ()

    def steps(self, frame_rate: int) -> int | None:
        """Return the number of steps, or None if no option is given. A duration is rounded to at least one step.

        `frame_rate` is in steps per second. Raises InputError for more steps than the budget allows.
        """
        if self.seconds is None:
            return self.frames
        steps = max(1, round(self.seconds * frame_rate))
        require("steps", steps, "--seconds", "choose a shorter time")
        return steps
