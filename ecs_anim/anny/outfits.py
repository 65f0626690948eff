"""Random outfits: garments, hair and colours of a person."""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ecs_anim.anny.garments import ANKLE, SHOE, SOCK, WAIST, Garment
from ecs_anim.anny.hair import Style
from ecs_anim.anny.persons import Person
from ecs_anim.mannequin import outfits as O
from ecs_anim.mannequin.patterns import PATTERNS
from ecs_anim.mannequin.pigments import Color, mixed

T = TypeVar("T")
TOPS = tuple((int(own[1:3], 16), int(own[3:5], 16), int(own[5:7], 16)) for own in O.TINTS)
TROUSERS = (O.JEANS, O.NAVY, O.CHINO, O.CHARCOAL, O.SLATE, O.MOSS, O.BARK, (52, 60, 84), (60, 58, 60))
SKIRTS = (O.WINE, O.SLATE, O.NAVY, O.CHARCOAL, O.MOSS, O.SAND)
COATS = ((56, 60, 72), (96, 84, 70), (62, 62, 60), (74, 82, 70), (150, 130, 104), (92, 50, 54))
SHOES = (O.LEATHER, O.SNEAKER, (54, 50, 50), (120, 92, 66), (206, 204, 200))
SOCKS = ((220, 218, 214), (60, 60, 66), (110, 112, 118))
SKINS = (O.PALE, O.FAIR, O.TAN, O.OLIVE, O.BROWN, O.DARK)
DARK_HAIR, HAIR = (O.ESPRESSO, O.BLACK, O.BLACK), (O.BLOND, O.AUBURN, O.CHESTNUT, O.CHESTNUT, O.ESPRESSO)
PLAIN = (0,) * 14  # tops without a pattern, beside one top with each pattern
HEMS = (0.505, 0.6)  # [m], heights of hems of skirts; calves of walking people show through longer skirts
LIGHT = 110  # mean of the channels of light skirts
TUCKED = 1.03  # [m], lower end of tops over skirts
GREYING = (50.0, 72.0)  # [years], ages from which some people and nearly all people have grey hair
STYLES: dict[str, tuple[Style, ...]] = {
    "man": ("short", "short", "short", "full", "full", "curly", "receding"),
    "old man": ("bald", "bald", "receding", "receding", "short"),
    "woman": ("long", "long", "bob", "bob", "bun", "ponytail", "ponytail", "full", "curly"),
    "old woman": ("bob", "bob", "bun", "full", "short"),
    "boy": ("short", "full", "full", "curly"),
    "girl": ("long", "bob", "ponytail", "ponytail"),
}


@dataclass(frozen=True)
class Skirt:
    """The lower part of a skirt, a dress or a coat. Lengths are in metres on the mannequin's skeleton."""

    color: Color
    top: float  # height
    hem: float  # height
    ease: float  # least distance from the body
    flare: float  # additional width at the hem
    pattern: int = 0
    is_open: bool = False  # whether its front has a gap, as a coat has


@dataclass(frozen=True)
class Outfit:
    """The look of a person."""

    skin: Color
    hair: Color
    style: Style
    beard: float  # strength, 0 to 1
    garments: tuple[Garment, ...]  # from the skin outward
    skirt: Skirt | None
    tone: int  # 0 light, 1 medium, 2 dark


def random_outfit(person: Person, rng: np.random.Generator) -> Outfit:
    """Return a random outfit that fits the age and the sex of a person."""
    level = person.melanin * (len(SKINS) - 1)
    low = min(int(level), len(SKINS) - 2)
    skin = mixed(SKINS[low], SKINS[low + 1], level - low)
    old = "old " if person.years > 60 and person.years >= 14 else ""
    style = _any(rng, STYLES[old + person.sex])
    beard = float(rng.uniform(0.2, 0.7)) if person.sex == "man" and rng.random() < 0.35 else 0.0
    garments, skirt = _clothes(person, rng)
    return Outfit(skin, _hair_color(person, rng), style, beard, garments, skirt, min(round(level) // 2, 2))


def _any(rng: np.random.Generator, choices: tuple[T, ...]) -> T:
    return choices[int(rng.integers(len(choices)))]


def _hair_color(person: Person, rng: np.random.Generator) -> Color:
    color = _any(rng, DARK_HAIR if person.melanin > 0.35 else HAIR)
    grey = np.clip((person.years - GREYING[0]) / (GREYING[1] - GREYING[0]) + rng.uniform(-0.4, 0.4), 0, 1)
    return mixed(color, _any(rng, (O.GREY, O.WHITE)), 0.9 * float(grey))


def _clothes(person: Person, rng: np.random.Generator) -> tuple[tuple[Garment, ...], Skirt | None]:
    shoes = Garment("feet", _any(rng, SHOES), high=SHOE, thickness=0.0)
    socks = Garment("feet", _any(rng, SOCKS), high=SOCK, thickness=0.003)
    top = _top(person, rng)
    if person.is_female and rng.random() < 0.36:
        return _with_skirt(person, top, shoes, rng)
    worn_socks = () if rng.random() < 0.3 else (socks,)
    trousers = _trousers(person, rng)
    if person.years >= 14 and rng.random() < 0.22:
        while trousers.low > ANKLE:  # no shorts under a coat
            trousers = _trousers(person, rng)
        coat = _coat(rng)
        long = rng.random() < 0.3
        tail = Skirt(coat.color, 1.06, float(rng.uniform(0.5, 0.68)), 0.008, 0.015, is_open=True) if long else None
        return (*worn_socks, trousers, top, coat, shoes), tail
    return (*worn_socks, trousers, top, shoes), None


def _top(person: Person, rng: np.random.Generator) -> Garment:
    sleeve = _any(rng, (0.2, 0.2, 0.24, 0.54, 0.54, 0.54))
    snug = person.is_female
    return Garment(
        "top", _any(rng, TOPS), float(rng.uniform(0.89, 0.97)), sleeve=sleeve,
        collar=_any(rng, (0.0, 0.0, 0.012, 0.02)), neckline=_any(rng, (0.0, 0.0, 0.0, 0.05, 0.075)),
        thickness=0.007 if snug else 0.011,
        wide=(0.046 if snug else 0.05) if sleeve > 0.5 else (0.054 if snug else 0.064),
        drape=0.35 if snug else 0.7, pattern=_any(rng, (*PLAIN, *range(1, len(PATTERNS) + 1))),
    )  # fmt: skip


def _trousers(person: Person, rng: np.random.Generator) -> Garment:
    if rng.random() < (0.5 if person.years < 14 else 0.16):
        return Garment("bottom", _any(rng, TROUSERS), float(rng.uniform(0.5, 0.6)), WAIST, wide=0.09)
    wide = _any(rng, (0.0, 0.052, 0.06)) if person.is_female else _any(rng, (0.056, 0.062, 0.068))
    return Garment(
        "bottom", _any(rng, TROUSERS), ANKLE, WAIST, wide=wide, thickness=0.004 if person.is_female else 0.007
    )


def _coat(rng: np.random.Generator) -> Garment:
    return Garment(
        "top", _any(rng, COATS), float(rng.uniform(0.86, 0.92)), sleeve=0.545, collar=0.022, neckline=0.1,
        opening=_any(rng, (0.0, 0.03, 0.06)), thickness=0.02, wide=0.06, drape=1.0,
    )  # fmt: skip


def _with_skirt(
    person: Person, top: Garment, shoes: Garment, rng: np.random.Generator
) -> tuple[tuple[Garment, ...], Skirt]:
    """Return garments with a skirt or a dress. Some people wear tights, which are light under light skirts."""
    is_dress = rng.random() < 0.5
    color = top.color if is_dress else _any(rng, SKIRTS)
    hem = float(rng.uniform(*HEMS))
    skirt = Skirt(color, 1.055, hem, 0.009, float(rng.uniform(0.01, 0.05)), top.pattern if is_dress else 0)
    legs = _any(rng, (O.TIGHTS, (40, 38, 42), O.SAND))
    tights = Garment("feet", O.SAND if np.mean(color) > LIGHT else legs, high=1.0, thickness=0.002)
    under = Garment("bottom", color, 0.80, WAIST, thickness=0.003)
    worn = top if is_dress else replace(top, low=TUCKED)
    return (*((tights,) if rng.random() < 0.45 else ()), under, worn, shoes), skirt
