"""Calls of a user's function for each run of a job."""

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from typing import TypeVar

from ecs_anim.ecs.world import World
from ecs_anim.farm.engines import open_engine
from ecs_anim.farm.job import Source, job_of
from ecs_anim.farm.plan import plan_of
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.support.checked import checked

Result = TypeVar("Result")


@checked
def map(
    function: Callable[[World], Result], job: Source, *, executor: Executor | None = None, allow_code: bool = False
) -> list[Result]:
    """Call a function with the world of each run of a job, and return the results. The seed varies fastest.

        counts = ea.farm.map(people_left, {"scene": "evacuation", "ranges": {"seeds": [1, 2, 3], "frames": [600, 601]}})

    The function receives each world at the first frame of the job. Because `map` makes no products, the table `make` of
    the job is optional. `executor` is an executor of `concurrent.futures` or a compatible executor, such as Dask's
    `client.get_executor()`. By default, each processor gets one process. The function must be in a module, because the
    processes import the function. The results of the function must be picklable.

    Raises InputError for an invalid job, and all errors of the function.
    """
    plan = plan_of(job_of(job, makes=False), allow_code=allow_code)
    frame = plan.job.model.ranges.frames[0]
    with ExitStack() as stack:
        chosen = executor or stack.enter_context(open_engine(None, None, None))
        futures = [chosen.submit(_call, function, run.scene, run.seed, frame, allow_code) for run in plan.runs]
        return [future.result() for future in futures]


def _call(function: Callable[[World], Result], scene: SceneFile, seed: int, frame: int, allow_code: bool) -> Result:
    """Call the function in a worker, with a world of the scene at `frame`."""
    with open_world(scene, Start(frame), seed=seed, threads=1, allow_code=allow_code) as world:
        return function(world)
