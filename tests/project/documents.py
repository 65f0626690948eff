"""The fenced blocks of the documents, and the data that a test needs to run them.

All Python blocks of a page form one script. A page can contain these marks. HTML comments are invisible in the page.

    <!-- before: CODE -->       Python before the next block. A new script begins there, or it makes files.
    <!-- not run: REASON -->    before a block that cannot run
    `name.py`:                  (visible) at the end of the line above a block: the block is the content of this file
"""

import re
import shlex
import tomllib
from pathlib import Path
from typing import NamedTuple

from ecs_anim.scenes.schema import CrowdModel, SceneModel

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))

PIECE = re.compile(r"<!-- (before|not run): *(.*?)-->|^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE_NAME = re.compile(r"`([\w.]+\.(?:py|toml))`:\s*\Z")
RIGS = '[rigs.people]\nmodel = "mannequin"\n'
CROWD = '[[crowds]]\nrig = "people"\nclips = [{ name = "walk" }]\n'


class Block(NamedTuple):
    """A fenced block of a page, such as Python code or a scene."""

    page: str
    line: int
    language: str
    text: str
    file: str  # file name that the page states for the block; "" = none
    excuse: str  # reason why the block cannot run; "" = the block can run
    before: str | None  # Python code that must run before the block; None = the block continues a script

    @property
    def label(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(path: Path) -> list[Block]:
    """Return all blocks of a page in order."""
    page, text = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
    found: list[Block] = []
    excuse, before = "", None
    for piece in PIECE.finditer(text):
        what, said, language, code = piece.groups()
        if what == "before":
            before = said
        elif what == "not run":
            excuse = said.strip()
        else:
            name = FILE_NAME.search(text[: piece.start()])
            line = text.count("\n", 0, piece.start()) + 1
            begins = before if language == "toml" or (language == "python" and not name) else None
            found.append(Block(page, line, language, code, name[1] if name else "", excuse, begins))
            excuse, before = "", None if begins is not None else before
    return found


def scene_text(text: str) -> str:
    """Return a complete scene for a block.

    The block can contain a scene, some keys of a scene, or some keys of a crowd.
    """
    keys = tomllib.loads(text).keys()
    if "crowds" in keys:
        return text if "rigs" in keys else RIGS + text
    if keys <= SceneModel.model_fields.keys():
        return text + ("" if "rigs" in keys else RIGS) + CROWD
    assert keys <= CrowdModel.model_fields.keys(), f"keys of no scene, and of no crowd: {sorted(keys)}"
    return RIGS + CROWD + text


def commands_of(text: str) -> list[list[str]]:
    """Return the commands of a shell block as lists of words. Comments and redirections are omitted."""
    lines = [re.sub(r" > .*", "", line) for line in text.splitlines()]
    return [words for line in lines if (words := shlex.split(line, comments=True))]
