"""A crowd as user code handles it: whole selections of actors at once."""

import reprlib
from collections.abc import Sequence
from typing import Final, Literal, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.layers import Layers
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.spawner import Spawner
from ecs_anim.components.steering import Steering
from ecs_anim.components.targets import Still, Targets
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import elementary
from ecs_anim.maths.plan import heading_from_yaw, heading_of_direction, plan_from_space
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.records import FadeRequest
from ecs_anim.support.arguments import (
    each_once,
    number,
    numbers_below,
    numbers_for_each,
    places_for_each,
    rows_of,
    shares_for_each,
    unknown,
    whole_numbers,
)
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import UnknownName
from ecs_anim.systems import directing
from ecs_anim.systems.newcomers import Given, add_newcomers
from ecs_anim.systems.population import remove_actors
from ecs_anim.systems.poses import local_poses
from ecs_anim.systems.queries import Weighted, corrections_of
from ecs_anim.systems.skinning import own_palette, set_skinning

Selection = slice | ArrayLike  # rows, a mask over all actors, or a slice
Blend = Literal["cross", "inertial"]
ALL: Final = slice(None)  # all actors

Fading = TypeVar("Fading", np.int32, np.float32)


class CrowdHandle:
    """Ask the actors of one crowd for other motions, set what drives them, and read where and how they are.

    Rows that the crowd does not have raise InputError (an IndexError too). A closed world raises RuntimeError.
    Properties and methods return copies of the state after the last step.

    Two numbers are a point on the plan: x east, y north [m]. Three numbers are a point in space: x east, y up, z south
    [m]. Headings are angles counter-clockwise from east [rad].
    """

    @checked
    def __init__(self, world: World, entity: int) -> None:
        self._world, self._entity = world, entity
        self._crowd = world.get(entity, Crowd)
        self._character = world.get(entity, Character)
        self._playback = world.get(entity, Playback)
        self._parameters = world.get(entity, Parameters)
        self._transforms = world.get(entity, Transforms)
        self._spawner = world.find(entity, Spawner)
        found = world.components(entity)
        self._layers = {layer.name: layer for own in found if isinstance(own, Layers) for layer in own.layers}
        self._corrections = corrections_of(found)
        self._targets = {target.name: target for own in found if isinstance(own, Targets) for target in own.targets}
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
    def rig(self) -> Rig:
        """The actors' skeleton, meshes and clips."""
        return self._character.rig

    @property
    def motions(self) -> tuple[str, ...]:
        """Names of the motions that actors can play."""
        return tuple(self._character.motions.index)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The id of each row, [actor_count] i64, unique in the world. An actor keeps its id; its row can change."""
        return self._crowd.ids.copy()

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions of actors on the plan, [actor_count, 2] f64 [m], x east, y north."""
        return plan_from_space(self.positions_in_space)

    @property
    def positions_in_space(self) -> NDArray[np.float64]:
        """Positions of actors between their feet, [actor_count, 3] f64 [m], x east, y up, z south."""
        found = self._transforms.translation.astype(np.float64)
        found[:, 1] -= self._spawner.lift if self._spawner else 0.0
        return found

    @property
    def headings(self) -> NDArray[np.float64]:
        """Headings of actors, [actor_count] f64 [rad], counter-clockwise from east, in (-pi, pi]."""
        _, y, _, w = self._transforms.rotation.T.astype(np.float64)
        return heading_from_yaw(2 * elementary.arctan2(y, w) + (self._spawner.facing if self._spawner else 0.0))

    @property
    def cut_off(self) -> NDArray[np.bool_]:
        """Which actors have no way to their goal, [actor_count] bool: walls or closed doors are between."""
        steering = self._world.find(self._entity, Steering)
        return np.zeros(self.actor_count, np.bool_) if steering is None else steering.cut_off == 1

    @property
    def phases(self) -> NDArray[np.float32]:
        """How far actors are in the motions that `playing` names, [actor_count] f32, 0 to 1."""
        return self._of_last(self._playback.phase)

    def poses(self) -> Pose:
        """Local poses [actor_count, joint] of the motions that actors play, with layers on top.

        Later corrections (grounding, looks, reach) are in `palettes`. Crowds that the GPU poses have poses too.
        """
        self._world.require_open()
        return local_poses(self._world, self._entity)

    def palettes(self) -> NDArray[np.float32]:
        """Return the skinning palettes [actor_count, palette entry, 3, 4] f32, in the rig's units; 0 for new actors.

        With dual quaternions [..., 4, 4]. Raises ValueError for a crowd that the GPU poses.
        """
        self._world.require_open()
        return own_palette(self._world, self._entity).matrices.copy()

    def set_skinning(self, method: Method) -> None:
        """Skin the crowd by another method from now on: "linear" or "dual_quaternion".

        The result of the last step is converted, so that a paused world shows the change. Raises ValueError for a crowd
        that the GPU poses, InputError for an unknown method.
        """
        set_skinning(self._world, self._entity, method)

    def rows(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Return the current rows of actors, [n] i32.

        Raises InputError (a KeyError too) for the id of an actor that has left or never existed; ValueError for no ids.
        """
        self._world.require_open()
        asked = whole_numbers("ids", ids)
        rows = self._crowd.index.find(asked)
        if (rows < 0).any():
            raise UnknownName(f"crowd {self.name!r} has no actor of id {asked[rows < 0][0]}")
        return rows

    def add(self, count: int | None = None, **given: Unpack[Given]) -> NDArray[np.int64]:
        """Add actors, and return their ids [n]. They are drawn as the scene says, or are copies of others (`like`).

        Values in `given` replace the drawn values; see `Given`. New actors are visible from the next step on.
        Raises ValueError for numbers that do not fit, and if the scene's layout has no free positions. Raises
        InputError for unknown names and for more actors than the limit or the memory permits, before anything changes.
        """
        return add_newcomers(self._world, self._entity, count, given)

    def remove(self, selection: Selection | None = None, *, ids: ArrayLike | None = None) -> None:
        """Remove the selected actors, or those of these ids. The last rows move into those that become free.

        Raises InputError for an id that no actor has; ValueError if both arguments are given, or neither.
        """
        if selection is not None and ids is None:
            rows = self._rows(selection)
        elif ids is not None and selection is None:
            rows = self.rows(ids)
        else:
            raise ValueError("say whom to remove: a selection, such as ea.ALL for everybody, or ids")
        remove_actors(self._world, self._entity, each_once(rows))

    def playing(self) -> list[str]:
        """The motion that each actor was asked for last."""
        names = self.motions
        return [names[number] for number in self._of_last(self._playback.motion)]

    def angles_around(self, center: ArrayLike = (0.0, 0.0)) -> NDArray[np.float64]:
        """Angles of actors around a plan point [2], [actor_count] f64 [rad], from east, in (-pi, pi]."""
        return heading_of_direction(self.positions - numbers_for_each("center", center, (2,)))

    @checked
    def fade_to(
        self,
        selection: Selection,
        motion: str | ArrayLike,
        duration: float = 0.3,
        *,
        phase: float | Literal["match"] = 0.0,
        speed: float = 1.0,
        restart: bool = False,
        blend: Blend | None = None,
    ) -> None:
        """Fade the selected actors to a motion over `duration` seconds; 0 is a cut.

        `motion` is a name, or a motion number for each selected actor. It begins at `phase`, 0 to 1, or takes
        over the phase of what plays ("match"), which keeps gaits in step. Asking for what was asked for last
        changes nothing, unless `restart`. `blend` is how this fade is made, and the actors' next ones: "cross" or, in
        a crowd that says `blend = "inertial"`, "inertial".

        Raises InputError for an unknown motion and for a blend that the crowd does not have, ValueError for a duration
        that is negative or not finite, for a phase outside 0 to 1, and for a `speed` of what keeps pace by itself.
        """
        from ecs_anim.kernels.fading import fade_actors  # compiled where a crowd needs it

        start = -1.0 if phase == "match" else number("a phase", phase, 0.0, 1.0)
        duration, speed = number("a fade's duration", duration, least=0.0), number("a speed", speed)
        actors = self._rows(selection)
        wanted = self._motion_number(motion) if isinstance(motion, str) else motion
        targets = numbers_below("motion numbers", wanted, len(self.motions), len(actors))
        if speed != 1.0:
            directing.require_own_pace(self._character.motions.motions, targets)
        if blend is not None:
            directing.set_blend(self._playback, actors, blend)
        request = FadeRequest(start, speed, duration, bool(restart))
        fade_actors(actors, targets, request, tuple(self._playback.queue))

    @checked
    def place(self, selection: Selection, positions: ArrayLike, headings: ArrayLike | None = None) -> None:
        """Put the selected actors at plan points [n, 2] [m], x east, y north.

        `headings` [n] [rad]; default: the current headings. Actors step to points that are less than a step away, so
        that repeated calls walk them. Raises ValueError for a crowd without `body`, and for numbers that do not fit.
        """
        directing.place(self._world, self._entity, self._rows(selection), positions, headings)

    @checked
    def set_velocity(self, selection: Selection, velocity: ArrayLike, headings: ArrayLike | None = None) -> None:
        """Move the selected actors at velocities [n, 2] [m/s] on the plan, x east, y north.

        Actors change speed with the body's `acceleration`. They face `headings` [n] [rad]; default: their direction of
        motion. Raises ValueError for a crowd without `body`, and for numbers that do not fit.
        """
        directing.set_velocity(self._world, self._entity, self._rows(selection), velocity, headings)

    @checked
    def go_to(self, selection: Selection, goal: ArrayLike) -> None:
        """Send the selected actors to goals, plan points [n, 2] [m], x east, y north. Actors stay there.

        They keep clear of others, and go round walls. Raises ValueError for a crowd without `steering`, and for numbers
        that do not fit, InputError for a goal in a wall, or one to which no way leads even with all doors open.
        """
        directing.go_to(self._world, self._entity, self._rows(selection), goal)

    @checked
    def follow(self, ids: ArrayLike, times: Sequence[ArrayLike], positions: Sequence[ArrayLike]) -> None:
        """Move each actor on its own path: plan points [n, 2] [m] at times [n] [s] of the world.

        An actor that is elsewhere first walks to its path, at 1.4 m/s at most; before the world's first step it is
        placed there at once. Before the first and after the last time, the actor stands at that end of the path.
        Positions depend on the time alone, so that any moment is reached at once. Raises InputError for an unknown id,
        ValueError for times that do not rise or end more than a day from now, and for a crowd without `body`.
        """
        directing.follow(self._world, self._entity, self.rows(ids), times, positions)

    @checked
    def set_parameter(self, selection: Selection, parameter: str, value: ArrayLike) -> None:
        """Set what a parameter approaches: one value, or one for each selected actor.

        Raises InputError for an unknown parameter, ValueError for values that are not finite or do not fit.
        """
        rows, column = self._rows(selection), self._column(parameter)
        values = numbers_for_each(f"parameter {parameter!r}", value, (len(rows),))
        self._parameters.target[rows, column] = values

    @checked
    def parameter(self, parameter: str) -> NDArray[np.float32]:
        """Return the current value of a parameter, [actor_count] f32. Raises InputError for an unknown one."""
        return self._parameters.value[:, self._column(parameter)].copy()

    @checked
    def trigger(self, selection: Selection, name: str) -> None:
        """Pull a trigger: it stays pulled until a transition uses it. Raises InputError for an unknown one."""
        if name not in self._parameters.triggers:
            raise unknown("trigger", name, sorted(self._parameters.triggers))
        self.set_parameter(selection, name, 1.0)

    @checked
    def set_target(self, target: str, positions: ArrayLike, selection: Selection = ALL) -> None:
        """Put a target of kind `point` at points in space, [3] for all or [n, 3] for each [m], x east, y up, z south.

        Raises InputError for a target that the crowd does not have, ValueError for one that moves by itself or with
        the actors, and for positions that are not finite or do not fit.
        """
        found = self._targets.get(target)
        if found is None:
            raise unknown("target", target, self._targets)
        if found.in_actor_space or not isinstance(found.motion, Still):
            raise ValueError(f"target {target!r} moves by itself; only a point of the world can be put elsewhere")
        rows = self._rows(selection)
        found.position[rows] = places_for_each(f"target {target!r}: positions", positions, (len(rows), 3))

    @checked
    def set_layer_weight(self, selection: Selection, layer: str, weight: ArrayLike) -> None:
        """Set how much of a layer the selected actors show, 0 to 1.

        Raises InputError for an unknown layer, ValueError for other weights, and for a layer whose weight a parameter
        drives.
        """
        if layer not in self._layers:
            raise unknown("layer", layer, self._layers)
        self._set_weight(selection, self._layers[layer], f"layer {layer!r}", weight)

    @checked
    def set_ik_weight(self, selection: Selection, what: str, weight: ArrayLike) -> None:
        """Set how far the selected actors are corrected, 0 to 1: by "grounding", "look_at", or a chain that reaches.

        A chain is called by its last joint. Raises InputError for one that the crowd does not have, ValueError for
        other weights, and for a weight that a parameter drives.
        """
        if what not in self._corrections:
            raise unknown("correction", what, self._corrections, of="the crowd's are")
        for correction in self._corrections[what]:
            self._set_weight(selection, correction, what, weight)

    @checked
    def set_morph(self, selection: Selection, target: str, weight: ArrayLike) -> None:
        """Set the weight of a morph target, of all meshes that have one of this name: one value, or one an actor.

        Raises InputError for a target that the rig does not have, ValueError for a weight that is not finite, and for
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

    def _of_last(self, column: NDArray[Fading]) -> NDArray[Fading]:
        """Return a fade queue column of each actor's most recently requested motion, [actor_count]."""
        return column[np.arange(self.actor_count), self._playback.slot_count - 1]

    def _motion_number(self, name: str) -> int:
        index = self._character.motions.index
        if name not in index:
            raise unknown("motion", name, index)
        return index[name]

    def _column(self, parameter: str) -> int:
        if parameter not in self._parameters.index:
            raise unknown("parameter", parameter, self._parameters.names)
        return self._parameters.index[parameter]


@checked
def crowd(world: World, name: str) -> CrowdHandle:
    """The crowd of this name. Raises InputError, a KeyError too, where there is none, or more than one."""
    found = [(entity, own.name) for entity, (own,) in world.query(Crowd)]
    entities = [entity for entity, own in found if own == name]
    if not entities:
        raise unknown("crowd", name, [own for _, own in found])
    if len(entities) > 1:
        raise UnknownName(f"{len(entities)} crowds are called {name!r}; name them apart")
    return CrowdHandle(world, entities[0])


@checked
def crowds(world: World) -> list[CrowdHandle]:
    """All crowds, in the scene's order."""
    return [CrowdHandle(world, entity) for entity, _ in world.query(Crowd)]
