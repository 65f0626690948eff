"""Looking at targets in a scene file."""

from typing import Annotated, Literal

from pydantic import Field

from ecs_anim.scenes.schema_base import LARGEST, NotNegative, Positive, Table

Angle = Annotated[float, Field(gt=0, le=180)]
Share = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]


class LookJointModel(Table):
    """A joint that takes part."""

    share: Share = Field(1.0, description="of the turn, against the other joints; the last one takes what is left")
    max_yaw_degrees: Angle | None = Field(None, description="the most that this joint adds; default: no limit")
    max_pitch_degrees: Angle | None = Field(None, description="the most that this joint adds; default: no limit")


class LookAtModel(Table):
    """Joints that turn until the last of them faces a target."""

    target: str = Field(description="a name from the crowd's targets")
    joints: (
        Annotated[list[str], Field(min_length=1)]
        | Annotated[dict[str, Share | LookJointModel], Field(min_length=1)]
        | None
    ) = Field(
        None,
        description="from the hips up, the last one looks: a list, whose shares rise evenly; or a share or a table"
        " for each; default: Spine, Neck, Head and the like, found by name",
    )
    max_yaw_degrees: Angle = Field(80.0, description="the most that the last joint turns sideways from its clip's pose")
    max_pitch_degrees: Angle = Field(45.0, description="the most that it turns up or down")
    beyond: Literal["hold", "release"] = Field(
        "hold", description="a target past these limits holds the head there, or is let go"
    )
    release_degrees: Angle = Field(30.0, description="past the limits, over which a target is let go")
    seconds: NotNegative = Field(0.2, description="[s], time constant with which the gaze settles on its target")
    max_speed_degrees: Positive = Field(300.0, description="[degrees/s], the most that the turn changes")
    weight: Annotated[float, Field(ge=0, le=1)] | str = Field(1.0, description="a share, or a parameter")
