"""Goals of a crowd: choice of goals, waiting times, and departure times."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ecs_anim.components.familiarity import MOST_GOALS
from ecs_anim.components.journeys import Journeys
from ecs_anim.maths.plan import mirrored
from ecs_anim.maths.small_matrices import length
from ecs_anim.routing.lattice import Goal
from ecs_anim.scenes.areas import area_of
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import NotNegative, Place2, Point2, Positive, Table
from ecs_anim.scenes.schema_premovement import Premovement, PremovementModel
from ecs_anim.scenes.schema_routing import GoalArea, LevelPoint
from ecs_anim.scenes.schema_rules import at_most_one, exactly_one, least_first
from ecs_anim.steering.columns import READY
from ecs_anim.support.errors import not_among
from ecs_anim.support.reuse import reusable

if TYPE_CHECKING:  # this module imports shapely, which only scenes with walls or levels need
    from ecs_anim.storeys.unfolded import Unfolded

RouteChoice = Literal["in_turn", "wander"]
ExitChoice = Literal["nearest", "quickest", "share", "assigned", "familiar"]
Waypoint = Place2 | GoalArea | LevelPoint
Weight = Annotated[int, Field(ge=1, le=1_000_000)]
CLOSEST, FARTHEST = 0.4, 5.0  # [m], distance between neighbours in a queue


class GoalModel(Table):
    """A goal in a list of goals."""

    name: str | None = Field(
        None, description="name of the goal in tables of egress times. Default: its key, such as 'goals[0]'"
    )
    at: Waypoint = Field(description="position of the goal: a plan point [x, y] [m], or { area = ... }")
    level: str | None = Field(None, description="name of the level. Default: the first level, if the scene has levels")
    share: Positive = Field(
        1.0, description="weight of this goal in a random choice, relative to the weights of all goals"
    )
    known_by: Annotated[float, Field(ge=0, le=1)] = Field(
        1.0,
        description="with exit_choice = 'familiar', share of the actors that know this goal at the start, 0 to 1. All"
        " other actors know the goal as soon as they have seen it",
    )
    wait_seconds: NotNegative | tuple[NotNegative, NotNegative] = Field(
        0.0,
        description="waiting time at the goal [s]: one time for all actors, or a range [least, most] of random times",
    )
    queue: Point2 | None = Field(
        None,
        description="vector [x, y] [m] from the served actor to the next actor in a queue. The goal serves one actor"
        " at a time, for `wait_seconds`",
    )

    places: Annotated[list[Place2], Field(max_length=1000)] = Field(
        [],
        description="waiting places [[x, y], ...] [m]. An arriving actor takes the first free place of the list, and"
        " stays there until it leaves the goal. If no place is free, actors wait at the last place",
    )
    hold: bool = Field(
        False,
        description="true: actors wait at the goal until the timeline (`release`) or Python releases them. The goal"
        " needs a name",
    )
    next: str | Annotated[list[str], Field(min_length=1)] | Annotated[dict[str, Weight], Field(min_length=1)] = Field(
        [],
        description="names of the goals to which actors go next, or { name = number, ... } with the number of"
        " consecutive actors for each goal. Default: if another goal has `next`, the journey ends at this goal",
    )
    next_choice: Literal["in_turn", "least_targeted"] = Field(
        "in_turn",
        description="rule by which actors choose among several `next` goals. 'in_turn': each actor takes the goal"
        " after the goal of the previous actor in the list. 'least_targeted': each actor takes the goal to which the"
        " fewest actors of the crowd walk",
    )

    _wait_rises = least_first("wait_seconds")

    @property
    def next_weights(self) -> dict[str, int]:
        """Return the number of consecutive actors for each next goal, by name."""
        if isinstance(self.next, dict):
            return self.next
        return dict.fromkeys([self.next] if isinstance(self.next, str) else self.next, 1)

    @model_validator(mode="after")
    def _can_stop(self) -> "GoalModel":
        if self.places and self.queue is not None:
            raise ValueError(
                "places: a goal can have waiting places or a queue, but not both. Remove `places` or `queue`."
            )
        if self.hold and self.name is None:
            raise ValueError("hold: a goal with hold = true needs a name. Write, for example, name = 'gate'.")
        return self

    @model_validator(mode="after")
    def _can_queue(self) -> "GoalModel":
        if self.queue is None:
            return self
        if isinstance(self.wait_seconds, tuple):
            raise ValueError(
                "queue: wait_seconds of a goal with a queue must be one number, because the goal serves each actor "
                "for the same time. Write a number such as wait_seconds = 3.0."
            )
        apart = float(length(self.queue))
        if not CLOSEST <= apart <= FARTHEST:
            raise ValueError(
                f"queue: the vector from one actor to the next must be {CLOSEST:g} to {FARTHEST:g} m long (got"
                f" {apart:g} m). Set queue to a {'longer' if apart < CLOSEST else 'shorter'} vector."
            )
        if self.wait_seconds == 0 and not self.hold:
            raise ValueError(
                "queue: wait_seconds of a goal with a queue must be more than 0. Write wait_seconds = 3.0."
            )
        return self


def require_stops(goals: Sequence[GoalModel], choice: str) -> None:
    """Raise ValueError if the keys `hold`, `name` or `next` of goals are wrong. `choice` is the rule by which actors
    choose a goal.
    """
    names = [goal.name for goal in goals if goal.name is not None]
    if not any(goal.next or goal.hold for goal in goals):
        return
    if again := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"goals: two goals must not have the name {again[0]!r}. Rename one goal.")
    if choice != "in_turn" and any(goal.next for goal in goals):
        raise ValueError(
            "goals: with the key next, actors must visit goals in turn. Remove exit_choice and route_choice."
        )
    for number, goal in enumerate(goals):
        for name in goal.next_weights:
            if name not in names:
                raise ValueError(f"goals[{number}].next: {not_among('there is no goal', name, names, 'goals are')}")


class GoalKeys(Table):
    """The goals of actors, waiting times, and departure times."""

    goal: Waypoint | Annotated[list[Waypoint], Field(min_length=1)] | None = Field(
        None,
        description="goal at which actors stay: [x, y] [m], { at = [x, y], level = 'name' } or { area = ... }. Or a"
        " list of waypoints [[x, y], ...], which actors visit again and again",
    )
    goals: Annotated[list[GoalModel], Field(min_length=1)] | None = Field(
        None, description="list of goals as tables with further keys, in place of `goal`"
    )
    route_choice: RouteChoice | None = Field(
        None,
        description="order in which actors visit the goals. 'in_turn' (default): the order of the list, repeated."
        " 'wander': a random order with the weights `share`",
    )
    exit_choice: ExitChoice | None = Field(
        None,
        description="rule by which each actor chooses one goal. The actor stays at this goal. 'nearest': the nearest"
        " goal. 'quickest': the goal with the shortest travel time, including congestion. 'share': a random goal with"
        " the weights `share`. 'assigned': the first actor gets the first goal of the list, the next actor the next"
        " goal, and so on. 'familiar': the goal with the shortest travel time among the goals that the actor knows"
        " (`known_by`) or has seen",
    )
    premovement_seconds: Premovement = Field(
        0.0,
        description="time before an actor starts to walk [s]: one time for all actors, a range [least, most] of random"
        " times, or a distribution such as { lognormal = [mu, sigma] }",
    )
    waits_for_alarm: bool = Field(
        False,
        description="true: the pre-movement time of an actor begins when the first alarm of the scene reaches the"
        " actor. Until then, the actor stands",
    )
    leave: bool | Annotated[list[Place2], Field(min_length=3)] = Field(
        False,
        description="rule by which actors leave the crowd. true: an actor visits each waypoint once, and leaves at the"
        " last waypoint. Corners [[x, y], ...] [m] of an area: an actor leaves when it enters the area",
    )

    _has_goals = exactly_one(
        "goal: steering needs a goal. Write goal = [x, y] or goals = [{ at = [x, y] }, ...]", "goal", "goals"
    )
    _one_choice = at_most_one(
        "exit_choice and route_choice must not be given together. Remove one of these keys",
        "exit_choice",
        "route_choice",
    )
    _premovement_rises = least_first("premovement_seconds")

    @model_validator(mode="after")
    def _can_choose(self) -> "GoalKeys":
        if self.goals is None and self.choice != "in_turn":
            key = "route_choice" if self.exit_choice is None else "exit_choice"
            raise ValueError(
                f"{key} needs the key goals. With the key goal, actors visit the waypoints in the order of the "
                f"list. Write goals = [{{ at = [x, y] }}, ...]."
            )
        if self.choice == "wander" and len(self.waypoints) < 2:
            raise ValueError("route_choice: actors that wander must have at least two goals. Add a goal.")
        if self.choice == "wander" and self.leave is True:
            raise ValueError(
                "route_choice: actors that wander never arrive, so they need an area in which they leave. Write"
                " leave = [[x, y], ...]."
            )
        if len(self.waypoints) > MOST_GOALS and self.choice == "familiar":
            raise ValueError(
                f"goals: a crowd with exit_choice = 'familiar' can have at most {MOST_GOALS} goals (got"
                f" {len(self.waypoints)}). Remove goals."
            )
        if self.choice != "familiar" and any(goal.known_by < 1 for goal in self.goals or []):
            raise ValueError("goals: known_by needs exit_choice = 'familiar'. Change exit_choice, or remove known_by.")
        return self

    @model_validator(mode="after")
    def _can_stop(self) -> "GoalKeys":
        require_stops(self.goals or [], self.choice)
        return self

    @property
    def choice(self) -> RouteChoice | ExitChoice:
        """Return the rule by which actors choose a goal."""
        return self.exit_choice or self.route_choice or "in_turn"

    @property
    def waypoints(self) -> list[Waypoint]:
        """Return all waypoints, in the order of the scene file."""
        if self.goals is not None:
            return [goal.at for goal in self.goals]
        assert self.goal is not None
        return self.goal if isinstance(self.goal, list) else [self.goal]

    @property
    def waypoint_keys(self) -> list[str]:
        """Return the key of each waypoint, relative to the table `steering` of the crowd."""
        if self.goals is not None:
            return [f"goals[{number}].at" for number in range(len(self.goals))]
        return [f"goal[{number}]" for number in range(len(self.goal))] if isinstance(self.goal, list) else ["goal"]

    @property
    def waypoint_names(self) -> list[str]:
        """Return the name of each waypoint. The default name is the key of the waypoint."""
        names = [goal.name for goal in self.goals or []] or [None] * len(self.waypoints)
        return [name or key.removesuffix(".at") for name, key in zip(names, self.waypoint_keys, strict=True)]

    @property
    def has_areas(self) -> bool:
        """Return whether at least one waypoint is an area."""
        return any(isinstance(waypoint, GoalArea) for waypoint in self.waypoints)

    @property
    def waits(self) -> NDArray[np.float32]:
        """Return the shortest and the longest waiting time [n, 2] [s] at each of the n waypoints."""
        said = [goal.wait_seconds for goal in self.goals or []]
        waits = [wait if isinstance(wait, tuple) else (wait, wait) for wait in said]
        return np.array(waits or np.zeros((len(self.waypoints), 2)), np.float32)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Return the cumulative probabilities [n] of the goals. The last cumulative probability is 1."""
        bounds = np.cumsum([goal.share for goal in self.goals or []])
        found: NDArray[np.float64] = bounds / bounds[-1]
        return found

    @property
    def stays(self) -> bool:
        """Return whether each actor has one goal and stays at this goal."""
        return self.choice not in ("in_turn", "wander")

    @property
    def queues(self) -> NDArray[np.float32]:
        """For each waypoint, return the vector [n, 2] [m], x and z, between neighbouring actors in the queue.

        The vector points from the front of the queue to its end. For a waypoint without a queue, the vector is 0.
        """
        queues = [goal.queue or (0.0, 0.0) for goal in self.goals or []] or np.zeros((len(self.waypoints), 2))
        return mirrored(np.array(queues, np.float32))

    @property
    def has_next(self) -> bool:
        """Return whether at least one goal names the goals to which actors go next."""
        return any(goal.next for goal in self.goals or [])

    @property
    def is_round(self) -> bool:
        """Return whether actors walk from goal to goal without end."""
        if self.has_next:
            return False
        return self.choice == "wander" or (self.choice == "in_turn" and len(self.waypoints) > 1 and not self.leave)

    @property
    def has_journeys(self) -> bool:
        """Return whether the actors of the crowd need the component `Journeys`.

        The component is necessary for actors that leave the crowd, for premovement times, and for goals with additional
        keys.
        """
        is_late = self.premovement_seconds != 0.0 or self.waits_for_alarm
        return bool(self.leave) or is_late or self.goals is not None


@reusable
def goals_on_plan(said: GoalKeys, key: SceneKey, unfolded: "Unfolded | None" = None) -> tuple[Goal, ...]:
    """Return the waypoints of a crowd on the plan. In a scene with levels, the waypoints are on the unfolded plan (all
    levels side by side).

    `key` is the scene key of the table `steering`. Raises InputError if a goal is invalid.
    """
    keys = (key / f".{name}" for name in said.waypoint_keys)
    levels = [goal.level for goal in said.goals or []] or [None] * len(said.waypoints)
    return tuple(_goal(*own, unfolded) for own in zip(said.waypoints, levels, keys, strict=True))


def _goal(waypoint: Waypoint, level: str | None, key: SceneKey, unfolded: "Unfolded | None") -> Goal:
    """Return a waypoint on the plan. If the waypoint does not name its level, the waypoint is on `level`."""
    name = level if isinstance(waypoint, tuple) else waypoint.level or level
    number, (x, y) = level_offset(name, key, unfolded)
    told = "" if unfolded is None else f" on level {unfolded.building.names[number]!r}"
    if isinstance(waypoint, GoalArea):
        area = area_of(waypoint.area, key / ".area")
        said = f"{Goal(*area.inner, area)}{told}" if told else ""
        area = area if x == y == 0 else area.moved(x, y)
        return Goal(*area.inner, area, said)
    at = waypoint.at if isinstance(waypoint, LevelPoint) else waypoint
    return Goal(at[0] + x, at[1] + y, None, f"{Goal(*at)}{told}" if told else "")


def level_offset(name: str | None, key: SceneKey, unfolded: "Unfolded | None") -> tuple[int, tuple[float, float]]:
    """Return the number of a level, and the translation [m] of the level from the building's plan to the unfolded plan.

    Without a name, return the first level. Raises InputError for an unknown level.
    """
    if unfolded is None:
        if name is not None:
            raise key.fault(f"the scene has no levels (got level = {name!r}). Add [[levels]], or leave out level.")
        return 0, (0.0, 0.0)
    names = unfolded.building.names
    if name is not None:
        key.require_among(name, names, "the scene has no level", "the levels are")
    number = 0 if name is None else names.index(name)
    x, y = unfolded.offsets[number].tolist()
    return number, (x, y)


def new_journeys(said: GoalKeys, count: int, rng: np.random.Generator) -> Journeys:
    """Return the component `Journeys` for `count` actors that have not departed yet."""
    rest = _premovement(said.premovement_seconds, count, rng)
    draws = said.choice == "wander" or (said.waits[:, 0] < said.waits[:, 1]).any()
    return Journeys(
        is_round=said.is_round,
        stays=said.stays,
        leaves=bool(said.leave),
        exit=np.array(said.leave if isinstance(said.leave, list) else np.zeros((0, 2)), np.float64),
        wait=said.waits,
        shares=said.shares.astype(np.float32) if said.choice == "wander" else np.zeros(0, np.float32),
        queue=said.queues,
        stage=np.full(count, READY, np.int32),
        rest=rest,
        chance=rng.integers(2**31, size=count, dtype=np.int32) if draws else np.zeros(count, np.int32),
        ticket=np.full(count, -1, np.int32),
    )


def _premovement(
    said: float | tuple[float, float] | PremovementModel, count: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return the pre-movement times [count] [s] of new actors.

    If `said` is a distribution, the time of an actor depends only on one random key and on the number of the actor.
    """
    if isinstance(said, PremovementModel):
        counter = np.random.Philox(key=int(rng.integers(2**63)))
        return said.times(np.random.Generator(counter).random(count)).astype(np.float32)
    least, most = said if isinstance(said, tuple) else (said, said)
    return rng.uniform(least, most, count).astype(np.float32)
