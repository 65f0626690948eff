"""Random people: sex, age, build, stature and features. The functions state the distributions.

Ages: 9 % are children of 6 to 12 years, 30 % are 17 to 29, 44 % are 30 to 64, and 17 % are 65 to 85 years old. Statures
of adults are normally distributed, with the means and standard deviations of the National Health Statistics Reports,
number 122 (2018). Statures of children are those of the growth charts of the CDC (2000), with 5 % standard deviation.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ecs_anim.assets.figures import Age, Build

Sex = Literal["man", "woman", "boy", "girl"]
AGES = ((0.09, 6, 13), (0.30, 17, 30), (0.44, 30, 65), (0.17, 65, 86))  # share, least age, end [years]
STATURES = {"man": (1.754, 0.073), "woman": (1.617, 0.068)}  # [m], mean and standard deviation of adults
# [years], [m], median statures of boys and girls
GROWTH = ((5, 1.09), (6, 1.155), (8, 1.28), (10, 1.385), (12, 1.50), (13, 1.565))
BUILDS: tuple[Build, ...] = ("slim", "average", "strong", "stout")
BUILD_SHARES = {"man": (0.17, 0.42, 0.17, 0.24), "woman": (0.24, 0.46, 0.06, 0.24)}
WEIGHTS = {"slim": (0.12, 0.38), "average": (0.4, 0.6), "strong": (0.45, 0.65), "stout": (0.68, 0.98)}
MUSCLES = {"slim": (0.3, 0.6), "average": (0.35, 0.65), "strong": (0.75, 1.0), "stout": (0.3, 0.6)}
# Pairs of shape targets of face and body: with a negative feature the first, with a positive feature the second.
FEATURES = tuple(
    (f"{part}-{first}", f"{part}-{second}")
    for part, first, second in (
        ("head/head-scale-horiz", "decr", "incr"), ("head/head-scale-depth", "decr", "incr"),
        ("head/head-fat", "decr", "incr"), ("chin/chin-width", "decr", "incr"), ("chin/chin-prominent", "decr", "incr"),
        ("chin/chin-height", "decr", "incr"), ("nose/nose-scale-horiz", "decr", "incr"),
        ("nose/nose-scale-depth", "decr", "incr"), ("nose/nose-scale-vert", "decr", "incr"),
        ("nose/nose-hump", "decr", "incr"), ("mouth/mouth-scale-horiz", "decr", "incr"),
        ("mouth/mouth-lowerlip-volume", "decr", "incr"), ("mouth/mouth-trans", "down", "up"),
        ("forehead/forehead-temple", "decr", "incr"), ("eyebrows/eyebrows-trans", "down", "up"),
    )
)  # fmt: skip


@dataclass(frozen=True)
class Person:
    """A person. Shares and levels are numbers from 0 to 1."""

    sex: Sex
    years: float
    build: Build
    stature: float  # [m], without shoes
    weight: float  # level
    muscle: float  # level
    face: tuple[float, float, float]  # shares of MakeHuman's African, Asian and Caucasian targets
    melanin: float  # darkness of the skin
    features: tuple[float, ...]  # weight of each pair of `FEATURES`, -1 to 1

    @property
    def age(self) -> Age:
        """Return the age group."""
        return "child" if self.years < 14 else "young" if self.years < 30 else "adult" if self.years < 65 else "old"

    @property
    def is_female(self) -> bool:
        return self.sex in ("woman", "girl")


def random_person(rng: np.random.Generator) -> Person:
    """Return a random person."""
    _, least, end = AGES[rng.choice(len(AGES), p=[own[0] for own in AGES])]
    years, is_female = rng.uniform(least, end), rng.random() < 0.5
    adult = "woman" if is_female else "man"
    build = BUILDS[rng.choice(len(BUILDS), p=BUILD_SHARES[adult])]
    if years < 14:
        build = "average" if build == "strong" else build
    mean, deviation = STATURES[adult]
    median = float(np.interp(years, *np.transpose(GROWTH)))
    stature = rng.normal(mean, deviation) if years >= 14 else rng.normal(median, 0.05 * median)
    face = rng.dirichlet((0.45, 0.45, 0.45))
    melanin = np.clip(face @ (0.82, 0.32, 0.16) + rng.normal(0, 0.1), 0, 1)
    return Person(
        (("boy", "girl") if years < 14 else ("man", "woman"))[is_female],
        float(years),
        build,
        float(np.clip(stature, 0.95, 2.05)),
        float(rng.uniform(*WEIGHTS[build])),
        float(rng.uniform(*MUSCLES[build])),
        tuple(face),
        float(melanin),
        tuple(np.clip(rng.normal(0, 0.35, len(FEATURES)), -0.8, 0.8)),
    )
