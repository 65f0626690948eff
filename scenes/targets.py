"""From the targets of a scene file to a crowd's component."""

import math
from collections.abc import Mapping, Sequence
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.targets import (
    Eye,
    FromParameters,
    Motion,
    Orbit,
    Other,
    Path,
    Still,
    Target,
    Targets,
)
from ecs_anim.maths import elementary, quaternion
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.runtime.records import Frame
from ecs_anim.scenes.drivers import parameter_column
from ecs_anim.scenes.motions import Place
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import CrowdModel
from ecs_anim.scenes.schema_targets import (
    ActorTarget,
    CameraTarget,
    OrbitTarget,
    ParametersTarget,
    PathTarget,
    PointTarget,
    TargetModel,
)
from ecs_anim.support.errors import nearest

HEAD_SHARE = 0.93  # of a character's height at which the middle of its head is


def build_targets(
    crowd: CrowdModel,
    crowds: Sequence[CrowdModel],
    rigs: Mapping[str, LoadedRig],
    names: tuple[str, ...],
    count: int,
    rng: np.random.Generator,
    place: Place,
) -> Targets:
    """The crowd's targets; `crowds` are all of the scene's, `names` the crowd's parameters. Raises InputError."""
    loaded = rigs[crowd.rig]
    targets = []
    for name, model in crowd.targets.items():
        motion = _motion(model, crowd, crowds, rigs, names, place / f".targets.{name}")
        targets.append(
            Target(
                name=name,
                motion=motion,
                in_actor_space=getattr(model, "space", "world") == "actor",
                phase=first_phases(model, count, rng),
                position=np.tile(_begin(motion, loaded), (count, 1)),
                color=(*hex_to_linear(model.color), 1.0),
                radius=model.marker_radius,
                visible=model.visible,
            )
        )
    return Targets(tuple(targets), _frame(loaded))


def find_target(crowd: CrowdModel, name: str, place: Place) -> str:
    """The name of one of the crowd's targets. Raises InputError with the nearest right name."""
    if name not in crowd.targets:
        known = list(crowd.targets)
        listing = f"they are: {', '.join(known)}" if known else f"add [crowds.targets.{name}]"
        raise place.fault(f"the crowd has no target {name!r};{nearest(name, known)} {listing}")
    return name


def _motion(
    model: TargetModel,
    crowd: CrowdModel,
    crowds: Sequence[CrowdModel],
    rigs: Mapping[str, LoadedRig],
    names: tuple[str, ...],
    place: Place,
) -> Motion:
    match model:
        case PointTarget():
            return Still(_point(model.at))
        case OrbitTarget():
            first, second = _circle(model)
            return Orbit(_point(model.center), first, second, 1 / model.period_seconds)
        case PathTarget():
            return Path(np.array(model.points, np.float32), 1 / model.period_seconds)
        case ParametersTarget():
            columns = [
                parameter_column(name, names, place / f".parameters[{i}]") for i, name in enumerate(model.parameters)
            ]
            return FromParameters(np.array(columns, np.int32))
        case CameraTarget():
            return Eye()
        case ActorTarget():
            return _other(model, crowd, crowds, rigs, place)
        case _:
            assert_never(model)


def _circle(model: OrbitTarget) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """From a circle's centre to where a quarter begins and where it ends."""
    tilt = math.radians(model.tilt_degrees)
    turn = quaternion.from_axis_angle([0.0, 1.0, 0.0], math.radians(model.turn_degrees))
    axes = np.array([[1.0, 0.0, 0.0], [0.0, elementary.sin(tilt), -elementary.cos(tilt)]])
    first, second = (model.radius * quaternion.rotate(turn, axes)).astype(np.float32)
    return first, second


def _other(
    model: ActorTarget, crowd: CrowdModel, crowds: Sequence[CrowdModel], rigs: Mapping[str, LoadedRig], place: Place
) -> Other:
    found = {other.name or other.rig: other for other in reversed(crowds)}
    name = crowd.name or crowd.rig if model.crowd is None else model.crowd
    if name not in found:
        text = f"there is no crowd {name!r};{nearest(name, found)} crowds are: {', '.join(reversed(found))}"
        raise (place / ".crowd").fault(text)
    other = crowd if model.crowd is None else found[name]
    if model.actor != "nearest" and model.actor >= other.count:
        text = f"crowd {name!r} has {other.count} actors, from 0 (got {model.actor})"
        raise (place / ".actor").fault(text)
    loaded = rigs[other.rig]
    at = _head(loaded) if model.at is None else _point(model.at)
    return Other(name, -1 if model.actor == "nearest" else model.actor, at, _frame(loaded))


def first_phases(model: TargetModel, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Where each actor's target begins; nothing is drawn where nothing is random."""
    phase = getattr(model, "phase", 0.0)
    if phase == "random":
        return rng.random(count, np.float32)
    return np.full(count, phase, np.float32)


def _begin(motion: Motion, loaded: LoadedRig) -> NDArray[np.float32]:
    """Where a target is until somebody moves it."""
    return motion.at if isinstance(motion, Still) else _head(loaded)


def _frame(loaded: LoadedRig) -> Frame:
    return Frame(loaded.facing, loaded.scale, loaded.ground_offset)


def _head(loaded: LoadedRig) -> NDArray[np.float32]:
    """The middle of a character's head in its own space, from how high its rest pose is."""
    top = float(rest_bounds(loaded.rig)[1][1]) * loaded.scale + loaded.ground_offset
    return _point((0.0, HEAD_SHARE * top, 0.0))


def _point(at: tuple[float, float, float]) -> NDArray[np.float32]:
    return np.array(at, np.float32)
