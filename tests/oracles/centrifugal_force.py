"""Generalized centrifugal force model in plain numpy and float64, from Chraibi et al. 2010 (arXiv 1008.4297).

The interpolation towards contact is this project's reading of figure 7: cubic between the gaps 0 and 0.1 m.
"""

import numpy as np
from scipy.interpolate import CubicHermiteSpline

CONTACT = CubicHermiteSpline([0.0, 0.1], [30.0, 10.0], [0.0, -100.0])
END = CubicHermiteSpline([1.9, 2.0], [1 / 1.9, 0.0], [-1 / 1.9**2, 0.0])


def border(person, direction):
    """Distance [m] from the centre of a person's ellipse to its border, from the equation of the ellipse."""
    p, speed = person.parameters, np.linalg.norm(person.velocity)
    a = p["length"] + p["stretch"] * speed
    b = p["width"] - (p["width"] - p["least_width"]) * min(speed / person.speed, 1.0)
    ahead = person.facing @ direction
    aside = person.facing[0] * direction[1] - person.facing[1] * direction[0]
    return 1 / np.sqrt((ahead / a) ** 2 + (aside / b) ** 2)


def per_gap(gap):
    if gap >= 2.0:
        return 0.0
    if gap > 1.9:
        return float(END(gap))
    return 1 / gap if gap > 0.1 else float(CONTACT(max(gap, 0.0)))


def acceleration(person, others, points=()):
    """Acceleration [m/s²] of a person, by the goal, other people and the nearest points of walls."""
    p, v, v0 = person.parameters, person.velocity, person.speed
    total = (v0 * person.wants - v) / p["relaxation"]
    bodies = [(o.position, o.velocity, o, p["strength"]) for o in others]
    bodies += [(np.asarray(point), np.zeros(2), None, p["wall_strength"]) for point in points]
    for position, velocity, other, strength in bodies:
        offset = position - person.position
        e = offset / np.linalg.norm(offset)
        k = max(v @ e, 0.0) / np.linalg.norm(v) if v.any() else 0.0
        gap = np.linalg.norm(offset) - border(person, e) - (border(other, e) if other else 0.0)
        total = total - k * (strength * v0 + max((v - velocity) @ e, 0.0)) ** 2 * per_gap(gap) * e
    return total


def stepped(person, others, dt, points=()):
    """Velocity [m/s] after a time step, at most 1.3 times the desired speed."""
    velocity = person.velocity + dt * acceleration(person, others, points)
    return velocity * min(1.0, max(1.3 * person.speed, 0.5) / np.linalg.norm(velocity))
