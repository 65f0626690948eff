"""What a scene file says of the walking body."""

from typing import Annotated

from pydantic import Field

from ecs_anim.scenes.schema_base import Positive, Table


class BodyModel(Table):
    """Actors walk wherever they are moved to, feet on the ground; {} is enough where clips have the usual names."""

    idle: str | None = Field(None, description="the clip that stands; default: found by its name")
    walk: str | None = Field(None, description="the clip that walks ahead; default: found by its name")
    run: str | None = Field(None, description="the clip that runs; default: found by its name, where there is one")
    back: str | None = Field(None, description="the clip that walks backward; default: as `run`")
    left: str | None = Field(None, description="the clip that walks to the left; default: as `run`")
    right: str | None = Field(None, description="the clip that walks to the right; default: as `run`")
    legs: Annotated[list[Annotated[list[str], Field(min_length=3, max_length=4)]], Field(min_length=1)] | None = Field(
        None, description="joints of each leg: hip, knee, ankle and, where there is one, toe; default: found by name"
    )
    acceleration: Positive | None = Field(
        2.5, description="[m/s^2], the most with which actors take up a velocity that they are told"
    )
