"""Skinning methods of crowds. User code can change the method at any time."""

from importlib import import_module
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import LAYOUTS, METHODS, Method, keeps_matrices
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.runtime.short_palette import Bits
from ecs_anim.support.checked import checked
from ecs_anim.systems.stages import BlockRoom, Stage


def new_palette(skeleton: Skeleton, actor_count: int | None, method: Method = "linear", bits: Bits = 32) -> Palette:
    """Return memory for the palettes of `actor_count` actors.

    If `actor_count` is None, the crowd is hybrid. The memory of a hybrid crowd grows later with the number of near
    actors.
    """
    shape = (actor_count or 0, skeleton.palette_count, LAYOUTS[method].rows, 4)
    source = None if actor_count is None else np.full(actor_count, -1, np.int32)
    return Palette(np.zeros(shape, np.float32), source, method, bits)


@checked
def set_skinning(world: World, entity: int, method: Method) -> None:
    """Change the skinning method of a crowd, and convert its current palettes.

    Because of the conversion, a paused world shows the change.

    Raises ValueError if the GPU computes the poses of the crowd, and InputError if the method is unknown.
    """
    palette = own_palette(world, entity)
    if palette.method != method:
        skeleton = world.get(entity, Character).rig.skeleton
        if LAYOUTS[palette.method] is not LAYOUTS[method]:
            palette.made = _converted(skeleton, palette, method)
        palette.method = method


def own_palette(world: World, entity: int) -> Palette:
    """Return the palettes of all actors in a crowd. Raises ValueError if the GPU computes the poses."""
    if world.find(entity, Baked):
        raise ValueError(
            "the GPU computes the poses of this crowd, so Python cannot read the palettes or change the skinning"
            " method. To compute the poses on the CPU, set path = 'pose' for the crowd in the scene."
        )
    return world.get(entity, Palette)


def swap_skinning(world: World) -> None:
    """Switch to the next skinning method in all crowds whose poses the CPU computes."""
    for entity, (palette,) in world.query(Palette):
        if not world.find(entity, Baked):
            set_skinning(world, entity, METHODS[(METHODS.index(palette.method) + 1) % len(METHODS)])


def entry_module(method: Method) -> ModuleType:
    """Return the kernel module of a skinning method whose palette entries are not matrices."""
    return import_module(f"ecs_anim.kernels.{LAYOUTS[method].kernel}")


def _converted(skeleton: Skeleton, palette: Palette, method: Method) -> NDArray[np.float32]:
    """Return the palettes after conversion to another skinning method."""
    matrices = np.ascontiguousarray(LAYOUTS[palette.method].to_matrices(palette.matrices), np.float32)
    return matrices if keeps_matrices(method) else entries_of(skeleton, matrices, method)


def entries_of(skeleton: Skeleton, matrices: NDArray[np.float32], method: Method) -> NDArray[np.float32]:
    """Convert skin matrices [n, entry, 3, 4] to the palette entries of `method`, [n, entry, rows, 4]."""
    actors, count, rows = len(matrices), skeleton.palette_count, LAYOUTS[method].rows
    kernels, room, out = entry_module(method), BlockRoom(), np.empty((actors, count, rows, 4), np.float32)
    unbound = np.tile(np.eye(3, 4, dtype=np.float32).reshape(12), (count, 1))
    skin = np.arange(count, dtype=np.int32), unbound, skeleton.bind_places, skeleton.base_entries
    palettes = np.arange(actors, dtype=np.int32), out
    room.hold(matrices.reshape(actors, count, 12))
    room.run([Stage(kernels.write_entries, (*skin, *palettes, kernels.new_room()))])
    return out
