"""Schema of alarms, for which actors can wait before they start to walk."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import Place2, Table
from ecs_anim.scenes.schema_premovement import Seconds
from ecs_anim.scenes.schema_routing import AreaShape
from ecs_anim.scenes.schema_rules import rule


class AlarmModel(Table):
    """An alarm. The pre-movement time of an actor with `waits_for_alarm` begins when the first alarm reaches the
    actor.
    """

    at_seconds: Seconds = Field(description="time of the alarm [s]")
    area: AreaShape | None = Field(
        None,
        description="area that the alarm reaches: well-known text of polygons, or corners [[x, y], ...] [m]. Default:"
        " the whole scene",
    )
    level: str | None = Field(
        None,
        description="name of the level that the alarm reaches, in a scene with levels. Default: the alarm reaches all"
        " levels",
    )
    origin: Place2 | None = Field(
        None,
        description="point [x, y] [m] from which the alarm spreads. Default: the alarm reaches its whole area at the"
        " same time",
    )
    spread_m_s: Annotated[float, Field(ge=0.01, le=1000.0)] | None = Field(
        None, description="speed with which the alarm spreads from `origin` in all directions [m/s]"
    )

    _spreads = rule(
        "origin: an alarm that spreads needs a point and a speed. Write origin = [x, y] and spread_m_s = 1.0",
        lambda alarm: (alarm.origin is None) == (alarm.spread_m_s is None),
    )
