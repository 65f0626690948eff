"""How crowds are skinned: chosen when they are made, and changed at any time."""

from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets import dual_palette
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import METHODS, PALETTE_ROWS, Method
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.runtime.short_palette import Bits


def new_palette(skeleton: Skeleton, actor_count: int | None, method: Method = "linear", bits: Bits = 32) -> Palette:
    """Room for the palettes of `actor_count` actors; None = of a hybrid crowd, which makes room for the near ones."""
    shape = (actor_count or 0, skeleton.palette_count, PALETTE_ROWS[method], 4)
    source = None if actor_count is None else np.full(actor_count, -1, np.int32)
    return Palette(np.zeros(shape, np.float32), source, method, bits)


def set_skinning(world: World, entity: int, method: Method) -> None:
    """Skin a crowd by another method from now on; what the last step left is converted, so a paused world shows it.

    Raises ValueError for an unknown method and for a crowd that the GPU poses, KeyError where the entity is no crowd.
    """
    if method not in METHODS:
        raise ValueError(f"skinning must be one of {', '.join(METHODS)} (got {method!r})")
    if world.find(entity, Baked):
        raise ValueError("the GPU poses this crowd, and skins it linearly; use path = 'pose'")
    palette = world.get(entity, Palette)
    if palette.method != method:
        skeleton = world.get(entity, Character).rig.skeleton
        palette.made = _converted(skeleton, palette.matrices, method)
        palette.method = method


def swap_skinning(world: World) -> None:
    """Give every crowd that the CPU poses the other method than it has."""
    for entity, (palette,) in world.query(Palette):
        if not world.find(entity, Baked):
            set_skinning(world, entity, METHODS[1 - METHODS.index(palette.method)])


def _converted(skeleton: Skeleton, entries: NDArray[np.float32], method: Method) -> NDArray[np.float32]:
    """What the other method made, for this one."""
    match method:
        case "linear":
            return np.ascontiguousarray(dual_palette.to_matrices(entries), np.float32)
        case "dual_quaternion":
            return _taken_apart(skeleton, entries)
        case _:
            assert_never(method)


def _taken_apart(skeleton: Skeleton, entries: NDArray[np.float32]) -> NDArray[np.float32]:
    """What dual quaternion skinning makes of matrices."""
    from ecs_anim.kernels.dual_palette import dual_palettes

    count = skeleton.palette_count
    out = np.empty((len(entries), count, dual_palette.ROWS, 4), np.float32)
    same = np.tile(np.eye(3, 4, dtype=np.float32).reshape(12), (count, 1))
    own = np.arange(count, dtype=np.int32)
    model = np.ascontiguousarray(entries).reshape(len(entries), count, 12)
    places, base = skeleton.bind_places, skeleton.base_entries
    dual_palettes(own, same, places, base, model, out.reshape(len(entries), count, 16))
    return out
