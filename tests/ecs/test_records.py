"""Records: what is declared is what kernels take, and a column that is not so is named before a kernel reads it."""

import ast
import re
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.playback import Playback
from ecs_anim.components.steering import Steering
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.records import Binding, checked, fields_of_record, sealed
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.array_layouts import Layout, Shape
from ecs_anim.systems.chunk import Workspace, chunk_of
from ecs_anim.systems.crowd_handle import crowd
from tests.helpers import random_playback

KERNELS = sorted((Path(__file__).resolve().parents[2] / "ecs_anim/kernels").glob("*.py"))
MOST = 10  # arguments
DECORATORS = {"kernel", "helper", "inlined", "njit"}


class Chain(NamedTuple):
    joints: Annotated[NDArray[np.int32], Shape("joint")]
    limits: Annotated[NDArray[np.float32], Shape("joint", 2)]
    starts: Annotated[NDArray[np.int32], Shape("joint + 1")]
    gain: float


def chain(joints=3, limits=(3, 2), starts=4, dtype=np.float32):
    return Chain(np.zeros(joints, np.int32), np.zeros(limits, dtype), np.zeros(starts, np.int32), 1.0)


def compiled_functions():
    for path in KERNELS:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                names = {ast.unparse(own.func if isinstance(own, ast.Call) else own) for own in node.decorator_list}
                if names & DECORATORS:
                    yield f"{path.stem}.{node.name}", node.args


@pytest.mark.exhaustive
def test_no_compiled_function_takes_more_than_ten_arguments():
    found = dict(compiled_functions())
    assert len(found) > 150
    assert not any(arguments.vararg or arguments.kwonlyargs for arguments in found.values())
    assert {name: len(own.args) for name, own in found.items() if len(own.args) > MOST} == {}


def test_fields_say_type_and_axes():
    assert fields_of_record(Chain) == {
        "joints": Layout(np.dtype(np.int32), ("joint",)),
        "limits": Layout(np.dtype(np.float32), ("joint", 2)),
        "starts": Layout(np.dtype(np.int32), ("joint + 1",)),
        "gain": float,
    }


def test_what_fits_is_let_through_as_it_is():
    record = chain()
    assert checked(record) is record
    assert checked(chain(0, (0, 2), 1)).gain == 1.0


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"limits": (2, 2)}, "axis 0 of Chain.limits must have the length 3, as in Chain.joints (got shape [2, 2])"),
        ({"limits": (3, 3)}, "axis 1 of Chain.limits must have the length 2, as in its layout (got shape [3, 3])"),
        ({"limits": 3}, "Chain.limits must be an array with the layout float32 [joint, 2] (got float32 [3])"),
        ({"starts": 3}, "axis 0 of Chain.starts must have the length 4, as in Chain.joints (got shape [3])"),
        (
            {"dtype": np.float64},
            "Chain.limits must be an array with the layout float32 [joint, 2] (got float64 [3, 2])",
        ),
    ],
)
def test_what_does_not_fit_is_named(parts, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        checked(chain(**parts))


def test_no_array_and_strides_are_named():
    with pytest.raises(ValueError, match="Chain.joints must be an array with the layout int32 .joint. .got list."):
        checked(chain()._replace(joints=[1, 2, 3]))
    with pytest.raises(ValueError, match="Chain.limits must be C-contiguous"):
        checked(chain()._replace(limits=np.zeros((2, 3), np.float32).T))


def test_what_is_sealed_is_read_only_and_what_it_was_made_of_is_not():
    record = chain()
    frozen = sealed(record)
    assert not any(column.flags.writeable for column in frozen[:3])
    assert all(column.flags.writeable for column in record[:3])
    assert np.shares_memory(frozen.limits, record.limits)


def playback():
    return Playback(*random_playback(np.random.default_rng(0), 2, 7))


def test_a_component_binds_its_columns_once():
    actors = playback()
    assert isinstance(actors.queue, FadeQueue)
    assert all(own is getattr(actors, name) for name, own in actors.queue._asdict().items())
    assert actors.queue is actors.queue, "nothing is checked again while no column is another array"


def test_a_column_that_is_replaced_is_bound_and_checked_anew():
    actors = playback()
    before = actors.queue
    actors.speed = np.ones_like(actors.speed)
    assert actors.queue.speed is actors.speed
    assert actors.queue.phase is before.phase
    actors.phase = actors.phase[:5].copy()
    with pytest.raises(
        ValueError, match=r"axis 0 of Playback\.phase must have the length 7, as in Playback\.slot_count"
    ):
        _ = actors.queue
    actors.phase = np.zeros((7, 4), np.float64)
    with pytest.raises(
        ValueError, match=r"Playback\.phase must be an array with the layout float32 .* \(got float64 \[7, 4\]\)"
    ):
        _ = actors.queue


def test_what_components_inherit_is_bound_anew_too():
    class Two(Binding):
        def __init__(self):
            self.a = 1

        @cached_property
        def double(self):
            return 2 * self.a

    class Three(Two):
        pass

    for kind in (Two, Three):
        own = kind()
        assert own.double == 2
        own.a = 4
        assert own.double == 8


def test_what_only_counts_has_nothing_bound_anew():
    with load_scene("crossing", actors=20, threads=1) as world:
        steering = next(own for _, (own,) in world.query(Steering))
        before, turns = steering.columns, steering.turns
        for _ in range(30):
            world.step(1 / 60)
        assert steering.turns > turns
        assert steering.columns is before
        steering.goal = steering.goal.copy()
        assert steering.columns is not before


def test_a_short_column_stops_the_step_and_is_named():
    with load_scene("throng", actors=40, threads=1) as world:
        world.step(1 / 60)
        ((_, (transforms,)),) = world.query(Transforms)
        transforms.scale = transforms.scale[:30].copy()
        with pytest.raises(ValueError, match=r"axis 0 of Transforms\.scale must have the length 40, as in"):
            world.step(1 / 60)


def test_a_component_shorter_than_its_crowd_stops_the_step():
    """All of its columns, so that they fit each other."""
    with load_scene("throng", actors=40, threads=1) as world:
        ((_, (playback,)),) = world.query(Playback)
        for name in FadeQueue._fields:
            setattr(playback, name, getattr(playback, name)[:30].copy())
        with pytest.raises(IndexError, match=r"FadeQueue must have at least 40 rows, .* \(got 30 rows\)"):
            world.step(1 / 60)


def test_actors_come_and_go_and_records_follow():
    with load_scene("throng", actors=40, threads=1) as world:
        world.step(1 / 60)
        ((_, (own, playback, transforms)),) = world.query(Crowd, Playback, Transforms)
        people = crowd(world, "people")
        for change in (lambda: people.add(25), lambda: people.remove(slice(0, 50))):
            change()
            world.step(1 / 60)
            for record in (playback.queue, transforms.placement):
                assert {len(column) for column in record} == {own.actor_count}


def test_a_chunk_cuts_a_record_once_and_writes_through():
    actors = playback()
    chunk = chunk_of(slice(2, 6), 4, 0.1, Workspace(), slice(2, 6))
    part = chunk.read_all(actors.queue)
    assert part is chunk.write_all(actors.queue)
    FadeQueue(*part).phase[:] = 0.25
    assert (actors.phase == 0.25).all(axis=1).tolist() == [False, False, True, True, True, True, False]
    picked = chunk_of(np.array([5, 1], np.int32), 2, 0.1, Workspace(), slice(0, 2))
    part = picked.write_all(actors.queue)
    FadeQueue(*part).speed[:] = 9
    assert not (actors.speed == 9).any()
    picked.publish()
    assert (actors.speed == 9).all(axis=1).tolist() == [False, True, False, False, False, True, False]


@pytest.mark.parametrize("rows", [slice(4, 9), np.array([3, 7], np.int32)])
def test_a_column_without_a_row_for_each_actor_is_no_chunk(rows):
    count = 5 if isinstance(rows, slice) else 2
    chunk = chunk_of(rows, count, 0.1, Workspace(), slice(0, count))
    with pytest.raises(IndexError):
        chunk.read(np.zeros(7, np.float32))
