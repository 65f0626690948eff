"""Comments of text files: the frame rate that they tell."""

import re
from collections.abc import Iterable

from ecs_anim.trajectories.options import LARGEST_RATE

RATE = re.compile(r"(?:frame\s*rate|(?<!\d)(?<!\d )fps)[^\w.,;+-]{0,4}(?=([-+.]*\d.{0,99}))", re.IGNORECASE)
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
A_SECOND = re.compile(  # a number or a fraction that ends there, and is not so many a minute
    rf"({NUMBER})(?:\s*/\s*({NUMBER}))?(?:fps|hz)?(?![^\w\s/]?\w)(?!\s*\w*\s*(?:per|/)\s*(?!s)\w)", re.IGNORECASE
)


def told_rate(comments: Iterable[str]) -> float | None:
    """Frames a second, where all comments that tell them agree on a positive number."""
    told = {_frames_a_second(match[1]) for comment in comments for match in RATE.finditer(comment)}
    return told.pop() if len(told) == 1 else None


def _frames_a_second(text: str) -> float | None:
    """The number that a text begins with, if it is a rate."""
    match = A_SECOND.match(text)
    if match is None:
        return None
    count, seconds = float(match[1]), float(match[2] or 1)
    rate = count / seconds if seconds else 0.0
    return rate if 0 < rate <= LARGEST_RATE else None
