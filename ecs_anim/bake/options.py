"""Options for the construction of a bake."""

from dataclasses import dataclass
from typing import Literal

from ecs_anim.support.arguments import number, one_of

SpaceName = Literal["local", "model"]
FormatName = Literal["f32", "f16", "u8"]
SPACES: tuple[SpaceName, ...] = ("local", "model")
FORMATS: tuple[FormatName, ...] = ("f32", "f16", "u8")

ERROR_MM = 0.5  # largest joint error before rounding to the format
DEGREES_BY_MM = 0.2  # allowed degrees per allowed millimetre: 0.1 degrees at 0.5 mm
BODY = 1800.0  # [mm], assumed largest extent of the character for all stated errors


@dataclass(frozen=True)
class BakeOptions:
    """Space, number format and row spacing of a bake.

    Raises InputError for an unknown space or format, and ValueError for a rate or an error that is not above 0.

    If `rate` is None, each clip gets the lowest row rate at which linear interpolation keeps the error below
    `error_mm`.
    """

    space: SpaceName = "local"
    number_format: FormatName = "f32"
    rate: float | None = None  # [Hz] of all clips; rounded up to a whole number of intervals in a clip
    error_mm: float = ERROR_MM  # [mm] on a body of `BODY`, with `DEGREES_BY_MM` degrees per millimetre
    # Whether translations and scales stay at rest, except in joints that carry the whole body.
    rotation_only: bool = False

    def __post_init__(self) -> None:
        for what, value, known in (("space", self.space, SPACES), ("format", self.number_format, FORMATS)):
            one_of(what, value, known)
        for what, given in (("error", self.error_mm), ("rate", 1.0 if self.rate is None else self.rate)):
            if number(f"a bake's {what}", given) <= 0:
                raise ValueError(f"a bake's {what} must be above 0 (got {given})")
