"""Cameras that follow an actor: the settings that users choose, and the smoothed state of the camera."""

import math
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NUMBER, Within
from ecs_anim.ecs.columns import Kept, Lengths
from ecs_anim.support.arguments import number
from ecs_anim.support.checked import checked_fields
from ecs_anim.view.camera import RANGES, OrbitCamera

Reals = NDArray[np.float64]
AzimuthFrom = Literal["north", "heading"]

DISTANCE = 6.0  # [m], default distance from the actor
BEHIND = 180.0  # [degrees], default azimuth relative to the heading
SMOOTH_SECONDS = 0.3  # [s], default time constant of the position
TURN_SECONDS = 1.0  # [s], default time constant of the direction
JUMP = 5.0  # [m]; if the actor is farther from its smoothed position, the camera moves there without smoothing


@checked_fields
@dataclass(frozen=True)
class Follow:
    """A camera that follows an actor. The actor stays near the middle of the picture.

    `actor_id` is the id of an actor of the crowd `crowd`. By default, the camera follows the actor with the
    lowest id among the actors that are in the world now.
    `distance` [m] is the distance from the camera to the actor. With `azimuth_from` = "north", `azimuth_degrees` is the
    compass bearing from the actor to the camera: 90 is east. With "heading", the camera turns with the actor: 0 is
    ahead of the actor, 90 is on the right, and 180 (default) is behind. The world's main camera gives the defaults of
    all other angles. `smooth_seconds` and `turn_seconds` are the time constants with which the camera follows the
    position and the heading of the actor. Raises ValueError for numbers out of range.
    """

    crowd: str
    actor_id: int | None = None
    distance: float = DISTANCE  # [m]
    azimuth_degrees: float | None = None
    elevation_degrees: float | None = None
    azimuth_from: AzimuthFrom = "north"
    smooth_seconds: float = SMOOTH_SECONDS  # [s]
    turn_seconds: float = TURN_SECONDS  # [s]

    def __post_init__(self) -> None:
        if number("the distance of a camera that follows an actor", self.distance) <= 0:
            raise ValueError(f"the distance of a camera that follows an actor must be above 0 (got {self.distance})")
        number("azimuth_degrees", self.azimuth_degrees or 0.0)
        number("elevation_degrees", self.elevation_degrees or 0.0, *RANGES["elevation_degrees"])
        for name in ("smooth_seconds", "turn_seconds"):
            number(name, getattr(self, name), least=0.0)


@dataclass(eq=False)
class Following:
    """The motion of a camera that follows an actor, with its smoothed state.

    The state is the smoothed position and the smoothed heading of the actor. If the actor leaves the world, the state
    does not change any more, so the camera stays at its position.
    """

    carrier: str  # name of the actor in messages
    actor_id: int
    distance: float  # [m]
    azimuth: float  # [rad]
    elevation: float  # [rad]
    turns: bool  # whether the azimuth is relative to the heading of the actor
    smooth_seconds: float  # [s]
    turn_seconds: float  # [s]
    # [3] f64, [m], smoothed middle of the actor in space
    target: Annotated[Kept[Reals], NUMBER, Lengths()] = field(default_factory=lambda: np.zeros(3))
    heading: Annotated[Kept[float], NUMBER] = 0.0  # [rad], smoothed heading, counter-clockwise from east
    is_known: Annotated[Kept[int], Within(0, 1)] = 0  # 0 = the actor has not been seen yet

    def advance(self, target: Reals, heading: float, dt: float) -> None:
        """Smooth over `dt` seconds: move the state towards the middle `target` [3] [m] and the `heading` [rad] of the
        actor.
        """
        off = target - self.target
        if not self.is_known or float(np.sum(off * off)) > JUMP * JUMP:
            self.target, self.heading, self.is_known = target, heading, 1
            return
        self.target = self.target + _share(dt, self.smooth_seconds) * off
        turn = _share(dt, self.turn_seconds) * math.remainder(heading - self.heading, math.tau)
        self.heading = math.remainder(self.heading + turn, math.tau)

    def camera(self) -> OrbitCamera:
        """Return the camera at its current position."""
        azimuth = math.pi / 2 - self.heading + self.azimuth if self.turns else self.azimuth
        return OrbitCamera(self.target.astype(np.float32), self.distance, azimuth, self.elevation)


def following(follow: Follow, carrier: str, actor_id: int, own: OrbitCamera) -> Following:
    """Return the motion of a camera with the settings `follow`. `own` is the world's main camera, which gives missing
    settings. `carrier` names the actor in messages.
    """
    turns = follow.azimuth_from == "heading"
    azimuth = follow.azimuth_degrees
    if azimuth is None:
        azimuth = BEHIND if turns else math.degrees(own.azimuth)
    elevation = math.degrees(own.elevation) if follow.elevation_degrees is None else follow.elevation_degrees
    angles = math.radians(azimuth), math.radians(elevation)
    return Following(carrier, actor_id, follow.distance, *angles, turns, follow.smooth_seconds, follow.turn_seconds)


def _share(dt: float, seconds: float) -> float:
    """Return the share of a difference that disappears in `dt` seconds. `seconds` is the time constant of the
    exponential decay.
    """
    return dt / (dt + seconds) if seconds > 0 else 1.0
