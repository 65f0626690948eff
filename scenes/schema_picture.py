"""Schema of a picture on the floor."""

from typing import Literal

from pydantic import Field

from ecs_anim.scenes.schema_base import Finite, Point2, Positive, Table
from ecs_anim.scenes.schema_rules import exactly_one, needs

Row = tuple[Finite, Finite, Finite]


class LaidPicture(Table):
    """A picture that shows the floor from above. metres_per_pixel, corners or homography places the picture.

    On the plan, x is east (+X in the world), and y is north (-Z in the world).
    """

    file: str = Field(description="path of a PNG, JPEG or WebP, from the scene file's folder")
    metres_per_pixel: Positive | None = Field(
        None, description="metres per pixel of a picture with rows along x and the upper edge in the north"
    )
    origin: Point2 | None = Field(
        None, description="x, y of the lower left corner [m], with metres_per_pixel. Default: the middle is at 0, 0"
    )
    corners: tuple[Point2, Point2, Point2, Point2] | None = Field(
        None, description="x, y of the upper left, upper right, lower right and lower left corner [m]"
    )
    homography: tuple[Row, Row, Row] | str | None = Field(
        None,
        description="three rows of three numbers, or the path of a text file with these numbers. They map pixels,"
        " which have whole numbers at their middles, to x, y [m]",
    )
    pixel_order: Literal["column_row", "row_column"] | None = Field(
        None, description="order of the numbers of a pixel, with homography. Default: 'column_row'"
    )

    _one_position = exactly_one(
        "give metres_per_pixel, corners or homography, one of them", "metres_per_pixel", "corners", "homography"
    )
    _origin_with_scale = needs("origin needs metres_per_pixel", "origin", "metres_per_pixel")
    _order_of_homography = needs("pixel_order needs homography", "pixel_order", "homography")
