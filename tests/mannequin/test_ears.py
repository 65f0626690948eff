"""The painted sides of heads: ears, hair behind them and cheeks, as the finest mesh shows them."""

import numpy as np
import pytest

from ecs_anim.assets.rig import Rig
from ecs_anim.mannequin.figures import FIGURES
from ecs_anim.mannequin.outfits import OUTFITS
from ecs_anim.scenes.rigs import load_model

SHARES = np.array(
    [(a, b, 1 - a - b) for a in np.linspace(0.05, 0.9, 8) for b in np.linspace(0.05, 0.9, 8) if a + b < 1]
)
HANGING = ("long", "bob")  # styles of hair that covers the ears


@pytest.fixture(scope="module")
def people() -> Rig:
    return load_model("people")


def _is_hair(people: Rig, number: int, low: tuple[float, float, float], high: tuple[float, float, float]) -> np.ndarray:
    """Whether points of the skin show hair. `low` and `high` are the corners of a box: |x|, y and z."""
    (mesh,) = people.level(0)
    triangles = mesh.indices.reshape(-1, 3)
    points, uvs = (np.einsum("sk,tkc->tsc", SHARES, array[triangles]) for array in (mesh.positions, mesh.uvs))
    places = np.concatenate([np.abs(points[..., :1]), points[..., 1:]], axis=-1)
    seen = ((places > low) & (places < high)).all(axis=-1)
    assert seen.sum() > 20
    pixels = mesh.material.texture.pixels[number]
    size = len(pixels)
    column, row = np.clip((uvs[seen] * size).astype(int), 0, size - 1).T
    found, own = pixels[row, column, :3].astype(float), OUTFITS[FIGURES[number].name][0]
    away = [np.linalg.norm(found - color, axis=-1) for color in (own.hair, own.skin)]
    return away[0] < away[1]


@pytest.mark.parametrize("number", range(len(FIGURES)), ids=[own.name for own in FIGURES])
def test_ears_and_cheeks_show_skin_and_hair_lies_above_and_behind_ears(people: Rig, number: int) -> None:
    hangs = FIGURES[number].hair in HANGING
    ears = _is_hair(people, number, (0.074, 1.608, -0.020), (0.1, 1.656, 0.008))
    assert ears.mean() > 0.98 if hangs else ears.mean() < 0.02
    assert _is_hair(people, number, (0.06, 1.67, -0.030), (0.1, 1.71, 0.005)).mean() > 0.98
    assert _is_hair(people, number, (0.05, 1.60, -0.070), (0.1, 1.63, -0.040)).mean() > 0.98
    assert _is_hair(people, number, (0.05, 1.56, 0.050), (0.1, 1.605, 0.075)).mean() < 0.02
