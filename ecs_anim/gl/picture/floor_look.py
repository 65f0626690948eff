"""The look of floors and walls: a material, or a picture that the style of the ground lays on them."""

from typing import NamedTuple

from ecs_anim.assets.floor_material import LAID, SurfaceMaterial
from ecs_anim.assets.mesh import Texture
from ecs_anim.ground.surface import Surface
from ecs_anim.view.style import GroundStyle


class Look(NamedTuple):
    """A preprocessor define for shaders/floor.glsl in lower case, and the tile that the define "repeated" needs."""

    material: str
    texture: Texture | None = None
    upright: bool = False  # whether walls have the pattern


def floor_look(material: SurfaceMaterial, style: GroundStyle) -> Look:
    """Return the look of a floor with a material."""
    if style.floor_texture is not None and material in LAID:
        return Look("repeated", style.floor_texture)
    return Look(material)


def surface_look(surface: Surface, style: GroundStyle) -> Look:
    """Return the look of a surface."""
    material = surface_material(surface, style)
    if surface.kind != "wall" or material != "plain" or surface.texture is not None:
        return floor_look(material, style)
    if style.wall_texture is not None:
        return Look("repeated", style.wall_texture, upright=True)
    return Look(style.wall_material, None, upright=style.wall_material != "plain")


def surface_material(surface: Surface, style: GroundStyle) -> SurfaceMaterial:
    """Return the material of a surface.

    If the surface defines no material, walls and surfaces with a colour have a uniform colour. All other surfaces have
    the material of the ground.
    """
    if surface.material is not None:
        return surface.material
    return "plain" if surface.is_wall or surface.color is not None else style.material
