"""The sections of a shared file that describe motion: the positions, clips and poses of all actors."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.sharing.corrections import Corrector
from ecs_anim.sharing.filming import FilmedCrowd
from ecs_anim.sharing.plays import Plays
from ecs_anim.sharing.pose_basis import PoseBasis, aligned
from ecs_anim.sharing.series import Channel, Code, Reals, SeriesSet, fitted_blocks
from ecs_anim.sharing.series_sections import stored, written_numbers
from ecs_anim.sharing.spans import HEADING_CHANNEL, PHASE_CHANNELS, Span, channels_of, spans_of, turns_of, values_of

BATCH = 1 << 25  # largest amount of numbers in memory: samples times actors times numbers in a row
PROBES = 20_000  # largest number of poses that define a basis
# If a basis cannot represent rare poses, copies of these poses define the next basis.
ROUNDS, COPIES = 3, 50
CLIP_RATE = 60  # [1/s], rate of clip rows in the page
# Step sizes of the stored integers: positions [m], rotations [rad], phases [cycles], and coefficients of poses [m].
PLAYED = {"place": 5e-3, "turn": 2e-2, "scale": 5e-4, "phase": 5e-3, "fade": 2e-2, "morph": 2e-2}
POSED = PLAYED | {"place": 1e-3, "turn": 2e-3, "pose": 9e-3}
# Crowds with more than `MANY` actors have larger steps if their motion would otherwise need more than `LARGE` bytes. In
# such crowds, each actor is small in the picture, and errors are hard to see.
MANY, LARGE = 2000, 1_500_000
TRIED = 100  # number of actors whose motion is compressed to estimate the size of the motion of a crowd
CROWDED = PLAYED | {"place": 2.5e-2, "turn": 8e-2, "phase": 3e-2}
CLIP = Channel("pose", 5e-4)  # channel for the coefficients of the poses of clips
REST = 5e-4  # [m], total error that the omission of components can cause

Sections = dict[str, NDArray[Any]]
Facts = dict[str, Any]


def motion_sections(crowds: Sequence[FilmedCrowd], seconds: float) -> tuple[Sections, Facts]:
    """Return the sections of recorded crowds, and the JSON value that describes the crowds.

    `seconds` is the recorded time.
    """
    sections, described = Sections(), []
    for number, crowd in enumerate(crowds):
        own, facts = _posed(crowd) if crowd.is_posed else _played(crowd)
        if crowd.has_near_poses:
            near, near_facts = _posed(crowd)
            own |= {f"near/{name}": values for name, values in near.items()}
            # the page computes near poses in the memory of the whole crowd
            facts["near"] = near_facts | {"capacity": 0}
        described.append(facts)
        sections |= {f"motion/{number}/{name}": values for name, values in own.items()}
    return sections, {"seconds": seconds, "crowds": described}


def _posed(crowd: FilmedCrowd) -> tuple[Sections, Facts]:
    """Return the sections of a crowd with recorded poses."""
    stride = max(crowd.places.frame_count * len(crowd.ids) // PROBES, 1)
    probes = [np.zeros((0, crowd.poses.width), np.float32)]
    probes += [poses[there][::stride] for _, _, there, poses in _batches(crowd, with_poses=True)]
    for _ in range(ROUNDS):
        basis = _basis(crowd, np.concatenate(probes))
        corrector = Corrector(channels_of(POSED, crowd.morphs, basis.count), basis, _parents(crowd))
        sections, facts = _spans(crowd, corrector.channels, None, corrector)
        probes += COPIES * corrector.far
        if not sum(map(len, corrector.far)):
            break
    sections |= corrector.sections() | _basis_sections(basis) | _common(crowd)
    return sections, _facts(crowd, "posed") | facts | {"components": basis.count}


def _played(crowd: FilmedCrowd) -> tuple[Sections, Facts]:
    """Return the sections of a crowd that plays clips."""
    plays = Plays(crowd)
    steps = CROWDED if crowd.capacity > MANY and _is_large(crowd, plays) else PLAYED
    sections, facts = _spans(crowd, channels_of(steps, crowd.morphs, 0), plays)
    clips = np.unique(sections["clips"]).tolist()
    poses = [crowd.clip_poses(clip) for clip in clips]
    basis = _basis(crowd, np.concatenate([np.zeros((0, crowd.poses.width), np.float32), *poses]))
    values = [basis.coefficients(aligned(own, basis.mean)).T for own in poses]
    codes = fitted_blocks(values, [CLIP] * basis.count)
    sections |= _series_sections("clip_", codes, np.array([len(own) - 1 for own in poses])) | _basis_sections(basis)
    tables = crowd.character.motions.tables
    rows = [_row_count(float(tables.duration[clip]), int(tables.interval_count[clip])) for clip in clips]
    named = [
        {
            "number": clip,
            "name": tables.clips[clip].name,
            "rows": count,
            "frames": len(own) - 1,
            "phase_step": steps["phase"] / plays.fineness(clip),
        }
        for clip, count, own in zip(clips, rows, poses, strict=True)
    ]
    found = {"components": basis.count, "clips": named, "clip_step": CLIP.step}
    arcs = [pair for pair in np.unique(sections["clips"], axis=0).tolist() if plays.is_arc(pair)]
    return sections | _common(crowd), _facts(crowd, "played") | facts | found | {"arcs": arcs}


def _is_large(crowd: FilmedCrowd, plays: Plays) -> bool:
    """Return whether the motion of a crowd that plays clips takes more than `LARGE` bytes with small steps."""
    first, rows, there, _ = next(_batches(crowd, with_poses=False))
    tried = slice(None, None, max(rows.shape[1] // TRIED, 1))
    _, blocks, _ = _cut(crowd, rows[:, tried], there[:, tried], first, plays)
    codes = fitted_blocks(blocks, channels_of(PLAYED, crowd.morphs, 0))
    frames = np.array([block.shape[1] - 1 for block in blocks], np.int64)
    size = sum(map(len, _series_sections("", codes, frames).values()))
    return size * len(crowd.ids) > LARGE * rows[:, tried].shape[1]


def _common(crowd: FilmedCrowd) -> Sections:
    inverse_bind = crowd.character.rig.skeleton.inverse_bind
    return {"ids": np.array(crowd.ids, "<f8"), "inverse_bind": inverse_bind.astype("<f4")}


def _facts(crowd: FilmedCrowd, kind: str) -> Facts:
    skeleton = crowd.character.rig.skeleton
    joints = zip(skeleton.joint_names, skeleton.parents.tolist(), strict=True)
    return {
        "name": crowd.name,
        "kind": kind,
        "actors": len(crowd.ids),
        "capacity": crowd.capacity,
        "method": crowd.skinning,
        "joints": [{"name": name, "parent": parent} for name, parent in joints],
        "entries": [{"joint": joint} for joint in skeleton.skin_joints.tolist()],
        "morphs": crowd.morphs,
        "sample_seconds": crowd.dt,
        "clips": [],
        "arcs": [],
        "near": None,
    }


def _spans(
    crowd: FilmedCrowd, channels: Sequence[Channel], plays: Plays | None, corrector: Corrector | None = None
) -> tuple[Sections, Facts]:
    """Return the sections with the spans of all actors and the keys of their numbers.

    For crowds that play clips, `plays` contains the steps of phases. For recorded poses, the function also gives the
    coded spans to `corrector`.
    """
    basis = None if corrector is None else corrector.basis
    spans: list[Span] = []
    turns: list[list[bool]] = []
    codes: list[list[Code]] = [[] for _ in channels]
    for first, rows, there, poses in _batches(crowd, with_poses=basis is not None):
        own_spans, blocks, own_turns = _cut(crowd, rows, there, first, plays)
        turns += own_turns
        if basis is not None:
            coefficients = basis.coefficients(aligned(poses, basis.mean))
            for number, span in enumerate(own_spans):
                own = coefficients[span.first : span.last + 1, span.actor - first].T
                blocks[number] = np.concatenate([blocks[number], own])
        batch = fitted_blocks(blocks, channels)
        for own_codes, found_codes in zip(codes, batch, strict=True):
            own_codes += found_codes
        if corrector is not None and blocks:
            recorded = (_samples(values, own_spans, first) for values in (rows, poses))
            corrector.check(blocks, batch, *recorded)
        spans += own_spans
    begins, ends = (np.array([getattr(span, name) for span in spans], np.int64) for name in ("first", "last"))
    frames = ends - begins
    sections: Sections = {
        "actor": np.array([span.actor for span in spans], np.uint32),
        "gaps": (begins - np.append(0, ends)[:-1]).astype(np.int32),
        "frames": written_numbers(frames, np.zeros_like(frames)),
        "clips": np.array([span.clips for span in spans], np.uint16).reshape(-1, 2),
        "turns": np.array(turns, np.uint8).reshape(-1, 2),
    }
    return sections | _series_sections("", codes, frames), {"steps": [channel.step for channel in channels]}


def _cut(
    crowd: FilmedCrowd, rows: NDArray[np.float32], there: NDArray[np.bool_], first: int, plays: Plays | None
) -> tuple[list[Span], list[Reals], list[list[bool]]]:
    """Return the spans of actors, the numbers of each span [channel, sample], and whether the phases of both clips
    wrap. `rows` and `there` [sample, actor] are the recorded data. `first` is the number of the first actor.
    """
    spans: list[Span] = []
    blocks: list[Reals] = []
    turns: list[list[bool]] = []
    for actor in range(rows.shape[1]):
        heading = 0.0
        for span in spans_of(rows[:, actor], there[:, actor], first + actor, crowd.dt):
            block = values_of(span, rows[:, actor], heading)
            heading = float(block[HEADING_CHANNEL, -1])
            turns.append(turns_of(span, block))
            if plays is not None:
                block[PHASE_CHANNELS] *= np.array([[plays.fineness(clip)] for clip in span.clips])
            spans.append(span)
            blocks.append(block)
    return spans, blocks, turns


def _samples(values: NDArray[np.float32], spans: Sequence[Span], first: int) -> NDArray[np.float32]:
    """Return the rows of all samples of spans, span by span, from `values` [sample, actor, width]."""
    return np.concatenate([values[span.first : span.last + 1, span.actor - first] for span in spans])


def _batches(
    crowd: FilmedCrowd, *, with_poses: bool
) -> Iterator[tuple[int, NDArray[np.float32], NDArray[np.bool_], NDArray[np.float32]]]:
    """Yield the recorded data in batches of actors. Each item is the number of the first actor, the rows, the presence
    and the poses. With poses, an actor is present only in samples that have its pose.
    """
    width = crowd.places.width + (crowd.poses.width if with_poses else 0)
    size = max(BATCH // (crowd.places.frame_count * width), 1)
    for first in range(0, len(crowd.ids), size):
        end = min(first + size, len(crowd.ids))
        rows, there = crowd.places.read(first, end)
        poses = np.zeros((0, 0, 0), np.float32)
        if with_poses:
            poses, there = crowd.poses.read(first, end)
        yield first, rows, there, poses


def _basis(crowd: FilmedCrowd, rows: NDArray[np.float32]) -> PoseBasis:
    rest = crowd.rest_pose()
    return PoseBasis.fit(aligned(rows, rest) if len(rows) else rest[None], _parents(crowd), crowd.weights(), REST)


def _parents(crowd: FilmedCrowd) -> list[int]:
    return list(crowd.character.rig.skeleton.parents.tolist())


def _basis_sections(basis: PoseBasis) -> Sections:
    return {"mean": basis.mean, "dims": basis.dims, "components": basis.components}


def _series_sections(prefix: str, codes: list[list[Code]], frames: NDArray[np.int64]) -> Sections:
    """Return the sections that store `codes` [channel][series]. `frames` [series] are the numbers of the last
    frames.
    """
    joined = SeriesSet.of([code for own in codes for code in own], np.tile(frames, len(codes)))
    return {f"{prefix}{name}": values for name, values in stored(joined).items()}


def _row_count(duration: float, intervals: int) -> int:
    """Return the number of rows with which the page stores a clip."""
    return 1 if intervals == 0 else 1 + min(intervals, max(round(duration * CLIP_RATE), 1))
