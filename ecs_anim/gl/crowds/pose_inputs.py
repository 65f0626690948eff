"""Inputs of the palette pass (shaders/pose.glsl): the actors that need a new pose, and the palette entries that each
level of detail needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.view.instances import BAKED_ACTOR

# Texture units of the palette pass. The meshes use other texture units. The module bake_atlas.py defines the other
# units of the palette pass.
ACTORS_UNIT, LIST_UNIT, NEAR_UNIT, TABLE_UNIT = 12, 13, 14, 15
UNITS = {"pose_actors": ACTORS_UNIT, "pose_list": LIST_UNIT, "pose_near": NEAR_UNIT, "pose_table": TABLE_UNIT}
Entries = NDArray[np.int32]  # [n], palette entries of a level of detail


@dataclass(frozen=True)
class PoseLevel:
    """A section of the pose list: consecutive items whose actors have the same level of detail.

    These actors therefore need the same palette entries.
    """

    first: int  # index of the first item in the pose list
    count: int
    entries: int = 0  # index of the level's palette entries in the table of the palette pass


class PoseInputs(Resource):
    """Buffers with the actors, the pose list, and palettes from the CPU.

    The pose list contains the actors that need a new pose. An item of the pose list is a pair: the row of an actor, and
    the actor's palette row. The CPU writes the pose list with `write_list`, or the GPU writes the pose list to
    `list.buffer`.
    """

    def __init__(self) -> None:
        self.actors = self.keep(TextureBuffer(gl.GL_RGBA32UI))
        self.list = self.keep(TextureBuffer(gl.GL_RG32UI))
        self.near = self.keep(TextureBuffer())

    def write_actors(self, actors: NDArray[np.void]) -> None:
        """Upload the `BAKED_ACTOR` rows [actor_count]."""
        if actors.dtype != BAKED_ACTOR:
            raise ValueError(f"the actors must be an array with the dtype BAKED_ACTOR (got {actors.dtype})")
        self.actors.write(actors)

    def write_list(self, items: NDArray[np.uint32]) -> None:
        """Upload the pose list [n, 2] u32. An item is a pair: the row of an actor, and the actor's palette row."""
        if items.dtype != np.uint32 or items.shape[1:] != (2,):
            raise ValueError(
                f"the list of actors to pose must be uint32 [n, 2] (got {items.dtype} {list(items.shape)})"
            )
        self.list.write(items)

    def write_near(self, palettes: NDArray[np.float32]) -> None:
        """Upload the skin matrices of actors near the camera, [near_count, palette_count, 3, 4] f32.

        The field `near` of a `BAKED_ACTOR` row is an index in `palettes`.
        """
        if palettes.dtype != np.float32 or palettes.shape[2:] != (3, 4):
            raise ValueError(
                f"the palettes of near actors must be float32 [n, entry, 3, 4] (got {palettes.dtype}"
                f" {list(palettes.shape)})"
            )
        self.near.write(palettes)

    def bind(self, program: Program) -> None:
        """Bind the buffers for the current shader program `program`."""
        for uniform, unit in UNITS.items():
            program.set_int(uniform, unit)
        self.actors.bind(ACTORS_UNIT)
        self.list.bind(LIST_UNIT)
        self.near.bind(NEAR_UNIT)


def checked_entries(entries: Sequence[Entries] | None, entry_count: int) -> tuple[Entries, ...]:
    """Return the palette entries that each level needs.

    If `entries` is None, return one level with all palette entries. Raises ValueError for a palette entry that is
    `entry_count` or more.
    """
    if entries is None:
        return (np.arange(entry_count, dtype=np.int32),)
    for table in entries:
        if len(table) and not 0 <= table.min() <= table.max() < entry_count:
            raise ValueError(f"each palette index must be 0 to {entry_count - 1} (got {table.min()} to {table.max()})")
    return tuple(np.asarray(table, np.int32) for table in entries)
