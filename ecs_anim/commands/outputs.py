"""Functions that write JSON data and print the names of written files."""

import json
from pathlib import Path

from ecs_anim.support.pictures import complete_file
from ecs_anim.support.terminal import print_json, print_note


def write_json(data: object, path: str) -> None:
    """Write `data` as JSON to a file. For the path "-", write `data` to standard output."""
    if path == "-":
        print_json(data)
        return
    with complete_file(Path(path)) as file:
        file.write(f"{json.dumps(data, indent=2)}\n".encode("ascii"))


def tell_pictures(path: Path, *, asked: bool) -> None:
    """Print the name of the written file.

    If `asked` is false, the user did not request this file. In this case, the printed line also states why the program
    wrote the file.
    """
    print_note(
        f"wrote {path}" + ("" if asked else ": there is no display for a window, so the program wrote a picture")
    )
