"""The interface between crowds and drawing passes. The module also contains the class for crowds whose palettes the CPU
computes.
"""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import LAYOUTS, Method
from ecs_anim.gl.model.instances import all_instances
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.morphs import used_targets
from ecs_anim.gl.model.part import Part
from ecs_anim.gl.model.stream import CrowdStream, PosedActors
from ecs_anim.runtime.short_palette import Bits
from ecs_anim.view.cull_view import CullView
from ecs_anim.view.sun_fit import SunFit

INSTANCE_FLOATS = 12  # translation, scale, rotation, tint
CONTACT_FLOATS = 4  # height, normal


# The surface on which an actor's contact shadow lies: "plane" = the ground plane, "contacts" = the ground in
# `contacts`, "feet" = horizontal ground at the height of the actor.
GroundBelow = Literal["plane", "contacts", "feet"]


class Drawable(Protocol):
    """Interface of all crowds that drawing passes can draw. The CPU or the GPU computes the palettes."""

    @property
    def shadow_radius(self) -> float: ...
    @property
    def ground_below(self) -> GroundBelow: ...
    @property
    def casts_shadow(self) -> bool: ...
    @property
    def in_front(self) -> bool: ...
    @property
    def ids(self) -> NDArray[np.int64] | None: ...

    def check(self) -> None:
        """Raise ValueError if an array has a shape or a format that the GPU cannot read."""
        ...

    def prepare(self, view: CullView, sun: SunFit | None) -> None:
        """Prepare the crowd for a picture.

        The renderer calls `prepare` once for each picture, before the first drawing pass.
        """
        ...

    def shown(self, stream: CrowdStream) -> Iterator[Part]:
        """Yield the visible actors as parts to draw.

        The buffers of a part are bound before the method yields the part.
        """
        ...

    def posed_past(self) -> Callable[[], None] | None:
        """Return a function that binds the poses of the previous picture for the shaders.

        If the GPU does not have the poses of the previous picture, return None.
        """
        ...

    def casting(self, stream: CrowdStream) -> Iterator[Part]:
        """Yield the actors that cast shadows, as parts to draw into the shadow map."""
        ...

    def standing(self, stream: CrowdStream) -> Iterator[Part]:
        """Yield the visible actors for contact shadows, without palettes.

        If the crowd has ground contacts, the method binds the ground contacts.
        """
        ...


@dataclass(frozen=True)
class CrowdDraw:
    """A crowd in one picture. The CPU computes the palettes of the crowd. All actors share one rig.

    The renderer reads the arrays during drawing and does not store the arrays. The linear rgb values of a tint multiply
    the colour of the surface. The alpha value of a tint is its strength: 0 is no tint, and 1 is full tint. For an
    opaque material, the strength of the tint is also multiplied by the alpha value of the material (base colour times
    texture). The glTF standard gives this alpha value no meaning for opaque materials, so it is free for the tint. For
    example, if the texture of the skin has alpha 0, only the clothes are tinted.
    """

    model: ModelBuffers
    instances: NDArray[np.float32]  # [actor_count, 12] f32: translation [m], scale, rotation xyzw, tint rgba
    # [actor_count, palette_count, 3, 4] f32, skin matrices for linear skinning; other skinning methods: layouts in
    # `LAYOUTS`.
    palettes: NDArray[np.float32]
    shadow_radius: float = 0.32  # [m] at scale 1, radius of the contact shadow; 0 = no shadow
    _: KW_ONLY
    # [actor_count, 4] f32, height [m] and normal of the ground below each actor; None = horizontal ground.
    contacts: NDArray[np.float32] | None = None
    caster: ModelBuffers | None = None  # coarser meshes for the shadow map, skinned with the same palettes
    casts_shadow: bool = True
    in_front: bool = False  # whether the crowd is drawn in front of all other objects
    skinning: Method = "linear"
    palette_bits: Bits = 32  # bits per number for the transfer to the GPU
    # [actor_count, target_count] f32, weights of the rig's morph targets; None = all weights are 0.
    morph_weights: NDArray[np.float32] | None = None
    # [actor_count] i32, number of each actor's texture; None = the first texture.
    variants: NDArray[np.int32] | None = None
    # [actor_count] i64, ids of the actors in the id pass; None = the label passes omit the crowd.
    ids: NDArray[np.int64] | None = None
    # [actor_count] f32, 0 to 1, fraction of samples that each actor covers; None = all samples.
    coverage: NDArray[np.float32] | None = None
    # true = all instances cover the same samples of a pixel while they fade, so that seams between neighbours are
    # invisible
    joined: bool = False
    # the crowd in the previous picture, whose actors are found by their ids; None = unknown
    past: "CrowdDraw | None" = None

    def only(self, rows: NDArray[np.intp]) -> "CrowdDraw":
        """Return a copy of the crowd with only the actors in the rows `rows` [n]."""
        arrays = ("instances", "palettes", "contacts", "morph_weights", "variants", "ids", "coverage")
        own = {name: getattr(self, name) for name in arrays}
        return replace(self, **{name: array[rows] for name, array in own.items() if array is not None})

    @property
    def actor_count(self) -> int:
        return len(self.instances)

    @property
    def palette_count(self) -> int:
        return self.palettes.shape[1]

    @property
    def entry_rows(self) -> int:
        """Return the number of texels of a palette entry."""
        return LAYOUTS[self.skinning].rows

    @cached_property
    def used_morphs(self) -> NDArray[np.float32]:
        """Return the used morph targets of each actor as pairs (morph target, weight), [actor_count, stride, 2] f32.

        See `used_targets`.
        """
        if self.morph_weights is None or not self._morph_count:
            return np.zeros((self.actor_count, 0, 2), np.float32)
        return used_targets(self.morph_weights)

    @cached_property
    def everyone(self) -> NDArray[np.void]:
        """Return the `INSTANCE` rows of all actors. The palette row of an actor is its row in the crowd."""
        instances = all_instances(self.instances, self.variants, self.coverage)
        if self.joined:
            instances["actor"] = 0
        return instances

    @cached_property
    def posed(self) -> PosedActors:
        """Return the palettes, morph weights and `INSTANCE` rows that a `CrowdStream` uploads for this crowd."""
        is_fading = self.coverage is not None
        return PosedActors(self.everyone, self.palettes, self.palette_bits, self.used_morphs, self.skinning, is_fading)

    @property
    def models(self) -> tuple[ModelBuffers, ModelBuffers]:
        """Return two models: the model for the picture and the model for the shadow map."""
        return self.model, self.caster or self.model

    @property
    def ground_below(self) -> GroundBelow:
        """Return "contacts" if the crowd has ground contacts. Otherwise, return "plane"."""
        return "plane" if self.contacts is None else "contacts"

    def prepare(self, view: CullView, sun: SunFit | None) -> None:
        """Do nothing, because the CPU has already computed the palettes."""

    def shown(self, stream: CrowdStream) -> Iterator[Part]:
        return stream.upload(self.posed, self.model)

    def casting(self, stream: CrowdStream) -> Iterator[Part]:
        return stream.upload(self.posed, self.caster or self.model)

    def standing(self, stream: CrowdStream) -> Iterator[Part]:
        if self.actor_count:
            yield stream.place(self.everyone, self.contacts, self.model)

    def posed_past(self) -> None:
        """Return None, because the GPU does not have the poses of the previous picture."""

    @property
    def _morph_count(self) -> int:
        return max(model.min_morph_count for model in self.models)

    def check(self) -> None:
        """Raise ValueError if an array has a shape or a format that the GPU cannot read."""
        _check_array("instances", self.instances, (len(self.instances), INSTANCE_FLOATS))
        _check_array("palettes", self.palettes, (len(self.instances), *self.palettes.shape[1:2], self.entry_rows, 4))
        if self.contacts is not None:
            _check_array("contacts", self.contacts, (len(self.instances), CONTACT_FLOATS))
        if self.variants is not None:
            self._check_variants(self.variants)
        if self.morph_weights is not None:
            self._check_morphs(self.morph_weights)
        if self.palette_bits not in get_args(Bits):
            raise ValueError(f"palette_bits must be 32 or 16 (got {self.palette_bits}). Pass 32 or 16.")
        needed = max(model.min_palette_count for model in self.models)
        if self.palette_count < needed:
            raise ValueError(
                f"each actor of the crowd must have at least {needed} palette entries, one for each bone that the"
                f" model uses (got {self.palette_count})"
            )

    def _check_variants(self, variants: NDArray[np.int32]) -> None:
        if variants.dtype != np.int32 or variants.shape != (self.actor_count,) or not variants.flags.c_contiguous:
            raise ValueError(f"variants must be a C-contiguous int32 array of shape [{self.actor_count}]")
        count = self.model.variant_count
        if count and self.actor_count and not 0 <= variants.min() <= variants.max() < count:
            raise ValueError(
                f"each number in variants must be 0 to {count - 1} (got {variants.min()} to {variants.max()})"
            )

    def _check_morphs(self, weights: NDArray[np.float32]) -> None:
        _check_array("morph_weights", weights, (len(self.instances), *weights.shape[1:2]))
        if weights.shape[1] < self._morph_count:
            used = self._morph_count
            raise ValueError(
                f"morph_weights must have {used} columns, one for each morph target of the model (got"
                f" {weights.shape[1]})"
            )


def _check_array(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.dtype != np.float32 or array.shape != shape or not array.flags.c_contiguous:
        raise ValueError(
            f"{name} must be a C-contiguous float32 array of shape {list(shape)} (got {array.dtype}"
            f" {list(array.shape)})"
        )
