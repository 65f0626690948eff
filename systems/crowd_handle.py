"""Handles: user code reads and controls a crowd through its handle. Each command applies to a selection of actors."""

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
    """A handle of one crowd: request motions, set parameters and weights, and read the state of the actors.

    Raises InputError (an IndexError too) for rows that the crowd does not have. Raises RuntimeError for a closed world.
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
        """The skeleton, meshes and clips of the actors."""
        return self._character.rig

    @property
    def motions(self) -> tuple[str, ...]:
        """The names of the motions that actors can play."""
        return tuple(self._character.motions.index)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The id of each row, [actor_count] i64, unique in the world. An actor keeps its id, but its row can change."""
        return self._crowd.ids.copy()

    @property
    def positions(self) -> NDArray[np.float64]:
        """The positions of actors on the plan, [actor_count, 2] f64 [m], x east, y north."""
        return plan_from_space(self.positions_in_space)

    @property
    def positions_in_space(self) -> NDArray[np.float64]:
        """The ground points between the feet of actors, [actor_count, 3] f64 [m], x east, y up, z south."""
        found = self._transforms.translation.astype(np.float64)
        found[:, 1] -= self._spawner.lift if self._spawner else 0.0
        return found

    @property
    def headings(self) -> NDArray[np.float64]:
        """The headings of actors, [actor_count] f64 [rad], counter-clockwise from east, in (-pi, pi]."""
        _, y, _, w = self._transforms.rotation.T.astype(np.float64)
        return heading_from_yaw(2 * elementary.arctan2(y, w) + (self._spawner.facing if self._spawner else 0.0))

    @property
    def cut_off(self) -> NDArray[np.bool_]:
        """True for actors without a way to their goal, [actor_count] bool. Walls or closed doors block the way."""
        steering = self._world.find(self._entity, Steering)
        return np.zeros(self.actor_count, np.bool_) if steering is None else steering.cut_off == 1

    @property
    def phases(self) -> NDArray[np.float32]:
        """The phase of each actor's most recently requested motion, [actor_count] f32, 0 to 1."""
        return self._of_last(self._playback.phase)

    def poses(self) -> Pose:
        """Return the local poses [actor_count, joint] of the motions that actors play, with layers on top.

        The poses do not include corrections (grounding, look-at, reach). `palettes` includes the corrections. The
        method also works for crowds that the GPU poses.
        """
        self._world.require_open()
        return local_poses(self._world, self._entity)

    def palettes(self) -> NDArray[np.float32]:
        """Return the skinning palettes [actor_count, palette entry, 3, 4] f32, in the rig's units. New actors have 0.

        Dual quaternions have the shape [..., 4, 4]. Raises ValueError for a crowd that the GPU poses.
        """
        self._world.require_open()
        return own_palette(self._world, self._entity).matrices.copy()

    def set_skinning(self, method: Method) -> None:
        """Change the skinning method of the crowd to "linear" or "dual_quaternion".

        The palettes of the last step are converted, so a paused world shows the change. Raises ValueError for a crowd
        that the GPU poses, InputError for an unknown method.
        """
        set_skinning(self._world, self._entity, method)

    def rows(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Return the current rows of actors, [n] i32.

        Raises InputError (a KeyError too) if no actor has an id. Raises ValueError for values that are not ids.
        """
        self._world.require_open()
        asked = whole_numbers("ids", ids)
        rows = self._crowd.index.find(asked)
        if (rows < 0).any():
            raise UnknownName(f"crowd {self.name!r} has no actor with id {asked[rows < 0][0]}")
        return rows

    def add(self, count: int | None = None, **given: Unpack[Given]) -> NDArray[np.int64]:
        """Add actors, and return their ids [n]. The scene draws new actors, or `like` copies actors.

        Values in `given` replace the drawn or copied values. New actors are visible from the next step on. Raises
        ValueError for a wrong shape or range, and if the layout has no free positions. Raises InputError for unknown
        names, and if actors exceed the limit or the memory. After an error, the crowd is unchanged.
        """
        return add_newcomers(self._world, self._entity, count, given)

    def remove(self, selection: Selection | None = None, *, ids: ArrayLike | None = None) -> None:
        """Remove the selected actors, or the actors with these ids. The last rows move into the free rows.

        Raises InputError for an id that no actor has. Raises ValueError unless exactly one argument is given.
        """
        if selection is not None and ids is None:
            rows = self._rows(selection)
        elif ids is not None and selection is None:
            rows = self.rows(ids)
        else:
            raise ValueError("remove() needs a selection, such as ea.ALL for all actors, or ids")
        remove_actors(self._world, self._entity, each_once(rows))

    def playing(self) -> list[str]:
        """Return the name of each actor's most recently requested motion."""
        names = self.motions
        return [names[number] for number in self._of_last(self._playback.motion)]

    def angles_around(self, center: ArrayLike = (0.0, 0.0)) -> NDArray[np.float64]:
        """Return the angles from a plan point [2] to actors, [actor_count] f64 [rad], from east, in (-pi, pi]."""
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
        """Fade the selected actors to a motion over `duration` seconds. A duration of 0 is a cut.

        `motion` is a name, or a motion number for each selected actor. The motion begins at `phase`, 0 to 1. With
        "match", the motion begins at the phase of the current motion. If `motion` was also the last request, the call
        has no effect, unless `restart` is true. `blend` is "cross" or "inertial", for this fade and the next fades of
        these actors. "inertial" requires `blend = "inertial"` in the scene.

        Raises InputError for an unknown motion, and for a blend that the crowd does not have. Raises ValueError for an
        invalid duration or phase. Raises ValueError for a `speed` if the motion sets its own playback speed.
        """
        from ecs_anim.kernels.fading import fade_actors  # compiled at first use

        start = -1.0 if phase == "match" else number("a phase", phase, 0.0, 1.0)
        duration, speed = number("the duration of a fade", duration, least=0.0), number("a speed", speed)
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

        `headings` [n] are in radians. Default: the current headings. An actor steps to a point that is less than a step
        away, so repeated calls make actors walk. Raises ValueError for a crowd without `body`, and for a wrong shape.
        """
        directing.place(self._world, self._entity, self._rows(selection), positions, headings)

    @checked
    def set_velocity(self, selection: Selection, velocity: ArrayLike, headings: ArrayLike | None = None) -> None:
        """Move the selected actors at velocities [n, 2] [m/s] on the plan, x east, y north.

        Actors change speed with the body's `acceleration`. Actors face `headings` [n] [rad]. Default: the direction of
        motion. Raises ValueError for a crowd without `body`, and for a wrong shape.
        """
        directing.set_velocity(self._world, self._entity, self._rows(selection), velocity, headings)

    @checked
    def go_to(self, selection: Selection, goal: ArrayLike) -> None:
        """Send the selected actors to goals, plan points [n, 2] [m], x east, y north. Actors stay at their goals.

        Actors avoid other actors, and walk around walls. Raises ValueError for a crowd without `steering`, and for a
        wrong shape. Raises InputError for a goal in a wall, and for a goal out of reach even with all doors open.
        """
        directing.go_to(self._world, self._entity, self._rows(selection), goal)

    @checked
    def follow(self, ids: ArrayLike, times: Sequence[ArrayLike], positions: Sequence[ArrayLike]) -> None:
        """Move each actor along its own path: plan points [n, 2] [m] at times [n] [s] of the world.

        An actor first walks to its path, at 1.4 m/s at most. Before the world's first step, actors start on their
        paths. Before the first time, an actor stands at the first point. After the last time, an actor stands at the
        last point. Steps can be skipped. Raises InputError for an unknown id. Raises ValueError for times that do not
        rise, for times more than a day from now, and for a crowd without `body`.
        """
        directing.follow(self._world, self._entity, self.rows(ids), times, positions)

    @checked
    def set_parameter(self, selection: Selection, parameter: str, value: ArrayLike) -> None:
        """Set the target value of a parameter: one value for all selected actors, or one value for each actor.

        Raises InputError for an unknown parameter. Raises ValueError for a wrong shape and for infinite values.
        """
        rows, column = self._rows(selection), self._column(parameter)
        values = numbers_for_each(f"parameter {parameter!r}", value, (len(rows),))
        self._parameters.target[rows, column] = values

    @checked
    def parameter(self, parameter: str) -> NDArray[np.float32]:
        """Return the current values of a parameter, [actor_count] f32. Raises InputError for an unknown parameter."""
        return self._parameters.value[:, self._column(parameter)].copy()

    @checked
    def trigger(self, selection: Selection, name: str) -> None:
        """Set a trigger, which stays set until a transition uses it. Raises InputError for an unknown trigger."""
        if name not in self._parameters.triggers:
            raise unknown("trigger", name, sorted(self._parameters.triggers))
        self.set_parameter(selection, name, 1.0)

    @checked
    def set_target(self, target: str, positions: ArrayLike, selection: Selection = ALL) -> None:
        """Put a target of kind `point` at points in space [m]: [3] for all selected actors, or [n, 3].

        Raises InputError for an unknown target. Raises ValueError for a target that moves by itself or with the actors,
        and for positions that are not finite or of a wrong shape.
        """
        found = self._targets.get(target)
        if found is None:
            raise unknown("target", target, self._targets)
        if found.in_actor_space or not isinstance(found.motion, Still):
            raise ValueError(
                f"target {target!r} must be a point of the world, because other targets move by themselves"
            )
        rows = self._rows(selection)
        found.position[rows] = places_for_each(f"target {target!r}: positions", positions, (len(rows), 3))

    @checked
    def set_layer_weight(self, selection: Selection, layer: str, weight: ArrayLike) -> None:
        """Set the weight of a layer for the selected actors, 0 to 1.

        Raises InputError for an unknown layer. Raises ValueError for weights outside 0 to 1, and if a parameter drives
        the weight of the layer.
        """
        if layer not in self._layers:
            raise unknown("layer", layer, self._layers)
        self._set_weight(selection, self._layers[layer], f"layer {layer!r}", weight)

    @checked
    def set_ik_weight(self, selection: Selection, what: str, weight: ArrayLike) -> None:
        """Set the weight, 0 to 1, of a correction for the selected actors.

        `what` is "grounding", "look_at", or the name of a reaching chain's last joint. Raises InputError for an unknown
        correction. Raises ValueError for weights outside 0 to 1, and if a parameter drives the weight.
        """
        if what not in self._corrections:
            raise unknown("correction", what, self._corrections, of="corrections of the crowd are")
        for correction in self._corrections[what]:
            self._set_weight(selection, correction, what, weight)

    @checked
    def set_morph(self, selection: Selection, target: str, weight: ArrayLike) -> None:
        """Set the weight of a morph target in all meshes: one value for all selected actors, or one for each actor.

        Raises InputError for a target that the rig does not have. Raises ValueError for a weight that is not finite.
        Raises ValueError if clips or a parameter of the crowd drive the target.
        """
        names = self._morphs.targets.names if self._morphs else ()
        if self._morphs is None or target not in names:
            raise unknown("morph target", target, names, of="morph targets of the rig are")
        columns = self._morphs.targets.columns(target)
        if self._morphs.moved.intersection(columns.tolist()):
            raise ValueError(
                f"clips or a parameter of this crowd set the morph target {target!r}. Choose another morph target"
            )
        rows = self._rows(selection)
        weights = numbers_for_each(f"morph target {target!r}: a weight", weight, rows.shape)
        self._morphs.weights[rows[:, None], columns] = weights[:, None]

    def _set_weight(self, selection: Selection, owner: Weighted, label: str, weight: ArrayLike) -> None:
        if owner.weight_parameter >= 0:
            name = self._parameters.names[owner.weight_parameter]
            raise ValueError(f"parameter {name!r} sets the weight of {label}. Set the parameter")
        rows = self._rows(selection)
        owner.weight[rows] = shares_for_each(f"{label}: a weight", weight, len(rows))

    def _rows(self, selection: Selection) -> NDArray[np.int32]:
        self._world.require_open()
        return rows_of(f"crowd {self.name!r}", selection, self.actor_count)

    def _of_last(self, column: NDArray[Fading]) -> NDArray[Fading]:
        """Return the values of a fade queue column for each actor's most recently requested motion, [actor_count]."""
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
    """Return the handle of a crowd. Raises InputError (a KeyError too) unless exactly one crowd has this name."""
    found = [(entity, own.name) for entity, (own,) in world.query(Crowd)]
    entities = [entity for entity, own in found if own == name]
    if not entities:
        raise unknown("crowd", name, [own for _, own in found])
    if len(entities) > 1:
        raise UnknownName(f"crowds must have different names (got {len(entities)} crowds {name!r}). Rename them")
    return CrowdHandle(world, entities[0])


@checked
def crowds(world: World) -> list[CrowdHandle]:
    """Return the handles of all crowds, in the scene's order."""
    return [CrowdHandle(world, entity) for entity, _ in world.query(Crowd)]
