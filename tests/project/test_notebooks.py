"""All cells of the notebooks in the documentation run. Pictures and plots differ from one cell to the next."""

import json
import os
import subprocess
import sys
from base64 import b64decode
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from tests.helpers import EXHAUSTIVE

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs/notebooks").glob("*.ipynb"))

# Like a notebook, show the expression in the last line of a cell, or the plot of the cell. A cell without a picture and
# without a plot prints an empty line.
RUN = """
import ast, base64, contextlib, io, json, sys

def png_of(shown):
    if hasattr(shown, "_repr_png_"):
        return shown._repr_png_()
    plt = sys.modules.get("matplotlib.pyplot")
    if plt is None or not plt.get_fignums():
        assert shown is None
        return b""
    (number,) = plt.get_fignums()
    plot = io.BytesIO()
    plt.figure(number).savefig(plot)
    plt.close(number)
    return plot.getvalue()

names = {"__name__": "__main__"}
for source in json.load(sys.stdin):
    lines = ast.parse(source).body
    last = lines.pop().value if isinstance(lines[-1], ast.Expr) else ast.Constant(None, lineno=1, col_offset=0)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(ast.Module(lines, []), "cell", "exec"), names)
        shown = eval(compile(ast.Expression(last), "cell", "eval"), names)
    print(base64.b64encode(png_of(shown)).decode())
"""


def code_cells(path):
    return [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


def sources_of(cells):
    return ["".join(cell["source"]) for cell in cells]


def test_there_are_notebooks():
    lessons = {"skinning.ipynb", "blending.ipynb", "inverse-kinematics.ipynb"}
    assert {"first.ipynb", *lessons} <= {path.name for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@EXHAUSTIVE
def test_every_cell_runs_and_shows_another_picture(path):
    notebook = json.loads(path.read_text("utf-8"))
    cells = code_cells(path)
    assert notebook["nbformat"] == 4
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    run, sources = [sys.executable, "-c", RUN], json.dumps(sources_of(cells))
    env = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(run, input=sources, env=env, capture_output=True, text=True, timeout=240, check=False)
    # The first run on a machine prints that it compiles.
    said = [line for line in done.stderr.splitlines() if "compiling kernels" not in line]
    assert (done.returncode, said) == (0, [])
    shown = done.stdout.splitlines()
    assert len(shown) == len(cells)
    pictures = [np.asarray(Image.open(BytesIO(b64decode(line)))) for line in shown if line]
    assert len(pictures) >= 3
    for before, after in pairwise(pictures):
        assert before.shape != after.shape or np.abs(after.astype(int) - before).max() > 50
        assert np.ptp(after) > 50, "the picture is not empty"


@pytest.fixture(scope="module")
def lesson():
    """Return the names that the cells of the lesson about blending define. No pictures are drawn."""
    import matplotlib.pyplot as plt

    (path,) = (path for path in NOTEBOOKS if path.stem == "blending")
    names = {}
    with pytest.MonkeyPatch.context() as patch, plt.rc_context({"backend": "agg"}):
        patch.setattr(ea, "render", lambda *_, **__: np.zeros((8, 8, 3), np.uint8))
        for source in sources_of(code_cells(path)):
            exec(compile(source, path.name, "exec"), names)
        plt.close("all")
    return names


@EXHAUSTIVE
def test_feet_of_the_lesson_slide_at_the_difference_of_the_speeds(lesson):
    for speed in (0.0, 0.7, 2.8):
        assert lesson["clip_slide"](lesson["walk"], speed) == pytest.approx(100 * abs(speed - 1.4), abs=3)
    assert lesson["slides"]["walk"] == pytest.approx(60, abs=3)
    assert lesson["slides"]["faster walk"] < lesson["slides"]["mix"] < 20


@EXHAUSTIVE
def test_feet_of_the_lesson_slide_less_at_equal_phases(lesson):
    times = np.linspace(-0.5, 1.3, 361)
    equal, opposite = (lesson["fade_toes"](difference, times)[1] for difference in (0.0, 0.5))
    assert 4 * equal < opposite


@EXHAUSTIVE
def test_more_continuous_interpolations_of_the_lesson_have_smaller_errors(lesson):
    step, linear, cubic = (lesson["error_cm"](clip, np.linspace(0.0, 1.0, 200)) for clip in lesson["coarse"])
    assert cubic < linear < step / 2


@EXHAUSTIVE
def test_actors_of_the_lesson_walk_away_from_the_middle(lesson):
    moved = lesson["crowd"].positions - lesson["grid"]
    assert np.abs(moved - lesson["grid"] / 4).max() < 0.05
