"""Which kernels a scene needs, so that they can be compiled together before it is loaded."""

from ecs_anim.scenes.crowds import PARTS
from ecs_anim.scenes.routing import needs_routes
from ecs_anim.scenes.schema import SceneModel

ALWAYS = ("pose_palettes", "sampling", "playback")  # systems import them at once


def import_kernels(scene: SceneModel) -> None:
    """Import what a scene needs; what is missing from the cache is compiled on all processors."""
    from ecs_anim.kernels.compiling import import_modules

    import_modules(needed_kernels(scene))


def needed_kernels(scene: SceneModel) -> list[str]:
    """Names of modules of `ecs_anim.kernels`, each once; what the code that a scene names needs is not among them."""
    found = [name for crowd in scene.crowds for part in PARTS for name in part.needed_kernels(crowd)]
    if any(cue.fade_to for cue in scene.timeline):
        found.append("fading")
    if scene.ground is not None and scene.ground.kind != "flat":
        found.append("ground")
    if scene.walls is not None:
        found.append("walls")
    if needs_routes(scene):
        found += ["walls", "route_cells", "arrival_times"]
    return list(dict.fromkeys([*ALWAYS, *found]))
