"""Export to SMPL-X poses in .npz files with the arrays of AMASS. Each actor has a file of its own.

The file contains joint rotations relative to the T-pose of SMPL-X. The lengths of bones in the data of SMPL-X are
unknown here. Therefore, the file also contains `rest_joints`: a T-pose with the bone lengths of the actor. Forward
kinematics with `rest_joints` gives the joints of the actor.
"""

import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.frames import frames_of
from ecs_anim.exporting.actors import Actor, actors_of
from ecs_anim.exporting.recording import RecordedCrowd
from ecs_anim.maths import quaternion
from ecs_anim.maths.arc import UP
from ecs_anim.maths.axes import AXES
from ecs_anim.smpl.bodies import SMPL_X
from ecs_anim.support.errors import InputWarning
from ecs_anim.support.pictures import complete_file
from ecs_anim.systems.smpl_poses import Places, SmplFigure

Reals = NDArray[np.floating]
Z_UP = quaternion.from_to(UP, AXES["z"])  # rotation from +Y up to +Z up, the up axis of AMASS
NEAR = 0.01  # [m]; a larger error of a joint causes a warning


def write_smpl(
    crowds: Sequence[RecordedCrowd], frame_rate: int, path: Path, advance: Callable[[int], object]
) -> list[Path]:
    """Write a file for each actor, and return the paths.

    A single actor gets the file `path`. Several actors get files with the names of their crowds and their ids. The
    function `advance` receives the number of newly written actors. Raises InputError for a crowd without humanoids.
    """
    figures = [SmplFigure.of(crowd.character.rig, crowd.name) for crowd in crowds]
    is_single, paths = sum(len(crowd.ids) for crowd in crowds) == 1, []
    for crowd, figure in zip(crowds, figures, strict=True):
        farthest = 0.0
        for actor in (own for actors in actors_of(crowd) for own in actors):
            name = re.sub(r"[^\w-]", "_", crowd.name)
            own = path if is_single else path.with_name(f"{path.stem}_{name}_{actor.id}{path.suffix}")
            arrays, apart = _arrays(figure, actor, frame_rate)
            with complete_file(own) as file:
                np.savez(file, allow_pickle=False, **arrays)
            paths.append(own)
            farthest = max(farthest, apart)
            advance(1)
        if farthest > NEAR:
            warnings.warn(
                f"{path}: crowd {crowd.name!r}: the joints of the SMPL-X poses are up to {100 * farthest:.2g} cm from"
                " the joints of the actors, because SMPL-X has another number of joints in the spine or in the limbs",
                InputWarning,
                stacklevel=4,
            )
    return paths


def _arrays(figure: SmplFigure, actor: Actor, frame_rate: int) -> tuple[dict[str, NDArray[np.generic]], float]:
    """Return the arrays of the file of an actor, from its first to its last frame. Also return the largest error of a
    joint [m].
    """
    moving = frames_of(figure.source.rig.skeleton, actor.pose())
    local, pelvis, errors = figure.poses(moving, Places(actor.translation, actor.rotation, actor.scale))
    local[:, 0] = quaternion.multiply(Z_UP, local[:, 0])
    there = np.flatnonzero(actor.there)
    frames = slice(there[0], there[-1] + 1)
    rest = figure.rest * float(actor.scale[there[0]])
    arrays: dict[str, NDArray[np.generic]] = {
        "poses": quaternion.to_rotation_vector(local[frames]).reshape(-1, SMPL_X).astype(np.float32),
        "trans": (quaternion.rotate(Z_UP, pelvis[frames]) - rest[0]).astype(np.float32),
        "rest_joints": rest.astype(np.float32),
        "betas": np.zeros(16, np.float32),
        "mocap_frame_rate": np.array(float(frame_rate)),
        "gender": np.array("neutral"),
        "surface_model_type": np.array("smplx"),
    }
    return arrays, float(errors.max())
