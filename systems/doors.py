"""Opening and closing of doors. Each change also updates the walls, the drawn walls, and the routes."""

from collections.abc import Sequence

from ecs_anim.components.doors import Doors
from ecs_anim.components.stage import Stage
from ecs_anim.components.steering import Surroundings
from ecs_anim.ecs.world import World
from ecs_anim.support.arguments import unknown
from ecs_anim.support.checked import checked


class DoorsHandle:
    """The doors of a world: `ea.doors(world).open("east")`.

    Actors in a closing door move out of the doorway. Actors without a way to their goal wait.
    """

    @checked
    def __init__(self, world: World) -> None:
        if _doors_of(world) is None:
            raise ValueError("this world has no doors. Write [[walls.doors]] in the scene")
        self._world = world

    @property
    def is_open(self) -> dict[str, bool]:
        """A dictionary from the name of each door to true (open) or false (closed)."""
        found = _doors_of(self._world)
        assert found is not None  # doors are never removed from a world
        return dict(zip(found.names, found.is_open.tolist(), strict=True))

    @checked
    def open(self, names: str | Sequence[str]) -> None:
        """Open doors before the next step. If a name is unknown, open no door and raise InputError."""
        move_doors(self._world, _listed(names), is_open=True)

    @checked
    def close(self, names: str | Sequence[str]) -> None:
        """Close doors before the next step. If a name is unknown, close no door and raise InputError."""
        move_doors(self._world, _listed(names), is_open=False)

    def __repr__(self) -> str:
        told = [f"{name} {'open' if is_open else 'closed'}" for name, is_open in self.is_open.items()]
        return f"<Doors: {', '.join(told)}>"


@checked
def doors(world: World) -> DoorsHandle:
    """Return the handle of a world's doors. Raises ValueError for a world without doors."""
    return DoorsHandle(world)


def move_doors(world: World, names: Sequence[str], *, is_open: bool) -> None:
    """Open or close doors. Raises InputError for an unknown name."""
    found = _doors_of(world)
    known = found.names if found else ()
    for name in names:
        if name not in known:
            raise unknown("door", name, known)
    if found and names:
        found.is_open[[known.index(name) for name in names]] = is_open
        set_walls(world)


def set_walls(world: World) -> None:
    """Update the walls of a world after doors have opened or closed."""
    for _, (stage, found) in world.query(Stage, Doors):
        stage.walls = found.walls
        for _, (around,) in world.query(Surroundings):
            around.walls = found.walls.arrays


def _doors_of(world: World) -> Doors | None:
    return next((found for _, (found,) in world.query(Doors)), None)


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names
