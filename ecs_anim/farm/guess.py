"""Estimate of a farm's duration.

The module measures a few frames of the first run. An error in the first run stops the job early.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from time import perf_counter

from ecs_anim.farm.plan import FarmPlan, Task
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.rendering import render

STEPS = 3  # number of steps; the estimate uses only the last step, because the first steps are slower
DRAWN = ("pictures", "dataset")


@dataclass(frozen=True)
class Costs:
    """Measured durations [s] of the stages of a task."""

    load: float
    step: float
    picture: float  # 0 if the job draws no pictures

    def of(self, task: Task) -> float:
        """Return the estimated duration [s] of a task."""
        steps = task.frames.stop - (task.frames.start if task.states else 0)
        pictures = len(task.frames) * len(task.options.get("cameras", "1")) if task.kind in DRAWN else 0
        passes = 1 if task.dataset is None else len(task.dataset.passes) * len(task.dataset.cameras)
        return self.load + steps * self.step + pictures * passes * self.picture


def sampled(plan: FarmPlan, *, threads: int | None, allow_code: bool) -> Costs:
    """Measure the durations in the first run. Raises InputError if the world cannot be loaded or drawn."""
    run, begin = plan.runs[0], perf_counter()
    drawn = [task for task in run.tasks if task.kind in DRAWN]
    with load_scene(run.scene, seed=run.seed, threads=threads, allow_code=allow_code) as world:
        loaded = perf_counter()
        for _ in range(STEPS):
            stepped = perf_counter()
            world.step(1 / stage_of(world).frame_rate)
        step, picture = perf_counter() - stepped, 0.0
        for task in drawn[:1]:
            size = task.options.get("size") if task.dataset is None else task.dataset.size
            # only the second picture counts, because the time of the first picture includes uploads to the GPU
            for _ in range(2):
                began = perf_counter()
                render(world, size)
                picture = perf_counter() - began
    return Costs(loaded - begin, step, picture)


def tasks_text(plan: FarmPlan, missing: Collection[Task]) -> str:
    """Return a text that states the number of tasks of each type."""
    kinds = Counter(task.kind for task in plan.tasks.values())
    left, told = len(missing), ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    done = "" if left == len(plan.tasks) else f" ({len(plan.tasks) - left} are finished)"
    return f"{_many(len(plan.runs), 'run')}, {_many(len(plan.tasks), 'task')}: {told}{done}"


def time_text(seconds: float, workers: int) -> str:
    """Return a text that states the estimated time `seconds` [s] with `workers` workers."""
    span = f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 1):.0f} s"
    return f"about {span} with {_many(workers, 'worker')}, estimated from the first frames of the first run"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
