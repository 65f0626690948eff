"""Built-in steering models. Each model is one declaration.

The scene schema, its error messages, the documentation and the kernels use the declarations of the models.
"""

from collections.abc import Mapping
from typing import ClassVar

from ecs_anim.steering.own import Model, Parameter

MODELS: dict[str, "BuiltIn"] = {}  # models by name, in the order of their declarations


class BuiltIn(Model):
    """A model that scenes name with `name`. The kernel in `ecs_anim.kernels.steering_NAME` computes the model."""

    name: ClassVar[str]
    parameters: ClassVar[Mapping[str, Parameter]]

    def __init_subclass__(cls) -> None:
        cls.kernel = f"ecs_anim.kernels.steering_{cls.name}"
        MODELS[cls.name] = cls()


class AnticipationVelocity(BuiltIn):
    """Agents turn to the side that will be free in one second. The turn takes a reaction time.

    Xu, Chraibi and Seyfried 2021, [arXiv 2107.00624](https://arxiv.org/abs/2107.00624). The authors give two sets of
    values. The default strength and the default time gap are the authors' values for a bottleneck. The authors also
    give values for two people that meet, with a time gap of 1.06 s. With the values for two people that meet, crowds
    pass doors at a third of the recorded rate. The default buffer is this project's value, fitted to the recorded rate
    ([validation](validation.md)).
    """

    name = "anticipation_velocity"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "strength": Parameter(3.0, "", "of the sideways push of a neighbour, relative to the desired direction"),
        "range": Parameter(0.1, "m", "of the anticipated gap over which the push falls by a factor of e"),
        "time_gap": Parameter(0.5, "s", "that agents keep to the agent ahead"),
        "anticipation": Parameter(1.0, "s", "for which positions of neighbours are extrapolated"),
        "reaction": Parameter(0.3, "s", "in which agents turn"),
        "buffer": Parameter(0.005, "m", "that agents keep from walls"),
    }


class CollisionFreeSpeed(BuiltIn):
    """Agents move in the direction in which neighbours and walls repel them least.

    Tordeux, Chraibi and Seyfried 2016, [arXiv 1512.05597](https://arxiv.org/abs/1512.05597).
    """

    name = "collision_free_speed"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "strength": Parameter(8.0, "", "of the push of a neighbour, relative to the desired direction"),
        "range": Parameter(0.1, "m", "of the gap over which that push falls by a factor of e"),
        "time_gap": Parameter(1.0, "s", "that agents keep to the agent ahead"),
        "wall_strength": Parameter(5.0, "", "of the push of a wall, relative to the desired direction"),
        "wall_range": Parameter(0.02, "m", "of the gap over which that push falls by a factor of e"),
    }
