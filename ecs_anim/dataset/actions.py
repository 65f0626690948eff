"""Actions of actors for labels, such as `standing`, `walking` or `waving`, and states of state machines."""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.state import WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.controller import Controller
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.layers import Layers
from ecs_anim.components.movers import Movers
from ecs_anim.ecs.world import World
from ecs_anim.systems import directing
from ecs_anim.systems.playing_clips import playing_clips

# The action of a clip whose name contains one of these words. The first word that the name contains decides.
ACTIONS = {
    "sit": "sitting",
    "wave": "waving",
    "jump": "jumping",
    "clap": "clapping",
    "cheer": "cheering",
    "dance": "dancing",
    "rise": "rising",
    "lean": "leaning",
    "attack": "attacking",
    "run": "running",
    "jog": "running",
    "sprint": "running",
    "walk": "walking",
    "strafe": "walking",
    "idle": "standing",
    "stand": "standing",
}
TRAVELS = ("standing", "walking", "running")  # actions that the speed of a moved actor decides
STANDS = 0.1  # [m/s]; slower actors stand
RUNS = 2.0  # [m/s]; faster adults prefer to run (Hreljac 1993: 2.0 to 2.1 m/s)
SHOWN = 0.5  # a layer with a larger weight decides the action

Reals = NDArray[np.float64]
Rows = NDArray[np.int32]


def actions_of(world: World, entity: int, rows: Rows, speeds: Reals) -> list[str]:
    """Return the action of each actor in `rows`, [n]. `speeds` [n] [m/s] are their speeds on the plan.

    The clip with the largest weight decides. If the action of this clip is standing, walking or running, and if the
    actor moves by itself (for example by steering), the speed decides. A layer with a weight above `SHOWN` replaces an
    action that is standing, walking or running.
    """
    played = playing_clips(world, entity, rows)
    first = np.unique(played.actors, return_index=True)[1]
    by_row = dict(zip(played.actors[first].tolist(), played.clips[first].tolist(), strict=True))
    found = [action_of_clip(by_row[row]) for row in rows.tolist()]
    travels = _moves(world, entity, rows) & ~np.isnan(speeds)
    for number in np.flatnonzero(travels).tolist():
        if found[number] in TRAVELS or _steps(world, entity, rows[number]):
            found[number] = action_at_speed(float(speeds[number]))
    _add_layers(world, entity, rows, found)
    return found


@cache
def action_of_clip(name: str) -> str:
    """Return the action of a clip. If the name of the clip contains no known word, the action is this name."""
    words = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()
    return next((action for word, action in ACTIONS.items() if re.search(rf"(?<![a-z]){word}", words)), name)


def action_at_speed(speed: float) -> str:
    """Return the action of an actor that moves with `speed` [m/s]."""
    return TRAVELS[(speed >= STANDS) + (speed >= RUNS)]


def states_of(world: World, entity: int, rows: Rows) -> list[str | None]:
    """Return the name of each actor's state, [n], or None for crowds without a state machine."""
    controller = world.find(entity, Controller)
    if controller is None:
        return [None] * len(rows)
    names = directing.states_of(world.get(entity, Crowd).name, controller)
    return [names[row] for row in rows.tolist()]


def _moves(world: World, entity: int, rows: Rows) -> NDArray[np.bool_]:
    """Return which actors move by a path, a velocity or steering, [n]. All other actors move with their clips."""
    movers = world.find(entity, Movers)
    return np.zeros(len(rows), np.bool_) if movers is None else np.asarray(movers.kind[rows] > 0)


def _steps(world: World, entity: int, row: int) -> bool:
    """Return whether the footsteps of the body decide the pose of an actor more than the actor's clips."""
    body = world.find(entity, Body)
    return body is not None and bool(body.state.walk[row, WEIGHT] > SHOWN)


def _add_layers(world: World, entity: int, rows: Rows, actions: list[str]) -> None:
    """Replace actions by the actions of layers, if a layer has a large weight and its name has a known word."""
    layers = world.find(entity, Layers)
    for layer in layers.layers if layers is not None else ():
        action = action_of_clip(layer.name)
        if action in TRAVELS or action == layer.name:
            continue
        for number in np.flatnonzero(layer.weight[rows] > SHOWN).tolist():
            if actions[number] in TRAVELS:
                actions[number] = action
