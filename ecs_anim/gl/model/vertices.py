"""Compact vertex format for the GPU.

Rounding to the compact format moves skinned vertices by at most 1e-5 of the model's size. Normals have 16 bits per
number. If the model has at most 256 palette entries, palette indices have 8 bits. If 8-bit or 16-bit integers represent
all weights of a mesh exactly, the program stores these integers. The same rule applies to colours. For example,
integers are exact for the weights of rigid meshes, and for weights that the model file stores as integers. All other
weights are 32-bit floats, because rounding would cause errors. Rounding to 8 bits would move vertices of real
characters by up to 5e-4 of the model's size. Rounding to 16 bits would move vertices by 3e-6 of the model's size, and
by more than 1e-5 with dual quaternions that rotate by 180 degrees.
"""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import SET, Mesh
from ecs_anim.gl.device import api as gl

# Attribute locations in shaders/surface.vert, shaders/skinned.vert and its includes.
LOCATIONS = {"position": 0, "normal": 1, "uv": 2, "palette_indices": 3, "weights": 4, "color": 9}
LOCATIONS |= {f"palette_indices_{k}": 9 + k for k in (1, 2, 3)} | {f"weights_{k}": 12 + k for k in (1, 2, 3)}
# must equal the number in shaders/skinned.vert; the shader decodes normals itself, because OpenGL 3.3 has two rules for
# decoding signed fractions
NORMAL_UNIT = 32767


def interleave(mesh: Mesh) -> np.ndarray:
    """Return the data of a mesh's vertex buffer as an array [vertex_count] with a structured dtype.

    The first influence of each vertex is the influence with the largest weight.
    """
    order = np.argsort(-mesh.weights, axis=1, kind="stable")
    weights = packed_shares(np.take_along_axis(mesh.weights, order, axis=1))
    indices = np.take_along_axis(mesh.palette_indices, order, axis=1)
    columns: dict[str, NDArray[Any]] = {
        "position": mesh.positions.astype(np.float32),
        "normal": packed_normals(mesh.normals),
        **_sets("palette_indices", indices.astype(np.uint8) if indices.max(initial=0) < 256 else indices),
        **_sets("weights", weights),
    }
    if mesh.material.has_pictures:
        columns["uv"] = mesh.uvs.astype(np.float32)
    if mesh.colors is not None:
        columns["color"] = packed_shares(mesh.colors)
    return interleaved(columns)


def interleaved(columns: dict[str, NDArray[Any]]) -> np.ndarray:
    """Return the data of a vertex buffer [vertex_count], joined from arrays [vertex_count, n].

    The names in `columns` are keys of `LOCATIONS`.
    """
    vertices = np.zeros(len(columns["position"]), _layout(columns))
    for name, column in columns.items():
        vertices[name] = column
    return vertices


def _sets(name: str, influences: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Split influences [vertex_count, n] into columns with four influences each. The column names begin with `name`."""
    starts = range(0, influences.shape[1], SET)
    return {f"{name}_{k}" if k else name: influences[:, start : start + SET] for k, start in enumerate(starts)}


def packed_normals(normals: NDArray[np.float32]) -> NDArray[np.int16]:
    """Convert normals [..., 3] to integers in units of 1/32767. The error of a number is at most 1/65534."""
    return np.rint(NORMAL_UNIT * normals.astype(np.float64)).astype(np.int16)


def packed_shares(shares: NDArray[np.float32]) -> NDArray[Any]:
    """Convert weights or colours [vertex_count, 4] to 8-bit or 16-bit integers.

    If the conversion is not exact, return `shares` without a change.
    """
    for kind in (np.uint8, np.uint16):
        top = float(np.iinfo(kind).max)
        whole = np.rint(top * shares.astype(np.float64))
        if np.array_equal((whole / top).astype(np.float32), shares):
            return whole.astype(kind)
    return shares


def point_vertex_attributes(layout: np.dtype) -> None:
    """Set the vertex attributes, so that they read the array buffer that is bound.

    The rows of the buffer have the dtype `layout`.
    """
    fields = layout.fields
    assert fields is not None
    for name, (field, offset, *_) in fields.items():
        kind, location, start = _GL_TYPES[field.base.str[1:]], LOCATIONS[name], ctypes.c_void_p(offset)
        gl.glEnableVertexAttribArray(location)
        if name.startswith("palette_indices"):
            gl.glVertexAttribIPointer(location, 4, getattr(gl, kind), layout.itemsize, start)
        else:
            share = gl.GL_TRUE if name.startswith(("weights", "color")) else gl.GL_FALSE
            gl.glVertexAttribPointer(location, field.shape[0], getattr(gl, kind), share, layout.itemsize, start)


_GL_TYPES = {"f4": "GL_FLOAT", "i2": "GL_SHORT", "u2": "GL_UNSIGNED_SHORT", "u1": "GL_UNSIGNED_BYTE"}


def _layout(columns: dict[str, np.ndarray]) -> np.dtype:
    """Return a structured dtype with one field for each column. Each field starts at a multiple of four bytes."""
    offsets, end = [], 0
    for column in columns.values():
        offsets.append(end)
        end += -(-column.itemsize * column.shape[1] // 4) * 4
    formats = [(column.dtype, column.shape[1]) for column in columns.values()]
    return np.dtype({"names": list(columns), "formats": formats, "offsets": offsets, "itemsize": end})
