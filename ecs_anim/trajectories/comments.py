"""Detection of the frame rate and the length unit in the comments of text files.

If two comments state different frame rates, the module returns no frame rate.
"""

import re
from collections.abc import Iterable

from ecs_anim.trajectories.options import LARGEST_RATE

RATE = re.compile(r"(?:frame\s*rate|(?<!\d)(?<!\d )fps)[^\w.,;+-]{0,4}(?=([-+.]*\d.{0,99}))", re.IGNORECASE)
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
A_SECOND = re.compile(  # a number or a fraction that ends here, and is not a rate per minute
    rf"({NUMBER})(?:\s*/\s*({NUMBER}))?(?:fps|hz)?(?![^\w\s/]?\w)(?!\s*\w*\s*(?:per|/)\s*(?!s)\w)", re.IGNORECASE
)
AXES = r"\b[xy]\b(?:\W{1,3}(?:and\s+)?[xyz]\b){0,2}"
POSITIONS = r"\b(?:positions?|coordinates?|lengths?|distances?|points?|trajector(?:y|ies))\b"
WITHIN = r"(?:(?!height)[^,;]){0,60}?"  # within one part of a sentence
UNIT = re.compile(  # x/cm, x [cm], unit: cm, x and y in cm, positions in centimetres; no heights, and no cm/s
    r"(?:[xy]\s*[/\[(_]\s*|(?:^|[,;])\W{0,3}(?:length\s+)?units?\s*[:=]\W{0,3}"
    rf"|(?:{AXES}|{POSITIONS}){WITHIN}\bin\s+)"
    r"(c|m|centi|milli)?(?:m|met(?:re|er)s?)\b(?![/^²])",
    re.IGNORECASE,
)


def told_rate(comments: Iterable[str]) -> float | None:
    """Return the frame rate [1/s] if all comments that state a rate state the same positive number.

    Otherwise, return None.
    """
    told = {_frames_a_second(match[1]) for comment in comments for match in RATE.finditer(comment)}
    return told.pop() if len(told) == 1 else None


def told_units(comments: Iterable[str]) -> frozenset[str]:
    """Return all length units that the comments state for x and y."""
    return frozenset((match[1] or "")[:1].lower() + "m" for text in comments for match in UNIT.finditer(text))


def _frames_a_second(text: str) -> float | None:
    """Return the number at the beginning of `text` if this number is a frame rate. Otherwise, return None."""
    match = A_SECOND.match(text)
    if match is None:
        return None
    count, seconds = float(match[1]), float(match[2] or 1)
    rate = count / seconds if seconds else 0.0
    return rate if 0 < rate <= LARGEST_RATE else None
