"""Spans of actors. A span is a time interval in which the numbers of an actor change smoothly. It ends when the actor
leaves or jumps to another position.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.sharing.filming import CLIPS, FADE, PHASES, ROTATION, SCALE, TRANSLATION, WEIGHTS
from ecs_anim.sharing.series import Channel, Reals

# [m], [m/s]; a movement between two samples is a jump if it is longer than JUMP + FASTEST x time
JUMP, FASTEST = 1.0, 30.0
WHOLE = 1e-4  # [cycles]; a phase that is outside 0 to 1 by at most this value does not wrap
HEADING_CHANNEL, PHASE_CHANNELS = 3, slice(7, 9)


class Span(NamedTuple):
    """One span: the number of an actor, and the first and the last sample of a time interval."""

    actor: int
    first: int
    # number of the last sample; if the span ends with a change of clips, this is the first sample of the next span
    last: int
    # true = the next span continues the movement, so this span also contains the first sample of the next span
    is_led: bool
    clips: tuple[int, int]


def spans_of(rows: NDArray[np.float32], there: NDArray[np.bool_], actor: int, dt: float) -> list[Span]:
    """Return the spans of an actor. `rows` [sample, width] are its data in the samples `there`. `dt` [s] is the time
    between two samples.
    """
    moved = np.linalg.norm(np.diff(rows[:, TRANSLATION:ROTATION], axis=0), axis=-1)
    is_jump = moved > JUMP + FASTEST * dt
    changed = (np.diff(rows[:, CLIPS:PHASES], axis=0) != 0).any(axis=1)
    follows = there[1:] & there[:-1] & ~is_jump
    begins = there & ~np.append(False, follows & ~changed)
    ends = there & ~np.append(follows & ~changed, False)
    found = []
    for first, last in zip(np.flatnonzero(begins).tolist(), np.flatnonzero(ends).tolist(), strict=True):
        is_led = last < len(follows) and bool(follows[last])
        clips = rows[first, CLIPS:PHASES].astype(int).tolist()
        found.append(Span(actor, first, last + is_led, is_led, (clips[0], clips[1])))
    return found


def values_of(span: Span, rows: NDArray[np.float32], heading: float = 0.0) -> Reals:
    """Return the numbers of a span [channel, sample] from the actor's rows [sample, width].

    The order of the numbers is the order of `channels_of` without the coefficients of poses. Among the equal angles of
    the first heading, the function selects the angle nearest to `heading` [rad].
    """
    own = rows[span.first : span.last + 1].astype(np.float64)
    headings, tilts = headings_and_tilts(own[:, ROTATION:SCALE], heading)
    plays = [_unwrapped(own[:, PHASES]), _unwrapped(own[:, PHASES + 1]), own[:, FADE]]
    if span.is_led:
        plays = [_led(values) for values in plays]
    return np.stack([*own[:, TRANSLATION:ROTATION].T, headings, *tilts, own[:, SCALE], *plays, *own[:, WEIGHTS:].T])


def turns_of(span: Span, values: Reals) -> list[bool]:
    """Return whether the phases of the actor's two clips wrap from 1 to 0. If a phase does not wrap, a phase of 1 is
    the last pose of the clip.
    """
    phases = values[PHASE_CHANNELS, : values.shape[1] - span.is_led]
    return ((phases.min(axis=1) < -WHOLE) | (phases.max(axis=1) > 1 + WHOLE)).tolist()


def channels_of(steps: dict[str, float], morphs: int, components: int) -> list[Channel]:
    """Return the channels of a crowd. `steps` contains the quantisation step of each kind of number."""
    kinds = ["place"] * 3 + ["turn"] * 3 + ["scale"] + ["phase"] * 2 + ["fade"]
    kinds += ["morph"] * morphs + ["pose"] * components
    return [Channel(kind, steps[kind]) for kind in kinds]


def headings_and_tilts(rotation: Reals, heading: float) -> tuple[Reals, Reals]:
    """Split each of the rotations [n, 4] into a tilt, followed by a rotation about +Y.

    Return the angles [n] [rad] about +Y, and x and z [2, n] of the tilts' quaternions. The y of these quaternions is 0.
    The angles continue from `heading` [rad] without turns of half a circle or more.
    """
    x, y, z, w = rotation.T
    headings = np.unwrap(np.append(heading, 2 * np.arctan2(y, w)))[1:]
    c, s = np.cos(headings / 2), np.sin(headings / 2)
    tilt = np.stack([c * x - s * z, s * x + c * z])
    return headings, np.where(c * w + s * y < 0, -tilt, tilt)


def _unwrapped(phases: Reals) -> Reals:
    """Return phases [n] without jumps: at the end of a cycle, the result continues above 1 or below 0."""
    changes = np.diff(phases)
    return phases[0] + np.append(0, np.cumsum(changes - np.round(changes)))


def _led(values: Reals) -> Reals:
    """Replace the last value of `values` [n] by the straight continuation of the values before, and return the
    result.
    """
    return np.append(values[:-1], 2 * values[-2] - values[-3] if len(values) > 2 else values[-2])
