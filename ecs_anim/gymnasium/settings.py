"""Settings of the environments: the task, the robot, the observations and the rewards."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ecs_anim.scenes.loader import Source
from ecs_anim.support.arguments import array_of, number, numbers, one_of, require_near, width_and_height
from ecs_anim.support.checked import checked_fields

OBSERVATIONS = ("state", "lidar", "camera")
MOST_SIDE = 4096  # [pixel]


@checked_fields
@dataclass(frozen=True)
class Reward:
    """Rewards of a step. The defaults are those of SARL (Chen et al. 2019), which extends CADRL (Chen et al. 2017).

    If the nearest person is at the distance d [m] < `discomfort_m` from the robot, the reward of a step of t [s] is
    `discomfort` * (d - `discomfort_m`) * t. The factor t is from the program of the authors. `progress` is a reward for
    each metre by which the distance to the goal decreases. It does not change the best policy (Ng et al. 1999).
    """

    goal: float = 1.0
    collision: float = -0.25
    discomfort: float = 0.5
    discomfort_m: float = 0.2
    progress: float = 0.0

    def __post_init__(self) -> None:
        for name in ("goal", "collision", "discomfort", "progress"):
            number(name, getattr(self, name))
        number("discomfort_m", self.discomfort_m, 0.0, 100.0)


@checked_fields
@dataclass(frozen=True)
class Settings:
    """The keyword arguments of the environments. docs/gymnasium.md describes them."""

    scene: Source | None = None
    render_mode: Literal["human", "rgb_array"] | None = None
    observations: Sequence[str] = ("state",)
    actions: Literal["unicycle", "velocity"] = "unicycle"
    avoided: bool = True
    start: Any = None
    goal: Any = None
    people: int = 10
    rays: int = 64
    range_m: float = 10.0
    camera_size: Sequence[int] = (160, 120)
    crowd_starts: int = 256
    step_seconds: float = 0.1
    limit_seconds: float = 30.0
    max_speed_m_s: float = 1.0
    max_turn_rate_rad_s: float = 2.0
    goal_radius_m: float = 0.3
    least_route_m: float = 6.0
    reward: Reward = Reward()

    def __post_init__(self) -> None:
        for name in self.observations:
            one_of("observation", name, OBSERVATIONS)
        for name, least, most in (
            ("people", 0, 10_000),
            ("rays", 1, 10_000),
            ("crowd_starts", 1, 1_000_000),
            ("range_m", 0.1, 1e5),
            ("step_seconds", 1e-3, 1.0),
            ("limit_seconds", self.step_seconds, 1e5),
            ("max_speed_m_s", 0.01, 100.0),
            ("max_turn_rate_rad_s", 0.0, 100.0),
            ("goal_radius_m", 0.01, 100.0),
            ("least_route_m", 0.0, 1e4),
        ):
            number(name, getattr(self, name), least, most)
        for name in ("start", "goal"):
            if getattr(self, name) is not None:
                require_near(name, array_of(name, numbers(name, getattr(self, name)), 2))
        if not all(1 <= side <= MOST_SIDE for side in width_and_height("camera_size", self.camera_size)):
            raise ValueError(f"camera_size must be 1 to {MOST_SIDE} pixels (got {[*self.camera_size]}).")

    @property
    def draws(self) -> bool:
        """Whether the environment draws pictures."""
        return self.render_mode is not None or "camera" in self.observations
