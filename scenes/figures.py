"""Random figures of a rig for actors. A separate random stream keeps the paths of crowds unchanged."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.scenes.loaded_rig import LoadedRig
from ecs_anim.scenes.parts.appearance import AppearanceKeys
from ecs_anim.scenes.scene_key import SceneKey


def figure_shares(crowd: AppearanceKeys, loaded: LoadedRig, key: SceneKey) -> NDArray[np.float64] | None:
    """How often a crowd draws each figure of its rig, sum 1; None where the rig has none. Raises InputError."""
    names = [figure.name for figure in loaded.rig.figures]
    if crowd.figures is None:
        shares = [figure.share for figure in loaded.rig.figures]
        return np.array(shares) / sum(shares) if names else None
    key /= ".figures"
    if not names:
        raise key.fault(f'rig {loaded.label} has no figures; leave it out, or give the rig model = "people"')
    for number, name in enumerate(crowd.figures):
        (key / f"[{number}]").require_among(name, names, f"rig {loaded.label} has no figure", "its figures are")
    return np.array([crowd.figures.count(name) for name in names]) / len(crowd.figures)


def draw_variants(
    rig: Rig, shares: NDArray[np.float64] | None, count: int, rng: np.random.Generator
) -> NDArray[np.int32] | None:
    """Variants [count] of actors: figures by their `shares`, in any of their colours; None without shares.

    They are told by where `rng` is, and leave it there: what is drawn from it next does not hang on them.
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
    """The sizes [n] of actors of these variants, where 1 is the rig's."""
    return np.array([figure.size for figure in rig.figures])[variants % len(rig.figures)]
