"""Schema of a picture on the floor."""

from typing import Literal

from pydantic import Field

from ecs_anim.scenes.schema_base import Finite, Point2, Positive, Table
from ecs_anim.scenes.schema_rules import exactly_one, needs

Row = tuple[Finite, Finite, Finite]


class LaidPicture(Table):
    """A picture that shows the floor from above.

    Exactly one of the keys metres_per_pixel, corners and homography sets the position of the picture.

    On the plan, x is east (+X in the world), and y is north (-Z in the world).
    """

    file: str = Field(description="path of a PNG, JPEG or WebP image, relative to the folder of the scene file")
    metres_per_pixel: Positive | None = Field(
        None,
        description="size of a pixel [m]. The rows of the picture are parallel to x, and its upper edge is in"
        " the north",
    )
    origin: Point2 | None = Field(
        None,
        description="x, y of the lower left corner of the picture [m], with metres_per_pixel. Default: the middle of"
        " the picture is at 0, 0",
    )
    corners: tuple[Point2, Point2, Point2, Point2] | None = Field(
        None, description="x, y of the upper left, upper right, lower right and lower left corners of the picture [m]"
    )
    homography: tuple[Row, Row, Row] | str | None = Field(
        None,
        description="matrix that maps pixels to x, y [m]: three rows of three numbers, or the path of a text file with"
        " these numbers. The middle of a pixel has whole numbers as coordinates",
    )
    pixel_order: Literal["column_row", "row_column"] | None = Field(
        None, description="with homography: order of the two pixel coordinates. Default: 'column_row'"
    )

    _one_position = exactly_one(
        "write exactly one of the keys metres_per_pixel, corners and homography",
        "metres_per_pixel",
        "corners",
        "homography",
    )
    _origin_with_scale = needs("origin needs metres_per_pixel", "origin", "metres_per_pixel")
    _order_of_homography = needs("pixel_order needs homography", "pixel_order", "homography")
