"""Options of a bake."""

from dataclasses import dataclass
from typing import Literal

from ecs_anim.support.arguments import number, one_of

SpaceName = Literal["local", "model"]
FormatName = Literal["f32", "f16", "u8"]
SPACES: tuple[SpaceName, ...] = ("local", "model")
FORMATS: tuple[FormatName, ...] = ("f32", "f16", "u8")

ERROR_MM = 0.5  # how far off a joint may be, before rounding to the format
DEGREES_BY_MM = 0.2  # what may be turned wrongly where that much may be off: 0.1 degrees at 0.5 mm
BODY = 1800.0  # [mm] that errors are told for: what the character's largest extent is taken to be


@dataclass(frozen=True)
class BakeOptions:
    """Space, number format, and how rows are spaced.

    Raises InputError for a space or a format that is none, ValueError for a rate or an error that is not above 0.

    Without a `rate` each clip gets the lowest at which straight lines between its rows stay within `error_mm`.
    """

    space: SpaceName = "local"
    number_format: FormatName = "f32"
    rate: float | None = None  # [Hz] of all clips; a clip has whole intervals, so no fewer rows than that
    error_mm: float = ERROR_MM  # [mm] on a body of `BODY`, and `DEGREES_BY_MM` degrees for each
    rotation_only: bool = False  # translations and scales of joints that do not carry the whole body rest

    def __post_init__(self) -> None:
        for what, value, known in (("space", self.space, SPACES), ("format", self.number_format, FORMATS)):
            one_of(what, value, known)
        for what, given in (("error", self.error_mm), ("rate", 1.0 if self.rate is None else self.rate)):
            if number(f"a bake's {what}", given) <= 0:
                raise ValueError(f"a bake's {what} must be above 0 (got {given})")
