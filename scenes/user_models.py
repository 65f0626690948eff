"""Steering models of the user that the crowds of a scene name."""

import math
from collections.abc import Mapping
from dataclasses import replace

from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.parts.steering import OwnModel, own_models
from ecs_anim.scenes.user_code import Code, steering_code
from ecs_anim.scenes.user_modules import faults_told
from ecs_anim.steering.own import PARAMETER_COUNT, Model
from ecs_anim.support.errors import InputError


def with_models(scene: SceneFile, code: Code) -> tuple[SceneFile, tuple[Model, ...]]:
    """Return the scene with all parameters of the users' steering models, and an instance of each model.

    Raises InputError.
    """
    named = steering_code(scene)
    origins = {model: f"{scene.label}: crowds[{index}].steering.model" for index, model in reversed(named.items())}
    made = {model: _made(model, code, origins[model]) for model in own_models(scene.model.crowds)}
    crowds = [*scene.model.crowds]
    for index, model in named.items():
        crowds[index] = _written_out(crowds[index], made[model].parameters, f"{scene.label}: crowds[{index}].steering")
    return replace(scene, model=scene.model.model_copy(update={"crowds": crowds})), tuple(made.values())


def _made(said: OwnModel, code: Code, origin: str) -> Model:
    kind = code.find_class(said.module, said.model, origin, "model")
    if not issubclass(kind, Model):
        raise InputError(
            f"{origin}: {said.model} must be a subclass of the class Model. Derive {said.model} from"
            " ecs_anim.steering.own.Model."
        )
    known = kind.parameters
    if not (isinstance(known, Mapping) and all(map(_is_positive, known.values()))):
        raise InputError(
            f"{origin}: {said.model}.parameters must be a dictionary from names to numbers more than 0 (got"
            f" {known!r}). Correct the parameters."
        )
    if len(known) > PARAMETER_COUNT:
        raise InputError(
            f"{origin}: {said.model}.parameters must have at most {PARAMETER_COUNT} names (got {len(known)})."
            " Store values that are equal for all actors as constants of the class."
        )
    with faults_told(origin, kind.__name__, kind.__module__):
        return kind()


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def _written_out(crowd: CrowdModel, defaults: Mapping[str, float], key: str) -> CrowdModel:
    """Return the crowd with all parameters of its steering model, in the order of the model. Raises InputError for an
    unknown parameter.
    """
    said = crowd.steering
    assert said is not None  # this crowd names a steering model
    assert isinstance(said.model, OwnModel)
    try:
        said.require_known(said.model.model, defaults)
    except ValueError as error:
        raise InputError(f"{key}: {error}") from None
    steering = said.model_copy(update={"parameters": {**defaults, **said.parameters}})
    return crowd.model_copy(update={"steering": steering})
