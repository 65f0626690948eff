"""Schema of the surfaces of a scene: pictures and materials of floors and walls, and wetness."""

from typing import Annotated

from pydantic import Field

from ecs_anim.assets.floor_material import WallMaterial
from ecs_anim.scenes.schema_base import Positive, Table

Picture = "path of a PNG, JPEG or WebP picture, or of a folder with such pictures, of which the seed selects one"


class SurfacesModel(Table):
    """Pictures and materials of all floors and walls of a scene."""

    floor_texture: str | None = Field(
        None,
        description=f"{Picture}. The picture is repeated on floors in place of their patterns, except grass and grids",
    )
    wall_texture: str | None = Field(None, description=f"{Picture}. The picture is repeated on walls")
    texture_size: Positive = Field(2.0, description="width and height of a picture on floors and walls [m]")
    wall_material: WallMaterial = Field("plain", description="pattern of walls without a picture")
    wetness: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="wetness of floors: 0 is dry, 1 is wet with puddles that reflect the sky"
    )
