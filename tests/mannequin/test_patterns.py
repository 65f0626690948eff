"""Patterned outfits: copies of the painted outfits that differ only in tinted clothes and in skin."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.mannequin import LOOKS
from ecs_anim.mannequin.figures import FIGURES
from ecs_anim.mannequin.outfits import COLOURINGS, OUTFITS, variants
from ecs_anim.mannequin.patterns import DARKENED, SETS, TINTED, TONES, patterned
from ecs_anim.scenes.images import read_texture

SCENE = """
[rigs.people]
model = "people"
patterns = true
[[crowds]]
rig = "people"
count = 400
layout = { kind = "grid" }
clips = [{ name = "idle" }]
figures = { child = 10.0, old = 0.0 }
"""


@pytest.mark.exhaustive
def test_copies_darken_tinted_clothes_and_change_the_skin():
    plain = variants(read_texture(LOOKS, "people"))
    made = patterned(plain)
    count = COLOURINGS * len(FIGURES)
    assert made.shape == ((1 + SETS) * count, *plain.shape[1:])
    np.testing.assert_array_equal(made[:count], plain)
    for copy in made[count:].reshape(SETS, count, *plain.shape[1:]):
        np.testing.assert_array_equal(copy[..., 3], plain[..., 3])
        tinted = plain[..., 3] >= TINTED
        darker = tinted & (copy[..., 1] < plain[..., 1])
        np.testing.assert_allclose(copy[darker][:, 1], DARKENED * plain[darker][:, 1], atol=1.0)
        shares = darker.sum(axis=(1, 2)) / np.maximum(tinted.sum(axis=(1, 2)), 1)
        assert ((shares > 0.001) | (tinted.sum(axis=(1, 2)) < 500)).all()
        assert (copy[~tinted] != plain[~tinted]).any()


@pytest.mark.exhaustive
def test_the_skin_of_a_copy_is_another_tone():
    plain = variants(read_texture(LOOKS, "people"))
    made = patterned(plain)
    hand = np.s_[300:304, 230:236]  # skin of most outfits, below the sleeves
    for number, figure in enumerate(FIGURES):
        old = np.array(OUTFITS[figure.name][0].skin)
        ratio = plain[number][hand][..., :3].reshape(-1, 3) / old
        if np.ptp(ratio, axis=1).max() > 0.02:
            continue
        new = made[COLOURINGS * len(FIGURES) + number][hand][..., :3].reshape(-1, 3).mean(axis=0)
        other = [tone for tone in TONES if np.ptp(new / tone) < 0.02]
        assert other
        assert OUTFITS[figure.name][0].skin not in other


def test_crowds_wear_all_outfits_and_factors_change_the_shares_of_ages():
    with ea.load_scene(SCENE, seed=2) as world:
        ((_, (character, look)),) = world.query(Character, Appearance)
        ages = [character.rig.figures[number % len(FIGURES)].age for number in look.variant]
        assert len(set(look.variant // len(FIGURES))) == COLOURINGS * (1 + SETS)
    weights = {"child": 0.4, "old": 0.0}
    shares = {own.name: own.share for own in character.rig.figures}
    rest = sum(own.share for own in character.rig.figures if own.age not in weights)
    expected = 0.4 / (0.4 + rest)
    assert abs(ages.count("child") / 400 - expected) < 4 * np.sqrt(expected * (1 - expected) / 400)
    assert "old" not in ages
    assert sum(shares.values()) > 0.99
