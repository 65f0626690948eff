"""Handles: user code reads and controls a crowd through a handle. Each command applies to a selection of actors."""

import reprlib
from collections.abc import Sequence
from typing import Final, Literal, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.components.controller import Controller
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.steering import Steering
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import heading_of_direction, plan_from_space
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.records import FadeRequest
from ecs_anim.support.arguments import (
    each_once,
    number,
    number_of,
    numbers_below,
    numbers_for_each,
    rows_of,
    unknown,
    whole_numbers,
)
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import UnknownName
from ecs_anim.systems import directing, stops
from ecs_anim.systems.actor_points import ground_points, headings_of
from ecs_anim.systems.crowd_parts import CrowdParts, found_parts
from ecs_anim.systems.newcomers import Given, add_newcomers
from ecs_anim.systems.playing_clips import PlayingClips, playing_clips
from ecs_anim.systems.population import remove_actors
from ecs_anim.systems.poses import local_poses
from ecs_anim.systems.skinning import own_palette, set_skinning
from ecs_anim.systems.unfolding import level_names

Selection = slice | ArrayLike  # rows, a mask over all actors, or a slice of rows
Blend = Literal["cross", "inertial"]
ALL: Final = slice(None)  # all actors

Fading = TypeVar("Fading", np.int32, np.float32)


class CrowdHandle:
    """A handle of one crowd. The handle requests motions, sets parameters and weights, and reads the state of actors.

    Raises InputError (also an IndexError) if the crowd does not have a selected row. Raises RuntimeError if the world
    is closed. Properties and methods return copies of the state after the last step.

    Two numbers are a plan point: x east, y north [m]. Three numbers are a point in space: x east, y up, z south [m]. A
    heading is an angle counter-clockwise from east [rad].
    """

    @checked
    def __init__(self, world: World, entity: int) -> None:
        self._world, self._entity = world, entity
        self._known = world.resets, found_parts(world, entity)

    @property
    def _now(self) -> CrowdParts:
        """The components of the crowd. A reset of the world replaces them."""
        if self._known[0] != self._world.resets:
            self._known = self._world.resets, found_parts(self._world, self._entity)
        return self._known[1]

    def __repr__(self) -> str:
        return f"<CrowdHandle {reprlib.repr(self.name)}: {self.actor_count} actors>"

    @property
    def name(self) -> str:
        return self._now.crowd.name

    @property
    def actor_count(self) -> int:
        return self._now.crowd.actor_count

    @property
    def rig(self) -> Rig:
        """The skeleton, the meshes and the clips of the crowd's actors."""
        return self._now.character.rig

    @property
    def motions(self) -> tuple[str, ...]:
        """The names of the motions that actors can play."""
        return tuple(self._now.character.motions.index)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The unique ids of actors by row, [actor_count] i64. An actor keeps its id, but the actor's row can change."""
        return self._now.crowd.ids.copy()

    @property
    def positions(self) -> NDArray[np.float64]:
        """The positions of the actors on the plan, [actor_count, 2] f64 [m], x east, y north."""
        return plan_from_space(self.positions_in_space)

    @property
    def positions_in_space(self) -> NDArray[np.float64]:
        """The ground point between the feet of each actor, [actor_count, 3] f64 [m], x east, y up, z south."""
        return ground_points(self._world, self._entity)

    @property
    def headings(self) -> NDArray[np.float64]:
        """The headings of the actors, [actor_count] f64 [rad], counter-clockwise from east, in (-pi, pi]."""
        return headings_of(self._world, self._entity)

    @property
    def levels(self) -> list[str]:
        """The name of each actor's level or stairs, [actor_count]. In a world without levels, all names are ""."""
        return level_names(self._world, self._entity, self.actor_count)

    @property
    def cut_off(self) -> NDArray[np.bool_]:
        """True for actors that cannot reach their goal, [actor_count] bool: walls or closed doors block all routes."""
        steering = self._world.find(self._entity, Steering)
        return np.zeros(self.actor_count, np.bool_) if steering is None else steering.cut_off == 1

    @property
    def phases(self) -> NDArray[np.float32]:
        """The phase of the last requested motion of each actor, [actor_count] f32, 0 to 1."""
        return self._of_last(self._now.playback.phase)

    def poses(self) -> Pose:
        """Return the local poses of the actors, [actor_count, joint], from the motions and the layers of the actors.

        The poses do not contain corrections (grounding, look-at and reach). The palettes contain corrections. The
        method `poses` also works if the GPU computes the poses of the crowd.
        """
        self._world.require_open()
        return local_poses(self._world, self._entity)

    def palettes(self) -> NDArray[np.float32]:
        """Return the palettes, [actor_count, palette entry, 3, 4] f32, in rig units.

        The palettes of new actors are 0. With dual quaternions, the shape is [..., 4, 4]. Raises ValueError if the GPU
        computes the poses.
        """
        self._world.require_open()
        return own_palette(self._world, self._entity).matrices.copy()

    def set_skinning(self, method: Method) -> None:
        """Change the skinning method of the crowd to "linear" or "dual_quaternion".

        The palettes of the last step are converted, so a paused world shows the change. Raises ValueError if the GPU
        computes the poses, and InputError if the method is unknown.
        """
        set_skinning(self._world, self._entity, method)

    def rows(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Return the current row of each actor in `ids`, [n] i32.

        Raises InputError (also a KeyError) if no actor has one of the ids. Raises ValueError if a value is not an id.
        """
        self._world.require_open()
        asked = whole_numbers("ids", ids)
        rows = self._now.crowd.index.find(asked)
        if (rows < 0).any():
            raise UnknownName(f"crowd {self.name!r} has no actor with id {asked[rows < 0][0]}")
        return rows

    def add(self, count: int | None = None, **given: Unpack[Given]) -> NDArray[np.int64]:
        """Add actors to the crowd, and return their ids [n].

        The description in the scene defines the new actors. With `like`, the new actors are copies of existing actors.
        Values in `given` replace the values of the scene or of the copied actors. New actors are visible after the next
        step. Raises ValueError if a shape or value is wrong, and if the layout has no free positions. Raises InputError
        if a name is unknown, and if the actors exceed the limit or the memory. After an error, the crowd is unchanged.
        """
        return add_newcomers(self._world, self._entity, count, given)

    def remove(self, selection: Selection | None = None, *, ids: ArrayLike | None = None) -> None:
        """Remove the selected actors, or the actors with the ids `ids`. Actors in the last rows move to the free rows.

        Raises InputError if no actor has one of the ids. Raises ValueError unless exactly one argument is given.
        """
        if selection is not None and ids is None:
            rows = self._rows(selection)
        elif ids is not None and selection is None:
            rows = self.rows(ids)
        else:
            raise ValueError("remove() needs the actors to remove. Pass ids or a selection such as ea.ALL.")
        remove_actors(self._world, self._entity, each_once(rows))

    def playing(self) -> list[str]:
        """Return the name of the last requested motion of each actor."""
        names = self.motions
        return [names[number] for number in self._of_last(self._now.playback.motion)]

    @checked
    def playing_clips(self, selection: Selection = ALL) -> PlayingClips:
        """Return the clips that the selected actors play, with the weight, the time and the phase of each clip.

        During a fade, and in a blend space, an actor plays several clips. Layers are not included.
        """
        return playing_clips(self._world, self._entity, self._rows(selection))

    def states(self) -> list[str]:
        """Return the name of each actor's state. Raises ValueError if the crowd has no state machine."""
        return directing.states_of(self.name, self._world.find(self._entity, Controller))

    def angles_around(self, center: ArrayLike = (0.0, 0.0)) -> NDArray[np.float64]:
        """Return the angle of each actor around a plan point [2], [actor_count] f64 [rad], from east, in (-pi, pi]."""
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
        """Fade the selected actors to a motion over `duration` seconds. With a duration of 0, the change is immediate.

        `motion` is the name of a motion, or one motion number for each selected actor. The motion starts at `phase`, 0
        to 1. With "match", the motion starts at the phase of the current motion. A second request for the same motion
        has no effect, unless `restart` is true. `blend` is "cross" or "inertial". The blend applies to the requested
        fade and to all later fades of the selected actors. For "inertial", the crowd in the scene must have `blend =
        "inertial"`.

        Raises InputError if the motion is unknown, or if the crowd does not have the requested blend. Raises ValueError
        if a number is invalid, or if `speed` is given for a motion that sets its own playback speed.
        """
        from ecs_anim.kernels.fading import fade_actors  # compiled at first use

        start = -1.0 if phase == "match" else number("a phase", phase, 0.0, 1.0)
        duration, speed = number("the duration of a fade", duration, least=0.0), number("a speed", speed)
        actors = self._rows(selection)
        wanted = number_of("motion", motion, self._now.character.motions.index) if isinstance(motion, str) else motion
        targets = numbers_below("motion numbers", wanted, len(self.motions), len(actors))
        if speed != 1.0:
            directing.require_own_pace(self._now.character.motions.motions, targets)
        if blend is not None:
            directing.set_blend(self._now.playback, actors, blend)
        request = FadeRequest(start, speed, duration, bool(restart))
        fade_actors(actors, targets, request, tuple(self._now.playback.queue))

    @checked
    def place(self, selection: Selection, positions: ArrayLike, headings: ArrayLike | None = None) -> None:
        """Move the selected actors immediately to plan points [n, 2] [m], x east, y north.

        `headings` [n] are in radians. By default, the headings do not change. If the new point of an actor is near its
        current position, the actor makes a footstep. Repeated calls make actors walk. Raises ValueError if the crowd
        has no `body`, or if a shape is wrong.
        """
        directing.place(self._world, self._entity, self._rows(selection), positions, headings)

    @checked
    def set_velocity(self, selection: Selection, velocity: ArrayLike, headings: ArrayLike | None = None) -> None:
        """Move the selected actors with velocities [n, 2] [m/s] on the plan, x east, y north.

        The `acceleration` of the body limits the change of the velocity. The actors face `headings` [n] [rad], or by
        default their direction of motion. Raises ValueError if the crowd has no `body`, or if a shape is wrong.
        """
        directing.set_velocity(self._world, self._entity, self._rows(selection), velocity, headings)

    @checked
    def go_to(self, selection: Selection, goal: ArrayLike, level: str | None = None) -> None:
        """Send actors to goals: plan points [n, 2] [m], on a level of a building (default: the first level).

        Actors stay at their goals. Raises ValueError if the crowd has no `steering`, or if a shape is wrong. Raises
        InputError if a goal is in a wall, or out of reach even with all doors open.
        """
        directing.go_to(self._world, self._entity, self._rows(selection), goal, level)

    @checked
    def follow(self, ids: ArrayLike, times: Sequence[ArrayLike], positions: Sequence[ArrayLike]) -> None:
        """Move each actor along its own path: plan points [n, 2] [m] at world times [n] [s].

        An actor first walks to the start of its path, at a speed of at most 1.4 m/s. Before the first step of the
        world, actors start directly on their paths. An actor waits at the first point and stays at the last point.
        Raises InputError if an id is unknown. Raises ValueError if times do not rise, if a time is more than a day
        away, or if the crowd has no `body`.
        """
        directing.follow(self._world, self._entity, self.rows(ids), times, positions)

    @checked
    def release(self, goal: str, count: int | None = None) -> None:
        """Release the first `count` actors that a goal holds. Without `count`, release all and hold no later actors."""
        stops.release(self._world, self._entity, goal, count)

    @checked
    def hold(self, goal: str) -> None:
        """Hold actors at a goal until `release` is called. In the scene, the goal must have the key `hold`."""
        stops.hold(self._world, self._entity, goal)

    @checked
    def set_parameter(self, selection: Selection, parameter: str, value: ArrayLike) -> None:
        """Set the target value of a parameter: one value for all selected actors, or one value for each selected actor.

        Raises InputError if the parameter is unknown. Raises ValueError if a shape is wrong or a value is infinite.
        """
        rows, column = self._rows(selection), self._column(parameter)
        values = numbers_for_each(f"parameter {parameter!r}", value, (len(rows),))
        self._now.parameters.target[rows, column] = values

    @checked
    def parameter(self, parameter: str) -> NDArray[np.float32]:
        """Return the current values of a parameter, [actor_count] f32. Raises InputError for an unknown parameter."""
        return self._now.parameters.value[:, self._column(parameter)].copy()

    @checked
    def trigger(self, selection: Selection, name: str) -> None:
        """Set a trigger, which stays set until a transition uses it. Raises InputError for an unknown trigger."""
        if name not in self._now.parameters.triggers:
            raise unknown("trigger", name, sorted(self._now.parameters.triggers))
        self.set_parameter(selection, name, 1.0)

    @checked
    def set_target(self, target: str, positions: ArrayLike, selection: Selection = ALL) -> None:
        """Move a target of kind `point` to points in space [m]. `positions` is [3] for all selected actors, or [n, 3].

        Raises InputError if the target is unknown. Raises ValueError if the target moves by itself or with the actors,
        or if a position is not finite or has a wrong shape.
        """
        directing.set_target(self._now.targets, target, positions, self._rows(selection))

    @checked
    def set_layer_weight(self, selection: Selection, layer: str, weight: ArrayLike) -> None:
        """Set the weight of a layer for the selected actors, 0 to 1. Raises InputError for an unknown layer.

        Raises ValueError if a weight is outside 0 to 1, or if a parameter sets the weight of this layer.
        """
        if layer not in self._now.layers:
            raise unknown("layer", layer, self._now.layers)
        directing.set_weight(
            self._now.layers[layer], self._now.parameters, f"layer {layer!r}", self._rows(selection), weight
        )

    @checked
    def set_ik_weight(self, selection: Selection, what: str, weight: ArrayLike) -> None:
        """Set the weight of a correction for the selected actors, 0 to 1.

        `what` is "grounding", "look_at", or the name of the last joint in a chain that reaches for a target. Raises
        InputError if the correction is unknown. Raises ValueError if a weight is invalid, or if a parameter sets this
        weight.
        """
        if what not in self._now.corrections:
            raise unknown("correction", what, self._now.corrections, of="corrections of the crowd are")
        for correction in self._now.corrections[what]:
            directing.set_weight(correction, self._now.parameters, what, self._rows(selection), weight)

    @checked
    def set_morph(self, selection: Selection, target: str, weight: ArrayLike) -> None:
        """Set the weight of a morph target in all meshes: one value for all selected actors, or one value for each.

        Raises InputError if the rig does not have the morph target. Raises ValueError if a weight is not finite. Raises
        ValueError if clips or a parameter of the crowd set the weight of this morph target.
        """
        morphs, columns = directing.free_morphs(self._now.morphs, target)
        rows = self._rows(selection)
        weights = numbers_for_each(f"morph target {target!r}: a weight", weight, rows.shape)
        morphs.weights[rows[:, None], columns] = weights[:, None]

    def _rows(self, selection: Selection) -> NDArray[np.int32]:
        self._world.require_open()
        return rows_of(f"crowd {self.name!r}", selection, self.actor_count)

    def _of_last(self, column: NDArray[Fading]) -> NDArray[Fading]:
        """Return the values [actor_count] of the last requested motions. `column` has one value per queued motion."""
        return column[np.arange(self.actor_count), self._now.playback.slot_count - 1]

    def _column(self, parameter: str) -> int:
        return number_of("parameter", parameter, self._now.parameters.index)


@checked
def crowd(world: World, name: str) -> CrowdHandle:
    """Return the handle of a crowd. Raises InputError (also a KeyError) unless exactly one crowd has this name."""
    found = [(entity, own.name) for entity, (own,) in world.query(Crowd)]
    entities = [entity for entity, own in found if own == name]
    if not entities:
        raise unknown("crowd", name, [own for _, own in found])
    if len(entities) > 1:
        raise UnknownName(f"crowds must have different names (got {len(entities)} crowds {name!r}). Rename them")
    return CrowdHandle(world, entities[0])


@checked
def crowds(world: World) -> list[CrowdHandle]:
    """Return the handles of all crowds, in the order of the scene file."""
    return [CrowdHandle(world, entity) for entity, _ in world.query(Crowd)]
