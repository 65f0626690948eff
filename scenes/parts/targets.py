"""Targets that actors look at or reach for. The part builds the component `Targets` from the key `targets`."""

import math
from collections.abc import Iterator
from typing import Annotated, Literal, assert_never

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.targets import Eye, FromParameters, Motion, Orbit, Other, Path, Still, Target, Targets
from ecs_anim.maths import elementary, quaternion
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.runtime.records import Frame
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.parts.part import Drawn, Joining, Making, Part
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import Color, Finite, Place3, Point3, Positive, Table
from ecs_anim.scenes.schema_rules import rule

HEAD_SHARE = 0.93  # height of the middle of the head, as a share of a character's height

Space = Annotated[
    Literal["world", "actor"],
    Field(
        description="coordinate frame of the target. 'actor': a separate frame for each actor, scaled with the actor:"
        " +Z is forward, +X is left, +Y is up"
    ),
]
Phase = Annotated[
    Annotated[float, Field(ge=0, le=1)] | Literal["random"],
    Field(description="start of the target on its path, 0 to 1. 'random': a random start for each actor"),
]


class TargetTable(Table):
    """The keys that all kinds of targets have."""

    color: Color = "#e8b23a"
    marker_radius: Positive = Field(0.06, description="radius of the ball that shows the target [m]")
    visible: bool = Field(True, description="show this target if the crowd has show_targets = true")


class PointTarget(TargetTable):
    """A fixed point."""

    kind: Literal["point"]
    at: Place3 = Field(description="x, y, z of the point [m]")
    space: Space = "world"


class OrbitTarget(TargetTable):
    """A point that moves on a circle."""

    kind: Literal["orbit"]
    center: Place3 = Field(description="x, y, z of the middle of the circle [m]")
    radius: Positive = Field(description="radius of the circle [m]")
    period_seconds: Positive = Field(4.0, description="time of one round [s]")
    tilt_degrees: Finite = Field(
        0.0,
        description="tilt of the circle. 0: the circle is horizontal. 90: the circle is vertical, at right angles to"
        " the z axis",
    )
    rotation_degrees: Finite = Field(
        0.0, description="rotation of the tilted circle, counter-clockwise when seen from above"
    )
    phase: Phase = 0.0
    space: Space = "world"


class PathTarget(TargetTable):
    """A point that moves along a smooth closed curve (Catmull-Rom spline) through given points."""

    kind: Literal["path"]
    points: Annotated[list[Place3], Field(min_length=2)] = Field(
        description="points of the path, [[x, y, z], ...] [m]. The target moves from each point to the next point, and"
        " from the last point to the first point, in equal times"
    )
    period_seconds: Positive = Field(4.0, description="time of one round [s]")
    phase: Phase = 0.0
    space: Space = "world"


class ParametersTarget(TargetTable):
    """A point whose coordinates are three parameters. Timelines and curves can change the three parameters."""

    kind: Literal["parameters"]
    parameters: tuple[str, str, str] = Field(
        description="names of three parameters of the crowd, which contain x, y, z [m]"
    )
    space: Space = "world"


class CameraTarget(TargetTable):
    """The position of the camera."""

    kind: Literal["camera"]
    visible: bool = Field(False, description="show this target if the crowd has show_targets = true")


class ActorTarget(TargetTable):
    """An actor of this crowd or of another crowd.

    The target is the position of this actor after the previous time step.
    """

    kind: Literal["actor"]
    crowd: str | None = Field(None, description="name of the crowd. Default: this crowd")
    actor: Annotated[int, Field(ge=0)] | Literal["nearest"] = Field(
        "nearest", description="number of the actor, from 0, or 'nearest'"
    )
    at: Point3 | None = Field(
        None, description="x, y, z in the space of the actor [m]. Default: the middle of the head"
    )
    visible: bool = Field(False, description="show this target if the crowd has show_targets = true")


TargetModel = Annotated[
    PointTarget | OrbitTarget | PathTarget | ParametersTarget | CameraTarget | ActorTarget, Field(discriminator="kind")
]


class TargetKeys(Table):
    """Targets that actors look at and reach for."""

    targets: dict[str, TargetModel] = Field({}, description="targets that actors look at or reach for, by name")
    show_targets: bool = Field(False, description="draw the targets as small balls")

    _shows_what_it_has = rule(
        "show_targets: the crowd has no targets to show. Add a table [crowds.targets.NAME]",
        lambda crowd: bool(crowd.targets) or not crowd.show_targets,
    )


class TargetPart(Part[TargetKeys]):
    """The targets of a crowd, in the order of the scene file.

    The program builds this part before the parts that use targets.
    """

    keys = TargetKeys
    cpu_only = ()
    kernels = ("targets",)

    def needed_kernels(self, crowd: TargetKeys) -> tuple[str, ...]:
        """Return the kernels for the targets of a crowd. The search for the nearest actor has a separate kernel."""
        is_near = any(isinstance(own, ActorTarget) and own.actor == "nearest" for own in crowd.targets.values())
        return (*super().needed_kernels(crowd), *(("nearest",) if is_near else ()))

    def build(self, crowd: TargetKeys, making: Making) -> Iterator[object]:
        """Build the targets of a crowd."""
        loaded = making.loaded
        targets = []
        for name, model in crowd.targets.items():
            motion = _motion(model, making, making.key / f".targets.{name}")
            targets.append(
                Target(
                    name=name,
                    motion=motion,
                    in_actor_space=getattr(model, "space", "world") == "actor",
                    phase=_first_phases(model, making.count, making.rng),
                    position=np.tile(_begin(motion, loaded), (making.count, 1)),
                    color=(*hex_to_linear(model.color), 1.0),
                    radius=model.marker_radius,
                    visible=model.visible,
                )
            )
        making.get(Appearance).shows_targets = crowd.show_targets
        yield Targets(tuple(targets), _frame(loaded))

    def draw(self, crowd: TargetKeys, joining: Joining) -> Iterator[Drawn]:
        """Yield the first phases of targets for new actors."""
        for target, model in zip(joining.making.get(Targets).targets, crowd.targets.values(), strict=True):
            yield target, "phase", _first_phases(model, joining.count, joining.rng)


def find_target(making: Making, name: str, key: SceneKey) -> Target:
    """Return the target `name` of a crowd. For an unknown name, raises InputError with the most similar known name."""
    targets = making.find(Targets)
    known = targets.by_name if targets else {}
    if not known:
        raise key.fault(f"the crowd has no target {name!r}. Add [crowds.targets.{name}] to the crowd.")
    key.require_among(name, known, "the crowd has no target", "its targets are")
    return known[name]


def _motion(model: TargetModel, making: Making, key: SceneKey) -> Motion:
    match model:
        case PointTarget():
            return Still(_point(model.at))
        case OrbitTarget():
            first, second = _circle(model)
            return Orbit(_point(model.center), first, second, 1 / model.period_seconds)
        case PathTarget():
            return Path(np.array(model.points, np.float32), 1 / model.period_seconds)
        case ParametersTarget():
            columns = [making.parameter(name, key / f".parameters[{i}]") for i, name in enumerate(model.parameters)]
            return FromParameters(np.array(columns, np.int32))
        case CameraTarget():
            return Eye()
        case ActorTarget():
            return _other(model, making, key)
        case _:
            assert_never(model)


def _circle(model: OrbitTarget) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return two vectors from the centre of a circle.

    The first vector points from the centre to the start of the first quarter of the circle. The second vector points
    from the centre to the end of the first quarter of the circle.
    """
    tilt = math.radians(model.tilt_degrees)
    turn = quaternion.from_axis_angle([0.0, 1.0, 0.0], math.radians(model.rotation_degrees))
    axes = np.array([[1.0, 0.0, 0.0], [0.0, elementary.sin(tilt), -elementary.cos(tilt)]])
    first, second = (model.radius * quaternion.rotate(turn, axes)).astype(np.float32)
    return first, second


def _other(model: ActorTarget, making: Making, key: SceneKey) -> Other:
    found = {other.called: other for other in reversed(making.crowds)}
    name = making.crowd.called if model.crowd is None else model.crowd
    (key / ".crowd").require_among(name, list(reversed(found)), "there is no crowd", "crowds are")
    other = making.crowd if model.crowd is None else found[name]
    if model.actor != "nearest" and model.actor >= other.count:
        raise (key / ".actor").fault(
            f"the index of the actor must be 0 to {other.count - 1}, because crowd {name!r} has {other.count}"
            f" actors (got {model.actor})"
        )
    loaded = making.rigs[other.rig]
    at = _head(loaded) if model.at is None else _point(model.at)
    return Other(name, -1 if model.actor == "nearest" else model.actor, at, _frame(loaded))


def _first_phases(model: TargetModel, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the first phase [count] of the target of each actor. The function uses `rng` only for random phases."""
    phase = getattr(model, "phase", 0.0)
    if phase == "random":
        return rng.random(count, np.float32)
    return np.full(count, phase, np.float32)


def _begin(motion: Motion, loaded: LoadedRig) -> NDArray[np.float32]:
    return motion.at if isinstance(motion, Still) else _head(loaded)


def _frame(loaded: LoadedRig) -> Frame:
    return Frame(loaded.facing, loaded.scale, loaded.ground_offset)


def _head(loaded: LoadedRig) -> NDArray[np.float32]:
    """Return the middle of the head of a character, in the space of the character.

    The function estimates the middle of the head from the height of the rest pose.
    """
    top = float(rest_bounds(loaded.rig)[1][1]) * loaded.scale + loaded.ground_offset
    return _point((0.0, HEAD_SHARE * top, 0.0))


def _point(at: tuple[float, float, float]) -> NDArray[np.float32]:
    return np.array(at, np.float32)
