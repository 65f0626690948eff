"""Who there is besides the mannequin: men, women and children, each a shape of one mesh on one skeleton.

Feet and joints are the mannequin's in all of them, so what a clip does to the ground it does for everybody. Women have
0.92 of men's stature, as adults measured in the National Health Statistics Reports, no. 122 (2018).
"""

from dataclasses import dataclass
from typing import Literal

HairStyle = Literal["short", "full", "bob", "long", "bun", "bald"]


@dataclass(frozen=True)
class Skirt:
    """A cone about the hips. Metres."""

    hem: float  # height
    width: float  # half of it, across, at the hem
    depth: float  # half of it, ahead, at the hem


@dataclass(frozen=True)
class FigureShape:
    """How a body differs from the mannequin's: factors of breadth and thickness, metres for what stands out."""

    name: str
    share: float  # of a crowd that is told nothing of figures; 0 = only where they are asked for
    size: float  # of the mannequin's
    shoulders: float = 1.0  # breadth
    chest: float = 1.0  # breadth and depth
    waist: float = 1.0
    hips: float = 1.0
    bust: float = 0.0  # [m]
    belly: float = 0.0  # [m]
    arms: float = 1.0  # thickness
    legs: float = 1.0
    neck: float = 1.0
    head: float = 1.0
    jaw: float = 1.0  # breadth
    hair: HairStyle = "short"
    skirt: Skirt | None = None


FIGURES = (
    FigureShape("man", share=0.15, size=1.01),
    FigureShape(
        "young man",
        share=0.12,
        size=1.0,
        shoulders=0.97,
        chest=0.94,
        waist=0.9,
        hips=0.95,
        arms=0.9,
        legs=0.93,
        neck=0.93,
        hair="full",
    ),
    FigureShape(
        "strong man",
        share=0.08,
        size=1.03,
        shoulders=1.05,
        chest=1.06,
        waist=1.03,
        arms=1.12,
        legs=1.06,
        neck=1.12,
        jaw=1.05,
    ),
    FigureShape(
        "stout man",
        share=0.09,
        size=0.99,
        shoulders=1.02,
        chest=1.08,
        waist=1.2,
        hips=1.08,
        belly=0.075,
        arms=1.12,
        legs=1.08,
        neck=1.12,
        jaw=1.08,
        hair="bald",
    ),
    FigureShape(
        "old man",
        share=0.07,
        size=0.97,
        shoulders=0.96,
        chest=0.98,
        waist=1.1,
        belly=0.03,
        arms=0.92,
        legs=0.95,
        neck=0.95,
        hair="bald",
    ),
    FigureShape(
        "woman",
        share=0.13,
        size=0.935,
        shoulders=0.9,
        chest=0.9,
        waist=0.86,
        hips=1.04,
        bust=0.028,
        arms=0.84,
        legs=0.97,
        neck=0.84,
        jaw=0.9,
        hair="long",
    ),
    FigureShape(
        "young woman",
        share=0.11,
        size=0.93,
        shoulders=0.88,
        chest=0.87,
        waist=0.82,
        bust=0.025,
        arms=0.8,
        legs=0.92,
        neck=0.82,
        jaw=0.89,
        hair="bob",
        skirt=Skirt(0.54, 0.25, 0.215),
    ),
    FigureShape(
        "slim woman",
        share=0.08,
        size=0.95,
        shoulders=0.89,
        chest=0.87,
        waist=0.82,
        hips=0.97,
        bust=0.022,
        arms=0.8,
        legs=0.89,
        neck=0.82,
        jaw=0.9,
        hair="bun",
    ),
    FigureShape(
        "stout woman",
        share=0.07,
        size=0.925,
        shoulders=0.95,
        chest=1.02,
        waist=1.12,
        hips=1.16,
        bust=0.045,
        belly=0.04,
        arms=1.02,
        legs=1.1,
        neck=0.92,
        hair="bob",
    ),
    FigureShape(
        "old woman",
        share=0.06,
        size=0.9,
        shoulders=0.94,
        chest=0.95,
        waist=1.03,
        hips=1.04,
        bust=0.03,
        belly=0.025,
        arms=0.88,
        legs=0.97,
        neck=0.85,
        jaw=0.93,
        hair="bun",
        skirt=Skirt(0.5, 0.23, 0.205),
    ),
    FigureShape(
        "boy",
        share=0.02,
        size=0.74,
        shoulders=0.88,
        chest=0.9,
        waist=0.96,
        hips=0.9,
        arms=0.88,
        legs=0.92,
        neck=0.82,
        head=1.22,
        jaw=0.95,
        hair="full",
    ),
    FigureShape(
        "girl",
        share=0.02,
        size=0.7,
        shoulders=0.86,
        chest=0.88,
        waist=0.93,
        hips=0.9,
        arms=0.84,
        legs=0.9,
        neck=0.8,
        head=1.24,
        jaw=0.95,
        hair="long",
        skirt=Skirt(0.56, 0.245, 0.215),
    ),
    FigureShape(
        "runner", share=0.0, size=1.0, shoulders=0.98, chest=0.94, waist=0.87, hips=0.93, arms=0.9, legs=0.96, neck=0.95
    ),
    FigureShape(
        "woman runner",
        share=0.0,
        size=0.94,
        shoulders=0.9,
        chest=0.87,
        waist=0.82,
        hips=0.97,
        bust=0.016,
        arms=0.8,
        legs=0.92,
        neck=0.83,
        jaw=0.9,
        hair="bun",
    ),
)
