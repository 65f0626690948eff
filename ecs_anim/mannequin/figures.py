"""Figures: the body shapes of men, women and children.

A figure displaces the vertices of the mannequin's mesh, and uses the mannequin's skeleton.

All figures have equal feet and equal joint positions. Therefore, the ground contacts of a clip fit all figures. Women
are 0.92 times as tall as men, as in the National Health Statistics Reports, number 122 (2018), for adults.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

HairStyle = Literal["short", "full", "bob", "long", "bun", "bald"]


@dataclass(frozen=True)
class Skirt:
    """Dimensions of a skirt in metres. A skirt is a closed surface around hips and thighs."""

    hem: float  # height of the hem
    width: float  # half the width at the hem
    depth: float  # half the depth at the hem


@dataclass(frozen=True)
class FigureShape:
    """The body shape of a figure, as differences from the body of the mannequin."""

    name: str
    share: float  # share of the actors in a crowd without the key `figures`; 0 = the crowd must request this figure
    size: float  # factor on the mannequin's size
    shoulders: float = 1.0  # factor on the breadth
    chest: float = 1.0  # factor on breadth and depth
    waist: float = 1.0
    hips: float = 1.0
    bust: float = 0.0  # [m]
    belly: float = 0.0  # [m]
    arms: float = 1.0  # factor on the thickness
    legs: float = 1.0
    neck: float = 1.0
    head: float = 1.0
    jaw: float = 1.0  # factor on the breadth
    hair: HairStyle = "short"
    skirt: Skirt | None = None


SKIRTS = {
    "young woman": Skirt(hem=0.54, width=0.180, depth=0.098),
    "old woman": Skirt(hem=0.5, width=0.174, depth=0.101),
    "girl": Skirt(hem=0.56, width=0.182, depth=0.100),
}
# fmt: off
ROWS: tuple[tuple[Any, ...], ...] = (
    # name, share, size, shoulders, chest, waist, hips, bust, belly, arms, legs, neck, head, jaw, hair
    ("man",          0.15,  1.01,    1,    1,    1,    1,     0,     0,    1,    1,    1,    1,    1, "short"),
    ("young man",    0.12,     1, 0.97, 0.94,  0.9, 0.95,     0,     0,  0.9, 0.93, 0.93,    1,    1, "full"),
    ("strong man",   0.08,  1.03, 1.05, 1.06, 1.03,    1,     0,     0, 1.12, 1.06, 1.12,    1, 1.05, "short"),
    ("stout man",    0.09,  0.99, 1.02, 1.08,  1.2, 1.08,     0, 0.075, 1.12, 1.08, 1.12,    1, 1.08, "bald"),
    ("old man",      0.07,  0.97, 0.96, 0.98,  1.1,    1,     0,  0.03, 0.92, 0.95, 0.95,    1,    1, "bald"),
    ("woman",        0.13, 0.935,  0.9,  0.9, 0.86, 1.04, 0.028,     0, 0.84, 0.97, 0.84,    1,  0.9, "long"),
    ("young woman",  0.11,  0.93, 0.88, 0.87, 0.82,    1, 0.025,     0,  0.8, 0.92, 0.82,    1, 0.89, "bob"),
    ("slim woman",   0.08,  0.95, 0.89, 0.87, 0.82, 0.97, 0.022,     0,  0.8, 0.89, 0.82,    1,  0.9, "bun"),
    ("stout woman",  0.07, 0.925, 0.95, 1.02, 1.12, 1.16, 0.045,  0.04, 1.02,  1.1, 0.92,    1,    1, "bob"),
    ("old woman",    0.06,   0.9, 0.94, 0.95, 1.03, 1.04,  0.03, 0.025, 0.88, 0.97, 0.85,    1, 0.93, "bun"),
    ("boy",          0.02,  0.74, 0.88,  0.9, 0.96,  0.9,     0,     0, 0.88, 0.92, 0.82, 1.22, 0.95, "full"),
    ("girl",         0.02,   0.7, 0.86, 0.88, 0.93,  0.9,     0,     0, 0.84,  0.9,  0.8, 1.24, 0.95, "long"),
    ("runner",          0,     1, 0.98, 0.94, 0.87, 0.93,     0,     0,  0.9, 0.96, 0.95,    1,    1, "short"),
    ("woman runner",    0,  0.94,  0.9, 0.87, 0.82, 0.97, 0.016,     0,  0.8, 0.92, 0.83,    1,  0.9, "bun"),
)
# fmt: on
FIGURES = tuple(replace(FigureShape(*row), skirt=SKIRTS.get(row[0])) for row in ROWS)
