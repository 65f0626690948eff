"""All cells of the notebooks in the documentation run. Their pictures differ from one cell to the next."""

import json
import subprocess
import sys
from base64 import b64decode
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.helpers import EXHAUSTIVE

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs/notebooks").glob("*.ipynb"))

# Like a notebook, show the expression in the last line of a cell. A cell without a picture prints an empty line.
RUN = """
import ast, base64, contextlib, io, json, sys
names = {"__name__": "__main__"}
for source in json.load(sys.stdin):
    lines = ast.parse(source).body
    last = lines.pop().value if isinstance(lines[-1], ast.Expr) else ast.Constant(None, lineno=1, col_offset=0)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(ast.Module(lines, []), "cell", "exec"), names)
        shown = eval(compile(ast.Expression(last), "cell", "eval"), names)
    print("" if shown is None else base64.b64encode(shown._repr_png_()).decode())
"""


def test_there_are_notebooks():
    assert {"first.ipynb", "skinning.ipynb"} <= {path.name for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@EXHAUSTIVE
def test_every_cell_runs_and_shows_another_picture(path):
    notebook = json.loads(path.read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["nbformat"] == 4
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    sources = ["".join(cell["source"]) for cell in cells]
    run = [sys.executable, "-c", RUN]
    done = subprocess.run(run, input=json.dumps(sources), capture_output=True, text=True, timeout=240, check=False)
    # The first run on a machine prints that it compiles.
    said = [line for line in done.stderr.splitlines() if "compiling, once" not in line]
    assert (done.returncode, said) == (0, [])
    shown = done.stdout.splitlines()
    assert len(shown) == len(cells)
    pictures = [np.asarray(Image.open(BytesIO(b64decode(line)))) for line in shown if line]
    assert len(pictures) >= 3
    for before, after in pairwise(pictures):
        assert np.abs(after.astype(int) - before).max() > 50
