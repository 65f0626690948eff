"""Worlds, and the schedule that advances them."""

import gc
import math
import weakref

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.components.playback import Playback
from ecs_anim.ecs.world import World
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.timings import Timings
from ecs_anim.systems.schedule import AFTER, BEFORE, ORDER, ChunkedSchedule
from tests.helpers import FEW


class NoSchedule:
    threads = 1

    def run(self, world, dt, timings):
        pass

    def close(self):
        pass


class Hat:
    """Another component."""


def test_worlds_do_not_see_each_other():
    with World(NoSchedule()) as one, World(NoSchedule()) as other:
        first = one.create(Crowd("a", 1))
        other.create(Crowd("b", 2))
        assert [crowd.name for _, (crowd,) in one.query(Crowd)] == ["a"]
        assert [crowd.name for _, (crowd,) in other.query(Crowd)] == ["b"]
        assert one.get(first, Crowd).actor_count == 1


def test_entities_come_in_the_order_they_were_made():
    with World(NoSchedule()) as world:
        for number in range(100):
            world.create(Crowd(str(number), 1))
        assert [crowd.name for _, (crowd,) in world.query(Crowd)] == [str(number) for number in range(100)]


def test_queries_hear_of_all_that_has_changed():
    with World(NoSchedule()) as world:
        assert list(world.query(Crowd)) == []
        one, a = world.create(Crowd("a", 1)), Crowd("b", 2)
        assert [crowd.name for _, (crowd,) in world.query(Crowd)] == ["a"]
        found = world.query(Crowd)
        world.attach(one, a)
        assert [crowd.name for _, (crowd,) in found] == ["a"]
        assert list(world.query(Crowd)) == list(world.query(Crowd)) == [(one, (a,))]
        assert list(world.query(Crowd, Hat)) == []
        world.attach(one, (hat := Hat()))
        assert list(world.query(Crowd, Hat)) == [(one, (a, hat))]
        world.detach(one, Crowd)
        assert list(world.query(Crowd, Hat)) == []
        assert list(world.query(Hat)) == [(one, (hat,))]


def test_found_components_are_those_of_now():
    class Mark:
        """A component."""

    with World(NoSchedule()) as world:
        entity = world.create(Crowd("people", 2))
        assert world.find(entity, Mark) is None
        for mark in (Mark(), Mark()):
            world.attach(entity, mark)
            assert world.find(entity, Mark) is mark
            assert world.find(entity, Mark) is mark
        world.detach(entity, Mark)
        assert world.find(entity, Mark) is None
    with pytest.raises(RuntimeError, match="closed"):
        world.find(entity, Mark)


def test_what_a_closed_world_was_asked_for_is_let_go():
    world, crowd = World(NoSchedule()), Crowd("a", 1)
    world.create(crowd)
    assert [own for _, (own,) in world.query(Crowd)] == [crowd]
    gone = weakref.ref(crowd)
    del crowd
    world.close()
    gc.collect()
    assert gone() is None


def test_a_closed_world_leaves_nothing_behind():
    import esper

    before = set(esper.list_worlds())
    World(NoSchedule()).close()
    assert set(esper.list_worlds()) == before


def test_a_world_that_nobody_holds_leaves_nothing_behind():
    import esper

    before = set(esper.list_worlds())
    kept, dropped = load_scene("single", threads=1), load_scene("single", threads=2)
    for world in (dropped, kept):
        world.step(1 / 60)
    del world, dropped
    gc.collect()
    assert len(set(esper.list_worlds()) - before) == 1
    kept.step(1 / 60)
    assert kept.frame == 2
    kept.close()
    kept.close()
    assert set(esper.list_worlds()) == before


def test_handlers_hear_in_the_order_they_came_and_of_their_own_world():
    heard = []
    with World(NoSchedule()) as one, World(NoSchedule()) as other:
        for world in (one, other):
            world.declare("news")
        one.declare("weather")
        for number in range(20):
            one.on("news", lambda text, number=number: heard.append((number, text)))
        other.on("news", lambda text: heard.append("other"))
        one.dispatch("news", "rain")
        one.dispatch("weather")
    assert heard == [(number, "rain") for number in range(20)]


def test_events_that_nobody_declared_and_handlers_that_cannot_be_called_are_told():
    with World(NoSchedule()) as world:
        for act in (world.hears, world.dispatch, lambda event: world.on(event, print)):
            with pytest.raises(
                KeyError, match=r"no event 'clip_evnt'; did you mean 'clip_event'\? events are: clip_event"
            ):
                act("clip_evnt")
        with pytest.raises(TypeError, match="handler must be a function .got None"):
            world.on("clip_event", None)
        assert not world.hears("clip_event")
        world.declare("news")
        world.on("news", print)
        world.declare("news")
        assert world.hears("news")


CLOSED = {
    "step": lambda world, people: world.step(1 / 60),
    "skip": lambda world, people: world.skip(3, 1 / 60),
    "save": lambda world, people: world.save("never.npz"),
    "create": lambda world, people: world.create(Crowd("a", 1)),
    "attach": lambda world, people: world.attach(1, 3),
    "query": lambda world, people: world.query(Crowd),
    "get": lambda world, people: world.get(1, Crowd),
    "find": lambda world, people: world.find(1, Crowd),
    "on": lambda world, people: world.on("clip_event", print),
    "dispatch": lambda world, people: world.dispatch("clip_event"),
    "crowd": lambda world, people: ea.crowd(world, "mannequin"),
    "add": lambda world, people: people.add(3),
    "remove": lambda world, people: people.remove([0]),
    "remove ids": lambda world, people: people.remove(ids=[1]),
    "fade_to": lambda world, people: people.fade_to(ea.ALL, "walk"),
    "set": lambda world, people: people.set_parameter(ea.ALL, "speed", 1.0),
    "rows": lambda world, people: people.rows([1]),
}


@pytest.mark.parametrize("act", CLOSED)
def test_a_closed_world_says_so(act, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world = load_scene("single", threads=2)
    people = ea.crowd(world, "mannequin")
    world.close()
    with pytest.raises(RuntimeError, match="this world is closed. Load the world again"):
        CLOSED[act](world, people)
    assert not list(tmp_path.iterdir())


def test_a_world_may_be_closed_by_whoever_hears_an_event():
    with load_scene("single", threads=1) as world:
        world.on("clip_event", lambda: world.close())
        world.dispatch("clip_event")
        with pytest.raises(RuntimeError, match="closed"):
            world.step(0.0)


@pytest.mark.parametrize("steps", [2.5, -1, math.nan])
def test_steps_to_skip_are_whole(steps):
    with World(NoSchedule()) as world, pytest.raises(ValueError, match="whole number"):
        world.skip(steps, 1 / 60)


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_world_with_handlers_may_be_forgotten_while_another_is_active():
    for _ in range(2):
        world = World(NoSchedule())
        world.on("clip_event", lambda event: None)
        world.create(Crowd("a", 1))
    World(NoSchedule()).create(Crowd("b", 1))
    del world
    gc.collect()


@pytest.mark.parametrize("dt", [-0.1, math.nan, math.inf, 1e6])
def test_time_goes_forward_by_finite_steps(dt):
    with World(NoSchedule()) as world, pytest.raises(ValueError, match="dt"):
        world.step(dt)


def test_the_clock_counts_steps():
    with World(NoSchedule()) as world:
        world.step(0.0)
        world.step(0.25)
        world.step(0.5)
        assert (world.time, world.frame) == (0.75, 2)


def run(threads, chunk_size, frames=20):
    with load_scene("throng", actors=FEW or 300, threads=threads, chunk_size=chunk_size) as world:
        for _ in range(frames):
            world.step(1 / 60)
        return poses_hash(world)


@pytest.mark.exhaustive
def test_the_bits_do_not_depend_on_threads_or_chunks():
    expected = run(1, 4096)
    for threads, chunk_size in [(1, 64), (2, 64), (2, 512), (3, 7), (4, 1)]:
        assert run(threads, chunk_size) == expected, (threads, chunk_size)


def test_the_seed_makes_the_crowd():
    def places(seed):
        with load_scene("throng", actors=50, seed=seed, threads=1) as world:
            return poses_hash(world)

    assert places(1) == places(1)
    assert places(1) != places(2)


def test_every_actor_is_posed_as_its_own_clip_says():
    with load_scene("grid", threads=2, chunk_size=16) as world:
        for _ in range(7):
            world.step(1 / 60)
        ((_, (character, playback, palette)),) = world.query(Character, Playback, Palette)
        for actor in range(0, 80, 9):
            clip = character.motions.tables.clips[playback.motion[actor, 0]]
            pose = clip.sample(clip.start + float(playback.phase[actor, 0]) * clip.duration, loop=False)
            expected = skin_palette(character.rig.skeleton, pose)
            np.testing.assert_allclose(palette.matrices[actor], expected, atol=1e-3)


def test_timings_share_out_what_went_on_side_by_side():
    timings = Timings(keeps_spans=True)
    timings.add(("first", 1, 0, 5, 0))
    runs = [("b", 1, 10, 40, 512), ("a", 2, 10, 20, 512), ("a", 1, 40, 60, 100)]
    timings.share_out(50, lambda: iter(runs), ["a", "never", "b"])
    timings.add(("last", 1, 60, 62, 0))
    assert list(timings.wall_ns.items()) == [("first", 5), ("a", 25), ("b", 25), ("last", 2)]
    assert timings.cpu_ns == {"first": 5, "a": 30, "b": 30, "last": 2}
    assert timings.spans == [("first", 1, 0, 5, 0), *runs, ("last", 1, 60, 62, 0)]
    timings.clear()
    assert (timings.wall_ns, timings.cpu_ns, timings.spans) == ({}, {}, [])


def test_timings_name_every_system_and_add_up():
    timings = Timings()
    with load_scene("throng", actors=100, threads=2) as world:
        world.step(1 / 60, timings)
        ((entity, _),) = world.query(Crowd)
        has = {type(component) for component in world.components(entity)}
    running = [system.name for system in ORDER if has.issuperset(system.components)]
    assert list(timings.wall_ns) == [*(system.name for system in BEFORE), *running, *(system.name for system in AFTER)]
    assert {"sampling", "model_matrices", "skin_palettes"} <= set(running) < {system.name for system in ORDER}
    assert all(spent > 0 for spent in timings.cpu_ns.values())


def test_an_error_in_a_system_reaches_the_caller():
    class Broken:
        name, components = "broken", (Crowd,)

        def run(self, chunk, crowd):
            raise RuntimeError("broken")

    with load_scene("single", threads=2) as world:
        world._schedule = ChunkedSchedule(2, order=[Broken()])
        with pytest.raises(RuntimeError, match="broken"):
            world.step(0.1)


def test_no_memory_grows_while_a_crowd_walks():
    with load_scene("throng", actors=FEW or 200, threads=1) as world:

        def arrays():
            return {
                name: value.ctypes.data
                for entity, _ in world.query(Crowd)
                for component in world.components(entity)
                for name, value in vars(component).items()
                if isinstance(value, np.ndarray)
            }

        before = arrays()
        for _ in range(50):
            world.step(1 / 60)
        assert arrays() == before


def test_a_world_tells_once_that_it_is_closed():
    heard = []
    with World(NoSchedule()) as world:
        world.on("closed", lambda own: heard.append((own is world, own.closed, own.entities)))
        world.on("closed", lambda own: own.close())  # does not begin again
        assert not world.closed
    world.close()
    assert world.closed
    assert heard == [(True, False, ())]


def test_a_world_tells_of_steps_by_which_time_passes():
    heard = []
    with World(NoSchedule()) as world:
        off = world.on("stepped", lambda own: heard.append((own is world, own.frame, own.time)))
        world.step(0.0)
        world.step(0.5)
        world.step(0.25)
        off()
        world.step(1.0)
    assert heard == [(True, 1, 0.5), (True, 2, 0.75)]


def test_who_listens_to_steps_hears_all_that_are_skipped():
    with ea.load_scene("single", threads=1) as world, ea.load_scene("single", threads=1) as other:
        ends = []
        world.on("stepped", lambda own: ends.append(own.time))
        world.skip(50, 1 / 60)
        other.skip(50, 1 / 60)
        assert ends == pytest.approx([k / 60 for k in range(1, 51)])
        assert world.jump.holders == {("", "stepped"): 49}
        assert (ea.crowds(world)[0].palettes() == ea.crowds(other)[0].palettes()).all()


def test_a_world_closes_whatever_its_listeners_do():
    def fail(world):
        raise KeyError("mine")

    world = World(NoSchedule())
    world.on("closed", fail)
    with pytest.raises(KeyError, match="mine"):
        world.close()
    assert world.closed


def test_a_world_says_what_it_is_in_a_line():
    with World(NoSchedule()) as world:
        world.step(0.5)
        assert repr(world) == "<World: frame 1, 0.50 s>"
        assert world._repr_png_() is None
    assert repr(world) == "<World: closed>"


def test_a_world_shows_itself_as_its_portrait_says():
    class Drawn:
        def text(self, world):
            return f"{len(world.entities)} of mine"

        def png(self, world):
            return b"png of %d" % world.frame

        def html(self, world):
            return f"page of {world.frame}"

    with World(NoSchedule(), portrait=Drawn()) as world:
        assert repr(world) == "<World: 0 of mine, frame 0, 0.00 s>"
        assert (world._repr_png_(), world._repr_html_()) == (b"png of 0", "page of 0")
    assert (world._repr_png_(), world._repr_html_()) == (None, None)


def test_what_listens_can_leave_again():
    heard = []
    with World(NoSchedule()) as world:
        first, second = world.on("clip_event", heard.append), world.on("clip_event", heard.append)
        world.dispatch("clip_event", 1)
        first()
        first()
        world.dispatch("clip_event", 2)
        second()
        world.dispatch("clip_event", 3)
        assert not world.hears("clip_event")
    assert heard == [1, 1, 2], "one that was there twice leaves once"
    first()


def test_a_handler_may_leave_while_it_is_called():
    heard = []
    with World(NoSchedule()) as world:
        off = world.on("clip_event", lambda event: (heard.append(event), off()))
        world.on("clip_event", heard.append)
        world.dispatch("clip_event", 1)
        world.dispatch("clip_event", 2)
    assert heard == [1, 1, 2]


def test_components_and_entities_that_are_not_there_are_told():
    with World(NoSchedule()) as world:
        entity = world.create(Crowd("a", 1))
        with pytest.raises(ea.InputError, match=f"^no component 'Playback'; entity {entity} has: Crowd$"):
            world.get(entity, Playback)
        for act in (world.components, lambda gone: world.get(gone, Crowd), lambda gone: world.find(gone, Crowd)):
            with pytest.raises(ea.InputError, match=f"^no entity 99; entities are: {entity}$"):
                act(99)
        with pytest.raises(TypeError, match="^the component type of a query must be a type .got 'Crowd'.$"):
            world.query("Crowd")
