"""Corrections of actors at single samples. Small errors of many numbers of a pose can add up to a large error of a
joint. A correction removes such an error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.sharing.placement import PLACE, SCALE, TURN, placed, rotations
from ecs_anim.sharing.pose_basis import PoseBasis, model_points
from ecs_anim.sharing.series import Channel, Code, Integers, Reals, SeriesSet
from ecs_anim.sharing.series_sections import Sections, read_sines, written_sines

BOUND = 0.016  # [m], largest error of joints at samples
FINE = 4  # the numbers of corrections are in quarters of the channel's step


class Corrections(NamedTuple):
    """Numbers that are added to the channels at some samples. Between two samples, the added numbers are
    interpolated.
    """

    # [n], ascending sample numbers; the samples of all spans are numbered consecutively, span by span
    samples: Integers
    numbers: Integers  # [n, channel] in quarters of a step

    @classmethod
    def read(cls, sections: Mapping[str, NDArray[Any]], channels: int) -> Self:
        """Return the corrections of a crowd from its sections."""
        samples = np.cumsum(sections["corrected"].astype(np.int64))
        counts = np.full(len(samples), channels)
        return cls(samples, read_sines(sections["corrections"], counts).reshape(-1, channels))

    def sections(self) -> Sections:
        """Return the sections of a crowd with the corrections."""
        count, channels = self.numbers.shape
        written = written_sines(self.numbers.reshape(-1), np.full(count, channels))
        return {"corrected": np.diff(self.samples, prepend=0).astype(np.uint32), "corrections": written}

    def at(self, samples: Reals) -> Reals:
        """Return the numbers [channel, n] that are added at the sample numbers `samples` [n], in steps of the channels.
        If a sample number has a fraction, the function interpolates between the two neighbouring samples.
        """
        before = np.floor(samples).astype(np.int64)
        return self._at(before) * (1 - samples + before) + self._at(before + 1) * (samples - before)

    def _at(self, samples: Integers) -> Reals:
        found = np.zeros((self.numbers.shape[1], len(samples)))
        places = np.searchsorted(self.samples, samples)
        known = np.flatnonzero(np.isin(samples, self.samples))
        found[:, known] = self.numbers[places[known]].T / FINE
        return found


@dataclass
class Corrector:
    """Collector of corrections. The corrections reduce the error of each joint at each sample to at most `BOUND`. Poses
    for which this is impossible are in `far`.
    """

    channels: Sequence[Channel]
    basis: PoseBasis
    parents: Sequence[int]
    sample_count: int = 0

    def __post_init__(self) -> None:
        self._samples = [np.zeros(0, np.int64)]
        self._numbers = [np.zeros((0, len(self.channels)), np.int64)]
        # poses whose errors corrections cannot reduce to `BOUND`
        self.far = [np.zeros((0, len(self.basis.mean)), np.float32)]

    def check(
        self, blocks: Sequence[Reals], codes: Sequence[Sequence[Code]], rows: NDArray[np.float32], poses: Any
    ) -> None:
        """Compare coded spans with the recorded samples, and add corrections.

        - `blocks` [span]: the numbers [channel, sample] before the coding.
        - `codes` [channel][span]: the coded numbers.
        - `rows`, `poses` [sample of all spans]: the recorded places and poses.
        """
        exact, values = np.concatenate(blocks, axis=1), self._decoded(codes, [own.shape[1] for own in blocks])
        wrong = np.flatnonzero(self._errors(values, rows, poses) > BOUND)
        steps = np.array([channel.step for channel in self.channels])[:, None] / FINE
        numbers = np.rint((exact - values)[:, wrong] / steps)
        is_far = self._errors(values[:, wrong] + numbers * steps, rows[wrong], poses[wrong]) > BOUND
        self.far.append(poses[wrong[is_far]])
        self._samples.append(self.sample_count + wrong)
        self._numbers.append(numbers.T.astype(np.int64))
        self.sample_count += exact.shape[1]

    def sections(self) -> Sections:
        """Return the sections with all corrections."""
        return Corrections(np.concatenate(self._samples), np.concatenate(self._numbers)).sections()

    def _decoded(self, codes: Sequence[Sequence[Code]], lengths: Sequence[int]) -> Reals:
        """Return the numbers [channel, sample] of coded spans with `lengths` [span] samples."""
        spans = np.repeat(np.arange(len(lengths)), lengths)
        places = np.concatenate([np.linspace(0, 1, length) for length in lengths])
        frames = np.array(lengths) - 1
        return np.stack(
            [
                SeriesSet.of(own, frames).at(channel.step, spans, places)
                for own, channel in zip(codes, self.channels, strict=True)
            ]
        )

    def _errors(self, values: Reals, rows: NDArray[np.float32], poses: NDArray[np.float32]) -> Reals:
        """Return the largest error [sample] [m] of all joints in decoded numbers [channel, sample]."""
        own = rows.astype(np.float64)
        exact = placed(model_points(poses, self.parents), own[:, :3], own[:, 3:7], own[:, 7])
        local = model_points(self.basis.poses(values[-self.basis.count :].T), self.parents)
        found = placed(local, values[PLACE].T, rotations(values[TURN]), values[SCALE])
        return np.linalg.norm(found - exact, axis=-1).max(axis=1, initial=0)
