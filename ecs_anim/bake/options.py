"""Options of `bake_rig`, which constructs a bake."""

from dataclasses import dataclass
from typing import Literal

from ecs_anim.support.arguments import number, one_of

SpaceName = Literal["local", "model"]
FormatName = Literal["f32", "f16", "u8"]
SPACES: tuple[SpaceName, ...] = ("local", "model")
FORMATS: tuple[FormatName, ...] = ("f32", "f16", "u8")

ERROR_MM = 0.5  # [mm], limit of the position error of joints; rounding to the number format is not included
DEGREES_BY_MM = 0.2  # allowed direction error in degrees for each allowed millimetre: 0.1 degrees at 0.5 mm
BODY = 1800.0  # [mm], assumed largest extent of the character for all stated errors


@dataclass(frozen=True)
class BakeOptions:
    """Options of a bake: its space, its number format and its row spacing.

    Raises InputError for an unknown space or an unknown number format. Raises ValueError if `rate` or `error_mm` is not
    above 0.

    If `rate` is None, each clip has its own number of rows per second. `bake_rig` chooses the lowest number of rows per
    second for which linear interpolation keeps the error below `error_mm`.
    """

    space: SpaceName = "local"
    number_format: FormatName = "f32"
    # [Hz], rows per second of all clips; each clip has a whole number of intervals, so its rate can be a little higher
    rate: float | None = None
    # [mm], limit of the position error on a body of size `BODY`; the direction limit is `DEGREES_BY_MM` degrees per
    # millimetre
    error_mm: float = ERROR_MM
    # Whether the bake omits the animation of translations and scales, except in joints that carry the whole body.
    rotation_only: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (("space", self.space, SPACES), ("format", self.number_format, FORMATS)):
            one_of(name, value, known)
        for name, given in (("error", self.error_mm), ("rate", 1.0 if self.rate is None else self.rate)):
            if number(f"a bake's {name}", given) <= 0:
                raise ValueError(f"the {name} of a bake must be above 0 (got {given})")
