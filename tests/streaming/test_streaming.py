"""Pose streams: messages against the joints of the world, shared memory, WebSockets, damaged messages, the command."""

import json
import struct
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.streaming.memory import PoseMemory
from ecs_anim.streaming.messages import description_of, frame_of
from ecs_anim.systems.joints import joint_matrices
from tests.helpers.command import ecs_anim

client = pytest.importorskip("websockets.sync.client")

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 3
layout = { kind = "grid", spacing = 2.0 }
scale_range = [0.8, 1.2]
clips = [{ name = "walk" }]
[[crowds]]
name = "waiting"
rig = "people"
count = 2
clips = [{ name = "idle" }]
"""


@pytest.fixture(name="world", scope="module")
def world_fixture():
    with ea.load_scene(SCENE, threads=1) as world:
        world.step(0.25)
        yield world


def entity_of(world, name):
    return next(entity for entity, (crowd,) in world.query(Crowd) if crowd.name == name)


def test_a_frame_contains_the_joints_of_the_world(world):
    frame = ea.streaming.read_frame(description_of(world), frame_of(world, 7))
    assert (frame.step, frame.seconds) == (7, 0.25)
    for name, count in (("people", 3), ("waiting", 2)):
        read, wanted = (
            frame.crowd(name),
            joint_matrices(world, entity_of(world, name), np.arange(count, dtype=np.int32)),
        )
        assert read.ids.tolist() == ea.crowd(world, name).ids.tolist()
        np.testing.assert_allclose(read.positions, wanted[..., 3], atol=1e-6)
        linear = wanted[..., :3] / np.linalg.norm(wanted[..., :3], axis=-2, keepdims=True)
        turns = Rotation.from_quat(read.rotations.reshape(-1, 4)).as_matrix()
        np.testing.assert_allclose(turns, linear.reshape(-1, 3, 3), atol=1e-5)


def test_a_frame_is_read_as_the_document_says(world):
    """With the standard library only, from the layout in docs/streaming.md."""
    description, frame = json.loads(description_of(world)), frame_of(world, 1)
    assert (description["format"], description["version"]) == ("ecs-anim poses", 1)
    magic, step, seconds = struct.unpack_from("<8sQd", frame)
    assert (magic, step, seconds) == (b"EAPOSES1", 1, 0.25)
    place = 24
    for crowd in description["crowds"]:
        actors, joints = struct.unpack_from("<II", frame, place)
        assert joints == len(crowd["joints"]) == len(crowd["parents"])
        assert list(struct.unpack_from(f"<{actors}q", frame, place + 8)) == ea.crowd(world, crowd["name"]).ids.tolist()
        first = struct.unpack_from("<3f", frame, place + 8 + 8 * actors)
        wanted = joint_matrices(world, entity_of(world, crowd["name"]), np.arange(1, dtype=np.int32))[0, 0, :, 3]
        np.testing.assert_allclose(first, wanted, atol=1e-6)
        place += (8 + 8 * actors + 28 * actors * joints + 7) // 8 * 8
    assert place == len(frame)


def test_damaged_messages_are_one_line(world):
    description, frame = description_of(world), frame_of(world, 0)
    for length in range(0, len(frame), 97):
        with pytest.raises(ea.InputError, match="^pose stream: "):
            ea.streaming.read_frame(description, frame[:length])
    for wrong in (b"", b"[]", b'{"format": "ecs-anim poses", "version": 2}', description[:-1]):
        with pytest.raises(ea.InputError, match="^pose stream: the description"):
            ea.streaming.read_frame(wrong, frame)
    with pytest.raises(ea.InputError, match="no such crowd"):
        ea.streaming.read_frame(description, frame).crowd("x")


def test_shared_memory_gives_the_newest_frame(world, tmp_path):
    path = tmp_path / "poses"
    with ea.streaming.PoseServer(world, memory=path) as server:
        reader = ea.streaming.PoseReader(path)
        assert reader.latest() is None
        assert reader.next(timeout=0.0) is None
        for step in range(3):
            server.publish()
            assert reader.next().step == step
        server.publish()
        server.publish()
        assert reader.latest().step == 4
        assert reader.next(timeout=0.0) is None
        with pytest.raises(ea.InputError, match="exists already"):
            ea.streaming.PoseServer(world, memory=path)
    assert not path.exists()
    assert reader.latest().step == 4


def test_a_file_name_that_is_too_long_is_an_error(tmp_path):
    with pytest.raises(ea.InputError, match="cannot be created: File name too long"):
        PoseMemory(tmp_path / (300 * "n"), b"{}", 10)


@pytest.mark.exhaustive
def test_readers_never_get_a_mixed_frame(tmp_path):
    """A writer replaces frames of one repeated byte as fast as it can. Each copy has one value."""
    memory = PoseMemory(tmp_path / "poses", b"{}", 100_000)
    code = f"""
from pathlib import Path
from ecs_anim.streaming.memory import MemoryReader
reader, seen = MemoryReader(Path({str(tmp_path / "poses")!r})), set()
while b"\\xff" not in seen:
    number, frame = reader.copy()
    assert len(set(frame)) == 1 and len(frame) == 50_000 + frame[0], set(frame)
    seen.add(frame[:1])
print(len(seen))
"""
    memory.write(bytes([1]) * 50_001)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    count = 0
    while process.poll() is None:
        count += 1
        value = 255 if count > 2_000 else 1 + count % 250
        memory.write(bytes([value]) * (50_000 + value))
    assert process.returncode == 0
    assert int(process.stdout.read()) >= 1


def test_too_long_frames_and_foreign_files_are_one_line(tmp_path):
    memory = PoseMemory(tmp_path / "poses", b"{}", 10)
    with pytest.raises(ea.InputError, match="has place for frames of 10 bytes"):
        memory.write(bytes(11))
    (tmp_path / "other").write_bytes(b"x" * 100)
    for name, message in (("other", "must be the shared memory"), ("nothing", "cannot be read")):
        with pytest.raises(ea.InputError, match=message):
            ea.streaming.PoseReader(tmp_path / name)


def test_websocket_clients_get_the_description_and_frames(world):
    with ea.streaming.PoseServer(world, port=0) as server, client.connect(f"ws://127.0.0.1:{server.port}") as own:
        description = own.recv().encode()
        assert description == description_of(world)
        threading.Timer(0.05, server.publish).start()
        frame = ea.streaming.read_frame(description, own.recv(timeout=10))
        assert frame.step == 0
        assert len(frame.crowd("people").ids) == 3


def test_other_web_pages_cannot_read_the_stream(world):
    from websockets.exceptions import InvalidStatus

    with ea.streaming.PoseServer(world, port=0) as server:
        for origin in ("http://localhost:8000", "null", "https://127.0.0.1"):
            with client.connect(f"ws://127.0.0.1:{server.port}", origin=origin) as own:
                assert own.recv(timeout=10)
        for origin in ("https://example.org", "http://localhost.example.org"):
            with pytest.raises(InvalidStatus), client.connect(f"ws://127.0.0.1:{server.port}", origin=origin):
                pass


def test_a_used_port_is_one_line_and_leaves_no_file(world, tmp_path):
    server, error = ea.streaming.PoseServer(world, port=0), "^--port .*: the server cannot listen"
    with server, pytest.raises(ea.InputError, match=error):
        ea.streaming.PoseServer(world, port=server.port, memory=tmp_path / "poses")
    assert not (tmp_path / "poses").exists()


@pytest.mark.exhaustive
def test_the_command_serves_for_some_seconds(tmp_path):
    path = tmp_path / "poses"
    (tmp_path / "scene.toml").write_text(SCENE)
    done = []
    words = ("serve", tmp_path / "scene.toml", "--memory", path, "--seconds", 0.5, "--speed", 0.25)
    thread = threading.Thread(target=lambda: done.append(ecs_anim(*words)))
    thread.start()
    end = time.monotonic() + 60
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.01)
    frame = ea.streaming.PoseReader(path).next(timeout=30)
    thread.join()
    assert len(frame.crowd("waiting").ids) == 2
    assert (done[0].returncode, done[0].stdout) == (0, "")
    assert f"poses at {path}. Ctrl-C ends the stream" in done[0].stderr
    assert not path.exists()
