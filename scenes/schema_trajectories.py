"""Schema of the trajectories that a crowd follows."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import Finite, NotNegative, Positive, Table
from ecs_anim.scenes.schema_rules import rule


class TrajectoryModel(Table):
    """People of a file, recorded or simulated; docs/trajectories.md."""

    file: str = Field(description="path of the file, from the scene file's folder, in any of the usual formats")
    unit: str | None = Field(
        None,
        description="of the file's lengths: m, cm, mm, ft, in, or so many of them such as '0.02 m'; default: what the"
        " file says",
    )
    rate: Positive | None = Field(
        None, description="frames a second, or how many of its units of time make one; default: what it says"
    )
    columns: str | None = Field(None, description="what its columns are, such as 'id frame x y -'")
    axes: str | None = Field(
        None, description="which of its axes point east and north; 'x -y' where y points down; default: 'x y'"
    )
    origin: tuple[Finite, Finite] | None = Field(
        None, description="[m], east and north, the point that becomes 0, 0: for files in coordinates of a country"
    )
    level: str | Finite | None = Field(
        None, description="the floor to show, by its name or height [m]; default: all floors, on one plane"
    )
    from_seconds: Finite | None = Field(None, description="[s] of the file, where the scene begins; default: its start")
    to_seconds: Finite | None = Field(None, description="[s] of the file, before which it ends; default: its end")
    start_seconds: NotNegative = Field(0.0, description="[s] of the scene at which the file begins")
    smooth_seconds: Annotated[float, Field(ge=0, le=60)] | None = Field(
        None,
        description="[s], shorter movement of a head is sway, which the body under it does not make; 0 = positions are"
        " the bodies' own; default: 1.67 for what was recorded, 0 for what is known to be simulated",
    )
    fade_seconds: NotNegative = Field(
        0.4, description="[s], in which people fade in as they come and out as they leave"
    )

    @property
    def floor(self) -> str | None:
        """The floor as text."""
        return self.level if self.level is None or isinstance(self.level, str) else f"{self.level:g}"

    _ends_after_it_begins = rule(
        "to_seconds must be later than from_seconds",
        lambda own: own.from_seconds is None or own.to_seconds is None or own.to_seconds > own.from_seconds,
    )
