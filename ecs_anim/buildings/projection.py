"""Projection of longitudes and latitudes to metres: equirectangular, on the ellipsoid WGS 84."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.elementary import sin_cos

RADIUS = 6_378_137.0  # [m], semi-major axis of WGS 84
FLATNESS = 0.0066943799901413165  # square of the eccentricity of WGS 84

Reals = NDArray[np.float64]


def local_metres(degrees: Reals, origin: tuple[float, float]) -> Reals:
    """Return plan points [n, 2] in metres from points [n, 2] with a longitude and a latitude.

    `origin` is the longitude and the latitude of the plan point 0, 0. Within 1 km of `origin`, distances are correct to
    0.1 % up to a latitude of 80 degrees.
    """
    sine, cosine = sin_cos(np.radians(origin[1]))
    bend = 1.0 - FLATNESS * sine * sine
    east = RADIUS / np.sqrt(bend) * cosine  # [m] per radian of longitude
    north = RADIUS * (1.0 - FLATNESS) / (bend * np.sqrt(bend))  # [m] per radian of latitude
    return np.radians(degrees - np.array(origin)) * (east, north)
