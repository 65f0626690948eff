"""Opening and closing of doors. A change of a door also changes the walls, the drawn walls and the routes."""

from collections.abc import Sequence

from ecs_anim.components.doors import Doors
from ecs_anim.components.stage import Stage
from ecs_anim.components.steering import Surroundings
from ecs_anim.ecs.world import World
from ecs_anim.support.arguments import unknown
from ecs_anim.support.checked import checked


class DoorsHandle:
    """The doors of a world. The call `ea.doors(world).open("east")` opens a door.

    If a door closes, actors in the doorway are moved out of the doorway. Actors without a route to their goal wait.
    """

    @checked
    def __init__(self, world: World) -> None:
        if _doors_of(world) is None:
            raise ValueError("this world has no doors. Write [[walls.doors]] in the scene.")
        self._world = world

    @property
    def is_open(self) -> dict[str, bool]:
        """A dictionary from door name to the state of the door: True for an open door, False for a closed door."""
        found = _doors_of(self._world)
        assert found is not None  # a world never loses its doors
        return dict(zip(found.names, found.is_open.tolist(), strict=True))

    @checked
    def open(self, names: str | Sequence[str]) -> None:
        """Open the given doors before the next step. If a name is unknown, raise InputError and open no door."""
        move_doors(self._world, _listed(names), is_open=True)

    @checked
    def close(self, names: str | Sequence[str]) -> None:
        """Close the given doors before the next step. If a name is unknown, raise InputError and close no door."""
        move_doors(self._world, _listed(names), is_open=False)

    def __repr__(self) -> str:
        told = [f"{name} {'open' if is_open else 'closed'}" for name, is_open in self.is_open.items()]
        return f"<Doors: {', '.join(told)}>"


@checked
def doors(world: World) -> DoorsHandle:
    """Return the handle for the doors of a world. Raises ValueError if the world has no doors."""
    return DoorsHandle(world)


def move_doors(world: World, names: Sequence[str], *, is_open: bool) -> None:
    """Open or close the given doors. Raises InputError if a name is unknown."""
    found = _doors_of(world)
    known = found.names if found else ()
    for name in names:
        if name not in known:
            raise unknown("door", name, known)
    if found and names:
        found.is_open[[known.index(name) for name in names]] = is_open
        set_walls(world)


def move_known_doors(world: World, opens: Sequence[str], closes: Sequence[str]) -> None:
    """Open and close the doors among the given names. All other names are names of connections, which do not change."""
    found = _doors_of(world)
    known = found.names if found else ()
    move_doors(world, [name for name in opens if name in known], is_open=True)
    move_doors(world, [name for name in closes if name in known], is_open=False)


def set_walls(world: World) -> None:
    """Update the walls of a world after a change of its doors."""
    for _, (stage, found) in world.query(Stage, Doors):
        stage.walls = found.walls
        for _, (around,) in world.query(Surroundings):
            around.walls = found.walls.arrays


def _doors_of(world: World) -> Doors | None:
    return next((found for _, (found,) in world.query(Doors)), None)


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names
