"""Culling by compute shader: the same as on the CPU, picture after picture, and commands that draw it."""

import numpy as np
import pytest

from ecs_anim.gl.crowds.culling import COMMAND, GpuCuller, read_buffer
from ecs_anim.gl.crowds.pose_compute import GROUP as POSE_GROUP
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import Buffer, StreamBuffer
from ecs_anim.gl.device.capabilities import query_capabilities
from ecs_anim.gl.device.resource import Resource
from ecs_anim.levels.culler import Culler
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.instances import BAKED_ACTOR, INSTANCE
from tests.helpers.culling import drawn_rows, plain_levels, posed_rows, random_actors, sun_rows, view_of
from tests.helpers.gl import context_fixture  # noqa: F401

LEVELS = plain_levels(0.01, 0.03, 0.06)
INDEX_COUNTS = [[300, 12], [90], [36], [9]]
FIRST = np.cumsum([0, 3, 2, 2, 2, 3, 2, 2])  # command of each model: its meshes and a quad


@pytest.fixture(name="poses")
def poses_fixture(context):
    with StreamBuffer(gl.GL_SHADER_STORAGE_BUFFER) as poses:
        yield poses


@pytest.fixture(name="culler")
def culler_fixture(context):
    if not query_capabilities().has_compute:
        pytest.skip("needs compute shaders, OpenGL 4.3")
    with GpuCuller(LEVELS, INDEX_COUNTS) as culler:
        yield culler


def cull(culler, actors, poses, view, settings):
    with Buffer(gl.GL_SHADER_STORAGE_BUFFER, actors) as buffer:
        culler.cull(buffer.name, len(actors), poses, view, settings)


def rows_of(culler, actor_count, level):
    """The rows that a level's commands draw, in order of actors."""
    instances = culler.drawn(level) if level < LEVELS.count else culler.casters(1)
    commands = read_buffer(instances.commands, np.zeros(FIRST[-1] + 2, COMMAND))
    command = commands[instances.first_command]
    rows = read_buffer(instances.buffer.name, np.zeros(actor_count * (LEVELS.count + 1), INSTANCE))
    found = rows[command["first"] : command["first"] + command["instances"]]
    return found[np.argsort(found["actor"])]


def poses_of(culler, poses, actor_count, level):
    (first, items) = culler.pose_levels()[level].first, read_buffer(culler.work, np.zeros((LEVELS.count, 4), np.uint32))
    found = read_buffer(poses.name, np.zeros((actor_count * LEVELS.count, 2), np.uint32))[first:][: items[level, 3]]
    assert items[level].tolist() == [-(-len(found) // POSE_GROUP), 1, 1, len(found)]
    return found[np.argsort(found[:, 0])]


@pytest.mark.parametrize("count", [1, 63, 700])
def test_the_same_as_on_the_cpu_picture_after_picture(culler, poses, count):
    rng = np.random.default_rng(count)
    actors = random_actors(rng, count)
    plain = Culler(LEVELS, is_dense=True)
    seen = set()
    for picture in range(9):
        camera = OrbitCamera(distance=10 + 11 * picture, azimuth=np.pi - 0.4 * picture, elevation=0.5)
        view = view_of(camera, sun_rows() if picture % 3 else None)
        settings = view.settings(picture, caster_level=1 + picture % 2, seconds=1 / 60)
        cull(culler, actors, poses, view, settings)
        expected = plain.cull(actors, view, settings)
        for level in range(LEVELS.count + 1):
            rows, right = rows_of(culler, count, level), drawn_rows(expected, level)
            for name in INSTANCE.names:
                np.testing.assert_allclose(rows[name], right[name], rtol=1e-6, err_msg=name)
            if level < LEVELS.count:
                np.testing.assert_array_equal(poses_of(culler, poses, count, level), posed_rows(expected, level))
            seen |= {level} if len(right) else set()
        assert culler.read_counts()[:, 0].tolist() == np.diff(expected.row_starts).tolist()
        assert culler.read_counts()[:-1, 1].tolist() == np.diff(expected.pose_starts).tolist()
    assert count < 700 or seen == set(range(LEVELS.count + 1))


def test_commands_tell_meshes_and_where_rows_begin(culler, poses):
    actors = random_actors(np.random.default_rng(0), 200)
    view = view_of(OrbitCamera(distance=40, elevation=0.5), sun_rows())
    cull(culler, actors, poses, view, view.settings(0, caster_level=1))
    counts = culler.read_counts()[:, 0]
    assert (counts > 0).all()
    for level in range(LEVELS.count):
        for instances, segment in ((culler.drawn(level), level), (culler.casters(level), LEVELS.count)):
            commands = read_buffer(instances.commands, np.zeros(FIRST[-1] + 2, COMMAND))
            for mesh, index_count in enumerate([*INDEX_COUNTS[level], 4]):
                command = commands[instances.first_command + mesh].tolist()
                assert command == (index_count, counts[segment], 0, 0, 200 * segment)


def test_nobody_and_then_somebody(culler, poses):
    view = view_of(OrbitCamera(distance=10))
    cull(culler, np.zeros(0, BAKED_ACTOR), poses, view, view.settings(0))
    assert not culler.read_counts().any()
    actors = random_actors(np.random.default_rng(0), 5, spread=1.0)
    actors["share"] = 0
    cull(culler, actors, poses, view, view.settings(1))
    assert culler.read_counts()[:, 0].sum() == culler.read_counts()[:, 1].sum() == 5
    cull(culler, actors, poses, view, view.settings(1))
    held = culler.read_counts()[:, 1].sum()
    culler.forget()
    cull(culler, actors, poses, view, view.settings(1))
    assert held < culler.read_counts()[:, 1].sum() == 5


def test_who_has_no_place_is_not_drawn(culler, poses):
    actors = random_actors(np.random.default_rng(0), 4, spread=1.0)
    actors["translation"][1] = np.nan
    actors["rotation"][2] = np.nan
    view = view_of(OrbitCamera(distance=10), sun_rows())
    cull(culler, actors, poses, view, view.settings(0, caster_level=2))
    assert culler.read_counts()[:, 0].tolist()[-1] == culler.read_counts()[:-1, 0].sum() == 2


def test_too_many_levels_are_refused(context):
    with pytest.raises(ValueError, match="at most 8"):
        GpuCuller(plain_levels(*range(1, 9)), [[3]] * 9)


def test_what_a_context_can_hold(context):
    capabilities = query_capabilities()
    assert GpuCuller.fits(capabilities, 4, 1000) == capabilities.has_compute
    assert not GpuCuller.fits(capabilities, 4, capabilities.max_storage_bytes // 300)
    assert not GpuCuller.fits(capabilities, 9, 10)


def test_buffers_and_programs_are_freed(culler, poses):
    view = view_of(OrbitCamera(distance=10))
    cull(culler, random_actors(np.random.default_rng(0), 5), poses, view, view.settings(0))
    owned = [value for value in vars(culler).values() if isinstance(value, Resource)]
    buffers = [value.name for value in owned if isinstance(value, StreamBuffer)]
    assert len(buffers) == 7
    assert all(gl.glIsBuffer(name) for name in buffers)
    culler.free()
    assert all(value.freed for value in owned)
    assert not any(gl.glIsBuffer(name) for name in buffers)
