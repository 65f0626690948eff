"""`ecs-anim farm` splits a job into tasks, runs the tasks in many processes, and combines the results."""

import sys
from collections.abc import Mapping
from pathlib import Path

from ecs_anim.commands.plan import Output, Plan, folder_output
from ecs_anim.farm.folder import PLOT, FarmFolder
from ecs_anim.farm.guess import sampled, tasks_text, time_text
from ecs_anim.farm.job import job_of
from ecs_anim.farm.plan import FarmPlan, Task, plan_of
from ecs_anim.farm.report import plot_farm, require_plot
from ecs_anim.farm.save import Engine, do_plan, require_possible
from ecs_anim.farm.trial import require_worlds
from ecs_anim.farm.work import missing_tasks
from ecs_anim.support.plotting import check_plot_path
from ecs_anim.support.terminal import print_line, print_note


def run_farm(
    job: str,
    out: Path,
    workers: int | None,
    dask: str | None,
    plan: bool,
    report: bool,
    threads: int | None,
    allow_code: bool,
) -> None:
    """Execute `ecs-anim farm`. Raises InputError for wrong input. The exit code is 1 if a task fails, and 2 if a task
    has wrong input.

    If `plan` is true, the command runs no tasks, and prints the number of the open tasks and their estimated time.
    """
    engine = Engine(workers, dask, None, threads, allow_code)
    plot = (Output("--report", out / PLOT, (check_plot_path,)),) if report else ()
    Plan((job,), (*folder_output(out), *plot)).check()
    farm = plan_of(job_of(Path(job)), allow_code=engine.allow_code)
    folder = FarmFolder(out)
    if report:
        require_plot(farm)
    require_possible(farm, folder)
    missing = missing_tasks(farm.tasks.values(), folder)
    require_worlds(farm, missing, allow_code=engine.allow_code)
    lines = _plan_lines(farm, missing, engine)
    if plan:
        for line in lines:
            print_line(line)
        return
    for line in lines:
        print_note(line)
    outcome = do_plan(farm, folder, missing, engine)
    print_note(f"wrote {out}")
    if report:
        plot_farm(farm, folder)
        print_note(f"wrote {out / PLOT}")
    for key, log in outcome.failed.items():
        why = f": {outcome.refused[key]}" if key in outcome.refused else f". Read its log: {log}"
        print_note(f"ecs-anim: task {key}, {farm.tasks[key]}, failed{why}")
    if outcome.failed:
        sys.exit(2 if outcome.refused else 1)


def _plan_lines(plan: FarmPlan, missing: Mapping[str, Task], engine: Engine) -> list[str]:
    """Return lines that state the number of tasks and their estimated time.

    For the estimate, the function measures the duration of the first frames of the first run.
    """
    lines = [tasks_text(plan, missing.values())]
    if missing:
        costs = sampled(plan, threads=engine.threads, allow_code=engine.allow_code)
        seconds = sum(map(costs.of, missing.values())) / engine.worker_count
        lines.append(time_text(seconds, engine.worker_count))
        if any(task.kind == "egress" for task in missing.values()):
            lines.append("the estimate leaves out the steps of egress tasks, which end when the scene is empty")
    return lines
