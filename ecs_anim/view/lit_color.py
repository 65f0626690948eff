"""Colours of lit surfaces, for the legends of pictures."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.small_matrices import unit
from ecs_anim.view.style import Color, Lighting

ROLL_OFF, WIDTH = 0.7, 0.6  # start and range of the tone mapping in gl/shaders/light.glsl


def lit_color(color: Color, lighting: Lighting, to_eye: NDArray[np.floating]) -> Color:
    """Return the mean linear colour of a lit matte sphere. `to_eye` [3] is the direction from the sphere to the eye.

    The function uses the light model of the shader gl/shaders/light.glsl, without shadows. The function computes the
    mean over the visible half of the sphere. The mean cosine of the angle between the normal and the direction to the
    eye is 2/3. The mean square of the normal component towards the eye is 1/2. The mean square of a normal component in
    a perpendicular direction is 1/4.
    """
    eye, sun = (unit(np.asarray(way, np.float64)) for way in (to_eye, lighting.sun_direction))
    lit = float(np.sum(eye * sun))
    straight = (1 + 4 / 3 * lit + (1 + lit * lit) / 4) / 4
    up = 0.5 + eye[1] / 3
    fill = (1 - up) * np.array(lighting.bounce_color) + up * np.array(lighting.sky_color)
    red, green, blue = tone_mapped(np.array(color) * (straight * np.array(lighting.sun_color) + fill)).tolist()
    return red, green, blue


def tone_mapped(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the tone-mapped colours of linear colours, with the formula of gl/shaders/light.glsl."""
    over = np.clip(linear - ROLL_OFF, 0, WIDTH)
    return np.minimum(linear, ROLL_OFF) + over - over * over / (2 * WIDTH)
