"""Options and help texts of the `ecs-anim` command. Other modules of `ecs_anim.commands` execute the commands."""

from pathlib import Path

import click

from ecs_anim.commands.completion import scenes_and_files, shipped_names
from ecs_anim.commands.help import INPUT, SETTINGS, CommandGroup
from ecs_anim.commands.model_commands import bake, inspect, people, retarget, view
from ecs_anim.commands.parameters import FILE, NAME
from ecs_anim.commands.people_commands import report, validate, walk
from ecs_anim.commands.product_commands import dataset, export, farm, serve, share
from ecs_anim.commands.scene_commands import feet, profile, run
from ecs_anim.commands.shared_options import ALLOW_CODE, JSON_FLAG


@click.group(
    cls=CommandGroup,
    context_settings=SETTINGS,
    examples=("ecs-anim scenes", "ecs-anim run plaza", "ecs-anim run --help"),
)
@click.version_option(package_name="ecs-anim", prog_name="ecs-anim")
def cli() -> None:
    """Simulate, draw and measure large crowds of animated characters.

    SCENE is the path of a scene file (TOML) or the name of a scene that ships: plaza, single, grid,
    blend, crossfade, additive, locomotion, directions, controllers, hills, foot_course, look_at, ik_chains,
    twist, morph, materials, stadium, march, festival, gallery,
    corner, bottleneck, streets, crossing, rooms, evacuation, tower, station, marathon,
    throng.
    """


for command in (
    view,
    run,
    dataset,
    export,
    share,
    serve,
    farm,
    profile,
    feet,
    walk,
    report,
    validate,
    inspect,
    bake,
    retarget,
    people,
):
    cli.add_command(command)


@cli.command(
    examples=("ecs-anim check plaza", "ecs-anim check mine.toml other.toml", "ecs-anim check mine.toml --allow-code")
)
@click.argument("scenes", type=NAME, shell_complete=scenes_and_files, nargs=-1, required=True, metavar="SCENE...")
@ALLOW_CODE
def check(scenes: tuple[str, ...], allow_code: bool) -> None:
    """Validate scenes with their rigs and clips, without running the scenes."""
    from ecs_anim.commands.check import check_scenes

    check_scenes(scenes, allow_code)


@cli.command(examples=("ecs-anim warmup", "ecs-anim warmup plaza", "ecs-anim warmup mine.toml station"))
@click.argument("scenes", type=NAME, shell_complete=scenes_and_files, nargs=-1, metavar="[SCENE...]")
def warmup(scenes: tuple[str, ...]) -> None:
    """Compile all kernels, or the kernels of some scenes, so that a first run starts faster."""
    from ecs_anim.commands.warmup import warm_up

    warm_up(scenes)


@cli.command(examples=("ecs-anim scenes", "ecs-anim scenes --json", "ecs-anim scenes --json > scenes.json"))
@JSON_FLAG
def scenes(as_json: bool) -> None:
    """List the scenes that ship: name, number of actors, and a description."""
    from ecs_anim.commands.scenes import list_scenes

    list_scenes(as_json)


@cli.command(
    examples=(
        "ecs-anim new mine.toml",
        "ecs-anim new mine.toml --like plaza",
        "ecs-anim new mine.toml --rig character.glb",
    )
)
@click.argument("path", type=FILE, metavar="SCENE.toml")
@INPUT.option(
    "--like NAME",
    NAME,
    "Copy this shipped scene. Default: a small scene with explanations.",
    shell_complete=shipped_names,
)
@INPUT.option("--rig MODEL", NAME, "Write a crowd with all clips of MODEL and a state machine.")
def new(path: Path, like: str | None, rig: str | None) -> None:
    """Write a new scene file, and print the commands that check and run the scene. No file is replaced."""
    from ecs_anim.commands.new import write_scene

    write_scene(path, like, rig)


@cli.command(
    examples=(
        "ecs-anim schema",
        "ecs-anim schema > scene.schema.json",
        "ecs-anim schema | python -m json.tool --compact",
    )
)
def schema() -> None:
    """Print the JSON Schema of scene files, for editors."""
    from ecs_anim.commands.check import print_schema

    print_schema()
