"""Steering: from a scene's goals to `Steering`, of actors who have a body."""

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ecs_anim.body.movers import STEERED
from ecs_anim.components.movers import Movers
from ecs_anim.components.steering import Steering
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import elementary
from ecs_anim.scenes.parts.body import BodyKeys
from ecs_anim.scenes.parts.part import Drawn, Joining, Making, Part, drawn_rows
from ecs_anim.scenes.parts.trajectories import TrajectoryKeys
from ecs_anim.scenes.schema_base import NotNegative, Point2, Positive, Table
from ecs_anim.steering.models import DEFAULTS, MODELS, PARAMETER_COUNT
from ecs_anim.support.errors import nearest

LEAST_SPEED = 0.1  # [m/s], below which people stand rather than walk
UNIFORMS = 12  # whose sum has a variance of 1, and is nearly normal


class SpeedModel(Table):
    """Speeds that are nearly normal, within six deviations."""

    mean: Positive = Field(description="[m/s]")
    deviation: NotNegative = Field(description="[m/s]")


class SteeringModel(Table):
    """Actors go to goals, clear of each other and of walls; x is east (+X), y north (-Z) [m]."""

    model: Literal["anticipation_velocity", "collision_free_speed"] = "anticipation_velocity"
    goal: Point2 | Annotated[list[Point2], Field(min_length=1)] = Field(
        description="[x, y] to go to and stay at, or waypoints [[x, y], ...] to go round and round"
    )
    spread: NotNegative = Field(0.0, description="[m] from goals and waypoints that each actor's own lie, at most")
    near: Positive = Field(1.0, description="[m] from a waypoint, from where on actors go to the next")
    speed: Positive | SpeedModel | tuple[Positive, Positive] = Field(
        1.34, description="[m/s] that actors want: one for all, { mean, deviation }, or [least, most] to draw from"
    )
    radius: Annotated[float, Field(ge=0.05, le=1.0)] = Field(0.15, description="[m] of the room that an actor takes")
    rate: Annotated[float, Field(ge=1.0, le=1000.0)] = Field(
        20.0, description="[1/s], how often directions and speeds are chosen"
    )
    parameters: dict[str, Positive] = Field({}, description="of the model, by name, in place of the published ones")

    @model_validator(mode="after")
    def _fits(self) -> "SteeringModel":
        if isinstance(self.speed, tuple) and self.speed[0] > self.speed[1]:
            raise ValueError(f"speed: the least comes first (got {self.speed[0]:g}, {self.speed[1]:g})")
        known = DEFAULTS[self.model]
        for name in self.parameters:
            if name not in known:
                text = f"{self.model} has no parameter {name!r};{nearest(name, known)} it has: {', '.join(known)}"
                raise ValueError(f"parameters: {text}")
        return self

    @property
    def waypoints(self) -> NDArray[np.float32]:
        """All, x and z [n, 2] [m]."""
        points = self.goal if isinstance(self.goal, list) else [self.goal]
        return (np.array(points) * (1.0, -1.0)).astype(np.float32)


class SteeringKeys(TrajectoryKeys, BodyKeys):
    """Whether actors steer."""

    steering: SteeringModel | None = Field(None, description="actors go to goals, clear of each other")


class SteeringPart(Part[SteeringKeys]):
    """Actors go to goals, clear of each other and of walls."""

    keys = SteeringKeys
    kernels = ("neighbours", "steering", "steering_agents")

    def build(self, crowd: SteeringKeys, making: Making) -> Iterator[object]:
        """Actors who are off to their first waypoints."""
        movers, transforms = making.find(Movers), making.get(Transforms)
        if movers is None:
            raise (making.key / ".steering").fault("only bodies steer; say body = {} too")
        if crowd.trajectories is not None:
            raise (making.key / ".steering").fault("these people follow a file; leave out steering, or trajectories")
        movers.kind[:] = STEERED
        yield _begin(crowd, _ahead(transforms.rotation, making.loaded.facing), making.rng)

    def draw(self, crowd: SteeringKeys, joining: Joining) -> Iterator[Drawn]:
        """Newcomers are off to theirs; where they face is seen at their first turn."""
        ahead = np.tile(np.array([0, 1], np.float32), (joining.count, 1))
        steering = joining.making.get(Steering)
        yield from ((steering, name, rows) for _, name, rows in drawn_rows(steering, _begin(crowd, ahead, joining.rng)))
        yield joining.making.get(Movers), "kind", np.full(1, STEERED, np.int32)


STEERING = SteeringPart()


def _begin(crowd: SteeringKeys, ahead: NDArray[np.float32], rng: np.random.Generator) -> Steering:
    """Actors who face directions [n, 2] and go to the first waypoint."""
    assert crowd.steering is not None  # it is wanted
    said, count = crowd.steering, len(ahead)
    waypoints, offset = said.waypoints, _offsets(said.spread, count, rng)
    values, parameters = {**DEFAULTS[said.model], **said.parameters}, np.ones((count, PARAMETER_COUNT), np.float32)
    parameters[:, : len(values)] = list(values.values())
    return Steering(
        model=MODELS.index(said.model),
        rate=said.rate,
        near=said.near,
        waypoints=waypoints,
        goal=waypoints[0] + offset,
        offset=offset,
        waypoint=np.zeros(count, np.int32),
        speed=_speeds(said.speed, count, rng),
        radius=np.full(count, said.radius, np.float32),
        orientation=ahead,
        parameters=parameters,
    )


def _offsets(spread: float, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Points [n, 2] of a disc."""
    angle, reach = rng.uniform(-np.pi, np.pi, count), spread * np.sqrt(rng.random(count))
    return np.stack([reach * elementary.cos(angle), reach * elementary.sin(angle)], axis=-1).astype(np.float32)


def _speeds(
    said: float | SpeedModel | tuple[float, float], count: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Speeds [n] [m/s]; the C library's logarithms, of which numpy makes normal numbers, differ by machine."""
    if isinstance(said, SpeedModel):
        drawn = said.mean + said.deviation * (rng.random((count, UNIFORMS)).sum(axis=1) - UNIFORMS / 2)
        return np.maximum(drawn, min(LEAST_SPEED, said.mean)).astype(np.float32)
    least, most = said if isinstance(said, tuple) else (said, said)
    return rng.uniform(least, most, count).astype(np.float32)


def _ahead(rotation: NDArray[np.float32], facing: float) -> NDArray[np.float32]:
    """What actors face, x and z [n, 2], by their rotations [n, 4] about +Y."""
    heading = 2 * elementary.arctan2(rotation[:, 1], rotation[:, 3]) + facing
    return np.stack([elementary.sin(heading), elementary.cos(heading)], axis=-1).astype(np.float32)
