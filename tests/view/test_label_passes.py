"""The table of label passes; and its recipe, followed as it stands: one row and the shader's output make a pass."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from ecs_anim.view.encoders import decode_normals
from ecs_anim.view.label_passes import BY_NAME, DRAWN, LABEL_PASSES, Attachment
from tests.helpers import EXHAUSTIVE
from tests.project.layout import lay_out

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "docs/recipes/add-a-label-pass.md"
COMMAND = "from ecs_anim.cli import main; main()"
CAPTURE = """
import numpy as np, ecs_anim as ea
world = ea.load_scene("hills", actors=3, threads=1)
(seen,) = ea.capture(world, passes=["slopes", "normals"], size=(64, 48))
np.savez("seen.npz", slopes=seen.slopes, normals=seen.normals)
"""


def test_names_are_unique():
    assert len(BY_NAME) == len(LABEL_PASSES)


def test_every_encoder_makes_a_picture_of_what_the_shader_draws():
    for name, image in DRAWN.items():
        drawn = np.zeros((4, 3, image.channels)[: 2 if image.channels == 1 else 3], image.dtype)
        encoded = BY_NAME[name].encode(drawn)
        assert (encoded.shape[:2], encoded.dtype.kind) == ((4, 3), "u")
    assert DRAWN["ids"] == Attachment("uint32", 1)


def followed(folder: Path) -> None:
    """Lay the package out in a folder, with the recipe's row and shader lines in copies of their files."""
    lay_out(folder)
    blocks = re.findall(r"(?ms)^   ```\w+\n(.*?)^   ```$", RECIPE.read_text("utf-8"))
    row, output, value = (f"{line.strip()}\n" for block in blocks for line in block.splitlines() if line.strip())
    changes = {
        "view/label_passes.py": [("LABEL_PASSES = (\n", "LABEL_PASSES = (\n" + row)],
        "gl/shaders/passes.frag": [("#ifdef PAST\n", output + "#ifdef PAST\n"), ("\n}\n", "\n" + value + "}\n")],
    }
    for name, edits in changes.items():
        path = folder / "ecs_anim" / name
        own_copy(folder / "ecs_anim", path.parent)
        text = path.read_text("utf-8")
        for old, new in edits:
            text = new.join(text.rsplit(old, 1)) if old == "\n}\n" else text.replace(old, new, 1)
        path.unlink()
        path.write_text(text, "utf-8")


def own_copy(package: Path, folder: Path) -> None:
    """Replace links to folders, from the package down to this one, by folders of links."""
    for part in (*reversed(folder.relative_to(package).parents), folder.relative_to(package)):
        path = package / part
        if path.is_symlink():
            source = path.resolve()
            path.unlink()
            path.mkdir()
            for entry in source.iterdir():
                if entry.name != "__pycache__":
                    (path / entry.name).symlink_to(entry)


def run(folder: Path, code: str, *arguments: str) -> None:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    subprocess.run([sys.executable, "-c", code, *arguments], cwd=folder, env=environment, timeout=300, check=True)


@EXHAUSTIVE
def test_the_recipe_makes_a_pass_of_one_row_and_its_shader_output(tmp_path):
    followed(tmp_path)
    command = "run hills --actors 3 --headless --frames 1 --size 64x48 --pass slopes --pass normals"
    run(tmp_path, COMMAND, *command.split(), "--out", "x.png")
    slope = np.asarray(Image.open(tmp_path / "x_slopes.png"))
    normals = decode_normals(np.asarray(Image.open(tmp_path / "x_normals.png")))
    is_hit = normals.any(axis=-1)
    assert 0.2 < is_hit.mean() < 1
    assert not slope[~is_hit].any()
    assert len(np.unique(slope)) > 3
    expected = 1 + np.degrees(np.arccos(normals[is_hit][:, 1].clip(-1, 1)))
    assert np.abs(slope[is_hit] - expected).max() < 6  # near the poles a step of a normal's code is 5 degrees
    told = json.loads((tmp_path / "x_slopes.json").read_text())
    assert (told["pass"], told["code"]) == ("slopes", "1 + degrees between the normal and up; 0 = sky")

    run(tmp_path, CAPTURE)
    seen = np.load(tmp_path / "seen.npz")
    is_hit = seen["normals"].any(axis=-1)
    expected = np.rint(1 + np.degrees(np.arccos(seen["normals"][is_hit][:, 1].astype(np.float64).clip(-1, 1))))
    assert np.abs(seen["slopes"][is_hit] - expected).max() <= 1

    command = "dataset hills --actors 2 --frames 1 --size 32x24 --pass slopes --out set"
    run(tmp_path, COMMAND, *command.split())
    assert Image.open(tmp_path / "set/camera/slopes/000000.png").size == (32, 24)
