"""A crowd whose palettes the CPU makes, with those who are small in the picture shown as pictures of their rig."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.impostors.atlas import ImpostorAtlas
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.instances import Instances
from ecs_anim.gl.model.levelled_crowd import LevelledDraw
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.part import Part
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.levels.posed import Chosen, LevelMemory, PosedLevels
from ecs_anim.levels.posed_impostors import Pictured, PosedImpostors, picture_far
from ecs_anim.maths.quaternion import rotate

NUMBERS = 1 << 16  # by which actors are told apart where each rounds at another point


class Sheet:
    """What is pictured of a rig, and the pictures, drawn when somebody is shown by them; the model is others'."""

    def __init__(self, plan: PosedImpostors, model: ModelBuffers, capabilities: Capabilities) -> None:
        self.plan = plan
        self._model, self._capabilities = model, capabilities
        self._atlas: ImpostorAtlas | None = None

    def prepare(self) -> ImpostorAtlas:
        """The pictures; before the passes of the first picture that shows them."""
        if self._atlas is None:
            self._atlas = ImpostorAtlas(self.plan.impostors, self._model, self._capabilities)
        self._atlas.prepare()
        return self._atlas

    def free(self) -> None:
        if self._atlas is not None:
            self._atlas.free()


class PicturedDraw(LevelledDraw):
    """For one picture. The `sheet` tells who is shown so, and has what shows them."""

    def __init__(
        self,
        whole: CrowdDraw,
        levels: PosedLevels,
        models: Sequence[ModelBuffers],
        pixel_error: float,
        finest: int,
        memory: LevelMemory | None,
        sheet: Sheet,
    ) -> None:
        super().__init__(whole, levels, models, pixel_error, finest, memory)
        self._sheet = sheet
        self._pictured: Pictured | None = None

    def shown(self, stream: CrowdStream) -> Iterator[Part]:
        """Meshes, then pictures."""
        yield from super().shown(stream)
        if len(self.pictured.rows):
            stream.instances.write(self._pictures())
            rows = Instances(stream.instances.name, len(self.pictured.rows))
            bind = self._sheet.prepare().bind
            yield Part(self._models[-1], rows, is_impostor=True, names_pictures=True, uniforms=bind)

    @property
    def pictured(self) -> Pictured:
        """Who is shown by a picture."""
        assert self._pictured is not None, "`prepare` comes first"
        return self._pictured

    def _revised(self, chosen: Chosen, before: NDArray[np.intp] | None) -> Chosen:
        revised, self._pictured = picture_far(chosen, self._sheet.plan, self._whole.palettes, before)
        if len(self._pictured.rows):
            self._sheet.prepare()
        return revised

    def _standing_rows(self) -> NDArray[np.intp]:
        return np.sort(np.concatenate([super()._standing_rows(), self.pictured.rows]))

    def _pictures(self) -> NDArray[np.void]:
        """Rows of `INSTANCE`: where each picture stands, and which one it is."""
        rows, poses, shifts = self.pictured
        found = self._whole.everyone[rows]
        scale, rotation = found["scale"][:, None], found["rotation"]
        found["translation"] += rotate(rotation, scale * shifts)
        found["palette_row"] = poses
        found["variant"] %= len(self._sheet.plan.impostors.clips)
        if self._whole.ids is not None:
            found["actor"] = self._whole.ids[rows] % NUMBERS
        return found
