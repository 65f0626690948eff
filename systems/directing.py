"""Functions for user code that set positions, velocities, goals or paths of actors."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.body.gait_plan import GAIT
from ecs_anim.body.movers import CLIP, PATH, STEERED, VELOCITY
from ecs_anim.body.paths import chosen, joined
from ecs_anim.body.state import PHASE, VX, VZ, BodyState, X, Z, new_body_state
from ecs_anim.body.ways import Line, come_from
from ecs_anim.components.body import Body
from ecs_anim.components.controller import Controller
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.movers import Movers
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.steering import Steering
from ecs_anim.components.targets import Still, Target
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.maths.plan import mirrored, plan_from_space, yaw_from_heading
from ecs_anim.maths.small_matrices import length
from ecs_anim.runtime.motion import Motion
from ecs_anim.runtime.records import FadeRequest
from ecs_anim.support.arguments import (
    numbers,
    numbers_for_each,
    places_for_each,
    require_near,
    shares_for_each,
    unknown,
)
from ecs_anim.support.errors import InputError
from ecs_anim.systems.own_goals import give_goals
from ecs_anim.systems.path_plans import plan_paths
from ecs_anim.systems.queries import Weighted
from ecs_anim.systems.unfolding import forget_spaces, places_on_plan

FADE = 0.3  # [s], duration of the fade to the gait, for actors that moved with the root motion of clips before
NEAR = 0.5  # [m]; if an actor is farther away from the position in its body state, other code has moved the actor
LONGEST = 24 * 3600.0  # [s], longest path

Rows = NDArray[np.int32]


def set_blend(playback: Playback, rows: Rows, blend: str) -> None:
    """Set the kind of blend for later fades of actors.

    Raises InputError if the crowd does not support inertial blending.
    """
    if playback.inertial is not None:
        playback.inertial[rows] = blend == "inertial"
    elif blend == "inertial":
        raise InputError(
            'this crowd does not store the poses that the blend "inertial" needs. In the scene file, write blend'
            ' = "inertial" in the table of this crowd.'
        )


def place(world: World, entity: int, rows: Rows, positions: ArrayLike, headings: ArrayLike | None) -> None:
    """Move actors immediately to plan points. The actors stand at `positions` until another command moves them."""
    movers, transforms = _movers(world, entity), world.get(entity, Transforms)
    points = places_for_each("positions", positions, (len(rows), 2))
    yaws = None if headings is None else _yaws(headings, len(rows))
    transforms.translation[rows[:, None], [0, 2]] = mirrored(points)
    if yaws is not None:
        half = (yaws - movers.facing) / 2
        transforms.rotation[rows] = 0
        transforms.rotation[rows, 1], transforms.rotation[rows, 3] = elementary.sin(half), elementary.cos(half)
    forget_spaces(world, entity, rows)
    movers.velocity[rows] = 0
    movers.asked[rows] = 0, 0, np.nan
    _walk_now(world, entity, movers, rows, VELOCITY)


def set_velocity(world: World, entity: int, rows: Rows, velocity: ArrayLike, headings: ArrayLike | None) -> None:
    """Move actors with velocities on the plan.

    The actors face `headings`. By default, the actors face their direction of motion.
    """
    movers = _movers(world, entity)
    asked = numbers_for_each("a velocity", velocity, (len(rows), 2))
    yaws = np.full(len(rows), np.nan) if headings is None else _yaws(headings, len(rows))
    standing = rows[movers.kind[rows] != VELOCITY]
    movers.velocity[standing] = _speeds(world, entity, standing)
    movers.asked[rows] = np.column_stack([mirrored(asked), yaws])
    _walk_now(world, entity, movers, rows, VELOCITY)


def go_to(world: World, entity: int, rows: Rows, goal: ArrayLike, level: str | None = None) -> None:
    """Send actors to goals on the plan. On their way, actors avoid other actors and walls.

    `level` is the name of the level of the goals in a building. Actors start immediately, even during their
    premovement time. Raises InputError if an actor cannot reach its goal.
    """
    movers, steering = _movers(world, entity), world.find(entity, Steering)
    if steering is None:
        raise ValueError(
            "the actors of this crowd do not steer. In the scene file, write steering = { goal = [x, y] } in the"
            " table of this crowd."
        )
    points = places_for_each("a goal", goal, (len(rows), 2))
    others = rows[movers.kind[rows] != STEERED]
    at, offset = places_on_plan(world, entity, rows, level)
    give_goals(world, steering, rows, np.ascontiguousarray(points + offset, np.float32), at)
    if (journeys := world.find(entity, Journeys)) is not None:
        journeys.rest[rows] = 0
    movers.velocity[others] = _speeds(world, entity, others)
    _walk_now(world, entity, movers, rows, STEERED)


def lead(world: World, entity: int, rows: Rows, positions: ArrayLike, dt: float) -> None:
    """Set velocities with which actors reach `positions` on the plan at the end of the next step of `dt` seconds."""
    movers, transforms = _movers(world, entity), world.get(entity, Transforms)
    points = places_for_each("positions", positions, (len(rows), 2))
    if dt > 0:
        movers.velocity[rows] = (mirrored(points) - transforms.translation[rows][:, [0, 2]]) / dt
    _walk_now(world, entity, movers, rows, STEERED)


def follow(world: World, entity: int, rows: Rows, times: Sequence[ArrayLike], positions: Sequence[ArrayLike]) -> None:
    """Make each actor follow its own path: plan points at world times.

    If the world has already taken a step, actors first walk from their positions to their paths.
    """
    movers, body, transforms = _movers(world, entity), world.find(entity, Body), world.get(entity, Transforms)
    if body is None:
        raise _without_body()
    if not len(rows) == len(times) == len(positions):
        got = f"{len(times)} lists in times and {len(positions)} lists in positions"
        raise ValueError(
            f"times and positions must each contain one list for each of the {len(rows)} actors (got {got})"
        )
    if len(np.unique(rows)) < len(rows):
        raise ValueError(
            "the selection contains an actor twice, but an actor can follow only one path. Remove one of the two paths."
        )
    lines = [_line(number, when, points) for number, (when, points) in enumerate(zip(times, positions, strict=True))]
    leg_count, phases = movers.leg_count, body.state.walk[rows, PHASE].astype(np.float64)
    states = None
    if world.frame > 0:  # before the first step, actors start directly on their paths
        states = [_state(body, transforms, row) for row in rows]
        lines = [_from_where_they_are(movers, transforms, row, line) for row, line in zip(rows, lines, strict=True)]
    planned = plan_paths(body.table, body.plan, leg_count, lines, transforms.scale[rows], phases, states)
    others = np.setdiff1d(np.flatnonzero(movers.path >= 0), rows)
    kept, number = np.unique(movers.path[others], return_inverse=True)
    movers.paths = joined([chosen(movers.paths, kept.astype(np.int32), leg_count), planned])
    movers.path[:] = -1
    movers.path[others] = number
    movers.path[rows] = len(kept) + np.arange(len(rows))
    _walk_now(world, entity, movers, rows, PATH)


def _state(body: Body, transforms: Transforms, row: int) -> BodyState:
    """Return a copy of a body's state. If other code has moved the actor, return the state of a standing body."""
    state = BodyState(body.state.walk[row : row + 1].copy(), body.state.feet[row : row + 1].copy())
    moved = transforms.translation[row, ::2] - state.walk[0, [X, Z]]
    return state if float(length(moved)) < NEAR else new_body_state(1, state.feet.shape[1])


def _from_where_they_are(movers: Movers, transforms: Transforms, row: int, line: Line) -> Line:
    """Return `line` with a first part that leads from the actor's present position to the line.

    Raises ValueError if the result ends after more than LONGEST.
    """
    if line.times[-1] - movers.clock.now > LONGEST:
        raise ValueError(
            f"a path must end at most {LONGEST:g} s after the current time of the world. Split the path, and pass"
            " the second piece after the first piece has ended."
        )
    here = plan_from_space(transforms.translation[row].astype(np.float64))
    _, y, _, w = transforms.rotation[row].astype(np.float64)
    return come_from(line, movers.clock.now, here, float(2 * elementary.arctan2(y, w)) + movers.facing)


def require_own_pace(motions: Sequence[Motion], numbers: Rows) -> None:
    """Raise ValueError if user code cannot set the playback speed of one of the motions.

    `numbers` are indices into `motions`.
    """
    for motion in (motions[number] for number in np.unique(numbers)):
        if motion.keeps_pace or motion.name == GAIT:
            driver = "the body" if motion.name == GAIT else f"parameter {motion.parameters[0]!r}"
            raise ValueError(
                f"user code cannot set the speed of motion {motion.name!r}, because {driver} sets this speed. Choose"
                " another motion."
            )


def _movers(world: World, entity: int) -> Movers:
    found = world.find(entity, Movers)
    if found is None:
        raise _without_body()
    return found


def _without_body() -> ValueError:
    return ValueError(
        "this crowd has no body that can walk. In the scene file, write body = {} in the table of this crowd."
    )


def _speeds(world: World, entity: int, rows: Rows) -> NDArray[np.float32]:
    """Return the current velocities of actors, [n, 2] [m/s]. The components of a velocity are x and z."""
    body = world.find(entity, Body)
    return world.get(entity, Movers).velocity[rows] if body is None else body.state.walk[rows][:, [VX, VZ]]


def _walk_now(world: World, entity: int, movers: Movers, rows: Rows, kind: int) -> None:
    """Change the mover of actors to `kind`. Actors that moved with clips fade to the gait."""
    from ecs_anim.kernels.fading import fade_actors  # compiled at first use

    by_clip = rows[movers.kind[rows] == CLIP]
    movers.kind[rows] = kind
    if not len(by_clip):
        return
    gait, queue = world.get(entity, Body).plan.motion, world.get(entity, Playback).queue
    fade_actors(by_clip, np.full(len(by_clip), gait, np.int32), FadeRequest(-1.0, 0.0, FADE, False), tuple(queue))


def _yaws(headings: ArrayLike, count: int) -> NDArray[np.float64]:
    return yaw_from_heading(numbers_for_each("headings", headings, (count,)))


def _line(number: int, times: ArrayLike, positions: ArrayLike) -> Line:
    """Return a path through plan points [n, 2] at world times [n]. Raises ValueError if the path is invalid."""
    label = f"path {number}"
    when, points = numbers(f"{label}: times", times), numbers(f"{label}: positions", positions)
    if when.ndim != 1 or len(when) < 1 or points.shape != (len(when), 2):
        raise ValueError(
            f"{label}: times must have shape [n] and positions must have shape [n, 2], with n >= 1 (got shapes"
            f" {when.shape} and {points.shape}). Pass one position for each time."
        )
    if (steps := np.diff(when) <= 0).any():
        item = int(np.argmax(steps)) + 1
        raise ValueError(
            f"{label}: each time must be later than the previous time (got {when[item]:g} s after {when[item - 1]:g}"
            " s). Sort the times, and remove equal times."
        )
    if when[-1] - when[0] > LONGEST:
        raise ValueError(
            f"{label}: the path must take at most {LONGEST:g} s from its first time to its last time. Split the path."
        )
    return Line(when, require_near(f"{label}: positions", points))


def states_of(crowd: str, controller: Controller | None) -> list[str]:
    """Return the name of each actor's state. Raises ValueError if the crowd has no state machine."""
    if controller is None:
        raise ValueError(f"crowd {crowd!r} must have a state machine. Add a controller to the crowd in the scene.")
    return [controller.machine.state_names[number] for number in controller.state.tolist()]


def set_target(targets: Mapping[str, Target], name: str, positions: ArrayLike, rows: Rows) -> None:
    """Move a target of kind `point` for actors. Raises ValueError if code cannot move the target."""
    found = targets.get(name)
    if found is None:
        raise unknown("target", name, targets)
    if found.in_actor_space or not isinstance(found.motion, Still):
        raise ValueError(
            f"target {name!r} is not a fixed point of the world, so no call can move this target. Name another target."
        )
    found.position[rows] = places_for_each(f"target {name!r}: positions", positions, (len(rows), 3))


def set_weight(owner: Weighted, parameters: Parameters, label: str, rows: Rows, weight: ArrayLike) -> None:
    """Set a weight of actors, 0 to 1. Raises ValueError if a parameter sets this weight, or if a weight is invalid."""
    if owner.weight_parameter >= 0:
        name = parameters.names[owner.weight_parameter]
        raise ValueError(
            f"parameter {name!r} sets the weight of {label}, so code cannot set the weight. Set the parameter."
        )
    owner.weight[rows] = shares_for_each(f"{label}: a weight", weight, len(rows))


def free_morphs(morphs: Morphs | None, target: str) -> tuple[Morphs, NDArray[np.int32]]:
    """Return the morph weights of a crowd, and the columns of a morph target that user code can set.

    Raises InputError if the rig does not have the morph target. Raises ValueError if clips or a parameter set the
    weight of the morph target.
    """
    names = morphs.targets.names if morphs else ()
    if morphs is None or target not in names:
        raise unknown("morph target", target, names, of="morph targets of the rig are")
    columns = morphs.targets.columns(target)
    if morphs.moved.intersection(columns.tolist()):
        raise ValueError(
            f"clips or a parameter of this crowd set the morph target {target!r}. Choose another morph target."
        )
    return morphs, columns
