"""Base of all tables of a scene file: strictness, ranges, colours."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ecs_anim.support.arguments import FARTHEST

Color = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$", description="sRGB colour, #rrggbb")]
LARGEST = 1e9  # columns are float32, which a larger number would overflow sooner or later
SMALLEST = 1e-9  # and a smaller one would vanish in sums and quotients
BRIEFEST = 1e-6  # [s], a time constant that is as good as none


def _not_vanishing(value: float) -> float:
    if value < SMALLEST:
        raise ValueError(f"should be at least {SMALLEST:g}")
    return value


def _unsigned(value: float) -> float:
    """No -0: numpy takes 0 to -0 for a range that ends before it begins."""
    return value + 0.0


def _near(value: float) -> float:
    if abs(value) > FARTHEST:
        raise ValueError(f"{FARTHEST:g} m from the origin are the limit; move the scene nearer to 0, 0")
    return value


Positive = Annotated[float, Field(gt=0, le=LARGEST, allow_inf_nan=False), AfterValidator(_not_vanishing)]
NotNegative = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False), AfterValidator(_unsigned)]
Finite = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False), AfterValidator(_unsigned)]
Point2 = tuple[Finite, Finite]
Point3 = tuple[Finite, Finite, Finite]
Near = Annotated[Finite, AfterValidator(_near)]
Place2 = tuple[Near, Near]  # of people, what they go to and look at, and what looks at them
Place3 = tuple[Near, Near, Near]


class Table(BaseModel):
    """A TOML table: unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class CodeModel(Table):
    """Code of one's own; docs/user-systems.md."""

    module: str = Field(
        description="path of a .py file, in the scene file's folder or below, or the name of an importable module;"
        " it is run only where that is allowed: --allow-code"
    )


class CrowdTable(Table):
    """The keys that every crowd has. All other keys belong to its parts."""

    name: str | None = Field(None, description="default: the rig's name")
    rig: str = Field(description="a name from [rigs]")
    count: Annotated[int, Field(ge=1)] = 1

    @property
    def called(self) -> str:
        """Its name, which is the rig's where it has none of its own."""
        return self.name or self.rig
