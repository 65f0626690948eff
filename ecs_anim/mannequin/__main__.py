"""Generate the mannequin: `python -m ecs_anim.mannequin [--out PATH]`."""

import argparse
from pathlib import Path

from ecs_anim.mannequin import PATH
from ecs_anim.mannequin.clips import motions
from ecs_anim.mannequin.foot import sole
from ecs_anim.mannequin.gltf_writer import write
from ecs_anim.mannequin.paint import texture
from ecs_anim.mannequin.skin import levels


def generate(path: Path) -> None:
    """Write the character to `path`; the same bytes every time on one machine."""
    meshes = levels()
    finest = meshes[0]
    write(path, meshes, motions(sole(finest.positions, finest.joints, finest.weights)), texture())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m ecs_anim.mannequin", description=__doc__)
    parser.add_argument("--out", type=Path, default=PATH, help="the file to write (default: the one in the package)")
    generate(parser.parse_args().out)


if __name__ == "__main__":
    main()
