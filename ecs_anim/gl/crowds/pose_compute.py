"""The palette pass as a compute shader (OpenGL 4.3). The palette pass computes the palettes of actors."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.gl.crowds.bake_atlas import BakeAtlas
from ecs_anim.gl.crowds.pose_inputs import TABLE_UNIT, Entries, PoseInputs, PoseLevel, checked_entries
from ecs_anim.gl.crowds.pose_palettes import PosedPalettes
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.device.program import ComputeProgram
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture_buffer import TextureBuffer

GROUP = 32  # number of list items in one work group; must equal the number in shaders/pose.comp
TEXELS_BINDING, WORK_BINDING = 0, 1
WORK_BYTES = 16  # bytes of one level's counts: groups, 1, 1, items


class ComputePoser(Resource):
    """A compute shader that computes palettes. The pose list contains the palette row of each actor.

    Palette rows that are not in the pose list do not change. `entries` contains the palette entries that each level of
    detail needs. Palette entries that a level does not need do not change. If `entries` is None, the shader supports
    only one level of detail, and this level needs all palette entries. `defines` are the preprocessor defines for
    shaders/bake.glsl.
    """

    def __init__(self, atlas: BakeAtlas, entries: Sequence[Entries] | None = None, defines: Iterable[str] = ()) -> None:
        self.atlas = atlas
        skeleton = atlas.bake.skeleton
        needs = [(_chains(skeleton, table), table) for table in checked_entries(entries, atlas.entry_count)]
        sizes = [(len(joints), len(table)) for joints, table in needs]
        firsts = np.cumsum([0, *map(sum, sizes)]).tolist()
        self._spots = [(first, *size) for first, size in zip(firsts, sizes, strict=False)]
        own = f"JOINTS {skeleton.joint_count}"
        self._program = self.keep(ComputeProgram("pose.comp", (*atlas.defines, *defines, own)))
        self._table = self.keep(TextureBuffer(gl.GL_R32I))
        self._table.write(np.concatenate([array for pair in needs for array in pair]))
        self._work = self.keep(StreamBuffer(gl.GL_DISPATCH_INDIRECT_BUFFER))

    def pose(self, inputs: PoseInputs, palettes: PosedPalettes, levels: Sequence[PoseLevel]) -> None:
        """Compute the palettes of the list items in `levels`.

        For each item, compute only the palette entries that its level of detail needs.
        """
        counts = np.array([level.count for level in levels], np.uint32)
        work = np.ones((len(levels), 4), np.uint32)
        work[:, 0], work[:, 3] = (counts + GROUP - 1) // GROUP, counts
        self._work.write(work)
        self.pose_counted(inputs, palettes, levels, self._work.name)

    def pose_counted(self, inputs: PoseInputs, palettes: PosedPalettes, levels: Sequence[PoseLevel], work: int) -> None:
        """Compute the palettes of the list items in `levels`. The item counts are in a GPU buffer.

        `work` is the GL name of the buffer with the item counts. The method ignores the item counts in `levels`. For
        each level, the buffer contains four u32 numbers: ceil(items / GROUP), 1, 1, items.
        """
        self._program.use()
        self.atlas.bind(self._program)
        inputs.bind(self._program)
        self._table.bind(TABLE_UNIT)
        gl.glMemoryBarrier(
            gl.GL_COMMAND_BARRIER_BIT | gl.GL_TEXTURE_FETCH_BARRIER_BIT | gl.GL_SHADER_STORAGE_BARRIER_BIT
        )
        gl.glBindBufferBase(gl.GL_SHADER_STORAGE_BUFFER, TEXELS_BINDING, palettes.buffer)
        gl.glBindBufferBase(gl.GL_SHADER_STORAGE_BUFFER, WORK_BINDING, work)
        gl.glBindBuffer(gl.GL_DISPATCH_INDIRECT_BUFFER, work)
        for number, level in enumerate(levels):
            self._program.set_int("pose_number", number)
            self._program.set_int("pose_level", level.first, *self._spots[level.entries])
            gl.glDispatchComputeIndirect(WORK_BYTES * number)
        gl.glMemoryBarrier(gl.GL_TEXTURE_FETCH_BARRIER_BIT | gl.GL_BUFFER_UPDATE_BARRIER_BIT)


def _chains(skeleton: Skeleton, entries: Entries) -> NDArray[np.int32]:
    """Return the joints of the palette entries `entries`, and all ancestors of the joints.

    In the result, a parent joint comes before its child joints.
    """
    needed = np.zeros(skeleton.joint_count, bool)
    needed[skeleton.skin_joints[entries]] = True
    for joint in range(skeleton.joint_count - 1, -1, -1):
        if needed[joint] and skeleton.parents[joint] >= 0:
            needed[skeleton.parents[joint]] = True
    return np.flatnonzero(needed).astype(np.int32)
