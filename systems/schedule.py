"""The order of the systems, in one place, and what runs them: chunk by chunk, over threads."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter_ns
from typing import Any

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.systems.chunk import Chunk, ChunkSystem, Workspace
from ecs_anim.systems.locomotion import Locomote
from ecs_anim.systems.model_matrices import BuildModelMatrices
from ecs_anim.systems.playback import AdvancePlayback
from ecs_anim.systems.sampling import SampleClips
from ecs_anim.systems.skin_palettes import BuildSkinPalettes
from ecs_anim.timings import Timings
from ecs_anim.world import World

CHUNK_SIZE = 512  # actors; smaller ones cost calls, larger ones leave the cache, see ARCHITECTURE.md

ORDER: tuple[ChunkSystem, ...] = (
    AdvancePlayback(),  # time first: all below shows the end of the step
    Locomote(),  # moves by the clip that plays during this step
    SampleClips(),  # local poses, into the workspace
    BuildModelMatrices(),  # needs the finished local pose
    BuildSkinPalettes(),  # last: written once, straight to where the GPU upload reads
)


@dataclass(frozen=True)
class _Task:
    """A chunk of a crowd, with the systems that apply to it and their components."""

    tables: Any
    rows: slice
    systems: Sequence[tuple[ChunkSystem, tuple[Any, ...]]]


class ChunkedSchedule:
    """Runs all systems in order on each chunk, chunks over threads.

    Results do not depend on the chunk size or on the number of threads: no system reads another actor.
    """

    def __init__(
        self, threads: int | None = None, chunk_size: int = CHUNK_SIZE, order: Sequence[ChunkSystem] = ORDER
    ) -> None:
        self.threads = threads or os.cpu_count() or 1
        self.chunk_size = chunk_size
        self.order = tuple(order)
        self._workspaces = [Workspace() for _ in range(self.threads)]
        self._pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None

    def run(self, world: World, dt: float, timings: Timings) -> None:
        """Advance every crowd of the world by dt seconds."""
        begin = perf_counter_ns()
        tasks = iter(self._tasks(world))  # shared by the threads: whoever is free takes the next
        helpers = (
            [self._pool.submit(self._work, tasks, dt, space) for space in self._workspaces[1:]] if self._pool else []
        )
        spent = [self._work(tasks, dt, self._workspaces[0])] + [helper.result() for helper in helpers]
        self._report(timings, perf_counter_ns() - begin, spent)

    def close(self) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()

    def _tasks(self, world: World) -> list[_Task]:
        tasks = []
        for entity, (crowd, character) in world.query(Crowd, Character):
            systems = self._applicable(world, entity)
            edges = [*range(0, crowd.actor_count, self.chunk_size), crowd.actor_count]
            tasks += [_Task(character.tables, slice(*edge), systems) for edge in pairwise(edges)]
        return tasks

    def _applicable(self, world: World, entity: int) -> list[tuple[ChunkSystem, tuple[Any, ...]]]:
        has = {type(component): component for component in world.components(entity)}
        return [
            (system, tuple(has[needed] for needed in system.components))
            for system in self.order
            if all(needed in has for needed in system.components)
        ]

    def _work(self, tasks: Any, dt: float, workspace: Workspace) -> dict[str, int]:
        """Take chunks until there are none left; returns nanoseconds by system."""
        spent = {system.name: 0 for system in self.order}
        for task in tasks:
            workspace.fit(self.chunk_size, task.tables)
            chunk = Chunk(task.rows, task.rows.stop - task.rows.start, dt, workspace)
            before = perf_counter_ns()
            for system, components in task.systems:
                system.run(chunk, *components)
                after = perf_counter_ns()
                spent[system.name] += after - before
                before = after
        return spent

    def _report(self, timings: Timings, wall: int, spent: list[dict[str, int]]) -> None:
        """Share the wall time out by the time that the threads spent in each system."""
        total = sum(sum(thread.values()) for thread in spent) or 1
        for system in self.order:
            cpu = sum(thread[system.name] for thread in spent)
            timings.add(system.name, wall * cpu / total, cpu)
