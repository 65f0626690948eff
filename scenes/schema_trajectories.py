"""Schema of the trajectories that a crowd follows."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import Finite, NotNegative, Positive, Table
from ecs_anim.scenes.schema_rules import rule


class TrajectoryModel(Table):
    """Recorded or simulated people in a file, see docs/trajectories.md."""

    file: str = Field(description="path of the file, relative to the scene file's folder, in any of the usual formats")
    unit: str | None = Field(
        None,
        description="unit of lengths in the file: m, cm, mm, ft, in, or a multiple such as '0.02 m'. Default: the unit"
        " that the file states",
    )
    rate: Positive | None = Field(
        None,
        description="frames per second, or number of time units of the file per second. Default: the rate that the"
        " file states",
    )
    columns: str | None = Field(None, description="names of the columns, such as 'id frame x y -'")
    axes: str | None = Field(
        None, description="axes of the file that point east and north. 'x -y' if y points down. Default: 'x y'"
    )
    origin: tuple[Finite, Finite] | None = Field(
        None, description="point, east and north, that becomes 0, 0 [m], for files in coordinates such as UTM"
    )
    level: str | Finite | None = Field(
        None, description="floor to show, by its name or height [m]. Default: all floors, on one plane"
    )
    from_seconds: Finite | None = Field(
        None, description="time of the file at which the scene begins [s]. Default: the start of the file"
    )
    to_seconds: Finite | None = Field(
        None, description="time of the file before which the scene ends [s]. Default: the end of the file"
    )
    start_seconds: NotNegative = Field(0.0, description="time of the scene at which the file begins [s]")
    smooth_seconds: Annotated[float, Field(ge=0, le=60)] | None = Field(
        None,
        description="movements of the head in a shorter time are sway [s], which the body does not make. 0: positions"
        " are those of bodies. Default: 1.67 for recorded files, 0 for files that are known to be"
        " simulated",
    )
    fade_seconds: NotNegative = Field(
        0.4, description="time in which arriving actors fade in and leaving actors fade out [s]"
    )

    @property
    def floor(self) -> str | None:
        """The key `level` as text, or None."""
        return self.level if self.level is None or isinstance(self.level, str) else f"{self.level:g}"

    _ends_after_it_begins = rule(
        "to_seconds must be later than from_seconds",
        lambda own: own.from_seconds is None or own.to_seconds is None or own.to_seconds > own.from_seconds,
    )
