"""ecs-anim: simulate, draw and measure large crowds of animated characters.

    import ecs_anim as ea

    rig = ea.load_rig("character.glb")
    pose = rig.clips["walk"].sample(0.4)
    palette = ea.skin_palette(rig.skeleton, pose)

    world = ea.load_scene("plaza")
    world.step(1 / 60)
    ea.crowd(world, "people").fade_to([0, 1, 2], "run", 0.3)
    picture = ea.render(world, (640, 360))

Names are imported at first use, so that `import ecs_anim` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecs_anim.assets.blending import add, blend, subtree_mask
    from ecs_anim.assets.clip import Clip
    from ecs_anim.assets.hierarchy import model_matrices, skin_palette
    from ecs_anim.assets.mesh import Material, Mesh, Texture
    from ecs_anim.assets.retarget import retarget
    from ecs_anim.assets.rig import Rig
    from ecs_anim.assets.skeleton import Skeleton
    from ecs_anim.assets.skinning import skin_dual_quaternion, skin_linear
    from ecs_anim.assets.track import ScalarTrack, Track
    from ecs_anim.bake.bake import Bake
    from ecs_anim.bake.build import bake_rig
    from ecs_anim.bake.cache import cached_bake
    from ecs_anim.bake.file import load_bake, save_bake
    from ecs_anim.bake.options import BakeOptions
    from ecs_anim.ecs.world import World
    from ecs_anim.ik.limits import BallLimit, HingeLimit
    from ecs_anim.ik.solve import solve_ccd, solve_fabrik, solve_two_bone
    from ecs_anim.maths.transform import Pose, Transform
    from ecs_anim.runtime.clip_table import ClipTables, build_tables
    from ecs_anim.scenes.build import load_scene
    from ecs_anim.scenes.rigs import load_rig
    from ecs_anim.scenes.snapshots import load_world
    from ecs_anim.support.errors import InputError, InputWarning
    from ecs_anim.systems.crowd_handle import crowd, crowds
    from ecs_anim.systems.filming import video
    from ecs_anim.systems.live_view import show
    from ecs_anim.systems.rendering import Renderer, render
    from ecs_anim.systems.skinning import set_skinning
    from ecs_anim.view.camera import CameraChange, OrbitCamera

_HOMES = {
    "Bake": "bake.bake",
    "BakeOptions": "bake.options",
    "BallLimit": "ik.limits",
    "CameraChange": "view.camera",
    "Clip": "assets.clip",
    "ClipTables": "runtime.clip_table",
    "HingeLimit": "ik.limits",
    "InputError": "support.errors",
    "InputWarning": "support.errors",
    "Material": "assets.mesh",
    "Mesh": "assets.mesh",
    "OrbitCamera": "view.camera",
    "Pose": "maths.transform",
    "Renderer": "systems.rendering",
    "Rig": "assets.rig",
    "ScalarTrack": "assets.track",
    "Skeleton": "assets.skeleton",
    "Texture": "assets.mesh",
    "Track": "assets.track",
    "Transform": "maths.transform",
    "World": "ecs.world",
    "add": "assets.blending",
    "bake_rig": "bake.build",
    "blend": "assets.blending",
    "build_tables": "runtime.clip_table",
    "cached_bake": "bake.cache",
    "crowd": "systems.crowd_handle",
    "crowds": "systems.crowd_handle",
    "load_bake": "bake.file",
    "load_rig": "scenes.rigs",
    "load_scene": "scenes.build",
    "load_world": "scenes.snapshots",
    "model_matrices": "assets.hierarchy",
    "render": "systems.rendering",
    "retarget": "assets.retarget",
    "save_bake": "bake.file",
    "set_skinning": "systems.skinning",
    "show": "systems.live_view",
    "skin_dual_quaternion": "assets.skinning",
    "skin_linear": "assets.skinning",
    "skin_palette": "assets.hierarchy",
    "solve_ccd": "ik.solve",
    "solve_fabrik": "ik.solve",
    "solve_two_bone": "ik.solve",
    "subtree_mask": "assets.blending",
    "video": "systems.filming",
}

__all__ = [
    "Bake",
    "BakeOptions",
    "BallLimit",
    "CameraChange",
    "Clip",
    "ClipTables",
    "HingeLimit",
    "InputError",
    "InputWarning",
    "Material",
    "Mesh",
    "OrbitCamera",
    "Pose",
    "Renderer",
    "Rig",
    "ScalarTrack",
    "Skeleton",
    "Texture",
    "Track",
    "Transform",
    "World",
    "add",
    "bake_rig",
    "blend",
    "build_tables",
    "cached_bake",
    "crowd",
    "crowds",
    "load_bake",
    "load_rig",
    "load_scene",
    "load_world",
    "model_matrices",
    "render",
    "retarget",
    "save_bake",
    "set_skinning",
    "show",
    "skin_dual_quaternion",
    "skin_linear",
    "skin_palette",
    "solve_ccd",
    "solve_fabrik",
    "solve_two_bone",
    "subtree_mask",
    "video",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ecs_anim' has no attribute {name!r}")
    value = getattr(import_module(f"ecs_anim.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
