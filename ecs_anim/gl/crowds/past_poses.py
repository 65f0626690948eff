"""Poses of the previous picture for baked crowds.

The GPU computes the previous poses again from the inputs of the previous picture.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.crowds.bake_atlas import BakeAtlas
from ecs_anim.gl.crowds.pose_compute import ComputePoser
from ecs_anim.gl.crowds.pose_feedback import FeedbackPoser
from ecs_anim.gl.crowds.pose_inputs import PoseInputs, PoseLevel
from ecs_anim.gl.crowds.pose_palettes import PosedPalettes
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import PAST_ACTORS_UNIT, PAST_UNIT


@dataclass(frozen=True)
class PastActors:
    """The state of a baked crowd in the previous picture. The rows are in the present order of the actors."""

    actors: NDArray[np.void]  # rows of `BAKED_ACTOR`; scale 0 = unknown past
    near: NDArray[np.float32] | None  # [near_count, palette_count, 3, 4] f32, palettes that the CPU computed


class PastPoses(Resource):
    """The palettes of all actors in the previous picture. Each actor has one row with all palette entries."""

    def __init__(self, atlas: BakeAtlas, capabilities: Capabilities, defines: Iterable[str]) -> None:
        make_poser = ComputePoser if capabilities.has_compute else FeedbackPoser
        self._poser = self.keep(make_poser(atlas, None, defines))
        self._inputs = self.keep(PoseInputs())
        self._palettes = self.keep(PosedPalettes(atlas.entry_count, capabilities))

    def fits(self, actor_count: int) -> bool:
        """Return whether this OpenGL implementation can store the palettes of `actor_count` actors."""
        return actor_count <= self._palettes.max_rows

    def pose(self, past: PastActors) -> None:
        """Compute the palettes of all actors for `past`, the state of the actors in the previous picture."""
        count = len(past.actors)
        self._palettes.reserve(count)
        self._inputs.write_actors(past.actors)
        if past.near is not None:
            self._inputs.write_near(past.near)
        self._inputs.write_list(np.repeat(np.arange(count, dtype=np.uint32)[:, None], 2, axis=1))
        self._poser.pose(self._inputs, self._palettes, [PoseLevel(0, count)])

    def bind(self) -> None:
        """Bind the palettes of the previous picture for the shaders."""
        self._palettes.bind(PAST_UNIT)
        self._inputs.actors.bind(PAST_ACTORS_UNIT)
