"""Schema of the sky and of the lamps of a scene."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import Color, Finite, NotNegative, Positive, Table

SKYLINE = "skyline"  # name of the panorama that the program makes


class SkyModel(Table):
    """A panorama: a picture of the sky and of all distant objects."""

    image: str = Field(
        description="path of an equirectangular PNG, JPEG, WebP or Radiance HDR picture, or of a folder with such"
        " pictures, of which the seed selects one. The path is relative to the folder of the scene file. Or"
        " 'skyline': buildings around the scene, which the seed selects, below the sky of [light]"
    )
    azimuth_degrees: Finite = Field(
        0.0, description="compass bearing of the middle of the picture: 0 is north, 90 is east"
    )
    light: bool = Field(
        True,
        description="true: the picture sets the direction and the colours of the light. false: [light] sets the light. "
        "With a skyline, [light] always sets the light",
    )
    brightness: Positive = Field(1.0, description="factor for the brightness of the picture")


class LampsModel(Table):
    """Lamps above the whole ground, in a square grid. A picture contains the 16 lamps near its camera."""

    spacing: Annotated[float, Field(ge=1, le=1000)] = Field(12.0, description="distance between lamps [m]")
    height: Finite = Field(5.0, description="height of the lamps above the height 0 [m]")
    color: Color = Field("#ffd8a6", description="colour of the light")
    strength: NotNegative = Field(1.0, description="strength of the light")
    reach: Positive = Field(16.0, description="distance at which the light of a lamp ends [m]")
