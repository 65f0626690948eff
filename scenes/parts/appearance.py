"""Appearance of actors. The part builds the component `Appearance` from the tints and images in a scene."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ecs_anim.components.appearance import Appearance
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.scenes.parts.part import Demand, Drawn, Joining, Making, Part, drawn_rows
from ecs_anim.scenes.schema_base import Color, NotNegative, Table

Images = Annotated[list[str], Field(min_length=1)]


class AppearanceKeys(Table):
    """Appearance of actors."""

    tints: Annotated[list[Color], Field(min_length=1)] | None = Field(
        None,
        description="colours of actors. Each actor gets one of these colours at random. Default: usual colours of"
        " clothes for 'mannequin' and 'people', and white for other rigs",
    )
    variants: Images | dict[str, Images] | None = Field(
        None,
        description="paths of images, all with the same size. Each actor gets one image at random, in place of the"
        " base colour textures of the rig. For separate lists for the materials of the rig, write a table from"
        " material name to list. Default: the textures of the rig",
    )
    figures: Annotated[list[str], Field(min_length=1)] | dict[str, NotNegative] | None = Field(
        None,
        description="names of figures (body shapes) of the rig. Each actor gets one figure at random. To raise the "
        "probability of a figure, repeat its name. Or a table of factors on the weights of the rig, by figure, age, "
        "build, skin tone or accessory: { child = 3.0, stout = 0.5 }. Default: all figures, with the rig's weights",
    )
    show_skin: bool = True
    show_joints: bool = Field(False, description="draw the bones and joints of actors, visible through the skin")


class AppearancePart(Part[AppearanceKeys]):
    """Tints and textures of actors. Every crowd has the part `AppearancePart`."""

    keys = AppearanceKeys
    always = True
    cpu_only = ()
    cpu_shown = ("show_joints",)

    def demands(self, crowd: AppearanceKeys) -> Iterator[Demand]:
        """Yield the number of images that a crowd names. A budget limits the number of images."""
        lists = crowd.variants.values() if isinstance(crowd.variants, dict) else [crowd.variants or []]
        yield "variants", sum(map(len, lists)), ".variants", "give the crowd fewer variants"

    def build(self, crowd: AppearanceKeys, making: Making) -> Iterator[object]:
        """Build tints and textures.

        If actors follow recorded people, the id of a person in the file determines the tint of the person's actor.
        """
        looks = _looks(crowd, making, making.variants, making.count, making.rng)
        if making.recorded is not None:
            colors = _colors(crowd, making)
            looks.tint[:] = colors[making.recorded.people[: making.count] % len(colors)]
        yield looks

    def draw(self, crowd: AppearanceKeys, joining: Joining) -> Iterator[Drawn]:
        """Yield the values of the appearance columns for new actors."""
        looks = _looks(crowd, joining.making, joining.variants, joining.count, joining.rng)
        return drawn_rows(joining.making.get(Appearance), looks)


def _looks(
    crowd: AppearanceKeys, making: Making, variant: NDArray[np.int32] | None, count: int, rng: np.random.Generator
) -> Appearance:
    """Return the appearance of `count` actors with random tints.

    `variant` [count] determines the textures. If `variant` is None and the rig has several variants, the textures are
    random.
    """
    colors = _colors(crowd, making)
    tint = colors.take((rng if crowd.tints else _apart(rng)).integers(len(colors), size=count), axis=0)
    choices = making.loaded.rig.variant_count
    if variant is None and choices:
        variant = rng.integers(choices, size=count).astype(np.int32)
    return Appearance(tint, making.loaded.shadow_radius, crowd.show_skin, crowd.show_joints, variant=variant)


def _colors(crowd: AppearanceKeys, making: Making) -> NDArray[np.float32]:
    """Return all tints [color_count, 4] of a crowd. The program randomly chooses a tint of the crowd for each actor."""
    return _tints(tuple(crowd.tints or making.loaded.tints))


def _apart(rng: np.random.Generator) -> np.random.Generator:
    """Return a new random generator.

    The seed of the new generator depends on the state of `rng`, but the function does not change this state.
    """
    return np.random.default_rng((rng.bit_generator.state["state"]["state"], 1))


@lru_cache(maxsize=64)
def _tints(colors: tuple[str, ...]) -> NDArray[np.float32]:
    """Return the sRGB colours `colors` as linear RGBA [color_count, 4]."""
    return np.array([(*hex_to_linear(color), 1.0) for color in colors], np.float32)
