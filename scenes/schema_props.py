"""Schema of the props of a scene. Props are static objects, such as trees and benches."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ecs_anim.scenes.schema_base import Finite, Place2, Positive, Table
from ecs_anim.scenes.schema_layout import BlocksLayout, DiscLayout, GridLayout, Number, ScatterLayout
from ecs_anim.scenes.schema_rules import at_most_one, exactly_one, least_first, needs, rule

PropLayout = Annotated[GridLayout | DiscLayout | ScatterLayout | BlocksLayout, Field(discriminator="kind")]


class PropModel(Table):
    """Copies of a static model. Props do not move, and actors cannot stand on props."""

    model: str = Field(
        description=(
            "'tree', 'tall_tree', 'wide_tree', 'bench', 'carriage', 'lamp', 'stall', 'bin', 'bollard', 'planter', "
            "'kiosk', 'bicycle', or the path of a .gltf, .glb or .vrm file, relative to the folder of the scene file. "
            "Clips do not play"
        )
    )
    position: Place2 | None = Field(None, description="plan point x, y of the prop [m], for a single prop")
    positions: Annotated[list[Place2], Field(min_length=1)] | None = Field(
        None, description="plan point x, y of each prop [m], for several props"
    )
    layout: PropLayout | None = Field(
        None, description="layout of `count` props. Props have the same layouts as crowds"
    )
    count: Number | None = Field(None, description="number of props in the layout")
    level: str | None = Field(
        None,
        description=(
            "name of the level on whose floor the props stand. Default: the highest floor, or the ground, at the "
            "position of each prop"
        ),
    )
    heading_degrees: Finite | list[Finite] | Literal["random"] = Field(
        -90.0,
        description=(
            "heading of the front of the prop (+Z in glTF), counter-clockwise from east: 0 is east, 90 is north. A "
            "list: one heading for each position. 'random': a random heading for each prop"
        ),
    )
    height: Positive | None = Field(
        None, description="height of the prop [m]. The program scales the model to this height"
    )
    scale: Positive | None = Field(None, description="factor from the length unit of the file to metres. Default: 1")
    scale_range: tuple[Positive, Positive] = Field(
        (1.0, 1.0), description="range [least, most] of random sizes, as factors of the size of the model"
    )
    ground_offset: Finite = Field(
        0.0, description="distance by which the program raises the props above the ground [m]"
    )
    obstacle: bool = Field(
        False,
        description=(
            "true: actors walk around the props. The obstacle is the convex hull, on the plan, of all parts below 2 m"
        ),
    )
    radius: Positive | None = Field(
        None, description="with obstacle = true: radius of a round obstacle in place of the convex hull [m]"
    )

    _one_place = exactly_one(
        "write exactly one of the keys position, positions and layout", "position", "positions", "layout"
    )
    _layout_of_count = needs("layout needs a count, such as count = 10", "layout", "count")
    _count_of_layout = needs("count needs a layout, such as layout = { kind = 'grid' }", "count", "layout")
    _one_size = at_most_one("height and scale must not be given together. Remove one of these keys", "height", "scale")
    _scale_rises = least_first("scale_range")
    _radius_of_obstacle = rule(
        "radius needs obstacle = true, because it is the radius of the obstacle",
        lambda prop: prop.radius is None or prop.obstacle,
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        headings = self.heading_degrees
        if isinstance(headings, list) and len(headings) != self.copies:
            raise ValueError(
                f"heading_degrees: a list must have one heading for each of the {self.copies} props (got"
                f" {len(headings)}). Write one heading for each prop, or one number for all props."
            )
        return self

    @property
    def copies(self) -> int:
        """Return the number of props."""
        return self.count or len(self.positions or [self.position])
