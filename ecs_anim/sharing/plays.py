"""The steps with which a shared file stores the phases of clips, and the fades in which joints must turn."""

import numpy as np

from ecs_anim.sharing.filming import FilmedCrowd
from ecs_anim.sharing.pose_basis import aligned, model_points

# [m / cycle]; if a joint moves faster in a clip, the step of the clip's phases is smaller in proportion
FAST = 4.0
# Error of a blend of matrices that needs a blend of poses [m], and number of tested phases.
ARC, ARC_PHASES = 0.1, 16


class Plays:
    """The clips of a recorded crowd, for the storage of their phases and fades."""

    def __init__(self, crowd: FilmedCrowd) -> None:
        self._crowd = crowd
        self._parents = crowd.character.rig.skeleton.parents.tolist()
        self._fineness: dict[int, float] = {}

    def fineness(self, clip: int) -> float:
        """Return the number of steps of a clip's phases per step of the channel."""
        if clip not in self._fineness:
            poses = self._crowd.clip_poses(clip)
            moved = np.linalg.norm(np.diff(model_points(poses, self._parents), axis=0), axis=-1).max(initial=0)
            speed = self._crowd.size * float(moved) * (len(poses) - 1)
            self._fineness[clip] = max(speed / FAST, 1.0)
        return self._fineness[clip]

    def is_arc(self, clips: tuple[int, int]) -> bool:
        """Return whether two clips differ so much that joints must turn in fades between these clips."""
        poses = [self._crowd.clip_poses(clip) for clip in clips]
        one, other = (own[np.linspace(0, len(own) - 1, ARC_PHASES).astype(int)] for own in poses)
        middle = model_points((one + aligned(other, one)) / 2, self._parents)
        blended = (model_points(one, self._parents) + model_points(other, self._parents)) / 2
        return bool(self._crowd.size * np.linalg.norm(blended - middle, axis=-1).max() > ARC)
