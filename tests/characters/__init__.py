"""Small characters of our own making, each with what few files have: `python -m tests.characters` writes them.

- `compact.glb`: everything in integers (KHR_mesh_quantization), clips in 16 and 8 bits, sparse keys.
- `shapes.glb`: morph targets, sparse ones too, with weights that clips animate.
- `patchwork.glb`: two skins that share joints, several meshes, one of two primitives, and two without a skin.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
COMPACT, SHAPES, PATCHWORK = OWN = tuple(FOLDER / f"{name}.glb" for name in ("compact", "shapes", "patchwork"))
