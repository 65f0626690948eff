"""State machines that choose the motions of actors. The part builds the component `Controller`."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import Field

from ecs_anim.components.controller import Controller
from ecs_anim.runtime.state_machine import StateMachine, Transition, build_machine, parse_condition
from ecs_anim.scenes.parts.parameters import ParameterKeys
from ecs_anim.scenes.parts.part import Demand, Making, Part
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_base import NotNegative, Table

NO_STATE = ("there is no state", "states are")


class TransitionModel(Table):
    """A transition from one state to another."""

    source: str = Field(alias="from", description="start state of the transition, or 'any'")
    to: str
    when: Annotated[list[str], Field(min_length=1)] = Field(
        description="conditions of the transition, such as 'speed > 2', 'elapsed > 1.5', 'phase >= 0.5', 'finished',"
        " or the name of a trigger. The transition happens when all conditions are true"
    )
    fade_seconds: NotNegative = Field(0.25, description="duration of the fade to the new motion [s]")
    match_phase: bool = Field(False, description="true: the new motion begins at the phase of the old motion")


class ControllerModel(Table):
    """A state machine."""

    start: str
    states: Annotated[dict[str, str], Field(min_length=1)] = Field(
        description="motion of each state, by name of the state"
    )
    transitions: list[TransitionModel] = []


class ControllerKeys(ParameterKeys):
    """The state machine of a crowd."""

    controller: ControllerModel | None = None


class ControllerPart(Part[ControllerKeys]):
    """A state machine."""

    keys = ControllerKeys
    cpu_only = ()
    kernels = ("controller",)

    def demands(self, crowd: ControllerKeys) -> Iterator[Demand]:
        """Yield the number of transitions of a controller. A budget limits the number of transitions."""
        count = len(crowd.controller.transitions) if crowd.controller else 0
        yield "transitions", count, ".controller.transitions", "remove transitions of the controller"

    def build(self, crowd: ControllerKeys, making: Making) -> Iterator[object]:
        """Build the state machine. At the start, every actor is in the start state."""
        assert crowd.controller is not None  # is_wanted has checked the key
        machine = _state_machine(crowd.controller, crowd.triggers, making, making.key / ".controller")
        state = np.full(making.count, machine.start, np.int32)
        yield Controller(machine, state, np.zeros(making.count, np.float32))


def _state_machine(model: ControllerModel, triggers: list[str], making: Making, key: SceneKey) -> StateMachine:
    """Return the state machine with the states and transitions in `model`. Raises InputError for unknown names."""
    motions, names = making.motions.index, making.names
    for state, motion in model.states.items():
        if state == "any":
            raise (key / ".states.any").fault(
                "a state cannot have the name 'any', because 'any' means every state. Choose another name."
            )
        (key / f".states.{state}").require_among(motion, motions, "the crowd has no motion")
    transitions = []
    for i, written in enumerate(model.transitions):
        transition = key / f".transitions[{i}]"
        (transition / ".from").require_among(written.source, [*model.states, "any"], *NO_STATE)
        (transition / ".to").require_among(written.to, model.states, *NO_STATE)
        conditions = []
        for j, text in enumerate(written.when):
            with (transition / f".when[{j}]").blamed():
                conditions.append(parse_condition(text, names, triggers))
        source = None if written.source == "any" else written.source
        transitions.append(Transition(source, written.to, tuple(conditions), written.fade_seconds, written.match_phase))
    (key / ".start").require_among(model.start, model.states, *NO_STATE)
    return build_machine({state: motions[m] for state, m in model.states.items()}, model.start, transitions)
