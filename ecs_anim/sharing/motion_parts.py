"""The sections of a shared file that move: positions, clips and poses of all actors."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.sharing.filming import FilmedCrowd
from ecs_anim.sharing.pose_basis import PoseBasis, aligned
from ecs_anim.sharing.series import Channel, Keys, Reals, fitted_blocks, packed
from ecs_anim.sharing.spans import Span, channels_of, spans_of, turns_of, values_of

BATCH = 1 << 25  # numbers in memory: samples times actors times numbers of a row
PROBES = 20_000  # largest number of poses that define a basis
CLIP_RATE = 60  # [1/s], rate of clip rows in the page
# Tolerances, as roots of mean squares: places [m], turns [rad], phases [cycles], poses [m] per component.
PLAYED = {"place": 4e-3, "turn": 1e-2, "scale": 2e-4, "phase": 3e-3, "fade": 1e-2, "morph": 1e-2}
POSED = PLAYED | {"place": 4e-4, "turn": 1e-3, "pose": 2.5e-3}
CLIP = Channel("pose", 3e-4, 2e-4)  # components of the poses of clips
REST = 5e-4  # tolerance for all omitted components together

Sections = dict[str, NDArray[Any]]
Facts = dict[str, Any]


def motion_sections(crowds: Sequence[FilmedCrowd], samples: int, dt: float) -> tuple[Sections, Facts]:
    """Return the sections of recorded crowds, and the JSON value that describes the crowds.

    `samples` is the number of recorded samples, and `dt` [s] separates two samples.
    """
    sections, described = Sections(), []
    for number, crowd in enumerate(crowds):
        own, facts = _posed(crowd, dt) if crowd.is_posed else _played(crowd, dt)
        skeleton = crowd.character.rig.skeleton
        own |= {"ids": np.array(crowd.ids, "<f8"), "inverse_bind": skeleton.inverse_bind.astype("<f4")}
        described.append(_facts(crowd) | facts)
        sections |= {f"motion/{number}/{name}": values for name, values in own.items()}
    return sections, {"samples": samples, "sample_seconds": dt, "seconds": (samples - 1) * dt, "crowds": described}


def _posed(crowd: FilmedCrowd, dt: float) -> tuple[Sections, Facts]:
    """Return the sections of a crowd with recorded poses."""
    stride = max(crowd.places.frame_count * len(crowd.ids) // PROBES, 1)
    probes = [np.zeros((0, crowd.poses.width), np.float32)]
    probes += [poses[there][::stride] for _, _, there, poses in _batches(crowd)]
    basis = _basis(crowd, np.concatenate(probes))
    sections, facts = _spans(crowd, dt, basis)
    return sections | _basis_sections(basis), facts | {"components": basis.count}


def _played(crowd: FilmedCrowd, dt: float) -> tuple[Sections, Facts]:
    """Return the sections of a crowd that plays clips."""
    sections, facts = _spans(crowd, dt, None)
    clips = np.unique(sections["clips"]).tolist()
    poses = [crowd.clip_poses(clip) for clip in clips]
    basis = _basis(crowd, np.concatenate([np.zeros((0, crowd.poses.width), np.float32), *poses]))
    values = [basis.coefficients(aligned(own, basis.mean)).T for own in poses]
    sections |= _key_sections("clip_", fitted_blocks(values, [CLIP] * basis.count)) | _basis_sections(basis)
    tables = crowd.character.motions.tables
    rows = [_row_count(float(tables.duration[clip]), int(tables.interval_count[clip])) for clip in clips]
    named = [
        {"number": clip, "name": tables.clips[clip].name, "rows": count}
        for clip, count in zip(clips, rows, strict=True)
    ]
    return sections, facts | {"components": basis.count, "clips": named, "clip_step": CLIP.step}


def _facts(crowd: FilmedCrowd) -> Facts:
    skeleton = crowd.character.rig.skeleton
    joints = zip(skeleton.joint_names, skeleton.parents.tolist(), strict=True)
    return {
        "name": crowd.name,
        "kind": "posed" if crowd.is_posed else "played",
        "actors": len(crowd.ids),
        "capacity": crowd.capacity,
        "method": crowd.skinning,
        "joints": [{"name": name, "parent": parent} for name, parent in joints],
        "entries": [{"joint": joint} for joint in skeleton.skin_joints.tolist()],
        "morphs": crowd.morphs,
        "clips": [],
    }


def _spans(crowd: FilmedCrowd, dt: float, basis: PoseBasis | None) -> tuple[Sections, Facts]:
    """Return the sections with the spans of all actors and the keys of their numbers."""
    tolerances, components = (PLAYED, 0) if basis is None else (POSED, basis.count)
    channels = channels_of(tolerances, crowd.morphs, components)
    spans: list[Span] = []
    turns: list[list[bool]] = []
    parts: list[list[Keys]] = []
    for first, rows, there, poses in _batches(crowd):
        blocks: list[Reals] = []
        coefficients = None if basis is None else basis.coefficients(aligned(poses, basis.mean))
        for own in range(rows.shape[1]):
            found = spans_of(rows[:, own], there[:, own], first + own, dt)
            spans += found
            for span in found:
                block = values_of(span, rows[:, own])
                turns.append(turns_of(span, block))
                if coefficients is not None:
                    block = np.concatenate([block, coefficients[span.first : span.last + 1, own].T])
                blocks.append(block)
        parts.append(fitted_blocks(blocks, channels))
    keys = [Keys.joined([part[number] for part in parts]) for number in range(len(channels))]
    sections: Sections = {
        "actor": np.array([span.actor for span in spans], np.uint32),
        "first": np.array([span.first for span in spans], np.uint32),
        "last": np.array([span.last for span in spans], np.uint32),
        "clips": np.array([span.clips for span in spans], np.uint16).reshape(-1, 2),
        "turns": np.array(turns, np.uint8).reshape(-1, 2),
    }
    return sections | _key_sections("", keys), {"steps": [channel.step for channel in channels]}


def _batches(crowd: FilmedCrowd) -> Iterator[tuple[int, NDArray[np.float32], NDArray[np.bool_], NDArray[np.float32]]]:
    """Yield the number of the first actor, rows, presence and poses of some actors at a time."""
    width = crowd.places.width + (crowd.poses.width if crowd.is_posed else 0)
    size = max(BATCH // (crowd.places.frame_count * width), 1)
    for first in range(0, len(crowd.ids), size):
        end = min(first + size, len(crowd.ids))
        rows, there = crowd.places.read(first, end)
        poses = crowd.poses.read(first, end)[0] if crowd.is_posed else np.zeros((0, 0, 0), np.float32)
        yield first, rows, there, poses


def _basis(crowd: FilmedCrowd, rows: NDArray[np.float32]) -> PoseBasis:
    rest, parents = crowd.rest_pose(), crowd.character.rig.skeleton.parents.tolist()
    return PoseBasis.fit(aligned(rows, rest) if len(rows) else rest[None], parents, crowd.weights(), REST)


def _basis_sections(basis: PoseBasis) -> Sections:
    return {"mean": basis.mean, "dims": basis.dims, "components": basis.components}


def _key_sections(prefix: str, keys: list[Keys]) -> Sections:
    """Return the sections of keys. The series of the first channel come first."""
    joined = Keys.joined(keys)
    low, high = packed(joined)
    return {f"{prefix}counts": joined.counts.astype(np.uint32), f"{prefix}low": low, f"{prefix}high": high}


def _row_count(duration: float, intervals: int) -> int:
    """Return the number of rows of a clip in the page, from its start to its end."""
    return 1 if intervals == 0 else 1 + min(intervals, max(round(duration * CLIP_RATE), 1))
