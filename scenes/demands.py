"""Checks before the construction of a world.

The options of the caller must not exceed budgets, and the data of all actors must fit into the memory.
"""

from collections.abc import Mapping, Sequence
from typing import assert_never

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import LAYOUTS
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.scenes.schema_bake import NEAR_ACTORS
from ecs_anim.support.budgets import memory_excess, require
from ecs_anim.support.errors import InputError
from ecs_anim.support.reuse import reusable
from ecs_anim.systems.population import STATE


def require_options(actors: int | None, threads: int | None, chunk_size: int) -> None:
    """Raise InputError if an argument of the caller exceeds its budget."""
    require("actors", chunk_size, "chunk_size", "lower chunk_size")
    require("actors", actors or 1, "--actors", "lower --actors")
    require("threads", threads or 1, "--threads", "leave out --threads, to use one thread per processor")


@reusable
def require_memory(label: str, model: SceneModel, rigs: Mapping[str, LoadedRig], counts: Sequence[int]) -> None:
    """Raise InputError if the skin matrices and columns of all actors need more memory than is available."""
    pairs = list(zip(model.crowds, counts, strict=True))
    palettes = sum(_palettes(crowd, count, rigs[crowd.rig].rig.skeleton) for crowd, count in pairs)
    actors = sum(counts)
    hint = ', or use path = "baked"' if any(crowd.path == "pose" for crowd, _ in pairs) else ""
    if limit_message := memory_excess(palettes + actors * STATE, f"lower --actors{hint}"):
        raise InputError(f"{label}: {actors:,} actors need too much memory for their data: {limit_message}")


def _palettes(crowd: CrowdModel, count: int, skeleton: Skeleton) -> int:
    """Return the size [bytes] of the skin matrices of `count` actors whose poses the CPU computes."""
    match crowd.path:
        case "baked":
            return 0
        case "auto":
            near = crowd.near_actors.count if crowd.near_actors else None
            count = min(count, NEAR_ACTORS if near is None else near)
        case "pose":
            pass  # the CPU computes the poses of all actors
        case _:
            assert_never(crowd.path)
    return count * skeleton.palette_count * LAYOUTS[crowd.skinning].rows * 16
