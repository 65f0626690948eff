"""The order of all systems, and the schedule that runs them. Threads run the systems chunk by chunk.

In a step, the state of all actors advances first. After that, the CPU computes poses: for all actors of crowds without
a bake, and for the near actors of hybrid crowds. Therefore, the simulation never depends on the choice of the actors
that get poses.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isqrt
from threading import get_ident
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.components.presence import Presence
from ecs_anim.components.update_rates import UpdateRates
from ecs_anim.ecs.jump import Holder
from ecs_anim.ecs.world import World
from ecs_anim.runtime.clip_table import ClipTables
from ecs_anim.runtime.traversal import LANES
from ecs_anim.support.timings import Span, Timings
from ecs_anim.systems.applicable import Bound, CrowdSystems, wanted
from ecs_anim.systems.body import WalkBodies
from ecs_anim.systems.carried import StandOnSteps
from ecs_anim.systems.chunk import Chunk, ChunkSystem, Rows, Workspace, WorldSystem, chunk_of
from ecs_anim.systems.chunk_runs import ChunkRun, Run, serves_skins_alone
from ecs_anim.systems.clock import TellTime
from ecs_anim.systems.congestion import MeasureCongestion
from ecs_anim.systems.control import RunControllers
from ecs_anim.systems.curves import MixCurves
from ecs_anim.systems.dispatch import DispatchEvents, ListenForEvents
from ecs_anim.systems.escalators import RideEscalators
from ecs_anim.systems.events import FindEvents
from ecs_anim.systems.external_agents import MoveExternalAgents
from ecs_anim.systems.following import FollowActors
from ecs_anim.systems.foot_contacts import MixFootContacts, PinSteps
from ecs_anim.systems.foot_measures import MeasureFeet
from ecs_anim.systems.footing import KeepFooting
from ecs_anim.systems.grounding import GroundFeet
from ecs_anim.systems.handrails import HoldHandrails
from ecs_anim.systems.helpers import Helpers
from ecs_anim.systems.inertia import SettleFades
from ecs_anim.systems.journeys import GoOnJourneys
from ecs_anim.systems.layer_phases import AdvanceLayers
from ecs_anim.systems.layers import ApplyLayers
from ecs_anim.systems.locomotion import Locomote
from ecs_anim.systems.look_at import LookAtTargets
from ecs_anim.systems.model_matrices import BuildModelMatrices
from ecs_anim.systems.morphs import MixMorphs
from ecs_anim.systems.movers import MoveRoots
from ecs_anim.systems.nearness import ChooseNear
from ecs_anim.systems.pacing import PaceClips, PaceRiders
from ecs_anim.systems.parameters import ApproachTargets
from ecs_anim.systems.playback import AdvancePlayback
from ecs_anim.systems.poise import StandAtEase
from ecs_anim.systems.reach import ReachForTargets
from ecs_anim.systems.root_motion import FindRootSteps, MoveByRootMotion
from ecs_anim.systems.routing import FindRoutes
from ecs_anim.systems.sampling import SampleMotions
from ecs_anim.systems.skin_palettes import BuildSkinPalettes
from ecs_anim.systems.skipping import free_steps, held_by, skip_chunk
from ecs_anim.systems.steering import Steer
from ecs_anim.systems.step_feet import StepFeet
from ecs_anim.systems.storeys import FindSpaces
from ecs_anim.systems.targets import MoveTargets
from ecs_anim.systems.tasks import Task, WholeCrowd, kept_chunk
from ecs_anim.systems.timeline import RunTimeline
from ecs_anim.systems.treads import StepOnTreads
from ecs_anim.systems.turnover import RenewCrowds
from ecs_anim.systems.update_rates import ChooseUpdates
from ecs_anim.systems.viewing import FollowViewer
from ecs_anim.systems.watching import WatchOthers

CHUNK_SIZE = 8192  # maximum number of actors; smaller chunks need more calls: docs/decisions/stages-of-poses.md
CALLS = 600  # number of actors whose processing takes as long as the Python code that prepares a chunk
FIRST_POSE = "sampling"  # the first system that computes poses

BEFORE: tuple[WorldSystem, ...] = (
    RunTimeline(),  # runs cues first, because other systems must see their effects in the same step
    RenewCrowds(),  # adds and removes actors before other systems read the rows of actors
    FindSpaces(),  # finds the levels of actors before systems that read their places on the unfolded plan
    FollowViewer(),  # passes on the position of the camera
    WatchOthers(),  # reads the camera and other actors here, because chunk systems must not read other chunks
    ChooseNear(),  # selects the actors of hybrid crowds whose poses the CPU computes in this step
    TellTime(),  # sets the time at the end of the step, because positions on paths depend on this time
    GoOnJourneys(),  # sets the next waypoints before the routes to these waypoints are found
    MeasureCongestion(),  # measures the congestion before the routes that depend on it are found
    FindRoutes(),  # finds the walking directions, which the steering system needs
    Steer(),  # needs the positions of all actors; the movers system applies the velocities
    RideEscalators(),  # replaces the velocities of actors on moving steps, after steering has chosen them
    ChooseUpdates(),  # selects the actors that get poses, in crowds with update rates
    ListenForEvents(),  # notes the state before the chunks, because events are changes of this state
)
ORDER: tuple[ChunkSystem, ...] = (
    ApproachTargets(),  # changes the parameters first, because all systems below read the parameters
    RunControllers(),  # selects motions, which depend on the parameters
    PaceClips(),  # selects clips by speed, for moving actors without a body
    PaceRiders(),  # does the same on levels, where moving steps carry actors
    FindEvents(),  # finds the clip events that the playback system reaches next
    FindRootSteps(),  # finds the movement in the clips before the playback system changes the phases
    AdvancePlayback(),  # advances the clips; all systems below see the clips at the end of the step
    MixCurves(),  # needs the current times of the clips; the layers need the curves
    Locomote(),  # moves actors with the root motion of the clips in this step
    MoveRoots(),  # moves all actors that do not move with root motion
    MoveByRootMotion(),  # replaces the movement by the systems above while a clip moves the actor
    WalkBodies(),  # follows the moved root, and selects the clips for the gait
    KeepFooting(),  # sets the height of the ground after all movement
    StepOnTreads(),  # moves the footholds near stairs, after the bodies have aimed and the footing has set the height
    StandOnSteps(),  # replaces the height of the ground by the height of moving steps
    HoldHandrails(),  # needs the final heights of bodies on stairs and escalators
    MoveTargets(),  # needs the current positions of actors
    AdvanceLayers(),  # advances the layers; this is the last system that also runs for actors without a pose
    SampleMotions(),  # writes the local poses, which all systems below change or read
    SettleFades(),  # adds the rest of the previous motion to the new motion
    ApplyLayers(),  # changes the sampled poses, at the current times of the layers
    MixMorphs(),  # needs the clips and the layers of the pose
    BuildModelMatrices(),  # needs the finished local poses
    StandAtEase(),  # moves hips and head of standing actors; the next systems put the feet back in place
    StepFeet(),  # moves the feet as on a flat floor, because clips are made for a flat floor
    MixFootContacts(),  # finds standing feet in the clips, and checks them with the pose
    PinSteps(),  # finds standing feet of walking bodies
    GroundFeet(),  # is the first correction, because it moves the pelvis and all joints above the pelvis
    LookAtTargets(),  # needs the corrected positions of the heads
    ReachForTargets(),  # is the last correction, because the earlier corrections move the parents of the shoulders
    MeasureFeet(),  # measures the final positions of the feet, after all corrections
    BuildSkinPalettes(),  # is last, because it writes the palettes once, directly to the memory for the GPU upload
)
AFTER: tuple[WorldSystem, ...] = (
    MoveExternalAgents(),  # moves agents after all people, so that agents never end a step inside people
    FollowActors(),  # needs the final positions of all actors
    DispatchEvents(),  # calls user code when the step is complete
)


Due = list[tuple[NDArray[np.int32], float]]  # rows of the actors to pose, and the time [s] since their last pose


class ChunkedSchedule:
    """Schedule that runs the world systems, and all chunk systems in order on each chunk, on several threads.

    Results do not depend on the chunk size or on the number of threads, because chunk systems never read rows of other
    chunks.
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
        self._state, self._poses = split_order(self.order)
        self._workspaces = [Workspace() for _ in range(self.threads)]
        self._helpers = Helpers(self.threads - 1)
        self._crowds: dict[int, CrowdSystems] = {}  # crowds of the last step, by entity
        self._whole_crowds: dict[int, WholeCrowd] = {}  # kept tasks, by entity

    def run(self, world: World, dt: float, timings: Timings, posed: bool = True) -> None:
        """Advance each crowd of the world by `dt` seconds.

        The state of all crowds advances. If `posed` is false, only crowds for which `needs_poses` returns a system get
        poses.
        """
        self._run_whole(self.before, world, dt, timings)
        begin = perf_counter_ns()
        runs = [run for tasks in self._rounds(world, dt, posed) for run in self._run_tasks(tasks, dt, timings.wanted)]
        timings.share_out(perf_counter_ns() - begin, lambda: _spans(runs), (system.name for system in self.order))
        self._run_whole(self.after, world, dt, timings)

    def skip(self, world: World, ends: NDArray[np.float64], dt: float) -> tuple[int, tuple[Holder, ...]]:
        """Skip steps until a system requires a step. `ends` contains the end time [s] of each step.

        Return the number of skipped steps. If no step was skipped, also return the systems that require the next step.
        """
        crowds = [(crowd, self._advancing(world, entity)) for entity, (crowd, _) in world.query(Crowd, Character)]
        held = [(crowd.name, name) for crowd, (_, holders) in crowds for name in holders]
        if held:
            return 0, tuple(held)
        free = {system.name: free_steps(system, world, ends) for system in (*self.before, *self.after)}
        steps = min(free.values(), default=len(ends))
        for crowd, (systems, _) in crowds if steps else ():
            for part in self._parts(crowd.actor_count):
                skip_chunk(chunk_of(part, part.stop - part.start, dt, self._workspaces[0], part), steps, systems)
        return steps, tuple(("", name) for name, count in free.items() if count == 0)

    def _advancing(self, world: World, entity: int) -> tuple[list[Bound], list[str]]:
        """Return the systems that advance the state of a crowd, and the names of all systems that cannot skip steps."""
        own = CrowdSystems(world.components(entity))
        systems = own.applicable(self._state)
        return systems, [*held_by(systems), *own.needing(self._poses)]

    def share(self, work: Callable[[int, Iterator[Any]], object], jobs: Sequence[Any]) -> None:
        """Distribute the jobs of a world system among the threads.

        The arguments of `work` are the number of the thread and an iterator of jobs.
        """
        self._helpers.share(work, jobs)

    def close(self) -> None:
        """Stop all threads."""
        self._helpers.close()

    def _run_whole(self, systems: Sequence[WorldSystem], world: World, dt: float, timings: Timings) -> None:
        thread, begin = get_ident(), perf_counter_ns()
        for system in systems:
            system.run(world, dt)
            end = perf_counter_ns()
            timings.add((system.name, thread, begin, end, 0))
            begin = end  # the time between two systems is included, so the sum of all rows is the time of the step

    def needs_poses(self, world: World, entity: int) -> tuple[str, ...]:
        """Return the names of the systems that need a crowd's poses in every step."""
        return CrowdSystems(world.components(entity)).needing(self._poses)

    def pose_systems(self, world: World, entity: int) -> tuple[str, ...]:
        """Return the names of the systems that compute the poses of a crowd, in order.

        If the GPU computes all poses, return ().
        """
        has = CrowdSystems(world.components(entity)).has
        if Baked in has and Nearness not in has:
            return ()
        return tuple(system.name for system, _ in wanted(self._poses, has))

    def _rounds(self, world: World, dt: float, posed: bool) -> tuple[list[Task], list[Task]]:
        """Return two lists of chunks: chunks with all actors, and chunks with the selected actors.

        Selected actors get poses after the state of all actors has advanced.
        """
        everybody: list[Task] = []
        chosen: list[Task] = []
        before, self._crowds = self._crowds, {}
        for entity, (crowd, character) in world.query(Crowd, Character):
            components, known = world.components(entity), before.get(entity)
            known = self._crowds[entity] = known if known and known.is_of(components) else CrowdSystems(components)
            has = known.has
            needs = known.needing(self._poses)
            there = _there(has, world.time + dt) if Presence in has and not needs else None
            due: Due | None = None if there is None else [(there, dt)]
            if UpdateRates in has and not known.remembering(self._poses, ("steps",)):
                due = _due(has, crowd.actor_count, dt, goes_on=needs != (ChooseUpdates.name,))
            is_posed = posed or bool(needs)
            is_whole = is_posed and Baked not in has and due is None
            state, poses = known.applicable(self._state), known.applicable(self._poses) if is_whole else []
            if isinstance(palette := has.get(Palette), Palette) and not palette.is_sorted:
                _make_ready(palette, [*state, *poses], due is not None)
            if isinstance(palette, Palette) and there is not None:
                palette.clear_all_but(there)  # independent of earlier steps
            tables = character.motions.tables
            whole = self._whole_crowds.get(entity)
            if whole is None or not whole.is_for(known, crowd.actor_count, tables, is_whole):
                parts = self._parts(crowd.actor_count)
                tasks = [Task(kept_chunk(part, self._workspaces[0]), tables, [*state, *poses]) for part in parts]
                whole = self._whole_crowds[entity] = WholeCrowd(known, crowd.actor_count, tables, is_whole, tasks)
            everybody += whole.tasks
            if is_posed and not is_whole:
                chosen += self._chosen(known, due, tables)
        return everybody, chosen

    def _chosen(self, crowd: CrowdSystems, due: Due | None, tables: ClipTables) -> list[Task]:
        """Return chunks with some actors of a crowd: the actors in `due`, or the near actors if `due` is None."""
        systems, near = crowd.applicable(self._poses), crowd.has.get(Nearness)
        if due is not None:
            parts = [(rows[part], dt) for rows, dt in due for part in self._parts(len(rows))]
            return [Task(self._picked(rows, rows), tables, systems, dt=dt) for rows, dt in parts]
        if not isinstance(near, Nearness):
            return []
        near_parts = self._parts(len(near.rows))
        return [Task(self._picked(near.rows[part], part), tables, systems, near.spent_ns) for part in near_parts]

    def _picked(self, rows: NDArray[np.int32], palette_rows: Rows) -> Chunk:
        """Return a chunk of separate rows."""
        return chunk_of(rows, len(rows), 0.0, self._workspaces[0], palette_rows)

    def _parts(self, count: int) -> list[slice]:
        return even_parts(count, self.chunk_size, self.threads)

    def _run_tasks(self, tasks: list[Task], dt: float, clocked: bool) -> list["_Run"]:
        """Run all systems of the chunks in `tasks`. If `clocked` is true, return the run times of the systems."""
        if not tasks:
            return []

        def work(thread: int, own: Iterator[Task]) -> list[_Run]:
            return self._work(own, dt, self._workspaces[thread], clocked)

        most = useful_chunks(sum([task.chunk.actor_count for task in tasks]))
        return [run for runs in self._helpers.share(work, tasks, most) for run in runs]

    def _work(self, tasks: Iterator[Task], dt: float, workspace: Workspace, clocked: bool) -> list["_Run"]:
        """Take chunks from `tasks` and run their systems, until no chunk is left.

        If `clocked` is true, return the run times of the systems.
        """
        runs: list[_Run] = []
        thread = get_ident()
        for task in tasks:
            chunk, seconds = task.chunk, dt if task.dt is None else task.dt
            chunk.begin(seconds, workspace, task.tables, serves_skins_alone(task.systems))
            begin, own = perf_counter_ns(), ChunkRun(chunk).all(task.systems)
            if task.spent_ns is not None:
                task.spent_ns.append(perf_counter_ns() - begin)
            if clocked:
                runs.append((chunk.actor_count, thread, own))
        return runs


_Run = tuple[int, int, list[Run]]  # number of actors in a chunk, number of its thread, and the run times of its systems


def _spans(runs: Sequence[_Run]) -> Iterator[Span]:
    for actor_count, thread, own in runs:
        for name, begin, end in own:
            yield name, thread, begin, end, actor_count


def split_order(order: Sequence[ChunkSystem]) -> tuple[tuple[ChunkSystem, ...], tuple[ChunkSystem, ...]]:
    """Divide the systems in `order` into systems that run for all actors and systems that compute poses."""
    names = [system.name for system in order]
    first = names.index(FIRST_POSE) if FIRST_POSE in names else len(names)
    return tuple(order[:first]), tuple(order[first:])


def _make_ready(palette: Palette, systems: Sequence[Bound], has_rates: bool) -> None:
    """Prepare `palette` for the systems of a step, after actors were added or removed.

    If `skin_palettes` is the only system that uses the palette, that system overwrites the palettes of all actors.
    If `skin_palettes` overwrites all palettes, `_make_ready` only resizes the array `palette.made`. If another system
    uses the palette, or if `has_rates` is True, `_make_ready` sorts `palette.made` into the order of the actors.
    """
    users = [system.name for system, _ in systems if Palette in system.components]
    if users == ["skin_palettes"]:
        palette.renew()
    elif users or has_rates:
        palette.sort()


def _due(has: Mapping[type, object], actor_count: int, dt: float, *, goes_on: bool) -> Due | None:
    """Return the rows of the actors that get poses in this step, grouped by the time [s] since their last pose.

    `goes_on` states whether a pose depends on the time since the last pose. If `goes_on` is false, there is only one
    group, with the time `dt`. If all actors get poses and are in a group with the time `dt`, return None.
    """
    rates = has[UpdateRates]
    assert isinstance(rates, UpdateRates)
    groups = rates.due_by_time(dt) if goes_on else [(rates.due, dt)]
    is_everybody = sum(len(rows) for rows, _ in groups) == actor_count
    return None if is_everybody and all(seconds == dt for _, seconds in groups) else groups


def _there(has: Mapping[type, object], time: float) -> NDArray[np.int32] | None:
    """Return the rows of the actors that are present at the time `time` [s]. If all actors are present, return None."""
    presence = has[Presence]
    assert isinstance(presence, Presence)
    there = presence.is_there(time)
    return None if there.all() else np.flatnonzero(there).astype(np.int32)


def even_parts(count: int, size: int, threads: int) -> list[slice]:
    """Divide `count` rows into slices of nearly equal length, with at most `size` rows each.

    If there are enough rows, each thread gets the same number of slices.
    """
    needed, useful = -(-count // size), useful_chunks(count)
    shared = -(-needed // threads) * threads if useful >= threads else useful
    length = -(-count // max(needed, shared, 1))
    length = min(-(-length // LANES) * LANES, size)
    return [slice(first, min(first + length, count)) for first in range(0, count, length or 1)]


def useful_chunks(count: int) -> int:
    """Return the number of chunks with which `count` actors need the least time on many threads.

    Only one thread can run Python code. With k chunks, the last thread starts after the Python code of k chunks, and
    then processes count / k actors. If the unit of time is the time for one actor, the step takes k * CALLS + count /
    k. The minimum is at k = sqrt(count / CALLS).
    """
    return isqrt(count // CALLS)
