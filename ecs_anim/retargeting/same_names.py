"""Conversion of clips between skeletons with equal joint names."""

from dataclasses import replace

import numpy as np

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.morphs import NO_TARGETS, MorphTargets, MorphTrack
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.support.errors import InputError, nearest


def by_names(
    clip: Clip, skeleton: Skeleton, morph_targets: MorphTargets = NO_TARGETS, *, partly: bool = False, unlike: str = ""
) -> Clip:
    """Return the clip for `skeleton`. Each track moves the joint of `skeleton` with the same name.

    Key values do not change. Joints without a track keep the rest pose of `skeleton`. A weight track moves the morph
    targets in `morph_targets` with the same names. If `morph_targets` does not contain a morph target of `clip`, the
    function omits the weights of this morph target. If an animated joint of `clip` is not in `skeleton`, the function
    raises InputError. With `partly`, the function omits the tracks of joints that `skeleton` does not contain, and
    raises no error. `unlike` is a text for the error message. This text states why the program cannot match joints by
    role.
    """
    joints = {name: joint for joint, name in enumerate(skeleton.joint_names)}
    tracks = []
    for track in clip.tracks:
        name = clip.skeleton.joint_names[track.joint_index]
        if name not in joints and partly:
            continue
        if name not in joints:
            guess, reason = nearest(name, joints), f"; {unlike}" if unlike else ""
            hint = f";{guess}" if guess else "."
            raise InputError(
                f"clip {clip.name!r}: the skeleton of {skeleton.joint_count} joints lacks the animated joint"
                f" {name!r}{hint} Use two skeletons with equal joint names, or two humanoids with all roles (see"
                f" `ecs-anim inspect --roles`){reason}"
            )
        tracks.append(replace(track, joint_index=joints[name]))
    return replace(
        clip,
        skeleton=skeleton,
        tracks=tuple(tracks),
        morph_targets=morph_targets,
        morph_tracks=moved_morphs(clip, morph_targets),
    )


def moved_morphs(clip: Clip, to: MorphTargets) -> tuple[MorphTrack, ...]:
    """Return the weight tracks of a clip for the morph targets in `to`. The function matches morph targets by name."""
    return tuple(_moved(track, clip.morph_targets, to) for track in clip.morph_tracks)


def _moved(track: MorphTrack, source: MorphTargets, to: MorphTargets) -> MorphTrack:
    """Return the track for the morph targets in `to`, matched by name.

    If two morph targets of `source` share a name, the function uses the first of the two morph targets.
    """
    own = [source.names[column] for column in track.columns]
    columns = [column for column, name in enumerate(to.names) if name in own]
    picked = [own.index(to.names[column]) for column in columns]
    curve = replace(track.curve, values=np.ascontiguousarray(track.curve.values[..., picked]))
    return MorphTrack(np.array(columns, np.int32), curve)
