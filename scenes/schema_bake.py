"""Schema of three tables: bakes for crowds whose poses the GPU computes, levels of detail, and near actors."""

from typing import Annotated, Literal

from pydantic import Field

from ecs_anim.bake.options import ERROR_MM
from ecs_anim.scenes.schema_base import NotNegative, Positive, Table
from ecs_anim.scenes.schema_rules import at_most_one, rule

NEAR_ACTORS = 100  # default number of actors that use the complete pose pipeline


class BakeModel(Table):
    """Settings for the bake of a crowd's clips."""

    space: Literal["local", "model"] = Field(
        "local",
        description="space of the transforms in the bake. 'local': fades look as on the CPU. 'model': faster, but"
        " during fades, joints move on straight lines and limbs can become shorter",
    )
    format: Literal["f32", "f16", "u8"] = Field(
        "f32", description="number format of the bake, see docs/reference/bake-format.md"
    )
    rate_hz: Positive | None = Field(
        None,
        description="sample rate of all clips [Hz]. Default: for each clip, the lowest rate with an error below"
        " error_mm",
    )
    error_mm: Positive | None = Field(
        None,
        description=f"largest joint error on a body of 1.8 m, before rounding [mm]. Default: {ERROR_MM:g}",
    )
    rotation_only: bool = Field(
        False,
        description="true: for all joints except root joints, the bake stores only rotations. The bake is then smaller",
    )
    interpolate: bool = Field(
        True,
        description="true: the GPU interpolates between two neighbouring samples of a clip. false: the GPU uses the"
        " nearest sample",
    )
    influences: Literal[4, 2, 1] = Field(
        4,
        description="largest number of joints that move a vertex. 4 keeps all joints of the model. 1 and 2 are faster,"
        " but can cause cracks in the mesh",
    )
    shader: Literal["palette", "classic"] = Field(
        "palette",
        description="method on the GPU. 'palette': the GPU computes the skin matrices of each actor once. 'classic':"
        " the GPU computes the skin matrices again for every vertex. 'classic' is for comparisons",
    )

    _one_spacing = at_most_one(
        "rate_hz and error_mm must not be given together. Remove one of these keys", "rate_hz", "error_mm"
    )
    _classic_reads_matrices = rule(
        'shader = "classic" needs model-space matrices. Add space = "model"',
        lambda bake: bake.shader != "classic" or bake.space == "model",
    )


class DetailModel(Table):
    """Levels of detail. The size of an actor in the picture selects its level."""

    pixel_error: Positive = Field(
        0.75,
        description="largest error in the picture that a coarser level of detail, or a pose that is not new, can cause"
        " [pixels]",
    )
    update_rates: bool = Field(
        True,
        description="true: far actors get new poses only in every second or fourth picture. With path = 'pose' and a"
        " table `detail`, far actors get new poses only in every second or fourth time step",
    )
    impostors: bool = Field(
        False,
        description="true: actors with a height of a few pixels are drawn as impostors (pictures on two triangles)",
    )


class NearActorsModel(Table):
    """Near actors of a hybrid crowd.

    The CPU computes the poses of near actors with all features. The scene limits the number of near actors, or the time
    for their poses.
    """

    count: Annotated[int, Field(ge=0, le=10_000_000)] | None = Field(
        None, description=f"largest number of near actors. Default: {NEAR_ACTORS}, if `milliseconds` is not set"
    )
    milliseconds: Positive | None = Field(
        None, description="computing time for the poses of near actors in a time step, summed over threads [ms]"
    )
    fade_seconds: NotNegative = Field(
        0.2,
        description="duration of the fade between the pose from the CPU and the pose from the GPU, when an actor"
        " becomes near or far [s]",
    )

    _one_budget = at_most_one(
        "count and milliseconds must not be given together. Remove one of these keys", "count", "milliseconds"
    )
