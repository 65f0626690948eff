"""Schema of street furniture: props at random places."""

from typing import Annotated

from pydantic import Field

from ecs_anim.rigs.prop_furniture import FURNITURE
from ecs_anim.scenes.schema_base import Table

MODELS = ["bench", *FURNITURE]


class FurnitureModel(Table):
    """Props at random places of the free floor, which hide people from cameras. Steered actors walk around them."""

    density: Annotated[float, Field(ge=0, le=0.2)] = Field(
        0.0,
        description="props per square metre of floor without walls. If the floor has no room for so many props, the"
        " program places fewer props",
    )
    models: Annotated[list[str], Field(min_length=1)] = Field(
        MODELS, description="built-in models or model files, as in [[props]]. Each prop has one of the models at random"
    )
