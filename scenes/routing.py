"""Routes around the walls of a scene. The module builds the grid for the search of routes, and checks that each actor
has a route.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.doors import Doors
from ecs_anim.components.routing import Routing
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.routing.areas import Area, SpeedArea
from ecs_anim.routing.grid import grid_over, speed_factors
from ecs_anim.routing.lattice import Goal, Lattice
from ecs_anim.scenes.areas import area_of
from ecs_anim.scenes.levels import connected_with, space_cells, stairs_cells
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.parts.goals import level_offset
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.scenes.schema_routing import AreaModel
from ecs_anim.storeys.connections import starts_of
from ecs_anim.support.budgets import require
from ecs_anim.systems.route_fields import ADVICE, lattice_of, lead_to, spots_of
from ecs_anim.systems.routing import make_routes, may_be_goals, stranded
from ecs_anim.systems.storeys import take_nearest_goals
from ecs_anim.systems.unfolding import unfold_all

if TYPE_CHECKING:  # this module imports shapely, which only scenes with walls or levels need
    from ecs_anim.storeys.unfolded import Unfolded

Reals = NDArray[np.float64]


class Placed(NamedTuple):
    """A crowd with steering, and the positions of its actors."""

    keys: list[SceneKey]  # keys of its goals
    steering: Steering
    starts: NDArray[np.float32]  # [n, 2], plan points of its actors
    stays: bool  # whether each actor stays at its goal
    may_choose: bool  # whether actors can choose any goal that has a route


def needs_routes(scene: SceneModel) -> bool:
    """Return whether steered actors in a scene need routes.

    Walls, areas with another walking speed, congestion, goal areas and the choice among known goals require routes.
    """
    steered = [crowd.steering for crowd in scene.crowds if crowd.steering is not None]
    return bool(steered) and bool(
        scene.has_walls
        or scene.areas
        or scene.routing.congestion_interval_seconds
        or any(own.has_areas or own.exit_choice == "familiar" for own in steered)
    )


def find_routes(scene: SceneFile, indices: Sequence[int], world: World, unfolded: "Unfolded | None" = None) -> None:
    """Add routes to the world if the scene needs routes. `indices` contains the indices of the crowds that have actors.
    `unfolded` is the unfolded plan of a scene with levels.

    Raises InputError for a goal outside the walkable area, and for an actor without a route to its goal.
    """
    interval = scene.model.routing.congestion_interval_seconds
    for index, crowd in enumerate(scene.model.crowds):
        if crowd.steering is not None and crowd.steering.exit_choice == "quickest" and not interval:
            key = SceneKey(scene.label, f"crowds[{index}].steering.exit_choice")
            raise key.fault(
                "'quickest' needs measured congestion. Write congestion_interval_seconds = 2.0 in [routing]."
            )
    unfold_all(world)
    if needs_routes(scene.model):
        placed = list(_steered(scene, indices, world))
        ((entity, (around,)),) = world.query(Surroundings)
        routing = _routing(scene, world, around, placed, unfolded)
        world.attach(entity, routing)
        for fit in sorted({own.steering.fit for own in placed}):
            _require_ways(routing, [own for own in placed if own.steering.fit == fit])
    make_routes(world)
    for _, (storeyed,) in world.query(Storeyed):
        if storeyed.chooses_nearest:
            take_nearest_goals(world, storeyed)


def _steered(scene: SceneFile, indices: Sequence[int], world: World) -> list[Placed]:
    found = []
    for index, (entity, (transforms,)) in zip(indices, world.query(Transforms), strict=True):
        if steering := world.find(entity, Steering):
            said = scene.model.crowds[index].steering
            assert said is not None  # these crowds have steering
            keys = [SceneKey(scene.label, f"crowds[{index}].steering.{name}") for name in said.waypoint_keys]
            may_choose = said.exit_choice in ("nearest", "quickest", "familiar")
            storeyed = world.find(entity, Storeyed)
            starts = plan_from_space(transforms.translation if storeyed is None else storeyed.plan)
            found.append(Placed(keys, steering, starts, said.stays, may_choose))
    return found


def _routing(
    scene: SceneFile, world: World, around: Surroundings, placed: Sequence[Placed], unfolded: "Unfolded | None"
) -> Routing:
    """Return the routing data of all crowds. Raises InputError if the grid has more cells than the budget allows."""
    said = scene.model.routing
    areas = [
        SpeedArea(_on_plan(model, SceneKey(scene.label, f"areas[{number}]"), unfolded), model.speed_factor)
        for number, model in enumerate(scene.model.areas)
    ]
    doors = next((found for _, (found,) in world.query(Doors)), None)
    unlocked, locked = (around.walls,) * 2 if doors is None else (doors.unlocked.arrays, doors.locked.arrays)
    ends = [walls.segments.reshape(-1, 2).astype(np.float64) for walls in (around.walls, unlocked)]
    drawn = [own.area.bounds for own in areas]
    drawn += [_bounds(goal) for own in placed for goal in own.steering.goals]
    starts = [own.starts.astype(np.float64) for own in placed]
    grid = grid_over(np.concatenate([*ends, *drawn, *starts]), said.cell_size)
    key = f"{SceneKey(scene.label, 'routing.cell_size')}"
    require("route_cells", grid.cell_count, key, ADVICE)
    ease = np.ones(grid.cell_count if said.congestion_interval_seconds else 0, np.float32)
    connected = None if unfolded is None else connected_with(unfolded, grid, areas)
    made = None if connected is None or unfolded is None else connected(starts_of(unfolded.connections))
    return Routing(
        scene.label,
        key,
        grid,
        speed_factors(grid, areas) if made is None else made.speed_factor,
        unlocked,
        locked,
        said.congestion_interval_seconds or 0.0,
        ease,
        links=None if made is None else made.links,
        on_belts=None if made is None else made.on_belts,
        connected=connected,
        stairs=None if unfolded is None else stairs_cells(unfolded, grid),
        spaces=None if unfolded is None else space_cells(unfolded, grid),
    )


def _on_plan(model: AreaModel, key: SceneKey, unfolded: "Unfolded | None") -> Area:
    """Return the area of a model on the plan, or on the unfolded plan of a building."""
    _, (x, y) = level_offset(model.level, key / ".level", unfolded)
    area = area_of(model.area, key / ".area")
    return area if x == y == 0 else area.moved(x, y)


def _bounds(goal: Goal) -> Reals:
    return np.array([[goal.x, goal.y]]) if goal.area is None else goal.area.bounds


def _require_ways(routing: Routing, placed: Sequence[Placed]) -> None:
    """Raise InputError if an actor has no route to its goal, or if a goal cannot be reached, even with all doors open.

    All crowds in `placed` must have the same value of `fit`.
    """
    goals = {goal for own in placed for goal in own.steering.goals}
    require("route_cells", routing.grid.cell_count * len(goals), routing.key, ADVICE)  # before the slow work
    lattice = lattice_of(routing, routing.unlocked, *placed[0].steering.fit)
    for own, goal in [pair for one in placed for pair in zip(one.keys, one.steering.goals, strict=True)]:
        if _is_walled(lattice, goal):
            raise own.fault(f"{goal} must be in the walkable area and not in a wall. Move the goal.")
    lead_to(routing, lattice, [goal for own in placed for goal in own.steering.goals])
    for keys, steering, starts, stays, may_choose in placed:
        for number, (own, goal) in enumerate(zip(keys, steering.goals, strict=True)):
            if goal.area is not None and not len(spots_of(lattice, goal)):
                raise own.fault(
                    f"{goal} must have room for at least one actor. Enlarge the area, or move the area away from walls."
                )
            begin, before = starts[steering.waypoint == number], steering.goals[number - 1]
            if may_choose:  # a route to one of the goals is enough
                begin = starts if number == 0 else starts[:0]
                lost = np.all([stranded(lattice, other, begin) for other in steering.goals], axis=0)
            else:
                lost = stranded(lattice, goal, begin)
            count, told = int(np.count_nonzero(lost)), ""
            if count:
                told = f"{count} of {len(begin)} actors have no route to"
            elif (
                number > 0 and not stays and stranded(lattice, goal, np.array([[before.x, before.y]], np.float32)).any()
            ):
                told = f"no route leads from {before} to"
            if told:
                text = (
                    f"{told} {goal}, because walls are in between. Move the goal, or leave a gap in the walls"
                    f" {_wide(lattice)}"
                )
                if lattice.closed is not None:
                    text = f"{told} {goal} without stairs. Add [[ramps]], or write avoid_stairs = false"
                raise own.fault(text)


def _wide(lattice: Lattice) -> str:
    return f"that is wider than {2 * lattice.cells.radius:g} m"


def _is_walled(lattice: Lattice, goal: Goal) -> bool:
    return goal.area is None and not may_be_goals(lattice.walls, np.array([[goal.x, goal.y]], np.float32))[0]
