"""A baked crowd: the GPU computes the poses of its actors from a bake.

For each picture, the program culls the actors and computes new poses.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.bake.bake import Bake
from ecs_anim.gl.crowds.bake_atlas import BakeAtlas
from ecs_anim.gl.crowds.crowd_lists import CpuLists, CrowdLists, GpuLists
from ecs_anim.gl.crowds.culling import GpuCuller
from ecs_anim.gl.crowds.past_poses import PastActors, PastPoses
from ecs_anim.gl.crowds.pose_compute import ComputePoser
from ecs_anim.gl.crowds.pose_feedback import FeedbackPoser
from ecs_anim.gl.crowds.pose_inputs import ACTORS_UNIT, PoseInputs
from ecs_anim.gl.crowds.pose_palettes import PosedPalettes
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import MORPH_WEIGHTS_UNIT, PALETTE_UNIT
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.gl.impostors.atlas import ImpostorAtlas
from ecs_anim.gl.model.crowd import GroundBelow
from ecs_anim.gl.model.instances import IndirectInstances, Instances
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.morphs import used_targets
from ecs_anim.gl.model.palette_transport import PaletteFormat
from ecs_anim.gl.model.part import Part
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.levels.levels import Levels
from ecs_anim.view.cull_view import PIXEL_ERROR, CullView, caster_level
from ecs_anim.view.sun_fit import SunFit

FAR_SIZE = 60.0  # [pixel]; for smaller actors, the shaders look up shadows per vertex and not per fragment


@dataclass(frozen=True)
class Precision:
    """Settings that trade the precision of a drawn crowd for speed."""

    pixel_error: float = PIXEL_ERROR  # [pixel], largest error of a coarser level
    update_rates: bool = False  # whether distant actors get a new pose only in every second or fourth picture
    seconds: float = 0.0  # [s], world time between two pictures


@dataclass(frozen=True)
class BakedPicture:
    """The actors of a baked crowd in one picture, and the poses that the CPU computed."""

    actors: NDArray[np.void]  # rows of `BAKED_ACTOR`
    near: NDArray[np.float32] | None  # [near_count, palette_count, 3, 4] f32, palettes from the CPU
    view: CullView
    sun: SunFit | None
    precision: Precision
    # [actor_count, target_count] f32, weights of the rig's morph targets; None = all weights are 0.
    morph_weights: NDArray[np.float32] | None = None
    forgets: bool = False  # whether rows can belong to other actors than in the previous picture


class GpuCrowd(Protocol):
    """Interface of all classes that draw the actors of a baked crowd."""

    def update(self, picture: BakedPicture) -> None:
        """Choose the visible actors for the picture `picture`, and compute or upload their poses."""
        ...

    def shown(self) -> Iterator[Part]:
        """Yield the visible actors as parts to draw."""
        ...

    def casting(self) -> Iterator[Part]:
        """Yield the actors that cast shadows, as parts to draw into the shadow map."""
        ...

    def pose_past(self, past: PastActors) -> PastPoses | None:
        """Return the poses of all actors in the previous picture, or None if the GPU cannot compute these poses."""
        ...

    def free(self) -> None:
        """Free the GPU memory of the crowd."""
        ...


class BakedCrowd(Resource):
    """A baked crowd on the GPU. Each visible actor has its own palette.

    The caller owns the models, one model for each level of detail. The caller also owns the impostor pictures. Without
    impostor pictures, no level of detail can be an impostor. By default, a GPU with compute shaders culls the actors.
    With a software renderer, the CPU culls the actors. `culls_on_gpu` overrides this default.
    """

    def __init__(
        self,
        bake: Bake,
        levels: Levels,
        models: Sequence[ModelBuffers],
        capabilities: Capabilities,
        defines: Iterable[str] = (),
        *,
        culls_on_gpu: bool | None = None,
        impostors: ImpostorAtlas | None = None,
    ) -> None:
        if levels.has_impostors and impostors is None:
            raise ValueError(
                "detail levels with impostors need an ImpostorAtlas (got none). Pass an ImpostorAtlas as `impostors`."
            )
        self._impostors = impostors
        self._levels, self._models = levels, tuple(models)
        # [pixel], size of an actor in the picture at which the error of each level is one pixel
        self._sizes = bake.size / np.maximum(levels.errors, 1e-9)
        self._atlas = self.keep(BakeAtlas(bake, capabilities))
        make_poser = ComputePoser if capabilities.has_compute else FeedbackPoser
        self._poser = self.keep(make_poser(self._atlas, levels.entries, defines))
        self._past: PastPoses | None = None  # created when the first flow pass is drawn
        self._defines = tuple(defines)
        self._inputs = self.keep(PoseInputs())
        self._palettes = self.keep(PosedPalettes(self._atlas.entry_count, capabilities))
        self._format = self.keep(PaletteFormat(self._atlas.entry_count))
        self._morphs, self._morph_stride = self.keep(TextureBuffer(gl.GL_RG32F)), 0
        self._capabilities = capabilities
        self._culls_on_gpu = not capabilities.is_software if culls_on_gpu is None else culls_on_gpu
        self._way = self._way_to_list(1)
        self._lists = self._make_lists(self._way)
        self._caster = 0
        self._picture = 0
        self._is_far = [False] * levels.count

    def update(self, picture: BakedPicture) -> None:
        """Choose the visible actors, and compute the palettes of these actors."""
        self._inputs.write_actors(picture.actors)
        if picture.near is not None:
            self._inputs.write_near(picture.near)
        self._reserve(len(picture.actors))
        if picture.forgets:
            self._lists.forget()
        precision, sun = picture.precision, picture.sun
        self._is_far = (precision.pixel_error * self._sizes <= FAR_SIZE).tolist()
        if sun is not None and len(picture.actors):
            scale = float(np.abs(picture.actors["scale"]).max())
            self._caster = caster_level(self._levels.errors[: self._levels.last_mesh + 1], scale, sun.texel)
        settings = picture.view.settings(
            self._picture,
            caster_level=self._caster,
            last_mesh=self._levels.last_mesh,
            pixel_error=precision.pixel_error,
            seconds=precision.seconds,
            rates=precision.update_rates,
        )
        self._lists.choose(self._inputs, picture.actors, picture.view, settings)
        self._lists.pose(self._inputs, self._palettes)
        if self._impostors is not None and self._lists.shown(self._levels.count - 1) is not None:
            self._impostors.prepare()
        self._write_morphs(picture.morph_weights)
        self._picture += 1

    def shown(self) -> Iterator[Part]:
        """Yield the visible actors. Each level of detail is one part."""
        return (part for level in range(self._levels.count) for part in self._part(self._lists.shown(level), level))

    def casting(self) -> Iterator[Part]:
        """Yield the actors that cast shadows, as parts to draw into the shadow map."""
        return self._part(self._lists.casting(self._caster), self._caster)

    def pose_past(self, past: PastActors) -> PastPoses | None:
        """Return the poses of all actors in the previous picture.

        If this OpenGL implementation cannot store the palettes of all actors, return None.
        """
        self._past = self._past or self.keep(PastPoses(self._atlas, self._capabilities, self._defines))
        if not self._past.fits(len(past.actors)):
            return None
        self._past.pose(past)
        return self._past

    def _part(self, instances: Instances | IndirectInstances | None, level: int) -> Iterator[Part]:
        if instances is None:
            return
        if level > self._levels.last_mesh:
            yield Part(self._models[level], instances, is_impostor=True, uniforms=self._bind_impostors)
        else:
            self._palettes.bind(PALETTE_UNIT)
            self._format.bind()
            if self._morph_stride:
                self._morphs.bind(MORPH_WEIGHTS_UNIT)
            yield Part(self._models[level], instances, morph_stride=self._morph_stride, far=self._is_far[level])

    def _bind_impostors(self, program: Program) -> None:
        """Bind the impostor pictures and the playback states of the actors for the current shader program."""
        assert self._impostors is not None
        self._impostors.bind(program)
        program.set_int("pose_actors", ACTORS_UNIT)
        self._inputs.actors.bind(ACTORS_UNIT)

    def _way_to_list(self, actor_count: int) -> tuple[bool, bool]:
        """Return whether each actor has its own palette row, and whether the GPU culls the actors.

        Both results depend on the number of actors and on the limits of the GPU.
        """
        is_dense = isinstance(self._poser, ComputePoser) and actor_count <= self._palettes.max_rows
        fits = GpuCuller.fits(self._capabilities, self._levels.count, actor_count)
        return is_dense, is_dense and self._culls_on_gpu and fits

    def _make_lists(self, way: tuple[bool, bool]) -> CrowdLists:
        is_dense, on_gpu = way
        if on_gpu and isinstance(self._poser, ComputePoser):
            counts = [[len(mesh.mesh.indices) for mesh in model.meshes] for model in self._models]
            return self.keep(GpuLists(self._levels, self._poser, counts))
        return self.keep(CpuLists(self._levels, self._poser, is_dense=is_dense))

    def _reserve(self, actor_count: int) -> None:
        """Reserve GPU memory for the palettes and rows of `actor_count` actors.

        If this OpenGL implementation cannot store the palettes of all actors, only drawn actors get palette rows.
        """
        way = self._way_to_list(actor_count)
        if way != self._way:
            self._lists.free()
            self._way, self._lists = way, self._make_lists(way)
        if self._palettes.reserve(min(actor_count, self._palettes.max_rows)):
            self._lists.forget()

    def _write_morphs(self, weights: NDArray[np.float32] | None) -> None:
        """Upload the morph weights. The vertex shader reads these weights in the order of the palette rows."""
        used = None if weights is None else used_targets(weights)
        self._morph_stride = 0 if used is None else used.shape[1]
        if used is not None and self._morph_stride:
            self._morphs.write(self._lists.by_palette_row(used))


@dataclass(frozen=True)
class BakedDraw:
    """A baked crowd in one picture: its `BAKED_ACTOR` rows, and the palettes of near actors.

    Near actors are close to the camera. The CPU computes the palettes of near actors.
    """

    crowd: GpuCrowd
    actors: NDArray[np.void]
    near: NDArray[np.float32] | None = None
    morph_weights: NDArray[np.float32] | None = None
    precision: Precision = Precision()
    shadow_radius: float = 0.32
    ground_below: GroundBelow = "feet"
    casts_shadow: bool = True
    in_front: bool = False
    ids: NDArray[np.int64] | None = None
    forgets: bool = False
    past: PastActors | None = None  # the crowd in the previous picture; None = unknown

    def check(self) -> None:
        """Do nothing, because the upload of the actors checks the arrays."""

    def prepare(self, view: CullView, sun: SunFit | None) -> None:
        """Cull the actors, and compute the poses of drawn actors.

        By default, distant actors can keep an older pose. If `BakedDraw.past` is set, every drawn actor gets a new
        pose, so that the optical flow is exact.
        """
        precision = self.precision if self.past is None else replace(self.precision, update_rates=False)
        told = BakedPicture(self.actors, self.near, view, sun, precision, self.morph_weights, self.forgets)
        self.crowd.update(told)

    def shown(self, stream: CrowdStream) -> Iterator[Part]:
        """Yield the visible actors as parts to draw."""
        return self.crowd.shown()

    def posed_past(self) -> Callable[[], None] | None:
        """Return a function that binds the poses of the previous picture for the shaders.

        If the previous poses are unknown or if the crowd has morph weights, return None.
        """
        if self.past is None or self.morph_weights is not None:
            return None
        poses = self.crowd.pose_past(self.past)
        return None if poses is None else poses.bind

    def casting(self, stream: CrowdStream) -> Iterator[Part]:
        """Yield the actors that cast shadows, as parts to draw into the shadow map."""
        return self.crowd.casting()

    def standing(self, stream: CrowdStream) -> Iterator[Part]:
        """Yield the visible actors for contact shadows.

        Each shadow is at the height of its actor's position, because a baked crowd stores no heights of the ground.
        """
        return self.crowd.shown()
