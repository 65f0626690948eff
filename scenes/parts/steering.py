"""Steering. The part builds the component `Steering` for actors with a body and for crowds with path = "baked"."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ecs_anim.body.movers import STEERED
from ecs_anim.components.baked import Baked
from ecs_anim.components.familiarity import Familiarity
from ecs_anim.components.groups import Groups
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.movers import Movers
from ecs_anim.components.presence import always_present
from ecs_anim.components.steering import Steering
from ecs_anim.components.storeys import UNKNOWN, Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import elementary
from ecs_anim.maths.plan import plan_from_space, space_from_plan
from ecs_anim.routing.lattice import Goal
from ecs_anim.scenes.parts.body import BodyKeys
from ecs_anim.scenes.parts.first_goals import choose_goals, halts_at, new_familiarity
from ecs_anim.scenes.parts.goals import GoalKeys, goals_on_plan, new_journeys
from ecs_anim.scenes.parts.groups import GroupKeys, deal_groups, go_together
from ecs_anim.scenes.parts.pacing import new_pacing
from ecs_anim.scenes.parts.part import Drawn, Joining, Making, Part, drawn_rows
from ecs_anim.scenes.parts.sources import SourceKeys, new_sources
from ecs_anim.scenes.parts.standing import level_number
from ecs_anim.scenes.parts.stops import new_stops
from ecs_anim.scenes.parts.trajectories import TrajectoryKeys
from ecs_anim.scenes.schema_base import CodeModel, CrowdTable, NotNegative, Positive
from ecs_anim.scenes.schema_population import WHEELCHAIRS, PopulationModel, Radius, Speed, SpeedModel
from ecs_anim.scenes.schema_rules import least_first
from ecs_anim.steering.models import MODELS, ForceModel
from ecs_anim.steering.own import PARAMETER_COUNT, arrival_seconds
from ecs_anim.support.errors import not_among

LEAST_SPEED = 0.1  # [m/s], lowest walking speed
UNIFORMS = 12  # number of uniform random numbers in a sum with variance 1, which is nearly normal
if TYPE_CHECKING:
    ModelName = str
else:
    ModelName = Literal[tuple(MODELS)]


def _said_of_models() -> str:
    """Return a text that lists each built-in steering model with the names and defaults of its parameters."""

    said = (
        f"{name}: {', '.join(f'{key} {own:g} {own.unit}'.strip() for key, own in model.parameters.items())}"
        for name, model in MODELS.items()
    )
    return f"of the model, by name, in place of its defaults ({'; '.join(said)})"


class OwnModel(CodeModel):
    """A steering model of the user, see docs/steering-models.md."""

    model: str = Field(description="name of a class in the module, derived from ecs_anim.steering.own.Model")


class SteeringModel(GoalKeys, SourceKeys, GroupKeys):
    """Steering to goals. Actors avoid other actors and walls. Plan points are in metres: x is east, and y is north."""

    model: ModelName | OwnModel = "anticipation_velocity"
    goal_radius: NotNegative = Field(
        0.0,
        description="radius around goals and waypoints [m]. Each actor walks to a random point within this radius. 0:"
        " all actors walk to the same point",
    )
    waypoint_radius: Positive = Field(
        1.0, description="distance from a waypoint at which an actor has reached the waypoint [m]"
    )
    desired_speed_m_s: Positive | SpeedModel | tuple[Positive, Positive] = Field(
        1.34,
        description="walking speed without other actors [m/s]: one speed for all actors, { mean, deviation } for"
        " normally distributed speeds, or a range [least, most] of random speeds",
    )
    radius: Radius = Field(0.15, description="radius of an actor [m]")
    population: list[PopulationModel] = Field(
        [],
        description="parts of the crowd that have their own speeds and radii, such as { share = 0.1, kind ="
        " 'rollator' }",
    )
    avoid_stairs: bool | None = Field(
        None,
        description="true: actors use no stairs, only routes over ramps and lifts. Default: true if all parts of "
        "`population` are wheelchairs",
    )
    decision_rate_hz: Annotated[float, Field(ge=1.0, le=1000.0)] = Field(
        20.0, description="rate of steering decisions [Hz]. In each decision, an actor chooses a direction and a speed"
    )
    parameters: dict[str, Positive] = Field({}, description=_said_of_models())

    _speed_rises = least_first("desired_speed_m_s")

    @model_validator(mode="after")
    def _fits(self) -> "SteeringModel":
        if self.groups is not None and any(len(goal.next_weights) > 1 for goal in self.goals or []):
            raise ValueError(
                "goals: with several next goals, the members of a group could go to different goals. Remove groups, "
                "or name one next goal."
            )
        # the parameters of a class are known only after its code is allowed to run
        if not isinstance(self.model, OwnModel):
            model = MODELS[self.model]
            self.require_known(self.model, model.parameters)
            if isinstance(model, ForceModel):
                model.require_stable({**model.parameters, **self.parameters}, 1 / self.decision_rate_hz)
        return self

    @property
    def has_to_avoid_stairs(self) -> bool:
        """Return whether no route of the crowd may lead over stairs. The default is true if all actors use
        wheelchairs.
        """
        if self.avoid_stairs is not None:
            return self.avoid_stairs
        return bool(self.population) and all(part.kind in WHEELCHAIRS for part in self.population)

    @property
    def largest_radius(self) -> float:
        """Return the radius of the widest actors of the crowd [m]."""
        return max([part.radius_or(self.radius) for part in self.population], default=self.radius)

    def require_known(self, model: str, known: Collection[str]) -> None:
        """Raise ValueError if the scene sets a parameter that the steering model does not have."""
        for name in self.parameters:
            if name not in known:
                raise ValueError(not_among(f"parameters: {model} has no parameter", name, known, "its parameters are"))


class SteeringKeys(TrajectoryKeys, BodyKeys):
    """The key `steering` of a crowd."""

    steering: SteeringModel | None = Field(None, description="steering: actors walk to goals, and avoid each other")


class SteeringPart(Part[SteeringKeys]):
    """Steering: actors walk to goals, and avoid other actors and walls."""

    keys = SteeringKeys
    cpu_only = ()

    def needed_kernels(self, crowd: SteeringKeys) -> Iterator[str]:
        """Yield the kernels for steering. For actors without a body, also yield the kernels for `Movers`."""
        if crowd.steering is not None:
            model = crowd.steering.model
            yield from ("neighbours", "routing", "steering_agents")
            if isinstance(model, OwnModel) or isinstance(MODELS[model], ForceModel):
                yield "steering_own"
            if not isinstance(model, OwnModel):
                yield MODELS[model].kernel.rpartition(".")[2]
            if crowd.steering.has_journeys:
                yield "journeys"
            if crowd.steering.groups is not None:
                yield "groups"
            if crowd.steering.sources or crowd.steering.leave:
                yield "entrances"
            if crowd.body is None:
                yield from ("movers", "pacing")

    def build(self, crowd: SteeringKeys, making: Making) -> Iterator[object]:
        """Build the component `Steering`. The first goal of an actor is its first waypoint."""
        said = crowd.steering
        assert said is not None  # is_wanted has checked the key
        if crowd.body is None and Baked not in making.components:
            text = 'actors can steer only if they have bodies, or if path = "baked". Add body = {}, or path = "baked"'
            raise (making.key / ".steering").fault(text)
        if crowd.body is None:
            yield from new_pacing(making)
        movers, transforms = making.get(Movers), making.get(Transforms)
        if crowd.trajectories is not None:
            raise (making.key / ".steering").fault(
                "the actors of one crowd cannot both steer and follow trajectories. Leave out steering or trajectories."
            )
        movers.kind[:] = STEERED
        positions = plan_from_space(transforms.translation).astype(np.float64)
        goals = goals_on_plan(said, making.key / ".steering", making.unfolded)
        model, ahead = _number(said.model, making.crowds), _ahead(transforms.rotation, making.loaded.facing)
        if (unfolded := making.unfolded) is not None:
            positions = positions + unfolded.offsets[level_number(making, unfolded)]
            spaces, by_time = np.full(making.count, UNKNOWN, np.int32), said.exit_choice in ("nearest", "quickest")
            yield Storeyed(unfolded.spaces, spaces, np.full((making.count, 3), np.nan, np.float32), by_time)
        yield from _begin(said, model, goals, ahead, positions, 0, making.rng)
        if (stops := new_stops(said, making.key / ".steering", making.unfolded)) is not None:
            yield stops
        if said.sources:
            key = making.key / ".steering"
            yield new_sources(said, said.largest_radius, said.largest_group, key, making.unfolded)
        if (said.leave or said.sources) and Baked not in making.components:
            yield always_present(making.count, said.fade_seconds)

    def draw(self, crowd: SteeringKeys, joining: Joining) -> Iterator[Drawn]:
        """Yield the columns of new actors, such as their goals. The first steering decision of an actor determines its
        walking direction.
        """
        ahead = np.tile(np.array([0, 1], np.float32), (joining.count, 1))
        there, rng = joining.making.get(Steering), joining.rng
        assert crowd.steering is not None  # is_wanted has checked the key
        for begun in _begin(crowd.steering, there.model, there.goals, ahead, joining.positions, joining.have, rng):
            own = joining.making.get(type(begun))
            if isinstance(begun, Groups) and isinstance(own, Groups):
                begun.number += own.following
                own.following += begun.following
            yield from drawn_rows(own, begun)
        if (storeyed := joining.making.find(Storeyed)) is not None:
            yield storeyed, "space", np.full(1, UNKNOWN, np.int32)
        yield joining.making.get(Movers), "kind", np.full(1, STEERED, np.int32)


def own_models(crowds: Sequence[CrowdTable]) -> list[OwnModel]:
    """Return all user steering models that `crowds` name, without duplicates."""
    said = [getattr(getattr(crowd, "steering", None), "model", None) for crowd in crowds]
    return list(dict.fromkeys(model for model in said if isinstance(model, OwnModel)))


def _number(model: str | OwnModel, crowds: Sequence[CrowdTable]) -> int:
    """Return the number of the steering model `model`: its index in `Surroundings.models`."""
    return [*MODELS, *own_models(crowds)].index(model)


def _begin(
    said: SteeringModel,
    model: int,
    goals: tuple[Goal, ...],
    ahead: NDArray[np.float32],
    positions: NDArray[np.float64],
    have: int,
    rng: np.random.Generator,
) -> Iterator[Steering | Journeys | Groups | Familiarity]:
    """Yield the components `Steering`, `Journeys`, `Groups` and `Familiarity` of a crowd.

    `positions` [n, 2] contains the plan points of the actors. `ahead` [n, 2] contains the facing directions of the
    actors.
    """
    familiarity = new_familiarity(said, len(ahead), rng) if said.exit_choice == "familiar" else None
    steering = _new_steering(said, model, goals, ahead, positions, have, familiarity, rng)
    journeys = new_journeys(said, len(ahead), rng) if said.has_journeys else None
    if said.groups is not None:
        numbers = deal_groups(said.groups, positions, rng)
        go_together(numbers, steering, journeys)
        yield Groups(numbers, int(numbers.max(initial=-1)) + 1)
    yield steering
    if journeys is not None:
        yield journeys
    if familiarity is not None:
        yield familiarity


def _new_steering(
    said: SteeringModel,
    model: int,
    goals: tuple[Goal, ...],
    ahead: NDArray[np.float32],
    positions: NDArray[np.float64],
    have: int,
    familiarity: Familiarity | None,
    rng: np.random.Generator,
) -> Steering:
    """Return the component `Steering` for new actors with their first goals. The crowd already has `have` actors."""
    count = len(ahead)
    points = np.array([[goal.x, goal.y] for goal in goals], np.float32)
    waypoints = space_from_plan(points)[:, ::2].astype(np.float32)
    offset = _offsets(said.goal_radius, count, rng)
    # all parameters of a user's model are in the scene by now
    defaults = {} if isinstance(said.model, OwnModel) else MODELS[said.model].parameters
    values, parameters = {**defaults, **said.parameters}, np.ones((count, PARAMETER_COUNT), np.float32)
    parameters[:, : len(values)] = list(values.values())
    speed, radius = _speeds_and_radii(said, count, rng)
    waypoint = choose_goals(said, points, positions, have, familiarity, rng)
    return Steering(
        model=model,
        decision_rate=said.decision_rate_hz,
        waypoint_radius=said.waypoint_radius,
        arrival=arrival_seconds(values),
        waypoints=waypoints,
        goal=waypoints[waypoint] + offset,
        offset=offset,
        waypoint=waypoint,
        speed=speed,
        radius=radius,
        orientation=ahead,
        parameters=parameters,
        halts=halts_at(said, waypoint),
        haste=np.ones(count, np.float32),
        lean=np.zeros((count, 2), np.float32),
        route=np.full(count, -1, np.int32),
        way=np.zeros((count, 3), np.float32),
        stuck=np.zeros(count, np.float32),
        cut_off=np.zeros(count, np.int32),
        drift=np.zeros((count, 2), np.float32),
        announced=np.zeros(count, np.int32),
        goals=goals,
        clearance=said.largest_radius,
        avoids_stairs=said.has_to_avoid_stairs,
        quickest=said.exit_choice in ("quickest", "familiar"),
        waypoint_names=tuple(said.waypoint_names),
    )


def _offsets(radius: float, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return random points [count, 2] in a disc with radius `radius`."""
    angle, reach = rng.uniform(-np.pi, np.pi, count), radius * np.sqrt(rng.random(count))
    return np.stack([reach * elementary.cos(angle), reach * elementary.sin(angle)], axis=-1).astype(np.float32)


def _speeds_and_radii(
    said: SteeringModel, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the desired speeds [count] [m/s] and the radii [count] [m] of new actors."""
    speed, radius = said.desired_speed_m_s, said.radius
    if not said.population:
        return _speeds(speed, count, rng), np.full(count, radius, np.float32)
    ends = np.cumsum([part.share for part in said.population])
    part = np.searchsorted(ends[:-1] / ends[-1], rng.random(count), side="right")
    speeds = np.stack([_speeds(own.speed_or(speed), count, rng) for own in said.population])
    radii = np.array([own.radius_or(radius) for own in said.population], np.float32)
    return speeds[part, np.arange(count)], radii[part]


def _speeds(said: Speed, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return random speeds [count] [m/s].

    A sum of uniform random numbers replaces a normal random number, because numpy's normal numbers differ between
    machines.
    """
    if isinstance(said, SpeedModel):
        drawn = said.mean + said.deviation * (rng.random((count, UNIFORMS)).sum(axis=1) - UNIFORMS / 2)
        found: NDArray[np.float32] = np.maximum(drawn, min(LEAST_SPEED, said.mean)).astype(np.float32)
        return found
    least, most = said if isinstance(said, tuple) else (said, said)
    return rng.uniform(least, most, count).astype(np.float32)


def _ahead(rotation: NDArray[np.float32], facing: float) -> NDArray[np.float32]:
    """Return the facing directions [n, 2], x and z, of actors with the rotations `rotation` [n, 4] about +Y."""
    heading = 2 * elementary.arctan2(rotation[:, 1], rotation[:, 3]) + facing
    return np.stack([elementary.sin(heading), elementary.cos(heading)], axis=-1).astype(np.float32)
