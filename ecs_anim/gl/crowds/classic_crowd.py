"""A baked crowd that is drawn with the classic crowd shader. One draw call draws at most 80 actors.

For each vertex, the classic shader reads skin matrices from a texture. The classic shader has two uses: it is a
reference for comparisons, and it runs on OpenGL contexts that are too limited for all other crowd drawers. All actors
have one level of detail.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ecs_anim.bake.bake import Bake
from ecs_anim.gl.crowds.bake_classic import BATCH, ClassicAtlas
from ecs_anim.gl.crowds.baked_crowd import BakedPicture
from ecs_anim.gl.crowds.past_poses import PastActors
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.model.instances import Instances
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.part import Part
from ecs_anim.view.instances import INSTANCE


class ClassicCrowd(Resource):
    """Crowd drawer that uses the classic shader. All actors share one rig and one model. The caller owns the model."""

    def __init__(
        self, bake: Bake, model: ModelBuffers, capabilities: Capabilities, *, interpolate: bool = True
    ) -> None:
        self._model = model
        self._nearest = not interpolate
        self._atlas = self.keep(ClassicAtlas(bake, capabilities))
        self._rows = self.keep(StreamBuffer(gl.GL_ARRAY_BUFFER))
        self._plays = np.zeros((0, 2, 4), np.float32)

    def update(self, picture: BakedPicture) -> None:
        """Upload the positions of the actors, and find the rows of the bake texture that their poses need."""
        self._plays = self._atlas.plays(picture.actors, nearest=self._nearest)
        self._rows.write(placed(picture.actors))

    def shown(self) -> Iterator[Part]:
        """Yield all actors as parts to draw."""
        for first in range(0, len(self._plays), BATCH):
            plays = self._plays[first : first + BATCH]
            instances = Instances(self._rows, len(plays), first)
            yield Part(self._model, instances, "classic", uniforms=partial(self._send, plays))

    def pose_past(self, past: PastActors) -> None:
        """Return None. A `ClassicCrowd` stores no palettes, so the poses of the previous picture are unknown."""

    def casting(self) -> Iterator[Part]:
        """Yield all actors as parts to draw."""
        return self.shown()

    def _send(self, plays: NDArray[np.float32], program: Program) -> None:
        self._atlas.bind(program)
        self._atlas.send(program, plays)


def placed(actors: NDArray[np.void]) -> NDArray[np.void]:
    """Return an `INSTANCE` row for each `BAKED_ACTOR` row, in the order of `actors`."""
    rows = np.zeros(len(actors), INSTANCE)
    for name in ("translation", "scale", "rotation", "variant"):
        rows[name] = actors[name]
    rows["tint"] = actors["tint"] / np.float32(65535)
    rows["palette_row"] = rows["actor"] = np.arange(len(actors))
    return rows
