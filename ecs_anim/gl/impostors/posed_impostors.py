"""Drawing of a crowd whose palettes are computed on the CPU.

Actors that are small in the picture are drawn as impostors.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.impostors.atlas import ImpostorAtlas
from ecs_anim.gl.model.instances import Instances
from ecs_anim.gl.model.levelled_crowd import LevelledDraw
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.part import Part
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.levels.posed import Chosen
from ecs_anim.levels.posed_impostors import Pictured, PosedImpostors, picture_far
from ecs_anim.maths.quaternion import rotate

# an actor number is the id of the actor modulo `NUMBERS`; shaders derive the rounding offsets of an actor's impostor
# from its actor number
NUMBERS = 1 << 16


class Sheet(Resource):
    """A sheet of impostor pictures for a rig: the arrangement of the pictures, and the drawn pictures.

    The program draws the pictures when the first actor needs an impostor. The sheet and the crowd share one model.
    """

    def __init__(self, plan: PosedImpostors, model: ModelBuffers, capabilities: Capabilities) -> None:
        self.plan = plan
        self._model, self._capabilities = model, capabilities
        self._atlas: ImpostorAtlas | None = None

    def prepare(self) -> ImpostorAtlas:
        """Return the impostor pictures. The first call draws the pictures.

        Call this method before the first drawing pass of a picture with impostors.
        """
        if self._atlas is None:
            self._atlas = self.keep(ImpostorAtlas(self.plan.impostors, self._model, self._capabilities))
        self._atlas.prepare()
        return self._atlas


@dataclass(eq=False)
class PicturedDraw(LevelledDraw):
    """A crowd in one picture. Actors that are small in the picture are drawn as impostors from a sheet."""

    sheet: Sheet = field(kw_only=True)
    _pictured: Pictured | None = field(default=None, init=False)

    def shown(self, stream: CrowdStream) -> Iterator[Part]:
        """Yield the actors of the picture as parts to draw.

        The actors that are drawn with meshes come first. The actors that are drawn as impostors come last.
        """
        yield from super().shown(stream)
        if len(self.pictured.rows):
            stream.instances.write(self._pictures())
            rows = Instances(stream.instances, len(self.pictured.rows))
            bind = self.sheet.prepare().bind
            yield Part(self.models[-1], rows, is_impostor=True, names_pictures=True, uniforms=bind)

    @property
    def pictured(self) -> Pictured:
        """Return the actors that are drawn as impostors."""
        assert self._pictured is not None, "call `prepare` first"
        return self._pictured

    def _revised(self, chosen: Chosen, before: NDArray[np.intp] | None) -> Chosen:
        revised, self._pictured = picture_far(chosen, self.sheet.plan, self.whole.palettes, before)
        if len(self._pictured.rows):
            self.sheet.prepare()
        return revised

    def _standing_rows(self) -> NDArray[np.intp]:
        return np.sort(np.concatenate([super()._standing_rows(), self.pictured.rows]))

    def _pictures(self) -> NDArray[np.void]:
        """Return an `INSTANCE` row for each actor that is drawn as an impostor.

        The row contains the position of the actor and the number of its picture.
        """
        rows, poses, shifts = self.pictured
        found = self.whole.everyone[rows]
        scale, rotation = found["scale"][:, None], found["rotation"]
        found["translation"] += rotate(rotation, scale * shifts)
        found["palette_row"] = poses
        found["variant"] %= len(self.sheet.plan.impostors.clips)
        if self.whole.ids is not None:
            found["actor"] = self.whole.ids[rows] % NUMBERS
        return found
