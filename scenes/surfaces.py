"""The surfaces of a scene: pictures and materials of floors and walls."""

from dataclasses import replace

from ecs_anim.assets.mesh import Texture
from ecs_anim.scenes.images import read_picture
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.view.style import GroundStyle


def with_surfaces(scene: SceneFile, style: GroundStyle) -> GroundStyle:
    """Return the style of the ground with the surfaces of a scene. Raises InputError if a picture is not readable."""
    said = scene.model.surfaces
    return replace(
        style,
        wall_material=said.wall_material,
        floor_texture=_tile(scene, said.floor_texture, "floor_texture"),
        wall_texture=_tile(scene, said.wall_texture, "wall_texture"),
        texture_size=said.texture_size,
        wetness=said.wetness,
    )


def _tile(scene: SceneFile, path: str | None, key: str) -> Texture | None:
    return None if path is None else Texture(read_picture(scene.folder / path, f"{scene.key(f'surfaces.{key}')}"))
