"""State machines: conditions select the motion that each actor plays."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.support.errors import nearest

# Subjects of a condition that are not parameters.
ELAPSED, PHASE, FINISHED = -1, -2, -3
SUBJECTS = {"elapsed": ELAPSED, "phase": PHASE, "finished": FINISHED}
OPERATORS = ("<", "<=", ">", ">=", "==", "!=")
LARGEST = 1e9  # largest number in a condition

_COMPARISON = re.compile(r"\s*([A-Za-z_][\w-]*)\s*(<=|>=|==|!=|<|>)\s*(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\s*")


class MachineArrays(NamedTuple):
    """The arrays of a state machine, as an argument of the controller kernel. All arrays are read-only.

    Transitions are grouped by their source state. In each group, the transitions are in the order in which the kernel
    tests them. Conditions are grouped by transition. The kernel makes a transition if all of its conditions are true.
    """

    state_motion: Annotated[NDArray[np.int32], Shape("state")]
    first_transition: Annotated[NDArray[np.int32], Shape("state + 1")]
    to_state: Annotated[NDArray[np.int32], Shape("transition")]
    fade: Annotated[NDArray[np.float32], Shape("transition")]  # [s], duration
    # true = the new motion starts at the phase of the old motion
    keeps_phase: Annotated[NDArray[np.bool_], Shape("transition")]
    first_condition: Annotated[NDArray[np.int32], Shape("transition + 1")]
    subject: Annotated[NDArray[np.int32], Shape("condition")]  # column of a parameter, or an element of SUBJECTS
    operator: Annotated[NDArray[np.int32], Shape("condition")]  # index in OPERATORS
    threshold: Annotated[NDArray[np.float32], Shape("condition")]
    is_trigger: Annotated[NDArray[np.bool_], Shape("condition")]  # true = the transition sets the subject to 0


class Condition(NamedTuple):
    """A comparison of a parameter or another subject with a threshold."""

    subject: int
    operator: int
    threshold: float
    is_trigger: bool


@dataclass(frozen=True)
class Transition:
    """A change from the state `source` to the state `target` if all conditions are true.

    If `source` is None, the change can start in any state.
    """

    source: str | None
    target: str
    conditions: tuple[Condition, ...]
    fade: float  # [s], duration
    keeps_phase: bool = False


@dataclass(frozen=True, eq=False)
class StateMachine:
    """A state machine: the names of its states in the order of their numbers, and the arrays for the kernel."""

    state_names: tuple[str, ...]
    start: int
    arrays: MachineArrays


def parse_condition(text: str, parameters: Sequence[str], triggers: Sequence[str]) -> Condition:
    """Return the condition for a text from a scene file.

    Valid texts are, for example, `speed > 2`, `elapsed >= 1.5`, `finished`, or the name of a trigger.

    Raises ValueError if the text is invalid. The error message lists the valid forms.
    """
    word = text.strip()
    if word in triggers:
        return Condition(list(parameters).index(word), OPERATORS.index(">"), 0.5, True)
    if word == "finished":
        return Condition(FINISHED, OPERATORS.index(">"), 0.5, False)
    match = _COMPARISON.fullmatch(text)
    if not match:
        hint = nearest(word, [*triggers, "finished"])
        raise ValueError(
            f"{text!r} is not a condition;{hint} write a condition such as 'speed > 2' or 'elapsed > 1.5', or"
            " name a trigger"
        )
    name, operator, number = match.groups()
    if not abs(float(number)) <= LARGEST:
        raise ValueError(
            f"the number in the condition {text!r} must be from {-LARGEST:g} to {LARGEST:g}. Write another number"
        )
    if name in SUBJECTS:
        subject = SUBJECTS[name]
    elif name in parameters:
        subject = list(parameters).index(name)
    else:
        known = ", ".join([*parameters, *SUBJECTS])
        hint = nearest(name, [*parameters, *SUBJECTS])
        raise ValueError(
            f"the condition {text!r} names the unknown parameter {name!r};{hint} the parameters are: {known}"
        )
    return Condition(subject, OPERATORS.index(operator), float(number), False)


def build_machine(states: Mapping[str, int], start: str, transitions: Sequence[Transition]) -> StateMachine:
    """Return a state machine with the transitions `transitions`.

    `states` is a dictionary from state name to motion number.

    The kernel first tests the transitions from the current state, in order. Then, it tests the transitions that can
    start in any state. Raises ValueError if a state is unknown.
    """
    names = list(states)
    for name in [start, *(t.target for t in transitions), *(t.source for t in transitions if t.source)]:
        if name not in names:
            raise ValueError(f"there is no state {name!r}. Name one of the states: {', '.join(names)}")
    grouped = [_leaving(name, transitions) for name in names]
    flat = [transition for group in grouped for transition in group]
    conditions = [condition for transition in flat for condition in transition.conditions]
    arrays = MachineArrays(
        state_motion=np.array(list(states.values()), np.int32),
        first_transition=np.array(np.cumsum([0, *map(len, grouped)]), np.int32),
        to_state=np.array([names.index(transition.target) for transition in flat], np.int32),
        fade=np.array([transition.fade for transition in flat], np.float32),
        keeps_phase=np.array([transition.keeps_phase for transition in flat], np.bool_),
        first_condition=np.array(np.cumsum([0, *(len(t.conditions) for t in flat)]), np.int32),
        subject=np.array([condition.subject for condition in conditions], np.int32),
        operator=np.array([condition.operator for condition in conditions], np.int32),
        threshold=np.array([condition.threshold for condition in conditions], np.float32),
        is_trigger=np.array([condition.is_trigger for condition in conditions], np.bool_),
    )
    return StateMachine(tuple(names), names.index(start), sealed(arrays))


def _leaving(state: str, transitions: Sequence[Transition]) -> list[Transition]:
    own = [transition for transition in transitions if transition.source == state]
    anywhere = [t for t in transitions if t.source is None and t.target != state]
    return own + anywhere
