"""The light of a scene: sun, sky, horizon, lamps and panorama."""

import math
from dataclasses import replace

from ecs_anim.maths.color import hex_to_linear
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.maths.plan import yaw_degrees_from_azimuth
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.schema import LightModel
from ecs_anim.view.style import Lamps, Lighting


def scene_lighting(scene: SceneFile, seed: int) -> Lighting:
    """Return the light of a scene. `seed` determines the buildings of a skyline.

    Raises InputError if the program cannot read the panorama of the sky.
    """
    model = scene.model
    lighting = _daylight(model.light)
    if lamps := model.light.lamps:
        color = _scaled(hex_to_linear(lamps.color), lamps.strength)
        lighting = replace(lighting, lamps=Lamps(lamps.spacing, lamps.height, color, lamps.reach))
    if model.sky:
        from ecs_anim.scenes.skies import with_sky

        lighting = with_sky(scene, model.sky, model.light, lighting, seed)
    return lighting


def _daylight(light: LightModel) -> Lighting:
    yaw = math.radians(yaw_degrees_from_azimuth(light.sun_azimuth_degrees))
    elevation = math.radians(light.sun_elevation_degrees)
    flat = cos(elevation)
    neutral = Lighting()
    return Lighting(
        sun_direction=(flat * sin(yaw), sin(elevation), flat * cos(yaw)),
        sun_color=_scaled(hex_to_linear(light.sun_color), light.sun_strength),
        sky_color=_scaled(neutral.sky_color, light.sky_strength),
        bounce_color=_scaled(neutral.bounce_color, light.sky_strength),
        zenith_color=hex_to_linear(light.zenith_color),
        horizon_color=hex_to_linear(light.horizon_color),
        shadows=light.shadows,
    )


def _scaled(color: tuple[float, float, float], factor: float) -> tuple[float, float, float]:
    return color[0] * factor, color[1] * factor, color[2] * factor
