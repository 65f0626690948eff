"""Bounds: every changing field of ours says what its values may be, good worlds keep to it, and bad values are told."""

import importlib
import pkgutil
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import pytest

import ecs_anim.components
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.components.timeline import Cue, Timeline
from ecs_anim.ecs.bounds import (
    LARGEST,
    Beside,
    Index,
    NotNegativeColumn,
    OneOf,
    ShareColumn,
    Unit,
    Within,
    flaws_of,
)
from ecs_anim.ecs.columns import Column, Kept, Lengths, Rule, fields_of
from ecs_anim.ecs.id_index import new_id_index
from ecs_anim.profiling.validation.feet import watch_feet
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.view.camera import OrbitCamera
from tests.helpers import DAILY, some

ALONE = Beside({}, 0.0)


def declared_fields():
    """The annotations of all fields in the components' modules, and in those that hold state for them."""
    names = [f"ecs_anim.components.{module.name}" for module in pkgutil.iter_modules(ecs_anim.components.__path__)]
    others = ("view.camera", "ecs.id_index", "ik.grounding", "ik.look_at")
    for name in (*names, *(f"ecs_anim.{other}" for other in others)):
        module = importlib.import_module(name)
        for owner in vars(module).values():
            if isinstance(owner, type) and owner.__module__ == name:
                yield from ((f"{owner.__name__}.{key}", hint) for key, hint in own_hints(owner).items())


def own_hints(owner):
    from typing import get_type_hints

    try:
        return get_type_hints(owner, include_extras=True)
    except NameError:  # names that only type checkers see
        return {}


def marks_of(hint):
    """All that an annotation carries, however it is wrapped."""
    parts = [mark for part in getattr(hint, "__args__", ()) for mark in marks_of(part)]
    return [*getattr(hint, "__metadata__", ()), *parts]


def numbers_in(hint):
    """Whether an annotation is of numbers, not of truth values: by its text, as a reader takes it."""
    return any(word in str(hint) for word in ("int", "float"))


def test_every_changing_field_says_what_its_values_may_be():
    changing = {name: hint for name, hint in declared_fields() if "Role." in str(hint)}
    assert len(changing) > 50
    without = {
        name
        for name, hint in changing.items()
        if numbers_in(hint) and not [m for m in marks_of(hint) if isinstance(m, Rule) and not isinstance(m, Lengths)]
    }
    assert without == set()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", some(shipped_scenes(), *DAILY))
def test_good_worlds_keep_to_it(name):
    with load_scene(name, actors=12, threads=1) as world:
        watch_feet(world)
        for _ in range(4):
            world.step(1 / 30)
            assert [flaw for entity in world.entities for flaw in flaws_of(world.components(entity), world.time)] == []


def told(rule, value, owner=None, beside=ALONE):
    return rule.flaw(value, owner, beside)


@pytest.mark.parametrize("value", [0, 1, 0.5, [], [0.0, 1.0], np.float32([[0, 1]]), np.zeros(0, np.float32)])
def test_numbers_within(value):
    assert told(Within(0, 1), value) == ""


@pytest.mark.parametrize(
    "value",
    [2, -0.1, float("nan"), 10**400, None, "x", [0.0, 2.0], [None], [[0]], np.float32([0, np.nan]), np.array([-1, 0])],
)
def test_numbers_that_are_not_within(value):
    text = told(Within(0, 1), value)
    assert text.startswith("must be 0 to 1 (got ")
    assert len(text) < 80


def test_nan_may_stand_for_something():
    rule = Within(-1, 1, or_nan=True)
    assert told(rule, np.float32([np.nan, 1])) == told(rule, np.float32([np.nan])) == ""
    assert "(got inf)" in told(rule, np.float32([np.nan, np.inf]))


def test_an_index_is_of_what_its_path_leads_to():
    @dataclass
    class Machine:
        names: tuple[str, ...] = ("idle", "walk")
        count: int = 5

    beside = Beside({"Machine": Machine()}, 0.0)
    own, rows = object(), np.int32([0, 1])
    assert told(Index("Machine.names"), rows, own, beside) == told(Index("Machine.count"), rows, own, beside) == ""
    assert told(Index("names"), rows, Machine(), beside) == ""
    assert "must be 0 to 1 (got 2)" in told(Index("Machine.names"), rows + 1, own, beside)
    assert "must be 0 to 1 (got -1)" in told(Index("Machine.names"), rows - 1, own, beside)
    assert told(Index("Machine.names", or_none=True), rows - 1, own, beside) == ""
    assert told(Index("Machine.names", first=1), rows + 1, own, beside) == ""
    assert "must be 1 to 2 (got 0)" in told(Index("Machine.names", first=1), rows, own, beside)


def test_units_and_choices():
    turned = np.float32([[0, 0.6, 0, 0.8], [0, 0, 0, -1]])
    assert told(Unit(), turned) == told(Unit(), turned[:0]) == ""
    for wrong in (turned * 2, turned * 0, turned + np.float32(np.nan)):
        assert told(Unit(), wrong) == "must be unit quaternions"
    assert told(OneOf(("linear",)), "linear") == ""
    assert told(OneOf(("linear",)), ["linear"]) == "must be one of linear"


@dataclass
class Wind:
    """A user's."""

    gust: Column[np.float32]
    heading: Kept[float]
    from_whom: Annotated[Column[np.int32], Index("gust", or_none=True)]
    blows: Column[np.bool_]
    share: ShareColumn
    since: NotNegativeColumn
    layers: Annotated[Kept[list[float]], Within(0, 9)] = field(default_factory=list)

    def flaw(self, beside):
        return "blows backwards in time" if beside.time < 1 and self.heading < 0 else ""


def wind():
    gust, from_whom, blows, share, since = (np.zeros(3, dtype) for dtype in ("f4", "i4", "?", "f4", "f4"))
    return Wind(gust, 0.0, from_whom, blows, share, since)


def test_a_users_component_is_held_to_what_it_declares():
    own = wind()
    own.gust[:] = np.nan  # says nothing
    assert list(flaws_of([own], 0.0)) == []
    own.heading = -1.0
    assert list(flaws_of([own], 0.0)) == [("Wind", "blows backwards in time")]
    assert list(flaws_of([own], 1.0)) == []
    own.from_whom[1], own.share[2], own.since[0] = 3, 2, np.inf
    own.blows.view(np.uint8)[0] = 77
    own.layers = [0.0, 10.0]
    assert [path for path, _ in flaws_of([own], 0.0)] == [
        "Wind.from_whom", "Wind.blows", "Wind.share", "Wind.since", "Wind.layers",
    ]  # fmt: skip


def test_fields_carry_their_rules():
    rules = {own.name: own.rules for own in fields_of([wind()])}
    assert rules["gust"] == ()
    assert rules["share"] == (Within(0.0, 1.0),)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda own: own.ids.__setitem__(0, own.ids[1]),
        lambda own: own.ids.__setitem__(0, 1 << 40),
        lambda own: setattr(own, "next_id", int(own.ids.max())),
    ],
)
def test_ids_that_contradict_themselves(spoil):
    own = new_id_index(9)
    own.take_back(own.ids[[2, 5]])
    own.ids = np.delete(own.ids, [2, 5])
    own.move(own.ids, np.arange(7))
    assert own.flaw(ALONE) == ""
    spoil(own)
    assert own.flaw(ALONE) != ""


def test_palettes_are_of_their_method():
    assert Palette(np.zeros((2, 5, 3, 4), np.float32), np.zeros(2, np.int32)).flaw(ALONE) == ""
    assert "3 rows" in Palette(np.zeros((2, 5, 4, 4), np.float32), np.zeros(2, np.int32)).flaw(ALONE)
    assert "GPU" in Palette(np.zeros((2, 5, 4, 4), np.float32), None, "dual_quaternion").flaw(ALONE)


def test_cues_of_the_past_have_fired():
    timeline = Timeline([Cue(at=1.0, every=2.0, crowd=None, share=1.0, seed=0, fired=2)])
    assert timeline.flaw(Beside({}, 5.0)) == ""
    assert "cues[0] must have acted 3 times at the time of the snapshot (got 2 times)" in timeline.flaw(Beside({}, 5.1))


def test_crowds_and_cameras_have_bounds():
    crowd, camera = Crowd("people", 2), OrbitCamera()
    crowd.actor_count, crowd.moves = -1, 2**60
    camera.target, camera.distance, camera.elevation = np.float32([0, 2 * LARGEST, 0]), 0.0, 2.0
    assert [path for path, _ in flaws_of([crowd, camera], 0.0)] == [
        "Crowd.actor_count", "Crowd.moves", "OrbitCamera.target", "OrbitCamera.distance", "OrbitCamera.elevation",
    ]  # fmt: skip
