"""Where systems of one's own go among the built-in ones."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from ecs_anim.support.timings import Timings
from ecs_anim.systems.placement import Placed, place_systems
from ecs_anim.systems.schedule import AFTER, BEFORE, ORDER

BUILT_IN = [system.name for system in ORDER]
FIRST = [system.name for system in BEFORE]
LAST = [system.name for system in AFTER]


@dataclass
class Whole:
    """A world system that keeps a diary."""

    name: str
    diary: list = field(default_factory=list)

    def run(self, world, dt):
        self.diary.append(self.name)


@dataclass
class Chunked:
    """A chunk system that keeps a diary."""

    name: str
    diary: list = field(default_factory=list)
    components = (Crowd,)

    def run(self, chunk, crowd):
        self.diary.append((self.name, chunk.rows.start))


def names(*placed):
    """Names of before, order and after."""
    stages = place_systems([Placed(system, side, place, "here") for system, side, place in placed])
    return [[system.name for system in part] for part in (stages.before, stages.order, stages.after)]


def test_without_systems_of_ones_own_the_order_is_the_built_in_one():
    stages = place_systems([])
    assert (stages.before, stages.order, stages.after) == (BEFORE, ORDER, AFTER)


@pytest.mark.parametrize("place", BUILT_IN)
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_chunk_system_stands_next_to_its_place(side, place):
    _, order, _ = names((Chunked("own"), side, place))
    at = BUILT_IN.index(place) + (side == "after")
    assert order == [*BUILT_IN[:at], "own", *BUILT_IN[at:]]


@pytest.mark.parametrize(
    ("side", "place", "before", "after"),
    [
        ("before", "timeline", ["own", "timeline", *FIRST[1:]], LAST),
        ("after", "timeline", ["timeline", "own", *FIRST[1:]], LAST),
        ("before", "chunks", [*FIRST, "own"], LAST),
        ("after", "chunks", FIRST, ["own", *LAST]),
        ("before", "dispatch", FIRST, [*LAST[:-1], "own", "dispatch"]),
        ("after", "dispatch", FIRST, [*LAST, "own"]),
    ],
)
def test_a_world_system_stands_outside_the_chunks(side, place, before, after):
    assert names((Whole("own"), side, place)) == [before, BUILT_IN, after]


def test_systems_at_one_place_keep_their_order_and_may_be_places_themselves():
    own = [
        (Chunked("a"), "after", "parameters"),
        (Chunked("b"), "after", "parameters"),
        (Chunked("c"), "before", "control"),
        (Chunked("d"), "before", "control"),
        (Chunked("e"), "after", "a"),
        (Chunked("f"), "before", "a"),
        (Chunked("g"), "after", "e"),
    ]
    _, order, _ = names(*own)
    assert order[: order.index("control") + 1] == ["parameters", "f", "a", "e", "g", "b", "c", "d", "control"]


def test_a_place_comes_earlier_in_the_list():
    with pytest.raises(InputError, match="here.after: there is no system 'zebra'; use one of these names: "):
        names((Chunked("own"), "after", "zebra"), (Chunked("zebra"), "after", "sampling"))


def test_a_new_place_is_suggested_too():
    with pytest.raises(InputError, match="no system 'gust'; did you mean 'gusts'"):
        names((Chunked("gusts"), "after", "sampling"), (Chunked("own"), "after", "gust"))


def test_both_kinds_run_where_they_were_placed():
    diary = []
    own = [
        (Whole("first", diary), "before", "timeline"),
        (Chunked("early", diary), "before", "parameters"),
        (Chunked("late", diary), "after", "skin_palettes"),
        (Whole("last", diary), "after", "dispatch"),
    ]
    timings = Timings()
    with load_scene("single", threads=1, systems=own) as world:
        assert diary == ["first", ("early", 0), ("late", 0), "last"]  # the first pose
        world.step(1 / 60, timings)
    assert list(timings.wall_ns)[: 2 + len(FIRST)] == ["first", *FIRST, "early"]
    assert list(timings.wall_ns)[-2 - len(LAST) :] == ["late", *LAST, "last"]


def test_every_chunk_is_visited_once_a_step():
    own = Chunked("own")
    with load_scene("throng", actors=100, threads=3, chunk_size=16, systems=[(own, "after", "playback")]) as world:
        world.step(1 / 60)
    rows = [start for _, start in own.diary]
    assert sorted(rows) == sorted([*range(0, 100, 16)] * 2)


def test_components_attached_in_setup_are_columns_like_any_other():
    @dataclass
    class Age:
        value: np.ndarray  # [actor_count] f32, [s]

    class Aging:
        name, components = "aging", (Age, Palette)

        def setup(self, world):
            for entity, (crowd,) in world.query(Crowd):
                world.attach(entity, Age(np.zeros(crowd.actor_count, np.float32)))

        def run(self, chunk, age, palette):
            assert np.isfinite(palette.matrices[chunk.rows]).all()
            age.value[chunk.rows] += chunk.dt

    with load_scene("throng", actors=20, chunk_size=8, systems=[(Aging(), "after", "skin_palettes")]) as world:
        for _ in range(10):
            world.step(0.1)
        ((entity, (age,)),) = world.query(Age)
        np.testing.assert_allclose(age.value, 1.0, atol=1e-5)
        world.detach(entity, Age)
        world.step(0.1)  # passed over from now on
        np.testing.assert_allclose(age.value, 1.0, atol=1e-5)
        assert list(world.query(Age)) == []
        with pytest.raises(KeyError):
            world.attach(99, age)
        with pytest.raises(KeyError):
            world.detach(entity, Age)
