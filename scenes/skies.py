"""The sky of a scene: the panorama and its light."""

import math
from dataclasses import replace

import numpy as np

from ecs_anim.assets.mesh import Texture
from ecs_anim.maths.color import srgb_to_linear
from ecs_anim.scenes.images import read_panorama
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.schema import LightModel
from ecs_anim.scenes.schema_sky import SKYLINE, SkyModel
from ecs_anim.view.panorama import horizon_color, linear_of, lit_by, panorama_light, sky_pixels
from ecs_anim.view.skyline import skyline
from ecs_anim.view.style import Lighting, Panorama


def with_sky(scene: SceneFile, sky: SkyModel, light: LightModel, lighting: Lighting, seed: int) -> Lighting:
    """Return `lighting` with the panorama of a scene, and with the light of the panorama if `sky.light` is true.

    Raises InputError if the panorama is not readable.
    """
    turn = math.radians(sky.azimuth_degrees)
    if sky.image == SKYLINE:
        return replace(lighting, panorama=Panorama(Texture(skyline(lighting, seed)), turn))
    picture = read_panorama(scene.folder / sky.image, f"{scene.key('sky.image')}")
    if picture.dtype == np.uint8:
        pixels = picture.astype(np.uint8, copy=False)
        own, _ = panorama_light(linear_of(pixels))
        if sky.brightness != 1:
            pixels = sky_pixels(srgb_to_linear(np.arange(256) / 255)[pixels[..., :3]] * sky.brightness)
    else:
        linear = picture.astype(np.float32, copy=False)
        own, scale = panorama_light(linear)
        pixels = sky_pixels(linear * np.float32(scale * sky.brightness))
    if sky.light:
        sun, around = light.sun_strength * sky.brightness, light.sky_strength * sky.brightness
        lighting = lit_by(lighting, own, turn, sun, around)
    return replace(lighting, horizon_color=horizon_color(pixels), panorama=Panorama(Texture(pixels), turn))
