"""Two lists of the actors of a baked crowd: the drawn actors, and the actors that need a new pose.

The CPU or the GPU (OpenGL 4.3) makes the lists.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.crowds.culling import GpuCuller
from ecs_anim.gl.crowds.pose_compute import ComputePoser
from ecs_anim.gl.crowds.pose_feedback import FeedbackPoser
from ecs_anim.gl.crowds.pose_inputs import PoseInputs, PoseLevel
from ecs_anim.gl.crowds.pose_palettes import PosedPalettes
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.model.instances import IndirectInstances, Instances
from ecs_anim.levels.culler import Culled, Culler
from ecs_anim.levels.levels import Levels
from ecs_anim.support.errors import InputError
from ecs_anim.view.cull_view import CullSettings, CullView


class CpuLists(Resource):
    """Actor lists that a compiled loop on the CPU makes. The class uploads only the rows of drawn actors.

    If `is_dense` is True, actor n of the crowd has the palette row n, and palettes stay valid for later pictures. The
    setting `is_dense` needs a `ComputePoser`.
    """

    def __init__(self, levels: Levels, poser: ComputePoser | FeedbackPoser, *, is_dense: bool) -> None:
        self._is_dense = is_dense
        self._culler = Culler(levels, is_dense=is_dense)
        self._poser = poser
        self._rows = self.keep(StreamBuffer(gl.GL_ARRAY_BUFFER))
        self._level_count = levels.count
        self._culled: Culled | None = None

    def forget(self) -> None:
        """Forget all previous pictures: treat every actor as never drawn, and every palette as not stored."""
        self._culler.forget()

    def choose(self, inputs: PoseInputs, actors: NDArray[np.void], view: CullView, settings: CullSettings) -> None:
        """Choose the drawn actors, and the actors that need a new pose.

        `inputs` contains all actors. The method writes the list of actors that need a new pose to `inputs`.
        """
        self._culled = self._culler.cull(actors, view, settings)
        inputs.write_list(self._culled.poses)
        self._rows.write(self._culled.instances)

    def pose(self, inputs: PoseInputs, palettes: PosedPalettes) -> None:
        """Compute the palettes of the actors that need a new pose.

        These actors are in the pose list that the last call of `choose` has written.
        """
        assert self._culled is not None
        starts = self._culled.pose_starts.tolist()
        parts = [PoseLevel(starts[k], starts[k + 1] - starts[k], k) for k in range(self._level_count)]
        parts = [part for part in parts if part.count]
        if len(self._culled.poses) > palettes.row_count:
            raise InputError(
                f"{len(self._culled.poses)} actors of a baked crowd are visible in the picture, but this OpenGL"
                f" can draw at most {palettes.row_count} actors of one crowd. Split the crowd into several crowds, or"
                " lower --actors."
            )
        if parts:
            self._poser.pose(inputs, palettes, parts)

    def by_palette_row(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sort the rows of an array by palette row. `rows` [actor_count, ...] is in the order of the actors."""
        assert self._culled is not None
        return rows if self._is_dense else rows[self._culled.poses[:, 0]]

    def shown(self, level: int) -> Instances | None:
        """Return the actors that are drawn at the level of detail `level`. If the level has no actors, return None."""
        assert self._culled is not None
        first, end = self._culled.row_starts[level : level + 2].tolist()
        return Instances(self._rows, end - first, first) if end > first else None

    def casting(self, level: int) -> Instances | None:
        """Return the actors that cast shadows. The shadow map is drawn with the meshes of the level `level`."""
        return self.shown(self._level_count)


class GpuLists(Resource):
    """Actor lists that the GPU makes and counts. The methods have the same meaning as in `CpuLists`."""

    def __init__(self, levels: Levels, poser: ComputePoser, index_counts: Sequence[Sequence[int]]) -> None:
        self._culler = self.keep(GpuCuller(levels, index_counts))
        self._poser = poser

    def forget(self) -> None:
        self._culler.forget()

    def choose(self, inputs: PoseInputs, actors: NDArray[np.void], view: CullView, settings: CullSettings) -> None:
        self._culler.cull(inputs.actors.buffer.name, len(actors), inputs.list.buffer, view, settings)

    def pose(self, inputs: PoseInputs, palettes: PosedPalettes) -> None:
        self._poser.pose_counted(inputs, palettes, self._culler.pose_levels(), self._culler.work)

    def by_palette_row(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        return rows

    def shown(self, level: int) -> IndirectInstances:
        return self._culler.drawn(level)

    def casting(self, level: int) -> IndirectInstances:
        return self._culler.casters(level)


CrowdLists = CpuLists | GpuLists  # lists for one picture; all passes of the picture draw these actors
