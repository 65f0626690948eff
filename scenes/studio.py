"""Studio scenes. A studio scene shows one rig on a floor, with a camera that frames the rig in all shown clips."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.maths.elementary import sin_cos
from ecs_anim.roles.facing import measured_facing
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.loader import SceneFile, scene_of
from ecs_anim.scenes.own_motions import with_still_clip
from ecs_anim.scenes.rigs import SMALLEST, TALLEST
from ecs_anim.support.errors import InputError
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.framing import framed

SHOWN = "shown"  # name of the rig, of its model and of its crowd in the scene
PLAIN_HEIGHT = 1.75  # [m], height of a very small or very tall rig
HUMAN = (0.8, 2.5)  # [m], plausible heights of a human
SAMPLES = 12  # number of poses in each clip that the camera frames
LEAST, MOST = 1.5, 6.0  # [s], shortest and longest time for which a clip is shown, if several clips are shown in turn
FADE = 0.25  # [s], fade from clip to clip
NEAR_FLOOR = 0.03  # depth below the floor that is not corrected, as a share of the rig's height
FLOOR = "#b9b4aa"
SOUTH, AZIMUTH, ELEVATION = -90.0, 152.0, 10.0  # [degrees], heading of the rig; azimuth and elevation of the camera

Box = tuple[NDArray[np.float64], NDArray[np.float64]]  # lowest and highest corner [3]


@dataclass(frozen=True)
class Studio:
    """A scene that shows one rig, and the time at which each clip begins."""

    scene: SceneFile
    clips: tuple[str, ...]
    starts: tuple[float, ...]  # [s]
    seconds: float  # time for which all clips are shown once

    def clip_at(self, seconds: float) -> str:
        """Return the name of the clip that the rig plays at a time. Without clips, return an empty name."""
        passed = int(np.searchsorted(self.starts, seconds % self.seconds, side="right"))
        return self.clips[passed - 1] if self.clips else ""


def studio_of(
    rig: Rig, clips: Sequence[str] = (), aspect: float = 16 / 9, points: NDArray[np.float64] | None = None
) -> Studio:
    """Return a studio with a rig that plays the clips `clips` one after another.

    Without clips, the rig is in its rest pose.

    The camera frames `points` [n, 3] [m]. By default, `points` is the result of `points_of`. `aspect` is the width of
    the picture divided by its height. Raises InputError for a rig without meshes or without height.
    """
    points = points_of(rig, clips) if points is None else points
    if not clips:
        rig = with_still_clip(rig.posed(rig.skeleton.rest_pose))
    shown = [rig.clips[name] for name in clips]
    scale, facing, lift = _scale(rig), _facing(rig), _lift(rig)
    spans = [_shown_seconds(clip) for clip in shown] if len(shown) > 1 else [max(clip.duration, 1.0) for clip in shown]
    starts = (0.0, *np.cumsum(spans[:-1]).tolist()) if shown else ()
    total = sum(spans) if shown else 1.0
    data = {
        "title": rig.name,
        "rigs": {
            SHOWN: {
                "model": SHOWN,
                "scale": scale,
                "facing_degrees": math.degrees(facing),
                "ground_offset": scale * lift,
            }
        },
        "camera": _camera(points, aspect),
        "ground": {"kind": "flat", "color": FLOOR, "material": "grid"},
        "crowds": [_crowd(clips)],
        "timeline": _cues(clips, starts, total),
    }
    scene = replace(scene_of(data), label=rig.name, models={SHOWN: rig})
    return Studio(scene, tuple(clips), starts, total)


def points_of(rig: Rig, clips: Sequence[str] = ()) -> NDArray[np.float64]:
    """Return the corners [8, 3] [m] of a box that contains the rig of a studio, in its rest pose and in all clips."""
    scale = _scale(rig)
    corners = _corners(rig, [rig.clips[name] for name in clips], _facing(rig))
    return scale * (corners + np.array([0.0, _lift(rig), 0.0]))


def height_of(rig: Rig) -> float:
    """Return the height of a rig in its rest pose [rig units]. Raises InputError for a rig without a height."""
    if not rig.meshes:
        raise InputError(f"{rig.name}: the model must have triangles to draw. Name another model")
    low, high = rest_bounds(rig)
    height = float(high[1] - low[1])
    if not (math.isfinite(height) and height > 0):
        raise InputError(
            f"{rig.name}: the height of the model must be more than 0 (got {height:g}). Name another model"
        )
    return height


def is_plausible(rig: Rig) -> bool:
    """Return whether the height of a rig is plausible in metres. For humans, the range of plausible heights is narrower
    than for other bodies.
    """
    low, high = HUMAN if find_roles(rig).is_humanoid else (SMALLEST, TALLEST)
    return low <= height_of(rig) <= high


def _scale(rig: Rig) -> float:
    """Return the scale of the rig in the studio: 1 for plausible heights.

    For a very small or a very tall rig, the scale gives the rig the height `PLAIN_HEIGHT`.
    """
    height = height_of(rig)
    return 1.0 if SMALLEST <= height <= TALLEST else PLAIN_HEIGHT / height


def _facing(rig: Rig) -> float:
    """Return the direction [rad] in which the rig faces, from +Z towards +X."""
    return rig.avatar.facing if rig.avatar is not None else measured_facing(rig) or 0.0


def _lift(rig: Rig) -> float:
    """Return the distance [rig units] by which the studio raises the rig so that its rest pose is above the floor.

    If a rig reaches only a little below the floor, return 0, because soles often lie slightly below the floor.
    """
    low, high = (float(corner[1]) for corner in rest_bounds(rig))
    return -low if -low > NEAR_FLOOR * (high - low) else 0.0


def _crowd(clips: Sequence[str]) -> dict[str, Any]:
    first = {} if not clips else {"clip_choice": "in_turn", "clips": [{"name": name, "phase": 0.0} for name in clips]}
    return {"name": SHOWN, "rig": SHOWN, "count": 1, "heading_degrees": SOUTH, **first}


def _cues(clips: Sequence[str], starts: Sequence[float], total: float) -> list[dict[str, Any]]:
    """Return a cue for each clip. The cues repeat, so that a window shows all clips again and again."""
    if len(clips) < 2:
        return []
    times = [total, *starts[1:]]
    return [
        {"at_seconds": time, "every_seconds": total, "fade_to": name, "fade_seconds": FADE}
        for name, time in zip(clips, times, strict=True)
    ]


def _shown_seconds(clip: Clip) -> float:
    """Return the display time [s] of a clip.

    The clip repeats until the display time is at least `LEAST` seconds. The display time is at most `MOST` seconds.
    """
    if clip.duration <= 0:
        return LEAST
    return min(clip.duration * math.ceil(LEAST / clip.duration), MOST)


def _camera(points: NDArray[np.float64], aspect: float) -> dict[str, Any]:
    size = float(np.ptp(points, axis=0).max())
    camera = OrbitCamera(azimuth=math.radians(AZIMUTH), elevation=math.radians(ELEVATION))
    camera = framed(camera, points, aspect, nearest=0.5 * size, clear=0.25 * size)
    return {
        "target": camera.target.tolist(),
        "distance": camera.distance,
        "azimuth_degrees": AZIMUTH,
        "elevation_degrees": ELEVATION,
    }


def _corners(rig: Rig, clips: Sequence[Clip], facing: float) -> NDArray[np.float64]:
    """Return the corners [8, 3] [rig units] of a box that contains a rig in all poses of the clips.

    The rig faces +Z.
    """
    low, high = _bounds(rig, clips)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    sine, cosine = sin_cos(facing)
    x, z = corners[:, 0].copy(), corners[:, 2].copy()
    corners[:, 0], corners[:, 2] = cosine * x - sine * z, sine * x + cosine * z
    return corners


def _bounds(rig: Rig, clips: Sequence[Clip]) -> Box:
    """Return a box [rig units] that contains the rig in its rest pose, and in poses of its clips.

    The function estimates the distance from each joint to the surface of the mesh from the rest pose.
    """
    low, high = (corner.astype(np.float64) for corner in rest_bounds(rig))
    rest = model_matrices(rig.skeleton, rig.skeleton.rest_pose)[..., 3].astype(np.float64)
    below, above = np.maximum(rest.min(axis=0) - low, 0), np.maximum(high - rest.max(axis=0), 0)
    for clip in clips:
        times = np.linspace(clip.start, clip.end, SAMPLES)
        points = model_matrices(rig.skeleton, clip.sample(times, loop=False))[..., 3].reshape(-1, 3)
        low, high = np.minimum(low, points.min(axis=0) - below), np.maximum(high, points.max(axis=0) + above)
    return low, high
