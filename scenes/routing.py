"""Ways round a scene's walls: what they are found on, and whether there is one for everybody."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.doors import Doors
from ecs_anim.components.routing import Routing
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.routing.areas import PacedArea
from ecs_anim.routing.grid import grid_over, paces
from ecs_anim.routing.lattice import Goal, Lattice
from ecs_anim.scenes.areas import area_of
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.support.budgets import require
from ecs_anim.systems.route_fields import ADVICE, lattice_of, lead_to, spots_of
from ecs_anim.systems.routing import make_routes, may_be_goals, stranded
from ecs_anim.walls.walls import to_plan

Reals = NDArray[np.float64]
Placed = tuple[list[SceneKey], Steering, NDArray[np.float32]]  # a crowd's goals, and where its actors are on the plan


def needs_routes(scene: SceneModel) -> bool:
    """Whether anybody goes round something, to an area, or at another pace."""
    steered = [crowd.steering for crowd in scene.crowds if crowd.steering is not None]
    return bool(steered) and bool(scene.walls or scene.areas or any(own.has_areas for own in steered))


def find_routes(scene: SceneFile, indices: Sequence[int], world: World) -> None:
    """Give a world the routes that it needs; `indices` are those of the scene's crowds that have actors.

    Raises InputError for goals where nobody may be, and for actors who have no way to theirs.
    """
    if needs_routes(scene.model):
        placed = list(_steered(scene, indices, world))
        ((entity, (around,)),) = world.query(Surroundings)
        routing = _routing(scene, world, around, placed)
        world.attach(entity, routing)
        for radius in sorted({steering.clearance for _, steering, _ in placed}):
            _require_ways(routing, radius, [own for own in placed if own[1].clearance == radius])
    make_routes(world)


def _steered(scene: SceneFile, indices: Sequence[int], world: World) -> list[Placed]:
    """All crowds that steer."""
    found = []
    for index, (entity, (transforms,)) in zip(indices, world.query(Transforms), strict=True):
        if steering := world.find(entity, Steering):
            said = scene.model.crowds[index].steering
            assert said is not None  # it steers
            keys = [SceneKey(scene.label, f"crowds[{index}].steering.{name}") for name in said.waypoint_keys]
            found.append((keys, steering, to_plan(transforms.translation)))
    return found


def _routing(scene: SceneFile, world: World, around: Surroundings, placed: Sequence[Placed]) -> Routing:
    """What all routes are made over. Raises InputError for more cells than the budget allows."""
    areas = [
        PacedArea(area_of(model.area, SceneKey(scene.label, f"areas[{number}].area")), model.pace)
        for number, model in enumerate(scene.model.areas)
    ]
    doors = next((found for _, (found,) in world.query(Doors)), None)
    unlocked, locked = (around.walls,) * 2 if doors is None else (doors.unlocked.arrays, doors.locked.arrays)
    ends = [walls.segments.reshape(-1, 2).astype(np.float64) for walls in (around.walls, unlocked)]
    drawn = [own.area.bounds for own in areas]
    drawn += [_bounds(goal) for _, steering, _ in placed for goal in steering.goals]
    starts = [points.astype(np.float64) for _, _, points in placed]
    grid = grid_over(np.concatenate([*ends, *drawn, *starts]), scene.model.routing.cell)
    key = f"{SceneKey(scene.label, 'routing.cell')}"
    require("route_cells", grid.cell_count, key, ADVICE)
    return Routing(key, grid, paces(grid, areas), unlocked, locked)


def _bounds(goal: Goal) -> Reals:
    return np.array([[goal.x, goal.y]]) if goal.area is None else goal.area.bounds


def _require_ways(routing: Routing, radius: float, placed: Sequence[Placed]) -> None:
    """Check the goals of crowds whose actors have one radius, with all doors open. Raises InputError."""
    lattice = lattice_of(routing, routing.unlocked, radius)
    lead_to(routing, lattice, [goal for _, steering, _ in placed for goal in steering.goals])
    for keys, steering, starts in placed:
        is_in_turn = (steering.waypoint == 0).all()  # else each goes to one of them alone
        for number, (own, goal) in enumerate(zip(keys, steering.goals, strict=True)):
            if text := _flaw(lattice, goal):
                raise own.fault(f"{goal} {text}")
            if number == 0 or not is_in_turn:
                begin = starts[steering.waypoint == number]
                what = f"of {len(begin)} actors have no way to"
            else:
                before = steering.goals[number - 1]
                begin, what = np.array([[before.x, before.y]], np.float32), f"way leads from {before} to"
            if count := int(np.count_nonzero(stranded(lattice, goal, begin))):
                told = f"{count} {what}" if number == 0 or not is_in_turn else f"no {what}"
                raise own.fault(
                    f"{told} {goal}: walls are between; move it, or leave a gap in the walls {_wide(lattice)}"
                )


def _wide(lattice: Lattice) -> str:
    return f"that is wider than {2 * lattice.cells.radius:g} m"


def _flaw(lattice: Lattice, goal: Goal) -> str:
    """What is wrong with a goal itself."""
    if goal.area is not None:
        return "" if len(spots_of(lattice, goal)) else "has no room for anybody; draw it larger, or clear of walls"
    is_free = may_be_goals(lattice.walls, np.array([[goal.x, goal.y]], np.float32))[0]
    return "" if is_free else "is in a wall, or outside of the walkable area; move it"
