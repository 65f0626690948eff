"""What is measured of a run: flat figures, by name."""

from typing import Any

import numpy as np

from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.farm.plan import Task
from ecs_anim.profiling.crowd_measures import AROUND, people_within
from ecs_anim.profiling.feet import measure_feet, watch_feet
from ecs_anim.profiling.measure import measure
from ecs_anim.profiling.report import as_json
from ecs_anim.scenes.starting import Start, skip_to
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.trajectory_saving import people_of

LOOKS = 10  # [1/s], at most, at which it is seen where people are

Figures = dict[str, Any]


def feet_figures(world: World, frames: range) -> Figures:
    """How feet stand, in each step of some frames, by crowd."""
    watch_feet(world)
    return {
        f"{found['crowd']}.{name}": value
        for found in measure_feet(world, frames.stop - frames.start)
        for name, value in found.items()
        if name != "crowd"
    }


def density_figures(world: World, frames: range) -> Figures:
    """People a square metre within `AROUND` of each, some ten times a second [1/m²]; and how many there are."""
    rate = stage_of(world).frame_rate
    looks = range(frames.start, frames.stop, max(1, rate // LOOKS))
    seen = []
    for frame in looks:
        skip_to(world, frame)
        seen.append(np.concatenate([people_of(world, entity, crowd)[1] for entity, (crowd,) in world.query(Crowd)]))
    counts = [len(points) for points in seen]
    if not sum(counts):
        return {"mean": None, "p95": None, "most": None, "people": 0.0}
    found = np.concatenate([people_within(points, AROUND) for points in seen]) / (np.pi * AROUND * AROUND)
    figures = {"mean": found.mean(), "p95": np.percentile(found, 95), "most": found.max(), "people": np.mean(counts)}
    return {name: round(float(value), 5) for name, value in figures.items()}


def profile_figures(task: Task, *, threads: int | None, allow_code: bool) -> tuple[Figures, Figures]:
    """What each step takes, without drawing: figures for the table, and all of the report."""
    report = measure(
        task.scene,
        task.scene.label,
        actors=None,
        seed=task.seed,
        threads=threads,
        frames=task.frames.stop - task.frames.start,
        warmup=0,
        size=None,
        allow_code=allow_code,
        start=Start(task.frames.start),
    )
    data = as_json(report)
    spread = {f"profile.frame_ms_{name}": value for name, value in data["frame_ms"].items()}
    return spread | {"profile.actors": report.actors, "profile.threads": report.threads}, data
