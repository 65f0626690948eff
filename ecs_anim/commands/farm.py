"""`ecs-anim farm`: a job cut into tasks, done by many processes, and put together."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ecs_anim.farm.folder import PLOT, FarmFolder
from ecs_anim.farm.guess import sampled, tasks_text, time_text
from ecs_anim.farm.job import job_of
from ecs_anim.farm.plan import FarmPlan, Task, plan_of
from ecs_anim.farm.report import plot_farm, require_plot
from ecs_anim.farm.save import Engine, do_plan, require_possible
from ecs_anim.farm.trial import require_worlds
from ecs_anim.farm.work import missing_tasks
from ecs_anim.support.terminal import print_line, print_note


@dataclass(frozen=True)
class FarmOptions:
    """The command's options."""

    job: str
    out: Path
    workers: int | None  # None = one a processor
    dask: str | None  # a scheduler's address, or "local"
    plan: bool
    report: bool
    threads: int | None
    allow_code: bool


def run_farm(options: FarmOptions) -> None:
    """Run the command. Raises InputError; exits with 1 where tasks have failed, with 2 where their input was wrong."""
    plan = plan_of(job_of(Path(options.job)), allow_code=options.allow_code)
    folder = FarmFolder(options.out)
    if options.report:
        require_plot(plan, folder)
    require_possible(plan, folder)
    engine = Engine(options.workers, options.dask, None, options.threads, options.allow_code)
    missing = missing_tasks(plan.tasks.values(), folder)
    require_worlds(plan, missing, allow_code=engine.allow_code)
    lines = _plan_lines(plan, missing, engine)
    if options.plan:
        for line in lines:
            print_line(line)
        return
    for line in lines:
        print_note(line)
    outcome = do_plan(plan, folder, missing, engine)
    print_note(f"wrote {options.out}")
    if options.report:
        plot_farm(plan, folder)
        print_note(f"wrote {options.out / PLOT}")
    for key, log in outcome.failed.items():
        why = f": {outcome.refused[key]}" if key in outcome.refused else f"; its log: {log}"
        print_note(f"ecs-anim: task {key}, {plan.tasks[key]}, failed{why}")
    if outcome.failed:
        sys.exit(2 if outcome.refused else 1)


def _plan_lines(plan: FarmPlan, missing: Mapping[str, Task], engine: Engine) -> list[str]:
    """What is to be done, and about how long it takes; for that the first run is begun."""
    lines = [tasks_text(plan, missing.values())]
    if missing:
        costs = sampled(plan, threads=engine.threads, allow_code=engine.allow_code)
        seconds = sum(map(costs.of, missing.values())) / engine.worker_count
        lines.append(time_text(seconds, engine.worker_count))
    return lines
