"""Computation of poses on the CPU or the GPU.

From the key `path`, the part builds three things: the skin matrices, the bakes and the update rates.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ecs_anim.assets.skinning import LAYOUTS, Method, keeps_matrices
from ecs_anim.bake.measure import character_size
from ecs_anim.components.baked import Detail
from ecs_anim.components.nearness import NearBudget, Nearness, new_nearness
from ecs_anim.components.update_rates import new_update_rates
from ecs_anim.levels.posed_impostors import why_unpictured
from ecs_anim.scenes.bakes import build_baked
from ecs_anim.scenes.parts.part import Making, Part
from ecs_anim.scenes.schema_bake import NEAR_ACTORS, BakeModel, DetailModel, NearActorsModel
from ecs_anim.scenes.schema_base import Table
from ecs_anim.systems.skinning import new_palette


class PosingKeys(Table):
    """The keys that choose the processor (CPU or GPU) for the poses of actors, and the skinning method."""

    path: Literal["pose", "baked", "auto"] = Field(
        "pose",
        description="processor that computes the poses of actors. 'pose': the CPU. 'baked': the GPU, from a bake of"
        " the clips, for large crowds. 'auto': the CPU for actors near the camera, and the GPU for all other actors",
    )
    bake: BakeModel | None = Field(None, description="options of the bake, for path = 'baked' and path = 'auto'")
    near_actors: NearActorsModel | None = Field(
        None, description="limit on the actors whose poses the CPU computes, for path = 'auto'"
    )
    level: Annotated[int, Field(ge=0)] | Literal["auto"] = Field(
        0,
        description="level of detail of the meshes. 0 is the finest level. With 'auto', the size of an actor in the"
        " picture determines its level",
    )
    detail: DetailModel | None = Field(
        None,
        description="limits for the choice of levels of detail (with level = 'auto'), and for the update rate of the"
        " poses of far actors (with path = 'pose')",
    )
    skinning: Method = Field(
        "linear", description="skinning method. With 'dual_quaternion', twisted limbs keep their volume"
    )
    palette_bits: Literal[32, 16] = Field(
        32,
        description="bits per number of the skin matrices that the program sends to the GPU. 16 halves the memory,"
        " with an error of 0.1 mm",
    )

    @model_validator(mode="after")
    def _path_has_its_tables(self) -> "PosingKeys":
        if self.path == "pose" and self.bake is not None:
            raise ValueError(
                'bake: only crowds with path = "baked" or path = "auto" can have a bake. Add the key path, or leave'
                " out bake."
            )
        if self.level == "auto" and self.skinning != "linear":
            raise ValueError(
                'level = "auto" needs linear skinning. Leave out skinning, or write the level as a number.'
            )
        if self.path != "auto" and self.near_actors is not None:
            raise ValueError('near_actors: a crowd can have near actors only if path = "auto". Add path = "auto".')
        if self.path != "pose" and self.level != "auto" and self.detail is not None:
            raise ValueError('detail: this crowd has only one detail level. Add level = "auto".')
        if self.level != "auto" and self.detail is not None and self.detail.impostors:
            raise ValueError('detail.impostors: impostors need several detail levels. Add level = "auto".')
        return self

    @property
    def has_update_rates(self) -> bool:
        """Return whether distant actors get new poses from the CPU only in every second or fourth time step."""
        return self.path == "pose" and self.detail is not None and self.detail.update_rates


class PosingPart(Part[PosingKeys]):
    """Skin matrices from the CPU, input data for skin matrices from the GPU, or both. Every crowd has this part."""

    keys = PosingKeys
    always = True
    cpu_only = ()
    cpu_shown = ("skinning", "palette_bits")

    def needed_kernels(self, crowd: PosingKeys) -> Iterator[str]:
        """Yield the kernels for the crowd's path and skinning method."""
        if crowd.path != "pose":
            yield from ("baked_actors", "culling")
        if crowd.path == "auto" or crowd.has_update_rates:
            yield "nearness"
        if not keeps_matrices(crowd.skinning):
            yield LAYOUTS[crowd.skinning].kernel
        if crowd.palette_bits != 32:
            yield "short_palette"

    def build(self, crowd: PosingKeys, making: Making) -> Iterator[object]:
        """Build skin matrices and bakes. At the start, no actor is a near actor and no actor has a pose."""
        rig, count = making.loaded.rig, making.count
        if crowd.path == "pose":
            yield new_palette(rig.skeleton, count, crowd.skinning, crowd.palette_bits)
            if crowd.detail is not None and crowd.has_update_rates:
                yield new_update_rates(crowd.detail.pixel_error, character_size(rig), count)
            if crowd.level == "auto":
                yield _posed_detail(crowd, making)
            return
        if crowd.path == "auto" and crowd.bake and crowd.bake.shader == "classic":
            text = 'the shader "classic" cannot draw near actors. Write path = "baked"'
            raise (making.key / ".bake.shader").fault(text)
        yield build_baked(crowd.bake or BakeModel(), rig, making.motions, making.key / ".bake")
        if crowd.level == "auto":
            yield _detail(crowd)
        if crowd.path == "auto":
            yield _nearness(crowd.near_actors or NearActorsModel(), count)
            yield new_palette(rig.skeleton, None)


def _posed_detail(crowd: PosingKeys, making: Making) -> Detail:
    """Return the levels of detail for a crowd whose poses the CPU computes.

    Raises InputError if the rig cannot have impostors.
    """
    detail = _detail(crowd)
    reason = why_unpictured(making.loaded.rig) if detail.impostors else None
    if reason is not None:
        raise (making.key / ".detail.impostors").fault(f"{reason}. Leave out impostors")
    return detail


def _detail(crowd: PosingKeys) -> Detail:
    detail = crowd.detail or DetailModel()
    return Detail(detail.pixel_error, detail.update_rates, detail.impostors)


def _nearness(near: NearActorsModel, count: int) -> Nearness:
    actors = NEAR_ACTORS if near.count is None and near.milliseconds is None else near.count
    return new_nearness(NearBudget(actors, near.milliseconds), near.fade_seconds, count)
