"""Columns: what is declared to have a row for each actor is all that has one."""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from ecs_anim.bake.bake import Bake
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.foot_measures import FootMeasures
from ecs_anim.components.palette import Palette
from ecs_anim.components.spawner import Spawner
from ecs_anim.components.storeys import Storeyed
from ecs_anim.ecs.columns import Column, Kept, Role, fields_of
from ecs_anim.profiling.validation.feet import watch_feet
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.schema_bake import NearActorsModel
from ecs_anim.scenes.schema_layout import PointsLayout
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.systems.population import columns_of
from tests.helpers import DAILY, some

COUNT = 97  # no frozen array has this length


class Remembered(NamedTuple):
    turn: Column[np.float32]
    sight: float


@dataclass
class Part:
    weight: Column[np.float32]
    table: NDArray[np.float32]
    state: Remembered
    spare: Column[np.int32] | None = None


@dataclass
class Whole:
    parts: tuple[Part, ...]
    one: Part
    fired: Kept[int] = 3
    title: str = "whole"


def part():
    return Part(np.zeros(4, np.float32), np.ones(9, np.float32), Remembered(np.zeros((4, 2), np.float32), 1.5))


def test_fields_are_found_wherever_they_are_held():
    first, second = part(), part()
    whole = Whole((first, second), first)
    found = {field.path: field.role for field in fields_of([whole])}
    assert found == {
        "Whole.parts[0].weight": Role.ACTOR,
        "Whole.parts[0].state.turn": Role.ACTOR,
        "Whole.parts[1].weight": Role.ACTOR,
        "Whole.parts[1].state.turn": Role.ACTOR,
        "Whole.fired": Role.KEPT,
    }


def test_what_is_put_is_what_its_owner_has():
    whole = Whole((part(),), part())
    for field in fields_of([whole]):
        field.put(7 if field.path == "Whole.fired" else field.value + 1)
    assert whole.fired == 7
    assert (whole.parts[0].weight == 1).all()
    assert (whole.parts[0].state.turn == 1).all()
    assert whole.parts[0].state.sight == 1.5
    assert (whole.one.weight == 1).all()


def test_a_field_that_may_be_none_counts_where_it_is_not():
    own = part()
    own.spare = np.zeros(4, np.int32)
    assert "Part.spare" in [field.path for field in fields_of([own])]


def test_a_property_may_be_declared():
    @dataclass
    class Counted:
        title: str
        rounds: int = 0

        @property
        def told(self) -> Kept[dict[str, int]]:
            return {"rounds": self.rounds}

        @told.setter
        def told(self, value: dict[str, int]) -> None:
            self.rounds = value["rounds"]

        @property
        def fixed(self) -> Kept[int]:
            return 3

    own = Counted("own")
    (told,) = fields_of([own])
    assert (told.path, told.role, told.value) == ("Counted.told", Role.KEPT, {"rounds": 0})
    told.put({"rounds": 5})
    assert own.rounds == 5

    class Heir(Counted):
        pass

    assert [field.path for field in fields_of([Heir("heir")])] == ["Heir.told"]


def test_a_class_that_declares_nothing_has_nothing():
    class Plain:
        rows = np.zeros(4)

    assert fields_of([Plain(), object(), 3]) == []


def arrays_in(value):
    """Every array that can be reached from a value, however it is held."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        return arrays_in(list(value.values()))
    if is_dataclass(value) and not isinstance(value, Character | Spawner | Bake):
        return arrays_in([getattr(value, field.name) for field in fields(value)])
    held = value if isinstance(value, tuple | list | set | frozenset) else ()
    return [array for part in held for array in arrays_in(part)]


def _start(model):
    """The middle of a crowd's first source, or of its layout if it has no sources, as a layout of one point."""
    sources = model.steering and model.steering.sources
    if sources:
        x, y = np.mean(sources[0].area, axis=0).tolist()
        return PointsLayout(kind="points", points=[(x, y)], level=sources[0].level)
    center, level = getattr(model.layout, "center", (0.0, 0.0)), getattr(model.layout, "level", None)
    return PointsLayout(kind="points", points=[center], level=level)


def with_counts(name):
    """The scene with `COUNT` actors in each crowd: a few of them are near, and all of them begin at one point."""
    scene = read_scene(name)
    new = {"count": COUNT, "near_actors": NearActorsModel(count=3), "trajectories": None}

    def changed(model):
        there = model.steering and model.steering.model_copy(update={"starts_empty": False})
        return model.model_copy(update={**new, "layout": _start(model), "steering": there})

    crowds = [changed(model) for model in scene.model.crowds]
    return replace(scene, model=scene.model.model_copy(update={"crowds": crowds}))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", some(shipped_scenes(), *DAILY))
def test_whatever_has_a_row_for_each_actor_is_declared(name):
    with load_scene(with_counts(name), threads=1) as world:
        watch_feet(world)
        for entity, (crowd,) in world.query(Crowd):
            crowd.index._rows = crowd.index._known = np.zeros(0, np.int32)  # of ids, not actors
            declared = {id(column.value) for column in columns_of(world, entity)}
            palette = world.find(entity, Palette)
            made = palette.made if palette else None  # of actors, but where they were
            storeyed = world.find(entity, Storeyed)
            plan = storeyed.plan if storeyed else None  # of actors, but written again before each decision
            found = [a for a in arrays_in(world.components(entity)) if a.ndim and len(a) == COUNT]
            per_actor = [a for a in found if a is not made and a is not plan]
            assert {id(array) for array in per_actor} == declared
            assert len(declared) > 10


def test_measures_of_feet_are_columns():
    declared = [field.path for field in fields_of([FootMeasures(*[np.zeros(3, np.float32)] * 10)])]
    names = ("steps", "point", "planted", "skate", "gap", "knee", "ankle", "ankle_before")
    assert declared == [f"FootMeasures.{name}" for name in names]
