"""Options and help of `ecs-anim farm`; the work is in `farm.py`."""

from typing import Any

import click

from ecs_anim.commands.parameters import ALLOW_CODE, FILE, NAME, Within


@click.command()
@click.argument("job", type=NAME, metavar="JOB.toml")
@click.option("--out", type=FILE, required=True, metavar="DIR", help="A folder: a new one, or one to go on with.")
@click.option("--workers", type=Within("threads"), metavar="N", help="Processes; default: one a processor.")
@click.option(
    "--dask",
    is_flag=False,
    flag_value="local",
    metavar="[ADDRESS]",
    help="Use Dask's workers (the 'farm' extra): of a scheduler at tcp://HOST:PORT, or of a cluster on this machine.",
)
@click.option("--plan", is_flag=True, help="Only tell what is to be done, and about how long it takes.")
@click.option("--report", is_flag=True, help="Plot measures against scene keys to DIR/report.png (the 'plot' extra).")
@click.option("--threads", type=Within("threads"), metavar="N", help="Of each worker; default: processors shared out.")
@ALLOW_CODE
def farm(**options: Any) -> None:
    """Do JOB.toml, a scene over ranges of seeds, frames, cameras and scene keys, in many processes at once.

    Stopped, it goes on where it was when the same command is given again, and ends in the same files. A task that
    fails three times is told with its log, and the others go on; exit code 1. docs/farms.md says what a job holds.
    """
    from ecs_anim.commands.farm import run_farm

    run_farm(**options)
