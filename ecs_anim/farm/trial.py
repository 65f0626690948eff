"""Trial worlds for the runs of a job.

Trial worlds detect wrong input before the tasks start. The command `ecs-anim check` builds the same type of world.
"""

import json
from collections.abc import Container, Iterator, Mapping
from typing import Any

from ecs_anim.farm.plan import FarmPlan, Run
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.support.arguments import brief
from ecs_anim.support.errors import InputError


def require_worlds(plan: FarmPlan, missing: Container[str], *, allow_code: bool) -> None:
    """Raise InputError if no world can be built for a value in the ranges of a job.

    The function tries each value once, together with the first values of the other ranges. Errors in a combination that
    the function does not try occur only later, in the tasks of this combination. The trial also compiles kernels.
    Therefore, workers do not compile the kernels again.
    """
    for run in _tried(plan, missing):
        fault = _fault(run.scene, run.seed, allow_code)
        if fault and run.values and fault != _fault(plan.job.scene, run.seed, allow_code):
            fault = f"{_place(plan.job.label, run.values)}: {fault.removeprefix(f'{run.scene.label}: ')}"
        if fault:
            raise InputError(fault)


def _tried(plan: FarmPlan, missing: Container[str]) -> Iterator[Run]:
    """Yield the first unfinished run, and each later unfinished run that has a new value."""
    tried: set[str] | None = None
    for run in plan.runs:
        values = {f"{name} = {json.dumps(value)}" for name, value in run.values.items()}
        if any(task.key in missing for task in run.tasks) and (tried is None or not values <= tried):
            tried = values | (tried or set())
            yield run


def _fault(scene: SceneFile, seed: int, allow_code: bool) -> str:
    """Return the reason why no world can be built from a scene. If a world can be built, return ""."""
    try:
        load_scene(scene, seed=seed, threads=1, allow_code=allow_code).close()
    except InputError as error:
        return str(error)
    return ""


def _place(label: str, values: Mapping[str, Any]) -> str:
    """Return a text with the name of the job, and the values of the run for each range key."""
    return f"{label}: " + ", ".join(f"ranges.{json.dumps(name)} = {brief(value)}" for name, value in values.items())
