"""Options and help of the commands that write data sets and other files from a scene.

Other modules of `ecs_anim.commands` execute the commands.
"""

from pathlib import Path
from typing import Any

import click

from ecs_anim.commands.completion import scenes_and_files
from ecs_anim.commands.help import EXECUTION, INPUT, LABELS, OUTPUT, PICTURES, TIME, command
from ecs_anim.commands.parameters import (
    FILE,
    FPS_NUMBER,
    FRAME_NUMBERS,
    NAME,
    PIXELS,
    PORT,
    SEEDS,
    SHARD,
    SHARES,
    Number,
    OneOf,
    Within,
)
from ecs_anim.commands.shared_options import ACTORS, ALLOW_CODE, FROM_FRAME, SEED, THREADS, duration
from ecs_anim.dataset.label_formats import DEPTH_FORMATS, FLOW_FORMATS, FORMATS, POSES, SEGMENTATIONS, USUAL_FORMATS
from ecs_anim.view.label_passes import NAMES, USUAL_NAMES


@command(
    "ecs-anim dataset station --out people",
    "ecs-anim dataset station --seeds 0:10 --frames 600:1200:30 --out people",
    "ecs-anim dataset --verify people",
)
@click.argument("scene", type=NAME, shell_complete=scenes_and_files, required=False)
@ACTORS
@INPUT.option("--seeds", SEEDS, "Use the seeds A to B - 1, such as 0:100, or one seed. Default: the seed of the scene.")
@INPUT.option("--vary PRESET", OneOf(("wild",)), "Also vary light, surfaces, cameras and clothes by the seed: wild.")
@INPUT.option(
    "--split SHARES",
    SHARES,
    "Divide the seeds into train, val and test by these shares, such as 0.8,0.1,0.1. Default: one set.",
)
@TIME.option(
    "--frames",
    FRAME_NUMBERS,
    "Draw frames A to B - 1 of each seed, or every STEP-th, such as 0:600:30. N: 0:N. Frame K is K steps after the"
    " scene's first frame.",
    default="0:120",
)
@PICTURES.repeated(
    "--camera NAME",
    NAME,
    "Draw with this camera of [[cameras]]. Can be repeated. Default: all cameras of [[cameras]], or [camera] "
    "without them.",
    into="cameras",
)
@PICTURES.option("--size WxH", PIXELS, "Set the size of all pictures; default: the size of each camera.")
@LABELS.repeated(
    "--pass PASS",
    OneOf(NAMES),
    f"Write this pass of each picture: {', '.join(NAMES)}. Can be repeated. Files are PNG files, except depth [m],"
    " lidar [m] and flow [pixel].",
    into="passes",
    default=USUAL_NAMES,
    show_default="all except lidar",
)
@LABELS.option(
    "--depth-format",
    OneOf(DEPTH_FORMATS),
    "File format of depths: npz or exr (float32, metres), or png (16 bits, millimetres).",
    default="npz",
)
@LABELS.option(
    "--flow-format",
    OneOf(FLOW_FORMATS),
    "File format of flow: npz or flo (float32, pixels), or kitti (PNG, 16 bits).",
    default="npz",
)
@LABELS.repeated(
    "--format FORMAT",
    OneOf(FORMATS),
    "Write labels in this format; can be repeated. jsonl: a line with all labels for each picture. Others:"
    f" {', '.join(FORMATS[1:])}.",
    into="formats",
    default=USUAL_FORMATS,
    show_default=", ".join(USUAL_FORMATS),
)
@LABELS.option(
    "--segmentation",
    OneOf(SEGMENTATIONS),
    "Form of the masks in COCO files: run lengths or polygons.",
    default="rle",
    show_default=True,
)
@LABELS.option("--poses MODEL", OneOf(POSES), "Add the poses of humanoids as parameters of this body model: smplx.")
@OUTPUT.option("--out DIR", FILE, "Write to a new folder, or continue in DIR. Required with SCENE.")
@OUTPUT.option(
    "--shard I/N",
    SHARD,
    "Draw only part I of N, on one of N machines without shared storage. DIR then contains no label files.",
)
@OUTPUT.repeated(
    "--join DIR",
    FILE,
    "Add the part that a run with --shard wrote. Can be repeated. Missing pictures are drawn.",
    into="parts",
)
@OUTPUT.option(
    "--verify DIR",
    FILE,
    "Without SCENE: derive the labels of the data set in DIR again from its passes and cameras, and compare. The exit"
    " code is 1 if a label deviates.",
)
@THREADS
@ALLOW_CODE
def dataset(verify: Path | None, **options: Any) -> None:
    """Write labelled pictures of SCENE for each seed, frame and camera: a data set for computer vision.

    If you stop the command and run the command again, the command continues and writes the same files. docs/datasets.md
    describes the files.
    """
    from ecs_anim.commands.dataset import verify_labels, write_dataset

    if verify is None:
        write_dataset(**options)
    else:
        verify_labels(verify, options["scene"], options["out"])


@command(
    "ecs-anim export plaza --actors 40 --out plaza.glb",
    "ecs-anim export plaza --seconds 4 --out plaza.usdc",
    "ecs-anim export crossing --from-frame 600 --crowd eastward --out eastward.glb",
)
@click.argument("scene", type=NAME, shell_complete=scenes_and_files)
@ACTORS
@SEED
@FROM_FRAME
@INPUT.repeated("--crowd NAME", str, "Export this crowd only; can be repeated.", into="crowds")
@duration("120")
@OUTPUT.option(
    "--out FILE",
    FILE,
    "FILE.glb: write glTF, for small crowds. FILE.usdc, FILE.usda: write USD (the 'usd' extra), with pictures in a"
    " folder beside the file. FILE.npz: write SMPL-X poses, with one file for each actor.",
    required=True,
)
@THREADS
@ALLOW_CODE
def export(**options: Any) -> None:
    """Write the motion of the actors of SCENE as a file for other programs, such as Blender.

    In a .glb file, each actor has separate joints, so the limit is a few hundred actors. In a USD file, actors share
    meshes, and actors that only play a clip share the clip. So a USD file can contain tens of thousands of actors.
    docs/export.md describes the content of the files.
    """
    from ecs_anim.commands.export import export_scene

    export_scene(**options)


@command(
    "ecs-anim serve crossing",
    "ecs-anim serve plaza --port 9000 --speed 2",
    "ecs-anim serve station --memory station.poses",
)
@click.argument("scene", type=NAME, shell_complete=scenes_and_files)
@ACTORS
@SEED
@FROM_FRAME
@duration("no limit; Ctrl-C ends the stream")
@TIME.option("--speed X", Number(0.001, 1000), "Simulate X times as fast as real time.", default=1.0, show_default=True)
@OUTPUT.option(
    "--port N",
    PORT,
    "Send frames over a WebSocket at ws://127.0.0.1:N (the 'serve' extra). 0: any free port. Default without --memory:"
    " 8765.",
)
@OUTPUT.option("--memory FILE", FILE, "Write each frame to this file, which other programs map into their memory.")
@THREADS
@ALLOW_CODE
def serve(**options: Any) -> None:
    """Simulate a scene in real time, and send the poses of all actors to other programs on this machine.

    A frame contains the position and the rotation of each joint after a step. docs/streaming.md describes the messages
    and shows clients.
    """
    from ecs_anim.commands.serve import serve_scene

    serve_scene(**options)


@command(
    "ecs-anim share plaza --out plaza.html",
    "ecs-anim share station --seconds 60 --json - --out station.html",
    "ecs-anim share people.csv --out people.html",
)
@click.argument("source", type=NAME, shell_complete=scenes_and_files, metavar="SCENE|SNAPSHOT|RECORDING")
@ACTORS
@SEED
@FROM_FRAME
@TIME.option("--seconds N", Number(above=0), "Share N seconds of motion. Default: 60.")
@TIME.option(
    "--fps N",
    FPS_NUMBER,
    "Store N pictures per second, with four samples of poses each. Default: 15. Fewer pictures make a smaller file"
    " with larger errors.",
)
@OUTPUT.option("--out FILE.html", FILE, "Write this file.", required=True)
@OUTPUT.option(
    "--json", OneOf(["-"]), "Print the size of the file and the errors of the motion as JSON.", into="json_path"
)
@THREADS
@ALLOW_CODE
def share(**options: Any) -> None:
    """Write a scene, a snapshot or a recording as one HTML file that browsers play.

    The file needs no network and no server. Viewers can play, scrub, orbit, zoom, and select actors. The command
    measures the errors of the stored motion. docs/share.md describes the page and the file.
    """
    from ecs_anim.commands.share import share_scene

    share_scene(**options)


@command(
    "ecs-anim farm job.toml --out results --plan",
    "ecs-anim farm job.toml --workers 8 --out results",
    "ecs-anim farm job.toml --report --out results",
)
@click.argument("job", type=NAME, metavar="JOB.toml")
@OUTPUT.option("--out DIR", FILE, "Write to a new folder, or continue in DIR.", required=True)
@OUTPUT.flag("--report", "Plot measures against scene keys to DIR/report.png (the 'plot' extra).")
@EXECUTION.flag("--plan", "Only print the open tasks and an estimate of their time.")
@EXECUTION.option("--workers N", Within("threads"), "Use N processes. Default: one per processor.")
@EXECUTION.option(
    "--dask [ADDRESS]",
    str,
    "Use the workers of Dask (the 'farm' extra). ADDRESS is tcp://HOST:PORT of a scheduler, or local for a cluster "
    "on this machine.",
    is_flag=False,
    flag_value="local",
)
@EXECUTION.option(
    "--threads N", Within("threads"), "Use N threads in each worker; default: all processors, shared equally."
)
@ALLOW_CODE
def farm(**options: Any) -> None:
    """Run the tasks of the job JOB.toml in many processes.

    JOB.toml names a scene and ranges of seeds, frames, cameras and scene keys. If you stop the command and run the
    command again, the command continues and writes the same files. If a task fails three times, the command prints the
    log of this task and continues with all other tasks. The exit code is 1 if a task fails. docs/farms.md describes
    jobs.
    """
    from ecs_anim.commands.farm import run_farm

    run_farm(**options)
