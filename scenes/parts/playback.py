"""Playback of motions. The part builds the fade queues of a crowd, and chooses the first motion of each actor."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ecs_anim.components.body import Body
from ecs_anim.components.controller import Controller
from ecs_anim.components.movers import Movers
from ecs_anim.components.playback import Playback
from ecs_anim.scenes.parts.part import Drawn, Joining, Making, Part
from ecs_anim.scenes.schema_base import Finite, NotNegative, Point2, Table
from ecs_anim.scenes.schema_rules import rule

FirstPhase = Annotated[float, Field(ge=0, le=1)] | Literal["random"]


class CurveModel(Table):
    """A scalar curve over the time of a clip."""

    seconds: Annotated[list[NotNegative], Field(min_length=1)] = Field(
        description="times [s] after the start of the clip"
    )
    values: Annotated[list[Finite], Field(min_length=1)]
    interpolation: Literal["STEP", "LINEAR"] = "LINEAR"

    @model_validator(mode="after")
    def _in_order(self) -> "CurveModel":
        if len(self.seconds) != len(self.values):
            raise ValueError(
                "the lists seconds and values have different lengths. Write one value for each time in seconds."
            )
        if any(b <= a for a, b in pairwise(self.seconds)):
            raise ValueError("seconds must increase")
        return self


class ClipModel(Table):
    """A clip that actors of a crowd can play."""

    name: str
    weight: NotNegative = Field(
        1.0,
        description="weight of this clip in the random choice of an actor's first motion, relative to the weights of"
        " all motions",
    )
    speed: Finite | tuple[Finite, Finite] = Field(
        1.0, description="playback speed, or a range of random playback speeds"
    )
    phase: FirstPhase = Field(
        "random", description="phase of the clip at which actors begin to play, 0 (start of the clip) to 1 (end)"
    )
    loop: bool | None = Field(
        None, description="true: the clip repeats. Default: the value in the extras of the glTF file, otherwise true"
    )
    ground_speed_m_s: Finite | None = Field(
        None,
        description="speed of the clip over the ground [m/s]. Default: the value in the extras of the glTF file,"
        " otherwise measured from the feet",
    )
    moves_actor: bool | CurveModel = Field(
        False,
        description="true: the actor moves over the ground as the body moves in the clip. For a clip in which the body "
        "stays in place: a curve of the distance [m] that the actor moves forward since the start of the clip",
    )
    turns_actor: bool = Field(
        False, description="with moves_actor = true. true: the actor also turns as the body turns in the clip"
    )
    event_seconds: dict[str, list[NotNegative]] = Field(
        {}, description="times of events after the start of the clip [s], by name of the event"
    )
    curves: dict[str, CurveModel] = Field({}, description="scalar curves, by name of the parameter that the curve sets")

    _moves_once = rule(
        "the keys moves_actor and ground_speed_m_s both move the actor. Leave out one of these keys.",
        lambda clip: clip.moves_actor is False or clip.ground_speed_m_s is None,
    )
    _turns_with = rule(
        "turns_actor = true needs moves_actor = true. Add moves_actor = true, or leave out turns_actor.",
        lambda clip: clip.moves_actor is True or not clip.turns_actor,
    )


class MemberModel(Table):
    """A clip at a position in a blend space."""

    clip: str
    at: Finite | Point2 | None = Field(
        None,
        description="value of each parameter of the blend space at which only this clip plays. Default: the ground"
        " speed of the clip",
    )


class BlendSpaceModel(Table):
    """Clips that an actor mixes with weights from one or two parameters.

    All clips of the blend space have equal phases at any time.
    """

    name: str
    parameters: Annotated[list[str], Field(min_length=1, max_length=2)] = Field(
        description="name of one parameter, such as a speed, or names of two parameters, such as the speeds to the"
        " left and forward"
    )
    members: Annotated[list[MemberModel], Field(min_length=2, max_length=8)]
    sync: Literal["phase", "contacts"] = Field(
        "phase",
        description="synchronisation of the clips. 'phase': at equal shares of their durations. 'contacts': "
        "feet touch the ground at equal phases. The contacts come from the extras of the clips, or from the movement"
        " of the feet",
    )
    keeps_pace: bool = Field(
        True, description="true: the parameters are ground speeds. Actors move at these speeds, and feet do not slide"
    )
    weight: NotNegative = Field(
        1.0,
        description="weight of this blend space in the random choice of the first motion, relative to the weights of"
        " all motions",
    )
    phase: FirstPhase = "random"


class PlaybackKeys(Table):
    """The motions of a crowd."""

    clips: list[ClipModel] = Field(
        [],
        description="clips that actors play. Default: the walk clip of the model if the crowd moves, otherwise the"
        " idle clip. If the model has no such clip, the default is the first clip of the model",
    )
    blend_spaces: list[BlendSpaceModel] = []
    clip_choice: Literal["random", "in_turn"] = Field(
        "random",
        description="rule for the first motion of each actor. 'random': a random motion, by weight. 'in_turn': the"
        " first actor plays the first motion of the list, the next actor the next motion, and so on",
    )
    fade_slots: Annotated[int, Field(ge=1, le=8)] = Field(
        4, description="largest number of motions that an actor plays at the same time during fades"
    )


@dataclass(frozen=True)
class FirstMotions:
    """The rule for the first motion of each actor.

    The rule assigns one motion to all actors, motions in the order of the scene file, or random motions.
    """

    start: int | None  # index of the motion that all actors begin with
    in_turn: bool
    bounds: NDArray[np.float64]  # [motion_count - 1], 0 to 1, cumulative shares of the motions
    slowest: NDArray[np.float64]  # [motion_count], lowest speed factor of each motion
    range: NDArray[np.float64]  # [motion_count], difference between the highest and the lowest speed factor
    phase: NDArray[np.float64] | None  # [motion_count], NaN = random; None = all are random

    def draw(self, count: int, rng: np.random.Generator, have: int = 0) -> dict[str, NDArray[Any]]:
        """Return a dictionary from column name to values [count] of the first fade slot.

        The crowd already has `have` actors.
        """
        drawn_motion, drawn_speed, phase = rng.random((3, count))
        number = self._numbers(count, drawn_motion, have)
        if self.phase is not None:
            fixed = self.phase.take(number)
            phase = np.where(np.isnan(fixed), phase, fixed)
        speed = self.slowest.take(number) + self.range.take(number) * drawn_speed
        return {"motion": number, "phase": phase, "speed": speed}

    def _numbers(self, count: int, drawn: NDArray[np.float64], have: int) -> NDArray[np.int64]:
        if self.start is not None:
            return np.full(count, self.start)
        if self.in_turn:
            return np.arange(have, have + count) % (len(self.bounds) + 1)
        return np.searchsorted(self.bounds, drawn, side="right")


def first_motions(crowd: PlaybackKeys, making: Making) -> FirstMotions:
    """Return the rule for the first motions of a crowd. A controller or a body can require one motion for all actors.

    Raises InputError.
    """
    start = _start(making)
    entries: list[ClipModel | BlendSpaceModel] = [*crowd.clips, *crowd.blend_spaces]
    weights = np.array([entry.weight for entry in entries])
    in_turn = crowd.clip_choice == "in_turn"
    if start is None and not in_turn and weights.sum() <= 0:
        raise making.key.fault("at least one weight of clips and blend_spaces must be more than 0. Raise a weight.")
    speeds = [entry.speed if isinstance(entry, ClipModel) else 1.0 for entry in entries]
    low, high = np.array([speed if isinstance(speed, tuple) else (speed, speed) for speed in speeds]).reshape(-1, 2).T
    phase = np.array([np.nan if entry.phase == "random" else entry.phase for entry in entries])
    # motions that other parts add; an actor begins with such a motion only if `start` selects the motion
    more = len(making.motions.motions) - len(entries)
    return FirstMotions(
        start=start,
        in_turn=in_turn,
        bounds=np.cumsum(weights / (weights.sum() or 1.0))[:-1],
        slowest=np.append(low, np.ones(more)),
        range=np.append(high - low, np.zeros(more)),
        phase=None if np.isnan(phase).all() else np.append(phase, np.full(more, np.nan)),
    )


def _start(making: Making) -> int | None:
    """Return the first motion that a controller or a body requires for all actors. Otherwise, return None."""
    controller, body, movers = making.find(Controller), making.find(Body), making.find(Movers)
    if controller is not None:
        return int(controller.machine.arrays.state_motion[controller.machine.start])
    if body is not None and movers is not None and movers.locomotion is None:
        return body.plan.motion
    return None


class PlaybackPart(Part[PlaybackKeys]):
    """The motions that actors play. Every crowd has this part."""

    keys = PlaybackKeys
    always = True
    cpu_only = ("blend_spaces",)

    def build(self, crowd: PlaybackKeys, making: Making) -> Iterator[object]:
        """Build the fade queues. Each fade queue contains one motion, in its first slot."""
        shape = (making.count, crowd.fade_slots)
        playback = Playback(
            slot_count=np.ones(making.count, np.int32),
            motion=np.zeros(shape, np.int32),
            phase=np.zeros(shape, np.float32),
            speed=np.zeros(shape, np.float32),
            fade_time=np.zeros(shape, np.float32),
            fade_duration=np.zeros(shape, np.float32),
        )
        first = making.kept[self] = first_motions(crowd, making)
        for name, rows in first.draw(making.count, making.rng).items():
            getattr(playback, name)[:, 0] = rows
        yield playback

    def draw(self, crowd: PlaybackKeys, joining: Joining) -> Iterator[Drawn]:
        """Yield the values of all fade slots for new actors. The first fade slot contains the first motion.

        The values of unused fade slots have no effect.
        """
        playback, first = joining.making.get(Playback), joining.making.kept[self]
        for name, rows in first.draw(joining.count, joining.rng, joining.have).items():
            yield playback, name, rows[:, None]
