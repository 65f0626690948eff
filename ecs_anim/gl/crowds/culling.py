"""Culling of a crowd on the GPU (OpenGL 4.3). The GPU writes the actor lists, the counts and the draw commands."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.crowds.pose_compute import GROUP as POSE_GROUP
from ecs_anim.gl.crowds.pose_inputs import PoseLevel
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer, address
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.program import ComputeProgram
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.model.instances import IndirectInstances
from ecs_anim.levels.levels import Levels
from ecs_anim.view.cull_view import PLANE_COUNT, CullSettings, CullView
from ecs_anim.view.instances import INSTANCE

GROUP = 64  # number of actors in one work group; must equal the number in shaders/cull.comp
MAX_LEVELS = 8  # largest level count; must equal the number in shaders/cull.comp
# number of indices in the draw command for a quad; this command follows the commands for the meshes of a model
QUAD_INDICES = 4
COMMAND = np.dtype([(name, np.uint32) for name in ("count", "instances", "first_index", "base_vertex", "first")])
INPUT = np.dtype(
    [
        ("planes", np.float32, (PLANE_COUNT, 4)),
        *((name, np.float32) for name in ("pixels", "pixel_error", "stays", "half_size", "quarter_size")),
        *((name, np.int32) for name in ("last_mesh", "last_level", "caster_level", "picture", "all_posed")),
        *((name, np.int32) for name in ("actor_count", "level_count", "last_ball")),
        ("spare", np.int32, 3),
        ("errors", np.float32, MAX_LEVELS),
    ]
)


class GpuCuller(Resource):
    """A culler on the GPU. It applies the rules of `levels.culler.Culler`, which runs on the CPU.

    For each picture, the culler chooses the drawn actors, their levels of detail, and the actors that need a new pose.
    Actor n of the crowd has the palette row n. The palettes of actors stay valid for later pictures. The buffer of
    instance rows has one segment for each level and one segment for shadow casters. Each segment has room for all
    actors. The order of actors in a segment is undefined. Each segment has one draw command for each mesh, and one draw
    command for a quad. `index_counts` [level][mesh] is the number of vertex indices of a mesh. Raises ValueError for
    more than eight levels.
    """

    def __init__(self, levels: Levels, index_counts: Sequence[Sequence[int]]) -> None:
        if levels.count > MAX_LEVELS:
            raise ValueError(f"a crowd must have at most {MAX_LEVELS} detail levels (got {levels.count} levels)")
        if len(index_counts) != levels.count:
            raise ValueError(
                f"each of the {levels.count} detail levels of a crowd must have meshes (got meshes for"
                f" {len(index_counts)} levels)"
            )
        self._levels = levels
        self._first_commands, commands, segments = _commands(index_counts)
        self._choose = self.keep(ComputeProgram("cull.comp"))
        self._command = self.keep(ComputeProgram("cull_commands.comp"))
        self._input, self._state, self._counts = (self.keep(_storage()) for _ in range(3))
        self._commands, self._segments, self._rows, self._work = (self.keep(_storage()) for _ in range(4))
        self._actor_count = -1
        self._commands.write(commands)
        self._segments.write(segments)
        self._counts.write(np.zeros((levels.count + 1, 2), np.uint32))
        self._work.write(np.zeros((levels.count, 4), np.uint32))

    @staticmethod
    def fits(capabilities: Capabilities, level_count: int, actor_count: int) -> bool:
        """Return whether an OpenGL context can cull `actor_count` actors with `level_count` levels of detail."""
        largest = (level_count + 1) * actor_count * INSTANCE.itemsize
        return capabilities.has_compute and largest <= capabilities.max_storage_bytes and level_count <= MAX_LEVELS

    @property
    def work(self) -> int:
        """Return the GL name of the buffer with the dispatch counts for the palette pass.

        For each level, the buffer contains four u32 numbers: the number of work groups, 1, 1, and the number of items
        in the pose list.
        """
        return self._work.name

    def forget(self) -> None:
        """Forget all previous pictures: treat every actor as never drawn, and every palette as not stored."""
        self._actor_count = -1

    def cull(self, actors: int, actor_count: int, poses: StreamBuffer, view: CullView, settings: CullSettings) -> None:
        """Cull the actors whose BAKED_ACTOR rows are in the buffer with the GL name `actors`.

        The GPU writes the list of actors that need a new pose to the buffer `poses`. If the number of actors has
        changed, the method resets the culler. After the call, draw calls, dispatches and shaders can read all buffers.
        """
        if actor_count != self._actor_count:
            self._resize(actor_count)
        if poses.capacity < self._levels.count * actor_count * 8:
            poses.reserve(self._levels.count * actor_count * 8)
        self._write_input(actor_count, view, settings)
        # The actors must be written, and the previous picture must have read these buffers, before the shader starts.
        gl.glMemoryBarrier(gl.GL_SHADER_STORAGE_BARRIER_BIT | gl.GL_BUFFER_UPDATE_BARRIER_BIT)
        _bind(self._input.name, actors, self._state.name, self._rows.name, poses.name, self._counts.name)
        self._choose.use()
        gl.glDispatchCompute(-(-actor_count // GROUP), 1, 1)
        # The counts must be complete before the copy.
        gl.glMemoryBarrier(gl.GL_SHADER_STORAGE_BARRIER_BIT)
        _bind(self._counts.name, self._segments.name, self._commands.name, self._work.name)
        self._command.use()
        self._command.set_int("cull_sizes", self._levels.count, actor_count, POSE_GROUP)
        gl.glDispatchCompute(1, 1, 1)
        # Draw calls and dispatches read the commands. Vertex shaders read the rows as attributes. Other shaders read
        # the pose list as storage or as texels.
        gl.glMemoryBarrier(
            gl.GL_COMMAND_BARRIER_BIT
            | gl.GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT
            | gl.GL_SHADER_STORAGE_BARRIER_BIT
            | gl.GL_TEXTURE_FETCH_BARRIER_BIT
            | gl.GL_BUFFER_UPDATE_BARRIER_BIT
        )

    def drawn(self, level: int) -> IndirectInstances:
        """Return the actors that are drawn at the level of detail `level`."""
        return IndirectInstances(self._rows, self._commands.name, self._first_commands[level])

    def casters(self, level: int) -> IndirectInstances:
        """Return the actors that cast shadows. The shadow map is drawn with the meshes of the level `level`.

        `level` must equal `caster_level` in the culling settings.
        """
        first = self._first_commands[self._levels.count + level]
        return IndirectInstances(self._rows, self._commands.name, first)

    def pose_levels(self) -> list[PoseLevel]:
        """Return the section of the pose list for each level of detail.

        The number of items in a section is known only on the GPU, in the buffer `work`.
        """
        return [PoseLevel(level * self._actor_count, 0, level) for level in range(self._levels.count)]

    def read_counts(self) -> NDArray[np.uint32]:
        """Return the numbers of drawn actors and of new poses as the two columns of an array.

        The array [level_count + 1, 2] u32 has one row for each level of detail, and a last row for shadow casters. The
        method waits for the GPU and is therefore slow. Use the method only in tests and for occasional reports.
        """
        commands = read_buffer(self._commands.name, np.zeros(self._first_commands[-1], COMMAND))
        work = read_buffer(self._work.name, np.zeros((self._levels.count, 4), np.uint32))
        counts = np.zeros((self._levels.count + 1, 2), np.uint32)
        counts[:, 0] = commands["instances"][self._first_commands[: self._levels.count + 1]]
        counts[:-1, 1] = work[:, 3]
        return counts

    def _resize(self, actor_count: int) -> None:
        self._state.write(np.full((max(actor_count, 1), 2), -1, np.int32))
        self._rows.reserve(max(actor_count, 1) * (self._levels.count + 1) * INSTANCE.itemsize)
        self._actor_count = actor_count

    def _write_input(self, actor_count: int, view: CullView, settings: CullSettings) -> None:
        header = np.zeros(1, INPUT)
        header["planes"] = view.planes
        for name, value in settings._asdict().items():
            header[name] = value
        header["actor_count"], header["level_count"] = actor_count, self._levels.count
        header["last_ball"] = len(self._levels.bounds) - 1
        header["errors"][0, : self._levels.count] = self._levels.errors
        self._input.write(np.concatenate([header.view(np.float32), self._levels.bounds.ravel()]))


def read_buffer(name: int, out: NDArray[Any]) -> NDArray[Any]:
    """Fill the C-contiguous array `out` with the first bytes of a buffer. `name` is the GL name of the buffer.

    The function waits for the GPU.
    """
    gl.glBindBuffer(gl.GL_SHADER_STORAGE_BUFFER, name)
    gl.glGetBufferSubData(gl.GL_SHADER_STORAGE_BUFFER, 0, out.nbytes, address(out))
    return out


def _commands(index_counts: Sequence[Sequence[int]]) -> tuple[list[int], NDArray[np.void], NDArray[np.int32]]:
    """Return the draw commands of all models, with two tables about them.

    The first result contains the index of the first command of each model, and then the total number of commands. The
    second result contains the commands. The third result contains the segment of each command.
    """
    models = [[*counts, QUAD_INDICES] for counts in index_counts] * 2
    firsts = np.cumsum([0, *map(len, models)]).tolist()
    commands = np.zeros(firsts[-1], COMMAND)
    commands["count"] = np.concatenate(models)
    level_count = len(index_counts)
    segments = np.repeat(np.minimum(np.arange(len(models)), level_count), [len(model) for model in models])
    return firsts, commands, segments.astype(np.int32)


def _storage() -> StreamBuffer:
    return StreamBuffer(gl.GL_SHADER_STORAGE_BUFFER)


def _bind(*names: int) -> None:
    for binding, name in enumerate(names):
        gl.glBindBufferBase(gl.GL_SHADER_STORAGE_BUFFER, binding, name)
