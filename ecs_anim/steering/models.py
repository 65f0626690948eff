"""Built-in steering models. Each model is one declaration.

The scene schema, its error messages, the documentation and the kernels use the declarations of the models.
"""

from abc import abstractmethod
from collections.abc import Mapping
from math import ceil
from typing import Any, ClassVar

import numpy as np

from ecs_anim.steering.own import Model, Parameter

MODELS: dict[str, "BuiltIn"] = {}  # models by name, in the order of their declarations


ROUNDED = 1e-3  # share of a sub-step; times are rounded
TYPICAL_SPEED = 1.34  # [m/s]
CONTACTS = 6  # the largest number of equal discs that touch one disc


class BuiltIn(Model):
    """A steering model that a scene can select by its name. The kernel in `ecs_anim.kernels.steering_NAME` computes the
    model.
    """

    name: ClassVar[str]
    parameters: ClassVar[Mapping[str, Parameter]]

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls):
            cls.kernel = f"ecs_anim.kernels.steering_{cls.name}"
            MODELS[cls.name] = cls()


class ForceModel(BuiltIn):
    """A model that computes accelerations. For one decision, the model computes several equal sub-steps (semi-implicit
    Euler).

    In a sub-step, the kernel computes the velocity of each agent at the end of the sub-step. Each sub-step reads the
    positions and velocities of all agents at its start.
    """

    most_steps: ClassVar[int] = 100  # largest number of sub-steps of a decision

    @classmethod
    @abstractmethod
    def longest_step(cls, parameters: Any) -> Any:
        """Return the longest sub-step [s] for which the motion is stable.

        `parameters` contains numbers or arrays [n] by name.
        """

    @classmethod
    def step_count(cls, parameters: Any, seconds: float) -> int:
        """Return the number of sub-steps of a decision that applies for `seconds` [s]."""
        longest = float(np.min(cls.longest_step(parameters)))
        return min(max(ceil(seconds / longest - ROUNDED), 1), cls.most_steps)

    @classmethod
    def require_stable(cls, parameters: Mapping[str, float], seconds: float) -> None:
        """Raise ValueError if a decision that applies for `seconds` [s] needs more sub-steps than `most_steps`."""
        longest = float(cls.longest_step(parameters))
        if seconds > cls.most_steps * longest:
            raise ValueError(
                f"parameters: these forces are too strong, because each decision would need more than {cls.most_steps} "
                f"sub-steps of at most {longest:.2g} s. Lower the strengths, or raise mass, range, relaxation or "
                "decision_rate_hz."
            )


class AnticipationVelocity(BuiltIn):
    """Agents turn to the side on which they expect free space after the time `anticipation`. A turn takes the time
    `reaction`.

    Xu, Chraibi and Seyfried 2021, [arXiv 2107.00624](https://arxiv.org/abs/2107.00624). The authors give two sets of
    values. The default strength and the default time gap are the authors' values for a bottleneck. The second set of
    values, with a time gap of 1.06 s, is for two people that walk towards each other. With the second set of values,
    crowds pass doors at only a third of the recorded rate. The default buffer is this project's value, fitted to the
    recorded rate ([validation](validation.md)).
    """

    name = "anticipation_velocity"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "strength": Parameter(
            3.0, "", "length of the sideways push from a neighbour; the desired direction has the length 1"
        ),
        "range": Parameter(0.1, "m", "increase of the anticipated gap that divides the push by e"),
        "time_gap": Parameter(0.5, "s", "time that agents keep to the agent ahead"),
        "anticipation": Parameter(1.0, "s", "time for which agents extrapolate the positions of neighbours"),
        "reaction": Parameter(0.3, "s", "time in which agents turn"),
        "buffer": Parameter(0.005, "m", "distance that agents keep from walls"),
    }


class CollisionFreeSpeed(BuiltIn):
    """Agents move in the direction in which neighbours and walls repel them least.

    Tordeux, Chraibi and Seyfried 2016, [arXiv 1512.05597](https://arxiv.org/abs/1512.05597).
    """

    name = "collision_free_speed"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "strength": Parameter(8.0, "", "length of the push from a neighbour; the desired direction has the length 1"),
        "range": Parameter(0.1, "m", "increase of the gap that divides the push by e"),
        "time_gap": Parameter(1.0, "s", "time that agents keep to the agent ahead"),
        "wall_strength": Parameter(5.0, "", "length of the push from a wall; the desired direction has the length 1"),
        "wall_range": Parameter(0.02, "m", "increase of the gap to a wall that divides the push by e"),
    }


class SocialForce(ForceModel):
    """Agents accelerate towards their desired velocity. Neighbours and walls push them away, and bodies are elastic.

    Helbing and Molnár 1995, [doi 10.1103/PhysRevE.51.4282](https://doi.org/10.1103/PhysRevE.51.4282), with the forces
    of Helbing, Farkas and Vicsek 2000, [doi 10.1038/35035023](https://doi.org/10.1038/35035023). All default values are
    the values of these authors. The publication of 2000 does not use `rear_weight`, and the publication of 1995 uses
    0.5. As in the publication of 1995, speeds are at most 1.3 times the desired speed.
    """

    name = "social_force"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "mass": Parameter(80.0, "kg", "mass of an agent"),
        "relaxation": Parameter(0.5, "s", "time constant with which agents reach their desired velocity"),
        "strength": Parameter(2000.0, "N", "force with which neighbours and walls repel an agent at contact"),
        "range": Parameter(0.08, "m", "increase of the gap that divides the repulsion by e"),
        "body_force": Parameter(1.2e5, "kg/s²", "elastic force of two bodies, per metre of overlap"),
        "friction": Parameter(2.4e5, "kg/(m s)", "sliding friction of two bodies, per overlap and relative speed"),
        "rear_weight": Parameter(
            1.0, "", "factor on the repulsion from neighbours outside the field of view of 200 degrees"
        ),
    }

    @classmethod
    def longest_step(cls, parameters: Any) -> Any:
        """Return half of the longest sub-step [s] for which a lattice of touching bodies is stable.

        The highest frequency of the lattice is sqrt(6 s / m), with the stiffness s of a contact and the mass m.
        Semi-implicit Euler is stable for sub-steps up to 2 / frequency.
        """
        weight = np.maximum(parameters["rear_weight"], 1)
        stiffness = parameters["body_force"] + weight * parameters["strength"] / parameters["range"]
        return np.minimum(np.sqrt(parameters["mass"] / (CONTACTS * stiffness)), parameters["relaxation"])


class GeneralizedCentrifugalForce(ForceModel):
    """Agents are ellipses that grow with their speed. A neighbour ahead pushes an agent away. The push grows with the
    speed at which the agent and the neighbour approach each other.

    Chraibi, Seyfried and Schadschneider 2010, [arXiv 1008.4297](https://arxiv.org/abs/1008.4297). The semi-axes and the
    relaxation time are the authors' values. The authors state no strengths, so the default strengths are the values of
    JuPedSim 1.4. The repulsion ends at a gap of 2 m between two bodies. From a gap of 0.1 m to contact, the repulsion
    grows to three times its value at 0.1 m. Speeds are at most 1.3 times the desired speed.
    """

    name = "generalized_centrifugal_force"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "relaxation": Parameter(0.5, "s", "time constant with which agents reach their desired velocity"),
        "strength": Parameter(
            0.3, "", "share of the desired speed that the model adds to the closing speed towards a neighbour"
        ),
        "wall_strength": Parameter(
            0.2, "", "share of the desired speed that the model adds to the closing speed towards a wall"
        ),
        "length": Parameter(0.18, "m", "semi-axis of a standing agent in its walking direction"),
        "stretch": Parameter(0.53, "s", "growth of this semi-axis per m/s of speed"),
        "width": Parameter(0.25, "m", "semi-axis of a standing agent across its walking direction"),
        "least_width": Parameter(0.2, "m", "semi-axis across the walking direction at the desired speed"),
    }

    @classmethod
    def longest_step(cls, parameters: Any) -> Any:
        """Return the longest sub-step [s], at most 10 ms, in which the largest force does not reverse the speed of
        approach of two agents.

        Two agents approach each other with at most 2.6 times the desired speed 1.34 m/s. The limit of 10 ms is the time
        step of the authors.
        """
        closing, gap, most = 2.6, 0.1, 3.0
        strength = np.maximum(parameters["strength"], parameters["wall_strength"])
        reversal = closing * gap / (most * (strength + closing) ** 2 * TYPICAL_SPEED)
        return np.minimum(np.minimum(reversal, 0.01), parameters["relaxation"])
