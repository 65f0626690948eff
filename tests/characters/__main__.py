"""Write the characters: `python -m tests.characters [FOLDER]`; the same bytes every time."""

import sys
from pathlib import Path

from tests.characters import COMPACT, FOLDER, PATCHWORK, SHAPES
from tests.characters.compact import compact
from tests.characters.patchwork import patchwork
from tests.characters.shapes import shapes

WRITERS = {COMPACT.name: compact, SHAPES.name: shapes, PATCHWORK.name: patchwork}


def main(folder: Path = FOLDER) -> None:
    """Write all of them into a folder."""
    for name, make in WRITERS.items():
        make().write(folder / name)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
