"""Base classes and value types of the tables in a scene file."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ecs_anim.support.arguments import FARTHEST

Color = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$", description="sRGB colour, #rrggbb")]
LARGEST = 1e9  # larger numbers could overflow in float32 columns
SMALLEST = 1e-9  # smaller numbers would vanish in sums and quotients
BRIEFEST = 1e-6  # [s], time constant that has the same effect as 0


def _not_vanishing(value: float) -> float:
    if value < SMALLEST:
        raise ValueError(f"the value must be at least {SMALLEST:g}")
    return value


def _unsigned(value: float) -> float:
    """Return `value`, or 0 for -0. If the end of a range is before its start, numpy returns -0 in place of 0."""
    return value + 0.0


def _near(value: float) -> float:
    if abs(value) > FARTHEST:
        raise ValueError(
            f"the position must be at most {FARTHEST:g} m from the origin. Move the scene nearer to the point 0, 0."
        )
    return value


Positive = Annotated[float, Field(gt=0, le=LARGEST, allow_inf_nan=False), AfterValidator(_not_vanishing)]
NotNegative = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False), AfterValidator(_unsigned)]
Finite = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False), AfterValidator(_unsigned)]
Point2 = tuple[Finite, Finite]
Point3 = tuple[Finite, Finite, Finite]
Near = Annotated[Finite, AfterValidator(_near)]
Place2 = tuple[Near, Near]  # plan points of people, goals, gaze targets and cameras
Place3 = tuple[Near, Near, Near]


class Table(BaseModel):
    """A TOML table. Unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class CodeModel(Table):
    """Keys that name a module with user code, see docs/user-systems.md."""

    module: str = Field(
        description="path of a .py file in the folder of the scene file or in a subfolder, or name of an importable"
        " module. The code runs only with --allow-code"
    )


class CrowdTable(Table):
    """The keys that every crowd has. Keys that are not in this class belong to parts."""

    name: str | None = Field(None, description="name of the crowd. Default: the name of the rig")
    rig: str = Field(description="name of a rig in [rigs]")
    count: Annotated[int, Field(ge=1)] = 1

    @property
    def called(self) -> str:
        """Return the name of the crowd. The default is the name of the rig."""
        return self.name or self.rig
