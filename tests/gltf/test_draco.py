"""Geometry that Draco compressed, by Draco's own encoder; and streams that are damaged."""

import json
import struct

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.gltf import draco
from ecs_anim.support.errors import InputError

DracoPy = pytest.importorskip("DracoPy", reason="needs the draco extra")

BITS = 14  # of a coordinate's share of the longest side
FLOAT, UNSIGNED = 5126, 5125


def blob():
    """Corners [n, 3] and triangles [m, 3] of a bumpy ball."""
    turn, rise = np.meshgrid(np.linspace(0, 2 * np.pi, 24, endpoint=False), np.linspace(-1.4, 1.4, 12))
    out = 1 + 0.2 * np.sin(3 * turn)
    points = np.stack([out * np.cos(turn) * np.cos(rise), np.sin(rise), np.sin(turn) * np.cos(rise)], axis=-1)
    row, column = np.meshgrid(np.arange(11), np.arange(24), indexing="ij")
    a, b = 24 * row + column, 24 * row + (column + 1) % 24
    triangles = np.concatenate([np.stack([a, a + 24, b], -1), np.stack([b, a + 24, b + 24], -1)]).reshape(-1, 3)
    return points.reshape(-1, 3).astype(np.float32), triangles.astype(np.uint32)


def stream_of(points, triangles):
    return DracoPy.encode(points, triangles, quantization_bits=BITS, compression_level=7)


def model(path, stream, point_count, corner_count):
    """A .glb of one mesh that is nothing but a stream."""
    extension = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}
    raw = {
        "asset": {"version": "2.0"},
        "extensionsUsed": [*extension],
        "extensionsRequired": [*extension],
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "ball"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "extensions": extension}]}],
        "accessors": [
            {"componentType": FLOAT, "count": point_count, "type": "VEC3", "min": [-2] * 3, "max": [2] * 3},
            {"componentType": UNSIGNED, "count": corner_count, "type": "SCALAR"},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": len(stream)}],
        "buffers": [{"byteLength": len(stream)}],
    }
    text, data = json.dumps(raw).encode(), stream + bytes(-len(stream) % 4)
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return path


def normals(points, triangles):
    """Twice the area of each triangle, along its normal [m, 3]."""
    a, b, c = np.moveaxis(points[triangles.reshape(-1, 3)].astype(np.float64), 1, 0)
    return np.cross(b - a, c - a)


def test_geometry_is_there_to_the_precision_that_was_asked_for(tmp_path):
    points, triangles = blob()
    (mesh,) = ea.load_rig(model(tmp_path / "x.glb", stream_of(points, triangles), len(points), triangles.size)).meshes
    assert mesh.indices.size == triangles.size
    step = np.ptp(points, axis=0).max() / (2**BITS - 1)
    apart = np.linalg.norm(mesh.positions[:, None] - points, axis=-1).min(axis=1)
    assert apart.max() <= 0.5 * np.sqrt(3) * step + 1e-6
    found, wanted = normals(mesh.positions, mesh.indices), normals(points, triangles)
    assert np.linalg.norm(found, axis=-1).sum() == pytest.approx(np.linalg.norm(wanted, axis=-1).sum(), rel=1e-3)
    np.testing.assert_allclose(found.sum(axis=0), wanted.sum(axis=0), atol=0.01)


@pytest.mark.exhaustive
def test_streams_that_are_damaged_are_one_line(tmp_path):
    points, triangles = blob()
    stream, rng = stream_of(points, triangles), np.random.default_rng(5)
    told = []
    for case in range(200):
        data = bytearray(stream[: len(stream) if case % 2 else int(rng.integers(len(stream)))])
        for place in rng.integers(0, len(data), 3) if case % 2 else ():
            data[place] = int(rng.integers(256))
        try:
            ea.load_rig(model(tmp_path / "x.glb", bytes(data), len(points), triangles.size))
        except InputError as error:
            told.append(str(error))
    assert len(told) > 100
    assert all("x.glb: " in line and "\n" not in line for line in told)


def test_without_the_library_a_line_names_the_extra(tmp_path, monkeypatch):
    points, triangles = blob()
    path = model(tmp_path / "x.glb", stream_of(points, triangles), len(points), triangles.size)
    monkeypatch.setattr(draco, "_library", lambda: None)
    with pytest.raises(InputError, match=r"pip install 'ecs-anim\[draco\]'"):
        ea.load_rig(path)
