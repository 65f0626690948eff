"""Random choice of a figure (body shape) for each actor.

A separate random generator chooses the figures. A change of the figures therefore does not change the random positions
of actors.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.parts.appearance import AppearanceKeys
from ecs_anim.scenes.scene_key import SceneKey


def figure_shares(crowd: AppearanceKeys, loaded: LoadedRig, key: SceneKey) -> NDArray[np.float64] | None:
    """Return the probability of each figure or of each variant of the rig, or None if the rig has no figures.

    Raises InputError if the crowd names an unknown figure.
    """
    names = [figure.name for figure in loaded.rig.figures]
    shares = np.array([figure.share for figure in loaded.rig.figures])
    if crowd.figures is None:
        return shares / sum(shares) if names else None
    key /= ".figures"
    if not names:
        raise key.fault(
            f'rig {loaded.label} has no figures. Leave out this key, or write model = "people" in the table of the rig.'
        )
    if isinstance(crowd.figures, dict):
        return _weighted(crowd.figures, loaded, shares, key)
    for number, name in enumerate(crowd.figures):
        (key / f"[{number}]").require_among(name, names, f"rig {loaded.label} has no figure", "its figures are")
    return np.array([crowd.figures.count(name) for name in names]) / len(crowd.figures)


def _weighted(
    factors: Mapping[str, float], loaded: LoadedRig, shares: NDArray[np.float64], key: SceneKey
) -> NDArray[np.float64]:
    """Return the probabilities of figures whose weights are multiplied by factors. A factor belongs to a figure, or to
    all figures of an age or a build, or with an accessory.

    If a factor belongs to a skin tone, return the probabilities of all variants: the figures with each outfit.
    """
    figures = loaded.rig.figures
    names = [(own.name, own.age or "", own.build or "", *own.accessories) for own in figures]
    tones = _tones(loaded.rig)
    known = sorted({name for group in (*names, *tones) for name in group if name})
    for name in factors:
        (key / f".{name}").require_among(
            name, known, f"rig {loaded.label} has no figure, age, build, skin tone or accessory", "it has"
        )
    found = shares * np.array([math.prod(factors.get(name, 1.0) for name in group) for group in names])
    if any(name in factors for group in tones for name in group):
        found = (found * [[factors.get(name, 1.0) for name in group] for group in tones]).ravel()
    if not found.sum() > 0:
        raise key.fault("at least one figure must have a weight above 0. Raise a factor.")
    weights: NDArray[np.float64] = found / found.sum()
    return weights


def _tones(rig: Rig) -> list[list[str]]:
    """Return the skin tone of each figure in each outfit, [outfit, figure]. Rigs without skin tones have no rows."""
    if not all(own.skin_tones for own in rig.figures):
        return []
    return [[own.skin_tones[number] for own in rig.figures] for number in range(rig.variant_count // len(rig.figures))]


def draw_variants(
    rig: Rig, shares: NDArray[np.float64] | None, count: int, rng: np.random.Generator
) -> NDArray[np.int32] | None:
    """Return the number [count] of a random variant for each actor. A variant is a figure (body shape) with one of its
    colour sets.

    `shares` contains the probabilities of the figures, or of all variants. If `shares` is None, return None.

    The function uses a separate random generator with a seed from the state of `rng`. The function does not change the
    state of `rng`, so other random numbers do not depend on figures.
    """
    if shares is None:
        return None
    own = np.random.default_rng(rng.bit_generator.state["state"]["state"])
    ends = np.cumsum(shares)
    figure = np.searchsorted(ends, ends[-1] * own.random(count), side="right")
    coloring = own.integers(max(rig.variant_count // len(shares), 1), size=count)
    found: NDArray[np.int32] | None = (coloring * len(shares) + figure).astype(np.int32)
    return found


def figure_sizes(rig: Rig, variants: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the sizes [n] of actors with the variants `variants` [n]. The size of an actor is a factor on the size of
    the rig.
    """
    return np.array([figure.size for figure in rig.figures])[variants % len(rig.figures)]
