"""Walking: from a scene's locomotion to `Locomotion`, and to `Footing` on ground that is not flat."""

import math
from collections.abc import Iterator

import numpy as np
from pydantic import Field

from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.footing import Footing
from ecs_anim.components.locomotion import Locomotion
from ecs_anim.components.movers import Movers
from ecs_anim.scenes.parts.part import Making, Part
from ecs_anim.scenes.schema_base import NotNegative, Place2, Positive, Table

CLIMB_SHARE = 0.3  # of the character's height: the tallest step that an actor walks onto


class LocomotionModel(Table):
    """Actors walk at their clip's speed."""

    turn_rate_degrees_s: NotNegative = Field(60.0, description="[degrees/s], the most an actor turns")
    area_radius: Positive | None = Field(None, description="[m]; actors outside it turn back; default: no bounds")
    area_center: Place2 = Field((0.0, 0.0), description="x, y of its middle [m]")


class LocomotionKeys(Table):
    """How actors walk."""

    locomotion: LocomotionModel | None = None


class LocomotionPart(Part[LocomotionKeys]):
    """Actors walk at their clips' speeds, up and down with the ground."""

    keys = LocomotionKeys
    cpu_only = ()
    kernels = ("locomotion",)

    def build(self, crowd: LocomotionKeys, making: Making) -> Iterator[object]:
        """Where actors have a body, its movers move them as their clips do, among others."""
        assert crowd.locomotion is not None  # it is wanted
        if making.find(Movers) is None:
            yield new_locomotion(crowd.locomotion, making)
            yield from new_footing(making)


def new_locomotion(model: LocomotionModel, making: Making) -> Locomotion:
    """How actors walk; the area grows with their number."""
    radius, (x, y) = model.area_radius or math.inf, model.area_center
    return Locomotion(
        turn_rate=np.full(making.count, math.radians(model.turn_rate_degrees_s), np.float32),
        facing=making.loaded.facing,
        area_center=(x, 0.0 - y),
        area_radius=radius * math.sqrt(making.count / making.crowd.count),
    )


def new_footing(making: Making) -> Iterator[Footing]:
    """Up and down with the ground, where it is not flat; actors' height limits how tall their steps are."""
    if making.terrain.surfaces:
        loaded = making.loaded
        low, high = rest_bounds(loaded.rig)
        climb = CLIMB_SHARE * loaded.scale * float(high[1] - low[1])
        yield Footing(making.terrain, loaded.ground_offset, climb)
