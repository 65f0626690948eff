"""The method of cross-fades. The part builds the component `Inertia` from the key `blend`."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from pydantic import Field

from ecs_anim.components.inertia import Inertia
from ecs_anim.components.playback import Playback
from ecs_anim.runtime.inertia import new_inertia_state
from ecs_anim.scenes.parts.part import Making, Part
from ecs_anim.scenes.schema_base import Table


class InertiaKeys(Table):
    """The method of cross-fades."""

    blend: Literal["cross", "inertial"] = Field(
        "cross",
        description="method of fades between motions. 'cross': the actor plays a mixture of the old motions and the"
        " new motion. 'inertial': the actor plays only the new motion, and the differences of pose and velocity from"
        " the old motion decay",
    )


class InertiaPart(Part[InertiaKeys]):
    """Inertial fades between motions. During an inertial fade, an actor plays only the new motion."""

    keys = InertiaKeys
    cpu_shown = ("blend",)
    kernels = ("inertia",)

    def build(self, crowd: InertiaKeys, making: Making) -> Iterator[object]:
        """Make inertial fades the default for all actors."""
        making.get(Playback).inertial = np.ones(making.count, np.int32)
        yield Inertia(new_inertia_state(making.count, making.motions.tables.layout.row_width))
