"""State machines as written: conditions, and the order in which transitions are tried."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.runtime.state_machine import (
    ELAPSED,
    FINISHED,
    OPERATORS,
    PHASE,
    Condition,
    Transition,
    build_machine,
    parse_condition,
)

PARAMETERS, TRIGGERS = ("speed", "step-length", "greet"), ("greet",)
BY_SIGN = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def parse(text):
    return parse_condition(text, PARAMETERS, TRIGGERS)


@pytest.mark.parametrize("sign", BY_SIGN)
@pytest.mark.parametrize("spacing", ["", " "])
def test_every_comparison(sign, spacing):
    condition = parse(f"speed{spacing}{sign}{spacing}-1.5")
    assert condition == Condition(0, OPERATORS.index(sign), -1.5, False)


@given(st.floats(-1e9, 1e9), st.sampled_from(sorted(BY_SIGN)))
def test_any_number_can_be_compared_with(number, sign):
    assert parse(f"step-length {sign} {number!r}") == (1, OPERATORS.index(sign), number, False)


@pytest.mark.parametrize(("word", "subject"), [("elapsed", ELAPSED), ("phase", PHASE), ("finished", FINISHED)])
def test_what_else_can_be_compared(word, subject):
    assert parse(f"{word} >= 0.5") == (subject, OPERATORS.index(">="), 0.5, False)


def test_words_that_stand_alone():
    assert parse(" finished ") == (FINISHED, OPERATORS.index(">"), 0.5, False)
    assert parse(" greet ") == (2, OPERATORS.index(">"), 0.5, True)
    assert not parse("greet > 0.5").is_trigger, "a comparison looks at a trigger without using it"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a condition; write a condition such as 'speed > 2'"),
        ("speed", "'speed' is not a condition"),
        ("gret", "'gret' is not a condition; did you mean 'greet'?"),
        ("finishd", "did you mean 'finished'?"),
        (
            "sped > 2",
            "unknown parameter 'sped'; did you mean 'speed'? the parameters are: speed,",
        ),
        ("speed > two", "is not a condition"),
        ("speed > nan", "is not a condition"),
        ("speed > inf", "is not a condition"),
        ("speed > 1e999", "must be from -1e+09 to 1e+09"),
        ("speed > 1e39", "must be from -1e+09 to 1e+09"),
        ("speed = 2", "is not a condition"),
        ("2 < speed", "is not a condition"),
        ("speed > 2 and speed < 3", "is not a condition"),
    ],
)
def test_what_is_no_condition_is_told(text, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        parse(text)
    assert message in str(caught.value)


def transition(source, target, *texts, fade=0.25, keeps_phase=False):
    return Transition(source, target, tuple(map(parse, texts)), fade, keeps_phase)


STATES = {"stand": 4, "walk": 0, "run": 7}
WRITTEN = [
    transition(None, "stand", "greet", fade=0.5),
    transition("walk", "run", "speed > 2", "elapsed > 1", keeps_phase=True),
    transition("stand", "walk", "speed > 0"),
    transition(None, "walk", "finished"),
    transition("walk", "walk", "phase > 0.9"),
    transition("walk", "stand", "speed < 0.1", fade=0.0),
]


def leaving(machine, state):
    """(target, fade, keeps phase, conditions) of the transitions out of a state, in order."""
    arrays = machine.arrays
    number = machine.state_names.index(state)
    found = []
    for i in range(arrays.first_transition[number], arrays.first_transition[number + 1]):
        own = range(arrays.first_condition[i], arrays.first_condition[i + 1])
        conditions = [(arrays.subject[c], arrays.operator[c], arrays.threshold[c], arrays.is_trigger[c]) for c in own]
        target = machine.state_names[arrays.to_state[i]]
        found.append((target, arrays.fade[i], arrays.keeps_phase[i], conditions))
    return found


@pytest.mark.parametrize(("state", "order"), [("stand", [2, 3]), ("walk", [1, 4, 5, 0]), ("run", [0, 3])])
def test_own_transitions_come_first_then_those_from_any_state_but_never_to_itself(state, order):
    expected = [
        (
            WRITTEN[i].target,
            np.float32(WRITTEN[i].fade),
            WRITTEN[i].keeps_phase,
            [tuple(c) for c in WRITTEN[i].conditions],
        )
        for i in order
    ]
    found = leaving(build_machine(STATES, "walk", WRITTEN), state)
    assert [row[:3] for row in found] == [row[:3] for row in expected]
    for (*_, conditions), (*_, wanted) in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.array(conditions, float), np.array(wanted, float))


def test_a_machine_knows_its_states_and_start():
    machine = build_machine(STATES, "run", WRITTEN)
    assert machine.state_names == ("stand", "walk", "run")
    assert machine.start == 2
    assert machine.arrays.state_motion.tolist() == [4, 0, 7]
    assert not any(array.flags.writeable for array in machine.arrays)


def test_a_machine_may_have_no_transitions():
    assert build_machine({"only": 3}, "only", []).arrays.first_transition.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("start", "written"),
    [("sit", []), ("walk", [transition("sit", "walk", "greet")]), ("walk", [transition("walk", "sit", "greet")])],
)
def test_names_that_are_no_states_are_told(start, written):
    with pytest.raises(ValueError, match="there is no state 'sit'. Name one of the states: stand, walk, run"):
        build_machine(STATES, start, written)
