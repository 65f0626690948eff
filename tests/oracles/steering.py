"""Steering in plain numpy, one agent and one neighbour at a time: an oracle for what all models share."""

from dataclasses import dataclass, field

import numpy as np

from ecs_anim.steering.models import MODELS as DECLARED
from ecs_anim.walls.queries import is_clear

REACH = 3.0


@dataclass
class Person:
    """A person's place, motion and wishes, in plan coordinates."""

    position: np.ndarray
    velocity: np.ndarray
    facing: np.ndarray
    wants: np.ndarray
    radius: float = 0.2
    speed: float = 1.2
    parameters: dict = field(default_factory=lambda: dict(DECLARED["anticipation_velocity"].parameters))
    left: float = np.inf  # [m] to where they are to stand
    stuck: float = 0.0  # [s] for which they hardly got on


def unit(vector, otherwise):
    size = np.linalg.norm(vector)
    return vector / size if size > 1e-6 else np.asarray(otherwise, float)


def left(vector):
    return np.array([-vector[1], vector[0]])


def neighbours(person, people, walls):
    """Others within reach whom no wall hides."""
    there = [other for other in people if other is not person]
    there = [other for other in there if np.linalg.norm(other.position - person.position) < REACH]
    if walls is None:
        return there
    return [o for o in there if is_clear(walls, person.position[None], o.position[None])[0]]


def feet_of(person, walls):
    """Nearest points of all wall segments, the nearest ones first where the order of pushes matters: as listed."""
    if walls is None:
        return []
    found = []
    for a, b in walls.segments.astype(float):
        share = np.clip(np.dot(person.position - a, b - a) / np.dot(b - a, b - a), 0, 1)
        found.append(a + share * (b - a))
    return found


def gap_to(person, other, facing, soon):
    """Return how far a person can go before touching another, at the other's place now and after `soon` seconds [m]."""
    touching, found = person.radius + other.radius, np.inf
    for x in (other.position - person.position, other.position + soon * other.velocity - person.position):
        if facing @ x >= 0 and abs(left(facing) @ x) <= touching:
            found = min(found, np.linalg.norm(x) - touching)
    return found


def detour(person, others, walls, soon):
    """Return the best of eight directions and the free distance in it; 0 if there is none."""
    best, direction, free = -np.inf, None, 0.0
    for degrees in (40, -40, 70, -70, 100, -100, 130, -130):
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        way = np.array([c * person.wants[0] - s * person.wants[1], c * person.wants[1] + s * person.wants[0]])
        gap = min([1.0, *(gap_to(person, j, way, soon) for j in others)])
        value = gap * (1 + c) + 0.3 * way @ person.facing
        end = person.position + (gap + person.radius) * way
        if (
            gap < 0.15
            or value <= best
            or (walls is not None and not is_clear(walls, person.position[None], end[None])[0])
        ):
            continue
        best, direction, free = value, way, gap
    return direction, free


def way_made(person, others):
    """Return how a person at its standing place lets by the nearest one coming straight at it; None without one."""
    close = []
    for j in others:
        x = person.position - j.position
        gap = np.linalg.norm(x) - person.radius - j.radius
        if gap < 0.15 and j.left > 2.0 and j.speed > 0.03 and j.wants @ x > np.linalg.norm(x) / 2:
            close.append((gap, 0.3 * left(j.wants) * (1 if left(j.wants) @ x > 0 else -1)))
    return min(close, key=lambda one: one[0])[1] if close and person.left < 2.0 else None


def held_clear(person, others, velocity, dt):
    """Half of each gap may be closed, and how many neighbours it held for; in which order matters where two do."""
    held = 0
    for j in others:
        x = j.position - person.position
        away = np.linalg.norm(x)
        beyond = velocity @ x / away - (away - person.radius - j.radius) / (2 * dt)
        velocity, held = velocity - max(0.0, beyond) * x / away, held + (beyond > 0)
    return velocity, held


def chosen(person, people, direction, dt=0.05, walls=None, tie=1.0):
    """Velocity and heading of a person whose model has them go in a direction.

    None for people that overlap others, are stuck, or that more than one neighbour holds.
    """
    others = neighbours(person, people, walls)
    facing = direction(person, others, walls, dt, tie)
    soon = 0.75 * dt
    if any(np.linalg.norm(j.position - person.position) < person.radius + j.radius for j in others):
        return None
    gaps = [gap_to(person, j, facing, soon) for j in others]
    gap = min(gaps, default=np.inf)
    speed = np.clip(gap / person.parameters["time_gap"], 0, person.speed)
    if speed < 0.2 * person.speed and person.speed > 0.03 and person.left > 2.0:
        blocker = others[int(np.argmin(gaps))]
        is_met = blocker.speed < 0.03 or person.wants @ blocker.wants < -0.2
        stand = max(np.linalg.norm(person.velocity), np.linalg.norm(blocker.velocity)) < 0.1
        is_opposed = any(j.speed > 0.03 and person.wants @ j.wants < -0.2 for j in others)
        if stand and not is_met and not (person.stuck > 4.0 and is_opposed):
            return None  # by chance
        if is_met or stand:
            way, free = detour(person, others, walls, soon)
            if free > gap:
                facing, speed = way, np.clip(free / person.parameters["time_gap"], 0, person.speed)
    velocity = way_made(person, others)
    if velocity is None and speed < 0.031:
        return None
    velocity = speed * facing if velocity is None else velocity
    velocity, held = held_clear(person, others, velocity, dt)
    if held > 1:
        return None
    before, nearest = velocity, np.inf
    for foot in feet_of(person, walls):
        off = person.position - foot
        distance = np.linalg.norm(off)
        least, nearest = min((person.radius - distance) / dt, 0.5), min(nearest, distance)
        velocity = velocity + max(0.0, least - velocity @ off / distance) * off / distance
    if nearest >= person.radius and (velocity != before).any():
        velocity = shorter(person, others, velocity, dt)
    return velocity, facing


def shorter(person, others, velocity, dt):
    """Shorten the velocity, after walls have turned it, to at most half of each gap."""
    share = 1.0
    for j in others:
        x = j.position - person.position
        away = np.linalg.norm(x)
        onward = velocity @ x / away * dt
        if onward > 0:
            share = min(share, (away - person.radius - j.radius) / 2 / onward)
    return share * velocity
