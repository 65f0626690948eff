"""Options and help of the commands that read models and recordings, and run no scene."""

from typing import Any, get_args

import click

from ecs_anim.commands.parameters import FILE, JOINT_OF_ROLE, NAME, FiniteRange, reading, take_reading
from ecs_anim.maths.axes import Axis


@click.command()
@click.argument("model", type=NAME)
@click.option("--clip", "clip_name", metavar="NAME", help="List the tracks of one clip.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.option(
    "--plot",
    type=FILE,
    metavar="PATH",
    help="Draw the clip's curves and keys to PATH.png or PATH.svg (the 'plot' extra); of trajectories: paths, walls,"
    " speeds, how many are there.",
)
@click.option(
    "--skinning", is_flag=True, help="Measure what each way of skinning keeps of the body; of one clip or all."
)
@click.option("--roles", is_flag=True, help="Tell which joints are hips, spine, head, arms and legs, and what told it.")
@click.option(
    "--up",
    type=click.Choice(list(get_args(Axis))),
    help="BVH: the axis that points up; default: measured from the hips to the head.",
)
@reading
@click.option(
    "--roots", is_flag=True, help="Trajectories: find the bodies under recorded heads too, and tell how far they are."
)
def inspect(**options: Any) -> None:
    """Show what is in MODEL: a .gltf, .glb, .vrm or .bvh file, or 'mannequin'; a bake; or people's trajectories.

    Of a model: joints, clips, tracks, meshes. Of trajectories: people, times, speeds, gaps and jumps;
    docs/trajectories.md lists the formats, which are told by content.
    """
    from ecs_anim.commands.inspect import InspectRequest, inspect_file

    inspect_file(InspectRequest(reading=take_reading(options), **options))


@click.command()
@click.argument("model", type=NAME)
@click.option("--out", type=FILE, required=True, metavar="FILE", help="Where the bake goes.")
@click.option("--clips", metavar="A,B", help="Names of the clips to bake; default: all.")
@click.option(
    "--space",
    type=click.Choice(["local", "model"]),
    default="local",
    show_default=True,
    help="local: what clips animate, to be mixed before the parent walk. model: the skin's matrices, ready to draw.",
)
@click.option(
    "--format",
    "number_format",
    type=click.Choice(["f32", "f16", "u8"]),
    default="f32",
    show_default=True,
    help="Numbers of 32, 16 or 8 bits; the last two over each channel's range in each clip.",
)
@click.option("--rate", type=FiniteRange(0.1, 1000), metavar="HZ", help="Rows a second, the same for all clips.")
@click.option(
    "--error",
    "error_mm",
    type=FiniteRange(0.001, 1000),
    metavar="MM",
    help="Each clip gets the rate at which joints are at most MM off on a body of 1.8 m, and 0.2 MM degrees turned;"
    " default: 0.5.",
)
@click.option(
    "--rotation-only",
    is_flag=True,
    help="Leave out translations and scales of all joints but those that carry the whole body, such as the hips.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def bake(**options: Any) -> None:
    """Bake the clips of MODEL into one file, for crowds on the GPU, and tell what each loses."""
    from ecs_anim.commands.bake import bake_model

    bake_model(**options)


@click.command()
@click.argument("motion", type=NAME)
@click.argument("model", type=NAME)
@click.option("--out", type=FILE, required=True, metavar="FILE.glb", help="Where the model with its new clips goes.")
@click.option("--clip", "clips", multiple=True, metavar="NAME", help="Only this clip; may be given again for others.")
@click.option(
    "--root-motion",
    type=click.Choice(["left_in", "taken_out"]),
    default="left_in",
    show_default=True,
    help="taken_out: clips stay in place, and their extras say how fast they go over the ground.",
)
@click.option("--hands", is_flag=True, help="Put hands where MOTION's are, by the shoulders' height.")
@click.option(
    "--role",
    "roles",
    multiple=True,
    type=JOINT_OF_ROLE,
    metavar="ROLE=JOINT",
    help="A joint of MODEL whose role neither name nor shape tells; may be given again for others.",
)
@click.option(
    "--up",
    type=click.Choice(list(get_args(Axis))),
    help="BVH motions: the axis that points up; default: measured from the hips to the head.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def retarget(roles: tuple[tuple[str, str], ...], **options: Any) -> None:
    """Have MODEL play the clips of MOTION, and write both as one glTF file.

    MOTION is a .gltf, .glb, .vrm or .bvh file, or 'mannequin'; MODEL a .gltf, .glb or .vrm file, or 'mannequin'. Joints
    are matched by their roles; `ecs-anim inspect MODEL --roles` tells them.
    """
    from ecs_anim.commands.retarget import retarget_file

    retarget_file(roles=dict(roles), **options)
