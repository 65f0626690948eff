"""How crowds are skinned: chosen when they are made, and changed at any time."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets import dual_palette
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import ENTRY_ROWS, METHODS, Method, keeps_matrices
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.runtime.short_palette import Bits
from ecs_anim.support.checked import checked


def new_palette(skeleton: Skeleton, actor_count: int | None, method: Method = "linear", bits: Bits = 32) -> Palette:
    """Memory for the palettes of `actor_count` actors; None = of a hybrid crowd, which grows it for the near ones."""
    shape = (actor_count or 0, skeleton.palette_count, ENTRY_ROWS[method], 4)
    source = None if actor_count is None else np.full(actor_count, -1, np.int32)
    return Palette(np.zeros(shape, np.float32), source, method, bits)


@checked
def set_skinning(world: World, entity: int, method: Method) -> None:
    """Skin a crowd by another method from now on; what the last step left is converted, so a paused world shows it.

    Raises ValueError for a crowd that the GPU poses, InputError for an unknown method.
    """
    palette = own_palette(world, entity)
    if palette.method != method:
        skeleton = world.get(entity, Character).rig.skeleton
        if ENTRY_ROWS[palette.method] != ENTRY_ROWS[method]:
            palette.made = _converted(skeleton, palette.matrices, method)
        palette.method = method


def own_palette(world: World, entity: int) -> Palette:
    """The palettes of all actors of a crowd. Raises ValueError where the GPU poses it, and skins it linearly."""
    if world.find(entity, Baked):
        raise ValueError("the GPU poses this crowd, and skins it linearly; use path = 'pose'")
    return world.get(entity, Palette)


def swap_skinning(world: World) -> None:
    """Give every crowd that the CPU poses the next method after the one it has."""
    for entity, (palette,) in world.query(Palette):
        if not world.find(entity, Baked):
            set_skinning(world, entity, METHODS[(METHODS.index(palette.method) + 1) % len(METHODS)])


def _converted(skeleton: Skeleton, entries: NDArray[np.float32], method: Method) -> NDArray[np.float32]:
    """What the other method made, for this one."""
    if keeps_matrices(method):
        return np.ascontiguousarray(dual_palette.to_matrices(entries), np.float32)
    from ecs_anim.kernels.dual_palette import dual_palettes

    count = skeleton.palette_count
    out = np.empty((len(entries), count, dual_palette.ROWS, 4), np.float32)
    same = np.tile(np.eye(3, 4, dtype=np.float32).reshape(12), (count, 1))
    own = np.arange(count, dtype=np.int32)
    model = np.ascontiguousarray(entries).reshape(len(entries), count, 12)
    places, base = skeleton.bind_places, skeleton.base_entries
    dual_palettes(own, same, places, base, model, out.reshape(len(entries), count, 16))
    return out
