"""Measure the errors that occur when clips are retargeted to other bodies.

Run `python -m ecs_anim.profiling.validation.study_retargeting MOTION ... --on MODEL ...`.

The docstring of `retargeting_figures.py` explains the figures. The option `--pictures` also draws each clip.
"""

from pathlib import Path
from typing import Any

import click

from ecs_anim.profiling.validation.retargeting_figures import Figures, Player, player_of
from ecs_anim.profiling.validation.retargeting_pictures import write_sheets
from ecs_anim.retargeting.retarget import retarget
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.terminal import print_json, print_line


@click.command()
@click.argument("motions", nargs=-1, required=True)
@click.option(
    "--on", "models", multiple=True, default=["mannequin"], show_default=True, help="Use this model. Can be repeated."
)
@click.option("--hands", is_flag=True, help="Place hands at the positions of the source's hands.")
@click.option("--pictures", type=click.Path(path_type=Path), metavar="FOLDER", help="Also draw a sheet of each clip.")
@click.option("--each", is_flag=True, help="Print one row per clip, not per file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(
    motions: tuple[str, ...], models: tuple[str, ...], hands: bool, pictures: Path | None, each: bool, as_json: bool
) -> None:
    """Retarget all clips of all MOTIONS to each MODEL, and print the errors."""
    bodies, every = {model: player_of(load_model(model)) for model in models}, Figures()
    rows = [row for motion in motions for row in _rows(motion, bodies, hands, each, every)]
    rows.append({"motion": "all", "model": "all", **every.row()})
    if as_json:
        print_json(rows)
    else:
        for row in [dict(zip(rows[0], rows[0], strict=True)), *rows]:
            print_line("".join(f"{value!s:>22}" if key in NAMES else f"{value!s:>13}" for key, value in row.items()))
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        for motion in motions:
            write_sheets(motion, [*load_model(motion).clips], models, hands, pictures)


NAMES = ("motion", "model")


def _rows(motion: str, bodies: dict[str, Player], hands: bool, each: bool, every: Figures) -> list[dict[str, Any]]:
    source = player_of(load_model(motion))
    rows = []
    for model, target in bodies.items():
        if model == motion:
            continue
        whole = Figures()
        for name, clip in source.body.rig.clips.items():
            moved = retarget(clip, source.body.rig, target.body.rig, root_motion="keep", hands=hands)
            own = Figures() if each else whole
            own.add(source, clip, target, moved)
            every.add(source, clip, target, moved)
            if each:
                rows.append({"motion": f"{Path(motion).stem}:{name[-18:]}", "model": Path(model).stem, **own.row()})
        if not each:
            rows.append({"motion": Path(motion).stem, "model": Path(model).stem, **whole.row()})
    return rows


if __name__ == "__main__":
    main()
