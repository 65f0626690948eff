"""Schema of the sky of a scene."""

from pydantic import Field

from ecs_anim.scenes.schema_base import Finite, Positive, Table


class SkyModel(Table):
    """A panorama: a picture of the sky and of all distant objects."""

    image: str = Field(
        description="path of an equirectangular PNG, JPEG, WebP or Radiance HDR picture, or of a folder with such"
        " pictures, of which the seed selects one. The path is relative to the folder of the scene file"
    )
    azimuth_degrees: Finite = Field(
        0.0, description="compass bearing of the middle of the picture: 0 is north, 90 is east"
    )
    light: bool = Field(
        True,
        description="true: the picture sets the direction and the colours of the light. false: [light] sets the light",
    )
    brightness: Positive = Field(1.0, description="factor for the brightness of the picture")
