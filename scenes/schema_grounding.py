"""Foot grounding in a scene file."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import NotNegative, Positive, Table


class GroundingModel(Table):
    """Feet stand on the ground, whatever the clips do."""

    legs: Annotated[list[Annotated[list[str], Field(min_length=3, max_length=4)]], Field(min_length=1)] | None = Field(
        None, description="joints of each leg: hip, knee, ankle and toe; default: found by their names"
    )
    weight: Annotated[float, Field(ge=0, le=1)] | str = Field(1.0, description="a share, or a parameter")
    pins: list[str] | None = Field(
        None, description="a parameter a leg, 1 = the foot is planted; default: made from how the clips' feet move"
    )
    lock_share: Annotated[float, Field(ge=0, le=0.5)] = Field(
        0.15, description="of the leg's length, that a planted foot may be held back by; 0 lets feet slide"
    )
    slope_degrees: Annotated[float, Field(ge=0, le=60)] = Field(35.0, description="the most that a foot is turned")
    pelvis_seconds: NotNegative = Field(0.12, description="[s], in which the pelvis follows the lower foot")
    step_seconds: NotNegative = Field(0.06, description="[s], in which a foot follows a sudden step of the ground")
    release_seconds: NotNegative = Field(0.1, description="[s], in which a lifted foot forgets where it was held")
    range: Positive | None = Field(
        None, description="[m] from the camera at which grounding has faded out; default: none"
    )
