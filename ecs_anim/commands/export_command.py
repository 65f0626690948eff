"""Options and help of `ecs-anim export`; the work is in `export.py`."""

from typing import Any

import click

from ecs_anim.commands.parameters import ACTORS, ALLOW_CODE, FILE, FRAMES, FROM_FRAME, NAME, SEED, THREADS


@click.command()
@click.argument("scene", type=NAME)
@click.option(
    "--out",
    type=FILE,
    required=True,
    metavar="FILE",
    help="FILE.glb: glTF, for small crowds. FILE.usdc, FILE.usda: USD (the 'usd' extra), pictures in a folder beside"
    " it.",
)
@click.option("--frames", type=FRAMES, default=120, show_default=True, metavar="N", help="Frames, one a step.")
@click.option(
    "--crowd", "crowds", multiple=True, metavar="NAME", help="Export this crowd only; may be given again for others."
)
@ACTORS
@SEED
@FROM_FRAME
@THREADS
@ALLOW_CODE
def export(**options: Any) -> None:
    """Write what the actors of SCENE do as a file that other programs open, such as Blender.

    In a .glb each actor has joints of their own, a few hundred actors at most. In USD actors share bodies, and those
    who only play a clip share that: tens of thousands. docs/export.md says what is where.
    """
    from ecs_anim.commands.export import export_scene

    export_scene(**options)
