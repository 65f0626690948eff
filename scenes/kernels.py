"""Which kernels a scene needs, so that they can be compiled together before it is loaded."""

from collections.abc import Iterator

from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.scenes.crowds import PARTS, CrowdModel
from ecs_anim.scenes.parts.body import BODY
from ecs_anim.scenes.parts.grounding import GROUNDING
from ecs_anim.scenes.parts.look_at import LOOK_AT
from ecs_anim.scenes.routing import needs_routes
from ecs_anim.scenes.schema import SceneModel

# What takes local poses to palettes in one go, by which parts correct poses on the way.
TOGETHER = {
    frozenset(): "pose_palettes",
    frozenset([BODY]): "walking_palettes",
    frozenset([GROUNDING]): "grounded_palettes",
    frozenset([GROUNDING, BODY]): "street_palettes",
    frozenset([GROUNDING, BODY, LOOK_AT]): "street_palettes",
}


def import_kernels(scene: SceneModel) -> None:
    """Import what a scene needs; what is missing from the cache is compiled on all processors."""
    from ecs_anim.kernels.compiling import import_modules

    import_modules(needed_kernels(scene))


def needed_kernels(scene: SceneModel) -> list[str]:
    """Names of modules of `ecs_anim.kernels`, each once; what the code that a scene names needs is not among them."""
    found = ["playback"]
    for crowd in scene.crowds:
        found += [name for part in PARTS for name in part.needed_kernels(crowd)]
        found += () if crowd.path == "baked" else _of_poses(crowd)
    if any(cue.fade_to for cue in scene.timeline):
        found.append("fading")
    if scene.ground is not None and scene.ground.kind != "flat":
        found.append("ground")
    if scene.walls is not None:
        found.append("walls")
    if needs_routes(scene):
        found += ["walls", "route_cells", "arrival_times"]
    return list(dict.fromkeys(found))


def _of_poses(crowd: CrowdModel) -> Iterator[str]:
    """Those that make poses, correct them, and make palettes of them."""
    yield "sampling"
    correcting = [part for part in PARTS if part.corrections and part.is_wanted(crowd)]
    together = TOGETHER.get(frozenset(correcting))
    if together and _goes_together(crowd):
        yield together
        return
    yield "palette"
    for part in correcting:
        yield from part.corrections


def _goes_together(crowd: CrowdModel) -> bool:
    """What `systems.pose_palettes` asks of a crowd whose systems it has do their work in one go."""
    is_pinned = crowd.grounding is not None and crowd.grounding.pins is not None
    look_count = len(crowd.look_at) if isinstance(crowd.look_at, list) else 1
    return keeps_matrices(crowd.skinning) and not is_pinned and look_count == 1
