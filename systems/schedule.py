"""The order of the systems, in one place, and what runs them: chunk by chunk, over threads."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter_ns
from typing import Any

from ecs_anim.clip_table import ClipTables
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.systems.chunk import Chunk, ChunkSystem, Workspace, WorldSystem
from ecs_anim.systems.control import RunControllers
from ecs_anim.systems.curves import MixCurves
from ecs_anim.systems.dispatch import DispatchEvents
from ecs_anim.systems.events import FindEvents
from ecs_anim.systems.foot_contacts import MixFootContacts
from ecs_anim.systems.foot_measures import MeasureFeet
from ecs_anim.systems.footing import KeepFooting
from ecs_anim.systems.grounding import GroundFeet
from ecs_anim.systems.layers import ApplyLayers
from ecs_anim.systems.locomotion import Locomote
from ecs_anim.systems.look_at import LookAtTargets
from ecs_anim.systems.model_matrices import BuildModelMatrices
from ecs_anim.systems.morphs import MixMorphs
from ecs_anim.systems.parameters import ApproachTargets
from ecs_anim.systems.playback import AdvancePlayback
from ecs_anim.systems.reach import ReachForTargets
from ecs_anim.systems.sampling import SampleMotions
from ecs_anim.systems.skin_palettes import BuildSkinPalettes
from ecs_anim.systems.targets import MoveTargets
from ecs_anim.systems.timeline import RunTimeline
from ecs_anim.systems.viewing import FollowViewer
from ecs_anim.systems.watching import WatchOthers
from ecs_anim.timings import Timings
from ecs_anim.world import World

CHUNK_SIZE = 512  # actors; smaller ones cost calls, larger ones leave the cache, see ARCHITECTURE.md

BEFORE: tuple[WorldSystem, ...] = (
    RunTimeline(),  # what the scene wants of this moment, before anybody acts on it
    FollowViewer(),  # how far away the camera is
    WatchOthers(),  # where the camera and other actors are; in the chunks nobody may look at others
)
ORDER: tuple[ChunkSystem, ...] = (
    ApproachTargets(),  # parameters first: all below reads them
    RunControllers(),  # decides what plays, from the parameters
    FindEvents(),  # looks at the step that playback is about to take
    AdvancePlayback(),  # from here on all shows the end of the step
    MixCurves(),  # scalars where the clips now are; layers read them
    Locomote(),  # moves by what plays during this step
    KeepFooting(),  # up and down with the ground, now that all have moved
    MoveTargets(),  # from where actors are now
    SampleMotions(),  # local poses, into the workspace
    ApplyLayers(),  # on top of them
    MixMorphs(),  # the weights of shapes, from the same clips and layers
    BuildModelMatrices(),  # needs the finished local pose
    MixFootContacts(),  # which feet stand: what the clips say, as far as the pose agrees
    GroundFeet(),  # first of the corrections: it moves the pelvis, and all above with it
    LookAtTargets(),  # from where heads now are
    ReachForTargets(),  # last of the corrections: what shoulders hang from has moved by now
    MeasureFeet(),  # of what is drawn, after all corrections
    BuildSkinPalettes(),  # last: written once, straight to where the GPU upload reads
)
AFTER: tuple[WorldSystem, ...] = (
    DispatchEvents(),  # user code hears of the step when it is complete
)


@dataclass(frozen=True)
class _Task:
    """A chunk of a crowd, with the systems that apply to it and their components."""

    tables: ClipTables
    rows: slice
    systems: Sequence[tuple[ChunkSystem, tuple[Any, ...]]]


class ChunkedSchedule:
    """Runs the world systems, then all chunk systems in order on each chunk, chunks over threads.

    Results do not depend on the chunk size or on the number of threads: no chunk system reads another actor.
    """

    def __init__(
        self,
        threads: int | None = None,
        chunk_size: int = CHUNK_SIZE,
        order: Sequence[ChunkSystem] = ORDER,
        before: Sequence[WorldSystem] = BEFORE,
        after: Sequence[WorldSystem] = AFTER,
    ) -> None:
        self.threads = threads or os.cpu_count() or 1
        self.chunk_size = chunk_size
        self.order, self.before, self.after = tuple(order), tuple(before), tuple(after)
        self._workspaces = [Workspace() for _ in range(self.threads)]
        self._pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None

    def run(self, world: World, dt: float, timings: Timings) -> None:
        """Advance every crowd of the world by dt seconds."""
        self._run_whole(self.before, world, dt, timings)
        begin = perf_counter_ns()
        tasks = iter(self._tasks(world))  # shared by the threads: whoever is free takes the next
        helpers = [self._pool.submit(self._work, tasks, dt, w) for w in self._workspaces[1:]] if self._pool else []
        spent = [self._work(tasks, dt, self._workspaces[0])] + [helper.result() for helper in helpers]
        self._report(timings, perf_counter_ns() - begin, spent)
        self._run_whole(self.after, world, dt, timings)

    def close(self) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()

    def _run_whole(self, systems: Sequence[WorldSystem], world: World, dt: float, timings: Timings) -> None:
        for system in systems:
            begin = perf_counter_ns()
            system.run(world, dt)
            spent = perf_counter_ns() - begin
            timings.add(system.name, spent, spent)

    def _tasks(self, world: World) -> list[_Task]:
        tasks = []
        for entity, (crowd, character) in world.query(Crowd, Character):
            systems = self._applicable(world, entity)
            edges = [*range(0, crowd.actor_count, self.chunk_size), crowd.actor_count]
            tasks += [_Task(character.motions.tables, slice(*edge), systems) for edge in pairwise(edges)]
        return tasks

    def _applicable(self, world: World, entity: int) -> list[tuple[ChunkSystem, tuple[Any, ...]]]:
        has = {type(component): component for component in world.components(entity)}
        return [
            (system, tuple(has[needed] for needed in system.components))
            for system in self.order
            if all(needed in has for needed in system.components)
        ]

    def _work(self, tasks: Iterator[_Task], dt: float, workspace: Workspace) -> dict[str, int]:
        """Take chunks until there are none left; returns nanoseconds by system."""
        spent = dict.fromkeys((system.name for system in self.order), 0)
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
        """Share the wall time out by the time that the threads spent in each system that ran."""
        total = sum(sum(thread.values()) for thread in spent) or 1
        for system in self.order:
            cpu = sum(thread[system.name] for thread in spent)
            if cpu:
                timings.add(system.name, wall * cpu / total, cpu)
