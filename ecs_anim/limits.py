"""Limits on what a file may ask for, and the one way to raise them all."""

import os

from ecs_anim.errors import InputError

VARIABLE = "ECS_ANIM_LIMITS"  # of the environment: how many times as high all limits shall be


def raised(limit: int) -> int:
    """A limit as high as the environment wants it. Raises InputError where the environment says no number."""
    text = os.environ.get(VARIABLE, "1")
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise InputError(f"{VARIABLE}={text!r}: should be a whole number, such as 4 for limits four times as high")
    return limit * int(text)


def how_to_raise(needed: int, limit: int) -> str:
    """What lets pass `needed` where `limit` does not."""
    return f"if it is meant to be, raise all limits: {VARIABLE}={-(-needed // limit)}"
