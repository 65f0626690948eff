"""The `ecs-anim` command: options and help only; the work is in `ecs_anim.commands`.

Exit codes: 0 done, 1 the program failed, 2 the user's input is wrong (one line, no traceback).
"""

import errno
import math
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from ecs_anim.errors import InputError


class Size(click.ParamType):
    """A picture's size, such as 1280x720."""

    name = "WxH"

    def convert(
        self, value: str | tuple[int, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Width and height in pixels."""
        if isinstance(value, tuple):
            return value
        width, cross, height = value.lower().partition("x")
        if not (cross and width.isdigit() and height.isdigit() and int(width) > 0 and int(height) > 0):
            self.fail(f"{value!r} is not a size such as 1280x720", param, ctx)
        return int(width), int(height)


class Counts(click.ParamType):
    """Numbers of actors, such as 1000,10000."""

    name = "N[,N...]"

    def convert(self, value: str | list[int], param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        """Positive integers."""
        if isinstance(value, list):
            return value
        parts = value.split(",")
        if not all(part.strip().isdigit() and int(part) > 0 for part in parts):
            self.fail(f"{value!r} is not a list of positive numbers such as 1000,10000", param, ctx)
        return [int(part) for part in parts]


class FiniteRange(click.FloatRange):
    """A number in a range; click's own lets pass what is not a number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """A finite number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


POSITIVE = click.IntRange(min=1)
MOST_STEPS = 1_000_000_000  # to jump over: six months at 60 a second
MOST_THREADS = 1024
FULL = (errno.ENOSPC, errno.EDQUOT)
THREADS = click.option(
    "--threads", type=click.IntRange(1, MOST_THREADS), metavar="N", help="Threads for the pose systems; default: all."
)
SEED = click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Replaces the scene's seed.")
ALLOW_CODE = click.option("--allow-code", is_flag=True, help="Let SCENE run the code that its systems name.")
FROM_FRAME = click.option(
    "--from-frame",
    type=click.IntRange(0, MOST_STEPS),
    metavar="K",
    help="Begin K steps after the scene's first frame; crowds are posed on the way only where later poses need it.",
)
FROM_SNAPSHOT = click.option(
    "--from-snapshot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Begin where SCENE was when `run --save FILE` ended.",
)
SIZE = click.option("--size", type=Size(), default="1280x720", show_default=True, help="Of the picture or window.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("ecs-anim"), prog_name="ecs-anim")
def cli() -> None:
    """Simulate, draw and measure large crowds of animated characters.

    SCENE is the path of a scene file (TOML) or the name of a scene that ships: plaza, single, grid,
    blend, crossfade, additive, locomotion, directions, controllers, hills, foot_course, look_at, ik_chains,
    twist, morph, materials, stadium, march, festival.
    """


@cli.command()
@click.argument("scene", default="plaza")
@click.option("--frames", type=POSITIVE, metavar="N", help="Stop after N steps; default: 120 headless, else never.")
@click.option("--headless", is_flag=True, help="Draw without a window (the default where there is no display).")
@SIZE
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="PATH.png: the last frame. PATH.mp4, PATH.gif: a video. Anything without an ending: a folder of PNGs.",
)
@click.option(
    "--speed",
    type=FiniteRange(min=0, min_open=True),
    metavar="X",
    help="Show the world X times as fast as it is; 0.25 is slow motion, in smaller steps.",
)
@click.option("--clock", is_flag=True, help="Draw the world's time into the pictures that are written.")
@click.option(
    "--pass",
    "pass_name",
    type=click.Choice(["id", "depth", "normal"]),
    help="Draw numbers in place of colours, exact and unsmoothed, to PNGs with a JSON beside each."
    " id: which actor, as R + 256 G + 65536 B, 0 = none. depth: millimetres in 16 bits, and float32 metres in a .npy,"
    " 0 = none. normal: in the world, 127.5 (1 + n).",
)
@click.option("--actors", type=POSITIVE, metavar="N", help="Replaces the scene's number of actors.")
@SEED
@click.option("--no-draw", is_flag=True, help="Simulate only; needs no OpenGL.")
@FROM_FRAME
@FROM_SNAPSHOT
@click.option("--save", type=click.Path(path_type=Path), metavar="FILE", help="Write a snapshot when the run ends.")
@THREADS
@ALLOW_CODE
def run(**options: object) -> None:
    """Run SCENE in a window, or headless to PNG, a folder of PNGs, MP4, or GIF."""
    _compile_together(str(options["scene"]))
    from ecs_anim.commands.run import RunOptions, run_scene

    run_scene(RunOptions(**options))  # type: ignore[arg-type]


@cli.command()
@click.argument("scene", default="plaza")
@click.option("--frames", type=POSITIVE, metavar="N", help="Measured frames; default: 120, or 15 to compare options.")
@click.option("--warmup", type=click.IntRange(min=0), default=10, show_default=True, metavar="N", help="Frames before.")
@click.option("--actors", type=Counts(), help="Numbers of actors to measure, one after the other.")
@click.option("--no-draw", is_flag=True, help="Measure the simulation only; needs no OpenGL.")
@FROM_FRAME
@FROM_SNAPSHOT
@SIZE
@SEED
@THREADS
@click.option("--json", "json_path", metavar="PATH", help="Write the figures as JSON; - is standard output.")
@click.option(
    "--trace",
    "trace_path",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Write every system's runs, thread by thread, for ui.perfetto.dev.",
)
@click.option(
    "--plot",
    "plot_path",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Draw time per system against actors to PATH.png or PATH.svg (the 'plot' extra).",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Compare with figures that --json wrote; exit code 1 where the run is slower than --threshold allows.",
)
@click.option(
    "--threshold",
    type=FiniteRange(min=0, min_open=True),
    default=1.25,
    show_default=True,
    metavar="RATIO",
    help="What --against allows, of the frame and of each system that takes a twentieth of it.",
)
@click.option(
    "--compare-crowd-options",
    is_flag=True,
    help="Instead, draw the crowds with each option of a bake in turn: its gain and its error.",
)
@ALLOW_CODE
def profile(**options: object) -> None:
    """Time each system of SCENE, frame by frame. docs/profiling.md says what each figure means."""
    _compile_together(str(options["scene"]))
    from ecs_anim.commands.profile import ProfileOptions, profile_scene

    profile_scene(ProfileOptions(**options))  # type: ignore[arg-type]


@cli.command()
@click.argument("scene", default="hills")
@click.option("--frames", type=POSITIVE, default=300, show_default=True, metavar="N", help="Steps to watch.")
@click.option("--actors", type=POSITIVE, metavar="N", help="Replaces the scene's number of actors.")
@SEED
@THREADS
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@ALLOW_CODE
def feet(**options: object) -> None:
    """Measure how the feet of SCENE stand: skate, penetration, hover, knees; with grounding and without."""
    from ecs_anim.commands.feet import FeetOptions, compare_feet

    compare_feet(FeetOptions(**options))  # type: ignore[arg-type]


@cli.command()
@click.argument("scenes", nargs=-1, required=True, metavar="SCENE...")
@ALLOW_CODE
def check(scenes: tuple[str, ...], allow_code: bool) -> None:
    """Validate scenes, their rigs and clips, without running them."""
    from ecs_anim.commands.check import check_scenes

    check_scenes(scenes, allow_code)


@cli.command()
@click.argument("model")
@click.option("--clip", "clip_name", metavar="NAME", help="List the tracks of one clip.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Draw the clip's curves and keys to PATH.png or PATH.svg (the 'plot' extra).",
)
@click.option(
    "--skinning", is_flag=True, help="Measure what each way of skinning keeps of the body; of one clip or all."
)
def inspect(model: str, clip_name: str | None, as_json: bool, plot: Path | None, skinning: bool) -> None:
    """Show what is in MODEL (a .gltf or .glb file, or 'mannequin'): joints, clips, tracks, meshes; or in a bake."""
    from ecs_anim.commands.inspect import inspect_model

    inspect_model(model, clip_name, as_json, plot, skinning)


@cli.command()
@click.argument("model")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="Where the bake goes.")
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
def bake(**options: object) -> None:
    """Bake the clips of MODEL into one file, for crowds on the GPU, and tell what each loses."""
    from ecs_anim.commands.bake import BakeRequest, bake_model

    bake_model(BakeRequest(**options))  # type: ignore[arg-type]


@cli.command()
@click.argument("scenes", nargs=-1, metavar="[SCENE...]")
def warmup(scenes: tuple[str, ...]) -> None:
    """Compile all kernels ahead, or what some scenes need: a first run compiles them otherwise."""
    from ecs_anim.commands.warmup import warm_up

    warm_up(scenes)


@cli.command()
def schema() -> None:
    """Print the JSON Schema of scene files, for editors."""
    from ecs_anim.commands.check import print_schema

    print_schema()


def main() -> None:
    """Entry point of the console script."""
    try:
        cli(standalone_mode=False)
    except InputError as error:
        _fail(str(error))
    except click.ClickException as error:
        _fail(error.format_message())
    except MemoryError:
        _fail("not enough memory for so many actors; lower --actors")
    except BrokenPipeError:
        _drop_output()  # whoever read it has left
    except OSError as error:
        if error.errno not in FULL:
            raise
        _drop_output()
        _fail(f"no space is left for {error.filename or 'the output, or for compiled kernels'}; free some")
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)


def _compile_together(scene: str) -> None:
    """Import kernels before any system does it one by one."""
    from ecs_anim.scenes.kernels import import_kernels
    from ecs_anim.scenes.loader import read_scene

    import_kernels(read_scene(scene).model)


def _drop_output() -> None:
    """What was not written yet would be tried once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> None:
    click.echo(f"ecs-anim: {message}", err=True)
    sys.exit(2)
