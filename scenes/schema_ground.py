"""The ground of a scene file."""

from pydantic import Field

from ecs_anim.scenes.schema_base import Color, Table


class GroundModel(Table):
    """The plane that actors stand on."""

    color: Color = "#c4c0ba"
    line_color: Color = Field("#a29f9a", description="of the grid, 1 m and 10 m")
    grid: bool = True
