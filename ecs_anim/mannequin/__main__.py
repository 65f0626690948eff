"""Generate the mannequin, and the picture that contains the textures of all its outfits.

The command is `python -m ecs_anim.mannequin [--out PATH] [--looks PATH]`.
"""

import argparse
from pathlib import Path

from ecs_anim.mannequin import LOOKS, PATH
from ecs_anim.mannequin.clips import motions
from ecs_anim.mannequin.foot import sole
from ecs_anim.mannequin.gltf_writer import write
from ecs_anim.mannequin.outfits import looks
from ecs_anim.mannequin.paint import encoded, texture
from ecs_anim.mannequin.skin import levels


def generate(path: Path) -> None:
    """Write the mannequin to the file `path`. On one machine, each run writes the same bytes."""
    meshes = levels()
    finest = meshes[0]
    write(path, meshes, motions(sole(finest.positions, finest.joints, finest.weights)), texture())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m ecs_anim.mannequin", description=__doc__)
    parser.add_argument("--out", type=Path, default=PATH, help="the file to write (default: the one in the package)")
    parser.add_argument(
        "--looks", type=Path, default=LOOKS, help="the picture to write (default: the one in the package)"
    )
    args = parser.parse_args()
    generate(args.out)
    args.looks.write_bytes(encoded(looks()))


if __name__ == "__main__":
    main()
