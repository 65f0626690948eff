"""Colours and layers of the mannequin's paint."""

from ecs_anim.mannequin.arrays import Array

Color = tuple[int, int, int]  # sRGB
Layer = tuple[Array, tuple[int, ...]]  # mask, and its colour with alpha

BLACK: Color = (24, 18, 18)


def mixed(a: Color, b: Color, share: float) -> Color:
    """Return the mixed colour of `a` and `b`. The fraction of `b` is `share`."""
    red, green, blue = (round(own + share * (other - own)) for own, other in zip(a, b, strict=True))
    return red, green, blue


def oval(x: Array, y: Array, centre: tuple[float, float], radii: tuple[float, float]) -> Array:
    """Return a mask of the points x, y [m] inside an ellipse."""
    return ((x - centre[0]) / radii[0]) ** 2 + ((y - centre[1]) / radii[1]) ** 2 < 1
