"""A crowd as user code handles it: whole selections of actors at once."""

import reprlib
from collections.abc import Sequence
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.body.gait_plan import GAIT
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.layers import Layers
from ecs_anim.components.look_at import LookAt
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.reach import Reach
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.support.arguments import (
    LARGEST,
    numbers_below,
    numbers_for_each,
    rows_of,
    shares_for_each,
    unknown,
    whole_numbers,
)
from ecs_anim.systems import directing
from ecs_anim.systems.newcomers import Given, add_newcomers
from ecs_anim.systems.population import remove_actors
from ecs_anim.systems.queries import Weighted

Selection = slice | ArrayLike | None  # rows, a mask over all actors, a slice, or None for all of them


class CrowdHandle:
    """Ask the actors of one crowd for other motions, and set what drives them.

    Rows that the crowd does not have raise IndexError, a world that was closed RuntimeError.
    """

    def __init__(self, world: World, entity: int) -> None:
        self._world, self._entity = world, entity
        self._crowd = world.get(entity, Crowd)
        self._character = world.get(entity, Character)
        self._playback = world.get(entity, Playback)
        self._parameters = world.get(entity, Parameters)
        self._transforms = world.get(entity, Transforms)
        found = world.components(entity)
        self._layers = {layer.name: layer for own in found if isinstance(own, Layers) for layer in own.layers}
        self._corrections = _corrections(found)
        self._morphs = next((own for own in found if isinstance(own, Morphs)), None)

    def __repr__(self) -> str:
        return f"<CrowdHandle {reprlib.repr(self.name)}: {self.actor_count} actors>"

    @property
    def name(self) -> str:
        return self._crowd.name

    @property
    def actor_count(self) -> int:
        return self._crowd.actor_count

    @property
    def motions(self) -> tuple[str, ...]:
        """Names of the motions that actors can play."""
        return tuple(self._character.motions.index)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The id of each row, [actor_count] i64, of the whole world's actors the only one.

        An actor keeps its id; its row changes as others leave.
        """
        return self._crowd.ids.copy()

    def rows(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Where actors are now, [n] i32. Raises KeyError for one that has left, or never was; ValueError for no ids."""
        self._world.require_open()
        asked = whole_numbers("ids", ids)
        rows = self._crowd.index.find(asked)
        if (rows < 0).any():
            raise KeyError(f"crowd {self.name!r} has no actor of id {asked[rows < 0][0]}")
        return rows

    def add(self, count: int | None = None, **given: Unpack[Given]) -> NDArray[np.int64]:
        """Add actors, and return their ids [n]. They are drawn as the scene says, or are copies of others (`like`).

        What is `given` counts instead; see `Given`. They are seen from the next step on. Raises ValueError for numbers
        that do not fit and where the scene's layout has no more places, KeyError for unknown names, InputError for
        more actors than there may be or than memory holds, before anything changes.
        """
        return add_newcomers(self._world, self._entity, count, given)

    def remove(self, selection: Selection = None, *, ids: ArrayLike | None = None) -> None:
        """Remove the selected actors, or those of these ids. The last rows move into those that become free.

        Raises KeyError for an id that is nobody's; ValueError where both are given, or neither.
        """
        if (selection is None) == (ids is None):
            raise ValueError("say whom to remove: a selection, such as slice(None) for all, or ids")
        rows = self._rows(selection) if ids is None else self.rows(ids)
        remove_actors(self._world, self._entity, _each_once(rows))

    def playing(self) -> list[str]:
        """The motion that each actor was asked for last."""
        rows = np.arange(self.actor_count)
        names = self.motions
        return [names[number] for number in self._playback.motion[rows, self._playback.slot_count - 1]]

    def bearings(self, center: tuple[float, float] = (0.0, 0.0)) -> NDArray[np.float64]:
        """Angles [actor_count] [rad] at which actors stand round `center`, x and z [m]: 0 is +Z, pi/2 is +X."""
        center = tuple(numbers_for_each("center", center, (2,)).tolist())
        x, _, z = self._transforms.translation.T.astype(np.float64)
        return elementary.arctan2(x - center[0], z - center[1])

    def fade_to(
        self,
        selection: Selection,
        motion: str | ArrayLike,
        duration: float = 0.3,
        *,
        phase: float | Literal["match"] = 0.0,
        speed: float = 1.0,
        restart: bool = False,
    ) -> None:
        """Fade the selected actors to a motion over `duration` seconds; 0 is a cut.

        `motion` is a name, or a motion number for each selected actor. It begins at `phase`, 0 to 1, or takes
        over the phase of what plays ("match"), which keeps gaits in step. Asking for what was asked for last
        changes nothing, unless `restart`. Raises KeyError for an unknown motion, ValueError for a duration
        that is negative or not finite, for a phase outside 0 to 1, and for a `speed` of a blend space that keeps pace.
        """
        from ecs_anim.kernels.fading import fade_actors  # compiled where a crowd needs it

        if not 0 <= duration <= LARGEST:
            raise ValueError(f"a fade's duration must be finite and >= 0 (got {duration})")
        if phase != "match" and (isinstance(phase, str) or not 0 <= phase <= 1):
            raise ValueError(f"a phase must be 0 to 1, or 'match' (got {phase!r})")
        if not abs(speed) <= LARGEST:
            raise ValueError(f"a speed must be finite (got {speed})")
        if speed != 1.0:
            self._require_own_pace(motion)
        actors = self._rows(selection)
        number = self._motion_number(motion) if isinstance(motion, str) else motion
        targets = numbers_below("motion numbers", number, len(self.motions), len(actors))
        play = self._playback
        start = -1.0 if phase == "match" else float(phase)
        columns = (play.slot_count, play.motion, play.phase, play.speed, play.fade_time, play.fade_duration)
        fade_actors(actors, targets, start, speed, duration, restart, *columns)

    def place(self, selection: Selection, xy: ArrayLike, headings: ArrayLike | None = None) -> None:
        """Put the selected actors at `xy` [n, 2] [m] of the plan, whose x goes east (+X) and y north (-Z).

        `headings` [rad] about +Y from +Z; default: as they face. Where they come from is less than a step away, they
        step there; called again and again this walks them. Raises ValueError for a crowd without `body`.
        """
        directing.place(self._world, self._entity, self._rows(selection), xy, headings)

    def set_velocity(self, selection: Selection, velocity: ArrayLike, headings: ArrayLike | None = None) -> None:
        """Have the selected actors go at velocities [n, 2] [m/s] of the plan, x to the east and y to the north.

        They take them up with the body's `acceleration`, and face where they go, or `headings` [rad] about +Y from +Z:
        to the side and backward too. Raises ValueError for a crowd without `body`.
        """
        directing.set_velocity(self._world, self._entity, self._rows(selection), velocity, headings)

    def follow(self, ids: ArrayLike, times: Sequence[ArrayLike], xy: Sequence[ArrayLike]) -> None:
        """Have actors follow paths: each is at points [n, 2] [m] of the plan at times [n] [s] of the world, their own.

        Before and after they stand at its ends. Where they are depends on the time alone, so that any moment is reached
        at once. Raises KeyError for an unknown id, ValueError for times that do not rise, or a crowd without `body`.
        """
        directing.follow(self._world, self._entity, self.rows(ids), times, xy)

    def set(self, selection: Selection, parameter: str, value: ArrayLike) -> None:
        """Set what a parameter approaches: one value, or one for each selected actor."""
        rows, column = self._rows(selection), self._column(parameter)
        values = numbers_for_each(f"parameter {parameter!r}", value, (len(rows),))
        self._parameters.target[rows, column] = values

    def value(self, parameter: str) -> NDArray[np.float32]:
        """What a parameter is now, [actor_count] f32."""
        return self._parameters.value[:, self._column(parameter)].copy()

    def trigger(self, selection: Selection, name: str) -> None:
        """Pull a trigger: it stays pulled until a transition uses it."""
        if name not in self._parameters.triggers:
            raise unknown("trigger", name, sorted(self._parameters.triggers))
        self.set(selection, name, 1.0)

    def set_layer_weight(self, selection: Selection, layer: str, weight: ArrayLike) -> None:
        """Set how much of a layer the selected actors show, 0 to 1.

        Raises ValueError for other weights, and for a layer whose weight a parameter drives.
        """
        if layer not in self._layers:
            raise unknown("layer", layer, self._layers)
        self._set_weight(selection, self._layers[layer], f"layer {layer!r}", weight)

    def set_ik_weight(self, selection: Selection, what: str, weight: ArrayLike) -> None:
        """Set how far the selected actors are corrected, 0 to 1: by "grounding", "look_at", or a chain that reaches.

        A chain is called by its last joint. Raises KeyError for one that the crowd does not have, ValueError for other
        weights, and for a weight that a parameter drives.
        """
        if what not in self._corrections:
            raise unknown("correction", what, self._corrections, of="the crowd's are")
        for correction in self._corrections[what]:
            self._set_weight(selection, correction, what, weight)

    def set_morph(self, selection: Selection, target: str, weight: ArrayLike) -> None:
        """Set the weight of a morph target, of all meshes that have one of this name: one value, or one an actor.

        Raises KeyError for a target that the rig does not have, ValueError for a weight that is not finite, and for
        one that clips or a parameter of the crowd move.
        """
        names = self._morphs.targets.names if self._morphs else ()
        if self._morphs is None or target not in names:
            raise unknown("morph target", target, names, of="the rig's are")
        columns = self._morphs.targets.columns(target)
        if self._morphs.moved.intersection(columns.tolist()):
            raise ValueError(f"clips or a parameter move the morph target {target!r} of this crowd")
        rows = self._rows(selection)
        weights = numbers_for_each(f"morph target {target!r}: a weight", weight, rows.shape)
        self._morphs.weights[rows[:, None], columns] = weights[:, None]

    def _set_weight(self, selection: Selection, owner: Weighted, label: str, weight: ArrayLike) -> None:
        if owner.weight_parameter >= 0:
            name = self._parameters.names[owner.weight_parameter]
            raise ValueError(f"parameter {name!r} drives the weight of {label}; set that")
        rows = self._rows(selection)
        owner.weight[rows] = shares_for_each(f"{label}: a weight", weight, len(rows))

    def _rows(self, selection: Selection) -> NDArray[np.int32]:
        self._world.require_open()
        return rows_of(f"crowd {self.name!r}", selection, self.actor_count)

    def _require_own_pace(self, motion: str | ArrayLike) -> None:
        """That a speed means something to all of these motions. Raises ValueError."""
        motions = self._character.motions.motions
        asked = [motion] if isinstance(motion, str) else [self.motions[n] for n in np.unique(motion).tolist()]
        for own in motions:
            if own.name in asked and (own.keeps_pace or own.name == GAIT):
                driver = "the body" if own.name == GAIT else f"parameter {own.parameters[0]!r}"
                raise ValueError(f"motion {own.name!r} has no speed of its own: {driver} sets its pace")

    def _motion_number(self, name: str) -> int:
        index = self._character.motions.index
        if name not in index:
            raise unknown("motion", name, index)
        return index[name]

    def _column(self, parameter: str) -> int:
        if parameter not in self._parameters.index:
            raise unknown("parameter", parameter, self._parameters.names)
        return self._parameters.index[parameter]


def _each_once(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sorted, each row once. `np.unique` makes a hash table of them first, which takes longer."""
    rows = np.sort(rows, axis=None)
    fresh = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=fresh[1:])
    return rows[fresh]


def _corrections(components: Sequence[object]) -> dict[str, list[Weighted]]:
    """Grounding, looks and goals of a crowd, by name."""
    found: dict[str, list[Weighted]] = {}
    for component in components:
        match component:
            case Grounding():
                found["grounding"] = [component]
            case LookAt(looks):
                found["look_at"] = [*looks]
            case Reach(goals):
                found |= {goal.name: [goal] for goal in goals}
    return found


def crowd(world: World, name: str) -> CrowdHandle:
    """The crowd of this name. Raises KeyError where there is none, or more than one."""
    found = [(entity, own.name) for entity, (own,) in world.query(Crowd)]
    entities = [entity for entity, own in found if own == name]
    if not entities:
        raise unknown("crowd", name, [own for _, own in found])
    if len(entities) > 1:
        raise KeyError(f"{len(entities)} crowds are called {name!r}; name them apart")
    return CrowdHandle(world, entities[0])


def crowds(world: World) -> list[CrowdHandle]:
    """All crowds, in the scene's order."""
    return [CrowdHandle(world, entity) for entity, _ in world.query(Crowd)]
