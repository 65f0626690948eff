"""Schema of the trajectories that a crowd follows."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import Finite, NotNegative, Positive, Table
from ecs_anim.scenes.schema_rules import rule


class TrajectoryModel(Table):
    """Recorded or simulated people in a file, see docs/trajectories.md."""

    file: str = Field(description="path of the trajectory file, relative to the folder of the scene file")
    unit: str | None = Field(
        None,
        description="unit of lengths in the file: m, cm, mm, ft, in, or a multiple such as '0.02 m'. Default: the unit"
        " that the file states",
    )
    rate: Positive | None = Field(
        None,
        description="frames per second in the file, or number of the file's time units per second. Default: the rate"
        " that the file states",
    )
    columns: str | None = Field(None, description="roles of the columns, such as 'id frame x y -'")
    axes: str | None = Field(
        None, description="axes of the file that point east and north. If y points down, write 'x -y'. Default: 'x y'"
    )
    origin: tuple[Finite, Finite] | None = Field(
        None, description="point, east and north [m], that becomes 0, 0. Use this key for coordinates such as UTM"
    )
    level: str | Finite | None = Field(
        None, description="floor of a building, by its name or its height [m]. Default: all floors, each at its height"
    )
    level_heights: Positive | dict[str, Finite] | None = Field(
        None,
        description="distance between two floors [m], or the height [m] of each floor by name. Default: the heights"
        " in the file",
    )
    from_seconds: Finite | None = Field(
        None, description="time in the file at which the scene begins [s]. Default: the start of the file"
    )
    to_seconds: Finite | None = Field(
        None,
        description="time in the file at which the scene ends [s]. Samples at this time do not count. Default: the end"
        " of the file",
    )
    start_seconds: NotNegative = Field(0.0, description="time of the scene at which the recording begins [s]")
    smooth_seconds: Annotated[float, Field(ge=0, le=60)] | None = Field(
        None,
        description="shortest period of head movements that the body follows [s]. The body does not follow faster head "
        "movements (sway). 0: the file contains positions of bodies, not of heads. Default: 1.67 for recorded "
        "files, 0 for simulated files",
    )
    fade_seconds: NotNegative = Field(
        0.4, description="time in which arriving actors fade in and leaving actors fade out [s]"
    )

    @property
    def floor(self) -> str | None:
        """Return the value of the key `level` as text, or None."""
        return self.level if self.level is None or isinstance(self.level, str) else f"{self.level:g}"

    _ends_after_it_begins = rule(
        "to_seconds must be later than from_seconds",
        lambda own: own.from_seconds is None or own.to_seconds is None or own.to_seconds > own.from_seconds,
    )
