"""A crowd that the GPU poses from a bake: culled, posed and drawn anew for each picture."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.bake.bake import Bake
from ecs_anim.gl import api as gl
from ecs_anim.gl.bake_atlas import BakeAtlas
from ecs_anim.gl.buffers import StreamBuffer
from ecs_anim.gl.capabilities import Capabilities
from ecs_anim.gl.crowd import GroundBelow
from ecs_anim.gl.instances import Instances
from ecs_anim.gl.model import ModelBuffers
from ecs_anim.gl.palette_transport import PaletteFormat
from ecs_anim.gl.part import Part
from ecs_anim.gl.pose_compute import ComputePoser
from ecs_anim.gl.pose_feedback import FeedbackPoser
from ecs_anim.gl.pose_inputs import PoseInputs, PoseLevel
from ecs_anim.gl.pose_palettes import PosedPalettes
from ecs_anim.gl.resource import Resource
from ecs_anim.gl.stream import CrowdStream
from ecs_anim.gl.sun_fit import SunFit
from ecs_anim.gl.texture import PALETTE_UNIT
from ecs_anim.levels.culler import Culled, Culler
from ecs_anim.levels.levels import Levels
from ecs_anim.levels.view import PIXEL_ERROR, CullView, caster_level


FAR_SIZE = 60.0  # [pixel]; a level that is for smaller actors than this looks shadows up by vertex


@dataclass(frozen=True)
class Precision:
    """How exact a crowd must look."""

    pixel_error: float = PIXEL_ERROR  # [pixel] that a coarser level may be off
    update_rates: bool = False  # far actors are posed every second or fourth picture only
    seconds: float = 0.0  # of the world's time, from one picture to the next


class BakedCrowd(Resource):
    """Actors of one rig. The models, one a level of detail, belong to others."""

    def __init__(
        self,
        bake: Bake,
        levels: Levels,
        models: Sequence[ModelBuffers],
        capabilities: Capabilities,
        defines: Iterable[str] = (),
    ) -> None:
        self._levels, self._models = levels, tuple(models)
        self._sizes = bake.size / np.maximum(levels.errors, 1e-9)  # [pixels a pixel of error], where levels begin
        self._atlas = BakeAtlas(bake, capabilities)
        poser = ComputePoser if capabilities.has_compute else FeedbackPoser
        self._poser = poser(self._atlas, levels.entries, defines)
        self._inputs = PoseInputs()
        self._palettes = PosedPalettes(self._atlas.entry_count, capabilities)
        self._format = PaletteFormat()
        self._rows = StreamBuffer(gl.GL_ARRAY_BUFFER)
        self._culler = Culler(levels, is_dense=capabilities.has_compute)
        self._culled: Culled | None = None
        self._picture = 0

    @property
    def max_actors(self) -> int:
        """The most that one crowd can have here."""
        return self._palettes.max_slots

    def update(
        self,
        actors: NDArray[np.void],
        near: NDArray[np.float32] | None,
        view: CullView,
        sun: SunFit | None,
        precision: Precision,
    ) -> None:
        """Choose who is drawn, and pose them. `actors` are rows of `BAKED_ACTOR`, `near` palettes from the CPU."""
        self._inputs.write_actors(actors)
        self._inputs.write_near(np.zeros((1, self._atlas.entry_count, 3, 4), np.float32) if near is None else near)
        if self._palettes.reserve(len(actors)):
            self._culler.forget()
        self._culled = culled = self._culler.cull(actors, view, self._settings(actors, view, sun, precision))
        self._inputs.write_list(culled.poses)
        starts = culled.pose_starts
        parts = [
            PoseLevel(int(starts[k]), int(starts[k + 1] - starts[k]), k)
            for k in range(self._levels.count)
            if starts[k + 1] > starts[k]
        ]
        if parts:
            self._poser.pose(self._inputs, self._palettes, parts)
        self._rows.write(culled.instances)
        self._picture += 1

    def shown(self) -> Iterator[Part]:
        """Whoever is in the view, level by level."""
        return (part for level in range(self._levels.count) for part in self._part(level, level))

    def casting(self) -> Iterator[Part]:
        """Whoever is on the sun's map."""
        return self._part(self._levels.count, self._caster)

    def _part(self, number: int, level: int) -> Iterator[Part]:
        assert self._culled is not None
        first, end = map(int, self._culled.row_starts[number : number + 2])
        if end > first:
            self._palettes.bind(PALETTE_UNIT)
            self._format.bind(self._atlas.entry_count)
            yield Part(self._models[level], Instances(self._rows.name, end - first, first), far=self._is_far[level])

    def _settings(self, actors, view, sun, precision):
        self._caster = 0
        self._is_far = (precision.pixel_error * self._sizes <= FAR_SIZE).tolist()
        if sun is not None and len(actors):
            scale = float(np.abs(actors["scale"]).max())
            self._caster = caster_level(self._levels.errors, scale, sun.texel)
        return view.settings(
            self._picture,
            caster_level=self._caster,
            pixel_error=precision.pixel_error,
            seconds=precision.seconds,
            rates=precision.update_rates,
        )

    def _release(self) -> None:
        owned = (self._atlas, self._poser, self._inputs, self._palettes, self._format, self._rows)
        for resource in owned:
            resource.free()


@dataclass(frozen=True)
class BakedDraw:
    """What a baked crowd brings to a picture: rows of `BAKED_ACTOR`, and palettes of those that are near."""

    crowd: BakedCrowd
    actors: NDArray[np.void]
    near: NDArray[np.float32] | None = None
    precision: Precision = Precision()
    shadow_radius: float = 0.32
    ground_below: GroundBelow = "feet"
    casts_shadow: bool = True
    in_front: bool = False
    first_id: int = 0

    def check(self) -> None:
        """Inputs are checked as they are written."""

    def prepare(self, view: CullView, sun: SunFit | None) -> None:
        """Cull and pose."""
        self.crowd.update(self.actors, self.near, view, sun, self.precision)

    def shown(self, stream: CrowdStream) -> Iterator[Part]:
        """Whoever is in the view."""
        return self.crowd.shown()

    def casting(self, stream: CrowdStream) -> Iterator[Part]:
        """Whoever is on the sun's map."""
        return self.crowd.casting()

    def standing(self, stream: CrowdStream) -> Iterator[Part]:
        """Whoever is in the view; their own height is their ground's."""
        return self.crowd.shown()
