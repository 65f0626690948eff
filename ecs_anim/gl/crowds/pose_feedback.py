"""The palette pass with transform feedback (OpenGL 3.3). The palette pass computes the palettes of actors."""

from collections.abc import Iterable, Sequence

import numpy as np

from ecs_anim.gl.crowds.bake_atlas import BakeAtlas
from ecs_anim.gl.crowds.pose_inputs import TABLE_UNIT, Entries, PoseInputs, PoseLevel, checked_entries
from ecs_anim.gl.crowds.pose_palettes import PosedPalettes
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture_buffer import TextureBuffer

CAPTURED = ("skin_x", "skin_y", "skin_z")


class FeedbackPoser(Resource):
    """A transform feedback pass that writes palettes in the order of the pose list, beginning with palette row 0.

    Item n of the pose list gets palette row n: the pass ignores the palette rows that the pose list contains. If a
    level of detail does not need a palette entry, the pass sets the entry to 0. `ComputePoser` describes the arguments.
    """

    def __init__(self, atlas: BakeAtlas, entries: Sequence[Entries] | None = None, defines: Iterable[str] = ()) -> None:
        self.atlas = atlas
        self._program = self.keep(Program("pose.vert", None, (*atlas.defines, *defines), CAPTURED))
        self._table = self.keep(TextureBuffer(gl.GL_R32I))
        self._table.write(_masks(checked_entries(entries, atlas.entry_count), atlas.entry_count))
        self._vertex_array = self.generate("VertexArrays")

    def pose(self, inputs: PoseInputs, palettes: PosedPalettes, levels: Sequence[PoseLevel]) -> None:
        """Compute the palettes of the list items in `levels`, level by level.

        Raise ValueError if `palettes` has too few rows.
        """
        count = sum(level.count for level in levels)
        if count > palettes.row_count:
            raise ValueError(
                f"the number of actors in all detail levels together must be at most {palettes.row_count}, the number"
                f" of palette rows (got {count}). Draw fewer actors."
            )
        entry_count = self.atlas.entry_count
        self._program.use()
        self.atlas.bind(self._program)
        inputs.bind(self._program)
        self._table.bind(TABLE_UNIT)
        gl.glBindVertexArray(self._vertex_array)
        gl.glBindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, palettes.buffer)
        gl.glEnable(gl.GL_RASTERIZER_DISCARD)
        gl.glBeginTransformFeedback(gl.GL_POINTS)
        for level in levels:
            self._program.set_int("pose_level", level.first, entry_count * level.entries)
            gl.glDrawArraysInstanced(gl.GL_POINTS, 0, entry_count, level.count)
        gl.glEndTransformFeedback()
        gl.glDisable(gl.GL_RASTERIZER_DISCARD)
        gl.glBindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0)
        gl.glBindVertexArray(0)


def _masks(entries: Sequence[Entries], entry_count: int) -> Entries:
    """Return a table [level, entry_count] that states which palette entries each level of detail uses.

    For a used palette entry, the table contains the number of the entry. For an unused palette entry, the table
    contains -1.
    """
    masks = np.full((len(entries), entry_count), -1, np.int32)
    for mask, needed in zip(masks, entries, strict=True):
        mask[needed] = needed
    return masks
