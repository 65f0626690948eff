"""SHA-256 digests of skeletons and of the inputs of bakes."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.bake.options import BakeOptions

RECIPE = 2  # version of the row algorithm; a higher number invalidates cached bakes


def skeleton_signature(skeleton: Skeleton) -> str:
    """Return a SHA-256 digest of a skeleton in hexadecimal digits.

    The input is the joint names, the parent joints, the rest pose and the skin binding.
    """
    rest = skeleton.rest_pose
    arrays = (rest.translation, rest.rotation, rest.scale, skeleton.inverse_bind)
    return _digest(
        [list(skeleton.joint_names)],
        [
            *(_bytes(array, "<f4") for array in arrays),
            *(_bytes(a, "<i4") for a in (skeleton.parents, skeleton.skin_joints)),
        ],
    )


def content_key(skeleton: Skeleton, clips: Sequence[Clip], options: BakeOptions, size: float) -> str:
    """Return a SHA-256 digest of all inputs of a bake in hexadecimal digits."""
    rate = None if options.rate is None else float(options.rate)
    asked = [options.space, options.number_format, rate, float(options.error_mm), options.rotation_only]
    facts = [RECIPE, skeleton_signature(skeleton), asked, float(size)]
    told = [[clip.name, float(clip.start), float(clip.end), dict(clip.extras), _track_facts(clip)] for clip in clips]
    keys = (_bytes(a, "<f4") for clip in clips for track in clip.tracks for a in (track.times, track.values))
    return _digest([facts, told], keys)


def _track_facts(clip: Clip) -> list[list[object]]:
    return [[track.joint_index, track.path, track.interpolation, len(track.times)] for track in clip.tracks]


def _digest(facts: object, arrays: Iterable[bytes]) -> str:
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode("ascii"))
    for data in arrays:
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _bytes(array: NDArray[Any], dtype: str) -> bytes:
    return np.ascontiguousarray(array, dtype).tobytes()
