"""The motion in a shared file: the positions and the joints of all actors at any time. The JavaScript code of the page
computes the same numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.sharing.corrections import Corrections
from ecs_anim.sharing.placement import PLACE, SCALE, TURN, placed, rotations
from ecs_anim.sharing.pose_basis import PoseBasis, aligned, model_points
from ecs_anim.sharing.series import Reals, SeriesSet
from ecs_anim.sharing.series_sections import loaded, read_numbers

# sample numbers are rounded to this number of decimals, so that the exact time of a sample gives this sample
ROUNDED = 6
PHASE, FADE, MORPHS = (7, 8), 9, 10


class Moment(NamedTuple):
    """The actors of a crowd that are present at one time."""

    actors: NDArray[np.int64]  # [n], numbers of actors, ascending
    positions: Reals  # [n, 3] [m], world: x, height, z
    rotations: Reals  # [n, 4], quaternions x, y, z, w
    scales: Reals  # [n], [m] per rig unit
    joints: Reals  # [n, joint, 3] [m], world
    morphs: Reals  # [n, target], weights


@dataclass(frozen=True)
class SharedCrowd:
    """The motion of one crowd of a shared file."""

    facts: Mapping[str, Any]  # description of the crowd in the file
    sections: Mapping[str, NDArray[Any]]  # arrays of the crowd

    @property
    def name(self) -> str:
        """Return the name of the crowd."""
        return str(self.facts["name"])

    @property
    def dt(self) -> float:
        """Return the time [s] between two samples."""
        return float(self.facts["sample_seconds"])

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Return the names of the joints."""
        return tuple(joint["name"] for joint in self.facts["joints"])

    @property
    def ids(self) -> NDArray[np.int64]:
        """Return the id of each actor."""
        return self.sections["ids"].astype(np.int64)

    def at(self, time: float) -> Moment:
        """Return the actors that are present at `time` [s] after the start."""
        frame = round(time / self.dt, ROUNDED)
        spans = self._spans_at(frame)
        values = self._values(spans, np.clip(frame - self._first[spans], 0, self._frames[spans]))
        positions, turned, scales = values[PLACE].T, rotations(values[TURN]), values[SCALE]
        local = self._posed(values) if self._is_posed else self._played(spans, values)
        morphs = values[MORPHS : MORPHS + self.facts["morphs"]].T
        actors = self.sections["actor"][spans].astype(np.int64)
        moment = Moment(actors, positions, turned, scales, placed(local, positions, turned, scales), morphs)
        return moment if self._near is None else _with_near(moment, self._near.at(time))

    def _spans_at(self, frame: float) -> NDArray[np.int64]:
        """Return the last span of each actor that is present at the sample number `frame`. `frame` can be between two
        samples.
        """
        actor, first = self.sections["actor"].astype(np.int64), self._first
        last = first + self._frames
        follows = np.append((actor[1:] == actor[:-1]) & (first[1:] == last[:-1] + 1), False)
        is_over = np.append((actor[1:] == actor[:-1]) & (first[1:] <= frame), False)
        return np.flatnonzero((first <= frame) & (frame <= last + follows) & ~is_over)

    def _values(self, spans: NDArray[np.int64], frames: Reals) -> Reals:
        """Return the numbers [channel, span] of spans at `frames` [span], samples after the first one, which can have
        a fraction.
        """
        steps, count = np.array(self.facts["steps"]), len(self.sections["actor"])
        series = (np.arange(len(steps))[:, None] * count + spans).reshape(-1)
        places = frames / np.maximum(self._frames[spans], 1)
        numbers = self._series.at(1.0, series, np.tile(places, len(steps))).reshape(len(steps), len(spans))
        if self._is_posed:
            first = np.cumsum(self._frames + 1) - self._frames - 1
            numbers += self._corrections.at(first[spans] + frames)
        return numbers * steps[:, None]

    def _posed(self, values: Reals) -> Reals:
        """Return the joint positions [n, joint, 3] [rig units] of recorded poses."""
        return self._model_points(values[MORPHS + self.facts["morphs"] :].T)

    def _played(self, spans: NDArray[np.int64], values: Reals) -> Reals:
        """Return the joint positions [n, joint, 3] [rig units] of blended clips."""
        fade = np.clip(values[FADE], 0, 1)[:, None]
        pairs = self.sections["clips"][spans].astype(np.int64)
        clips = np.searchsorted([own["number"] for own in self.facts["clips"]], pairs)
        sizes = np.array([own["phase_step"] for own in self.facts["clips"]]) / self.facts["steps"][PHASE[0]]
        phases = values[PHASE, :].T * sizes[clips]
        turned = np.where(self.sections["turns"][spans] > 0, phases - np.floor(phases), np.clip(phases, 0, 1))
        first, second = (self._clip_points(clips[:, k], turned[:, k]) for k in range(2))
        points = first + (second - first) * fade[..., None]
        arcs = {tuple(pair) for pair in self.facts["arcs"]}
        is_arc = np.array([tuple(pair) in arcs for pair in pairs.tolist()], np.bool_)
        own = np.flatnonzero(is_arc & (fade[:, 0] > 0) & (fade[:, 0] < 1))
        one, other = (self._basis.poses(self._clip_coefficients(clips[own, k], turned[own, k])) for k in range(2))
        points[own] = model_points(one + (aligned(other, one) - one) * fade[own], self._parents)
        return points

    def _clip_points(self, clips: NDArray[np.int64], phases: Reals) -> Reals:
        """Return the joint positions [n, joint, 3] [rig units] of clips [n] at phases [n] from 0 to 1."""
        begins, counts = self._clip_rows
        at = phases * (counts[clips] - 1)
        before = np.minimum(at.astype(np.int64), np.maximum(counts[clips] - 2, 0))
        after = np.minimum(before + 1, counts[clips] - 1)
        one, other = (self._row_points[begins[clips] + row] for row in (before, after))
        return one + (other - one) * (at - before)[:, None, None]

    def _clip_coefficients(self, clips: NDArray[np.int64], phases: Reals) -> Reals:
        """Return the coefficients [n, component] of the poses of clips [n] at phases [n] from 0 to 1."""
        components = self.facts["components"]
        series = (np.arange(components)[:, None] * len(self.facts["clips"]) + clips).reshape(-1)
        numbers = self._clip_series.at(self.facts["clip_step"], series, np.tile(phases, components))
        return numbers.reshape(components, len(phases)).T

    @cached_property
    def _clip_series(self) -> SeriesSet:
        frames = np.array([own["frames"] for own in self.facts["clips"]], np.int64)
        return loaded(_below("clip_", self.sections), np.tile(frames, self.facts["components"]))

    @cached_property
    def _near(self) -> "SharedCrowd | None":
        """The recorded poses of the near actors. Return None if the crowd has no such poses."""
        if self.facts["near"] is None:
            return None
        return SharedCrowd(self.facts["near"], _below("near/", self.sections))

    @property
    def _parents(self) -> list[int]:
        return [own["parent"] for own in self.facts["joints"]]

    @property
    def _is_posed(self) -> bool:
        return bool(self.facts["kind"] == "posed")

    @cached_property
    def _corrections(self) -> Corrections:
        return Corrections.read(self.sections, len(self.facts["steps"]))

    @cached_property
    def _series(self) -> SeriesSet:
        return loaded(self.sections, np.tile(self._frames, len(self.facts["steps"])))

    @cached_property
    def _frames(self) -> NDArray[np.int64]:
        """Return the number of the last frame of each span."""
        return read_numbers(self.sections["frames"], np.zeros(len(self.sections["actor"]), np.int64))

    @cached_property
    def _first(self) -> NDArray[np.int64]:
        """Return the number of the first sample of each span."""
        return np.cumsum(self.sections["gaps"] + self._frames) - self._frames

    @cached_property
    def _basis(self) -> PoseBasis:
        return PoseBasis.read(*(self.sections[name] for name in ("mean", "dims", "components")))

    @cached_property
    def _clip_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first row and the number of rows of each clip."""
        counts = np.array([own["rows"] for own in self.facts["clips"]], np.int64)
        return np.cumsum(counts) - counts, counts

    @cached_property
    def _row_points(self) -> Reals:
        """Return the joint positions [row, joint, 3] [rig units] of all rows of all clips."""
        counts = self._clip_rows[1]
        places = np.concatenate([np.zeros(0), *(np.linspace(0, 1, count) for count in counts.tolist())])
        return self._model_points(self._clip_coefficients(np.repeat(np.arange(len(counts)), counts), places))

    def _model_points(self, coefficients: Reals) -> Reals:
        """Return the joint positions [n, joint, 3] [rig units] of poses with the coefficients [n, component]."""
        return model_points(self._basis.poses(coefficients), self._parents)


@dataclass(frozen=True)
class SharedMotion:
    """The motion of a shared file."""

    seconds: float  # [s]
    crowds: tuple[SharedCrowd, ...]

    @classmethod
    def of(cls, meta: Mapping[str, Any], sections: Mapping[str, NDArray[Any]]) -> Self:
        """Return the motion from the JSON value and the arrays of a container."""
        crowds = []
        for number, facts in enumerate(meta["crowds"]):
            crowds.append(SharedCrowd(facts, _below(f"motion/{number}/", sections)))
        return cls(meta["seconds"], tuple(crowds))


def _below(prefix: str, sections: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the sections whose names begin with `prefix`, by the rest of their names."""
    return {name.removeprefix(prefix): values for name, values in sections.items() if name.startswith(prefix)}


def _with_near(moment: Moment, near: Moment) -> Moment:
    """Replace the actors of `moment` that `near` also contains."""
    places = np.searchsorted(moment.actors, near.actors)
    for whole, part in zip(moment[1:], near[1:], strict=True):
        whole[places] = part
    return moment
