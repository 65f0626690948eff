"""Measure how many people of data sets are found by detectors that were trained on photographs.

Run `python -m ecs_anim.profiling.validation.study_detectors DIR ...`. Each DIR is a data set of `ecs-anim dataset` with
the pass rgb and the label format jsonl. The study prints the recall at equal numbers of false detections per picture,
and the recall by height and hidden share of people.
"""

import json
from pathlib import Path

import click

from ecs_anim.profiling.validation.detector_figures import Outcome
from ecs_anim.profiling.validation.detectors import DETECTORS
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import read_bytes, read_text
from ecs_anim.support.images import decode_image
from ecs_anim.support.terminal import print_line
from ecs_anim.verifying.pictures import MADE

FALSE = (0.5, 1.0, 3.0)  # false detections per picture


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--detector", "names", multiple=True, type=click.Choice(list(DETECTORS)), default=list(DETECTORS))
@click.option("--camera", help="Use only the pictures of this camera.")
def main(folders: tuple[Path, ...], names: tuple[str, ...], camera: str | None) -> None:
    """Measure the recall of person detectors on data sets."""
    for name in names:
        try:
            detect = DETECTORS[name]()
        except InputError as error:
            raise click.ClickException(str(error)) from None
        for folder in folders:
            outcome = Outcome()
            for line in read_text(folder / "labels.jsonl", MADE).splitlines():
                label = json.loads(line)
                if camera in (None, label["camera"]):
                    picture = decode_image(read_bytes(folder / label["files"]["rgb"], MADE))[..., :3]
                    outcome.add(label["actors"], detect(picture))
            _report(f"{name} on {folder.name}", outcome)


def _report(title: str, outcome: Outcome) -> None:
    recalls = ", ".join(f"{outcome.recall(false):.2f} at {false:g}" for false in FALSE)
    print_line(f"{title}: {len(outcome.found)} people in {outcome.pictures} pictures")
    print_line(f"  recall at false detections per picture: {recalls}")
    for height, hidden, count, recall in outcome.table(1.0):
        if count:
            print_line(f"  from {height:g} pixels, hidden from {hidden:.0%}: {recall:.2f} of {count}")


if __name__ == "__main__":
    main()
