"""The package as it is after the installation, made of links: `python -m tests.project.layout FOLDER`.

Type checkers need this layout. In the checkout, some subpackages lie beside `ecs_anim` and not in it.
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def lay_out(folder: Path) -> None:
    """Create `folder`/ecs_anim with links to all subpackages. Keep existing links, and remove broken links."""
    package = folder / "ecs_anim"
    package.mkdir(parents=True, exist_ok=True)
    mapped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    own = [part for part in (ROOT / "ecs_anim").iterdir() if part.name != "__pycache__"]
    parts = [ROOT / source for name, source in mapped.items() if name != "ecs_anim"]
    for part in (*own, *parts):
        if not (package / part.name).is_symlink():
            (package / part.name).symlink_to(part)
    for link in package.iterdir():
        if not link.exists():
            link.unlink()


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]))
