"""Walking. The part builds the component `Locomotion`, and the component `Footing` if the ground is not flat."""

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

CLIMB_SHARE = 0.3  # height of the highest step onto which an actor walks / height of the character


class LocomotionModel(Table):
    """Walking at the speed of the clip."""

    turn_rate_degrees_s: NotNegative = Field(
        60.0, description="largest rate at which an actor changes its heading [degrees/s]"
    )
    area_radius: Positive | None = Field(
        None, description="radius of the walking area [m]. Actors outside this area turn back. Default: no limit"
    )
    area_center: Place2 = Field((0.0, 0.0), description="plan point x, y of the middle of the walking area [m]")


class LocomotionKeys(Table):
    """The key `locomotion` of a crowd."""

    locomotion: LocomotionModel | None = None


class LocomotionPart(Part[LocomotionKeys]):
    """Walking at the speed of the clips, on flat or uneven ground."""

    keys = LocomotionKeys
    cpu_only = ()
    kernels = ("locomotion",)

    def build(self, crowd: LocomotionKeys, making: Making) -> Iterator[object]:
        """Build `Locomotion` and `Footing` for actors without a body.

        The component `Movers` already moves actors with a body.
        """
        assert crowd.locomotion is not None  # is_wanted has checked the key
        if making.find(Movers) is None:
            yield new_locomotion(crowd.locomotion, making)
            yield from new_footing(making)


def new_locomotion(model: LocomotionModel, making: Making) -> Locomotion:
    """Return the component `Locomotion` for a crowd. The size of the walking area grows with the number of actors."""
    radius, (x, y) = model.area_radius or math.inf, model.area_center
    return Locomotion(
        turn_rate=np.full(making.count, math.radians(model.turn_rate_degrees_s), np.float32),
        facing=making.loaded.facing,
        area_center=(x, 0.0 - y),
        area_radius=radius * math.sqrt(making.count / making.crowd.count),
    )


def new_footing(making: Making) -> Iterator[Footing]:
    """Yield the component `Footing` if the ground is not flat, and if the actors do not follow a recording with
    heights.

    Actors can walk up a step in the ground only if the step is lower than a limit. This limit is proportional to the
    height of the actors.
    """
    if making.terrain.surfaces and not (making.recorded and making.recorded.has_heights):
        loaded = making.loaded
        low, high = rest_bounds(loaded.rig)
        climb = CLIMB_SHARE * loaded.scale * float(high[1] - low[1])
        yield Footing(making.terrain, loaded.ground_offset, climb)
