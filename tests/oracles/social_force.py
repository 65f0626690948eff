"""Social force model in plain numpy and float64, from Helbing, Farkas and Vicsek 2000 (arXiv cond-mat/0009448)."""

import numpy as np

VIEW = np.cos(np.radians(100))


def pushed(gap, normal, velocity, p, weight=1.0):
    """Force [N] of a body at a gap [m] in the direction -normal; `velocity` is the velocity of the other body."""
    tangent, depth = np.array([-normal[1], normal[0]]), max(0.0, -gap)
    push = weight * p["strength"] * np.exp(-gap / p["range"]) + p["body_force"] * depth
    return push * normal + p["friction"] * depth * (velocity @ tangent) * tangent


def acceleration(person, others, points=()):
    """Acceleration [m/s²] of a person, by the goal, other people and the nearest points of walls."""
    p, force = person.parameters, np.zeros(2)
    for other in others:
        offset = person.position - other.position
        size = np.linalg.norm(offset)
        weight = p["rear_weight"] if -person.wants @ offset < VIEW * size else 1.0
        slips = other.velocity - person.velocity
        force += pushed(size - person.radius - other.radius, offset / size, slips, p, weight)
    for point in points:
        offset = person.position - point
        size = np.linalg.norm(offset)
        force += pushed(size - person.radius, offset / size, -person.velocity, p)
    return (person.speed * person.wants - person.velocity) / p["relaxation"] + force / p["mass"]


def stepped(person, others, dt, points=()):
    """Velocity [m/s] after a time step, at most 1.3 times the desired speed."""
    velocity = person.velocity + dt * acceleration(person, others, points)
    return velocity * min(1.0, max(1.3 * person.speed, 0.5) / np.linalg.norm(velocity))
