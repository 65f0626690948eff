"""The list of kernels (compiled loops over actors) that a scene needs. The program compiles these kernels before it
loads the scene.
"""

from collections.abc import Iterator

from ecs_anim.scenes.crowds import PARTS, CrowdModel
from ecs_anim.scenes.routing import needs_routes
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.support.reuse import reusable


def import_kernels(scene: SceneModel) -> None:
    """Import the kernels that a scene needs. All processors compile the kernels that are not in the cache."""
    from ecs_anim.kernels.compiling import import_modules

    import_modules(needed_kernels(scene))


@reusable
def needed_kernels(scene: SceneModel) -> list[str]:
    """Return the names of the modules of `ecs_anim.kernels` that a scene needs, without duplicates.

    The result does not contain kernels of user code.
    """
    found = ["playback"]
    for crowd in scene.crowds:
        found += [name for part in PARTS for name in part.needed_kernels(crowd)]
        found += () if crowd.path == "baked" else _of_poses(crowd)
    if any(cue.fade_to for cue in scene.timeline):
        found.append("fading")
    if scene.ground is not None and scene.ground.kind != "flat":
        found.append("ground")
    if scene.has_walls:
        found.append("walls")
    if scene.levels:
        found += ["ground", "storeys", "riders", "arrival_times"]
    if scene.stairs:
        found.append("treads")
    if needs_routes(scene):
        found += ["walls", "route_cells", "arrival_times"]
    return list(dict.fromkeys(found))


def _of_poses(crowd: CrowdModel) -> Iterator[str]:
    """Yield the kernels that compute poses, correct poses, and compute skin matrices for a crowd."""
    corrections = [name for part in PARTS if part.is_wanted(crowd) for name in part.corrections]
    yield from ("sampling", "stages", "palettes")
    yield from corrections
