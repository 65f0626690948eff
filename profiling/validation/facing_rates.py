"""Turning rates of recorded people, for the computed roots of bodies and for drawn bodies. The figures are percentiles
over all people and frames.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.presence import Presence
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.build import load_scene
from ecs_anim.trajectories import ReadOptions, RootOptions, Roots, recording, roots

LIMIT = 60.0  # limit of the 95th percentile [degrees/s]
FRAME_RATE = 30  # frame rate of the drawn bodies [Hz]
PERCENT = 95

Reals = NDArray[np.float64]


class Rates(NamedTuple):
    """Turning rates of the people in a recording."""

    people: int
    person_seconds: float
    roots: float  # 95th percentile of the roots [degrees/s]
    drawn: float  # 95th percentile of the drawn bodies [degrees/s]

    @property
    def holds(self) -> bool:
        """Return whether the turning rates of body roots and of drawn bodies are within the limit."""
        return max(self.roots, self.drawn) < LIMIT


def facing_rates(path: Path, options: ReadOptions | None = None) -> Rates:
    """Return the turning rates in the recording `path`. Raises InputError if the file cannot be read."""
    options = options or ReadOptions()
    found = recording(path, options)
    own = roots(found.whole(), RootOptions(cutoff=None if found.is_simulated else RootOptions().cutoff))
    rates, seconds = root_rates(own)
    end = found.span[1] - found.span[0]
    drawn = drawn_rate(path, options, end)
    return Rates(len(np.unique(own.ids)), float(seconds.sum()), percentile(rates, seconds), drawn)


def root_rates(own: Roots) -> tuple[Reals, Reals]:
    """Return the turning rates [n] [degrees/s] of body roots between samples, and the sample intervals [n] [s]."""
    seconds, turned = np.diff(own.times), np.degrees(np.abs(np.diff(own.heading)))
    inside = seconds > 0
    return turned[inside] / seconds[inside], seconds[inside]


def percentile(rates: Reals, weights: Reals) -> float:
    """Return the weighted 95th percentile of `rates` [n] with `weights` [n], or 0 without rates."""
    return float(np.percentile(rates, PERCENT, weights=weights, method="inverted_cdf")) if len(rates) else 0.0


def drawn_rate(path: Path, options: ReadOptions, seconds: float) -> float:
    """Return the 95th percentile of the turning rates of drawn bodies [degrees/s], over all people and frames."""
    turned = []
    with load_scene(_scene(path, options)) as world:
        ((_, (presence, transforms)),) = world.query(Presence, Transforms)
        before = _turns(transforms)
        for _ in range(int(seconds * FRAME_RATE)):
            was_there = presence.is_there(world.time, np.float32(0))
            world.step(1 / FRAME_RATE, posed=False)
            is_there, now = presence.is_there(world.time, np.float32(0)), _turns(transforms)
            short = np.abs((now - before + np.pi) % (2 * np.pi) - np.pi)
            turned.append(short[was_there & is_there])
            before = now
    rates = np.degrees(np.concatenate(turned)) * FRAME_RATE
    return percentile(rates, np.ones(len(rates)))


def _turns(transforms: Transforms) -> Reals:
    """Return the rotation angle of each body about the axis +Y [n] [rad]."""
    _, y, _, w = transforms.rotation.T.astype(np.float64)
    return 2 * np.arctan2(y, w)


def _scene(path: Path, options: ReadOptions) -> str:
    """Return the text of a scene whose people follow the recording."""
    said = {key: value for key, value in vars(options).items() if value is not None}
    keys = ", ".join(f"{key} = {json.dumps(value)}" for key, value in {"file": str(path), **said}.items())
    return f"""
frame_rate = {FRAME_RATE}
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
body = {{}}
trajectories = {{ {keys} }}
"""
