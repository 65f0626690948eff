"""The messages of a pose stream: one description of the crowds, and one frame after each step.

The description is JSON. A frame is binary and little-endian, and each array in it is aligned to 8 bytes:

    magic "EAPOSES1", u64 step, f64 seconds
    for each crowd: u32 actors, u32 joints, i64 ids [actor], f32 joints [actor, joint, 7], zero bytes to a multiple of 8

The 7 numbers of a joint are its position x, y, z [m] and its unit quaternion x, y, z, w in world space.
"""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.maths import quaternion
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.systems.joints import joint_matrices
from ecs_anim.systems.queries import stage_of

MAGIC = b"EAPOSES1"
HEAD = np.dtype([("magic", "S8"), ("step", "<u8"), ("seconds", "<f8")])
CROWD = np.dtype([("actors", "<u4"), ("joints", "<u4")])
JOINT = 7  # numbers per joint
ALIGNED = 8  # [bytes]


@dataclass(frozen=True)
class CrowdPoses:
    """The actors of one crowd in a frame. The arrays are views of the message."""

    name: str
    ids: NDArray[np.int64]  # [actor]
    positions: NDArray[np.float32]  # [actor, joint, 3], [m], x east, y up, z south
    rotations: NDArray[np.float32]  # [actor, joint, 4], unit quaternions x, y, z, w, from joint space to world space


@dataclass(frozen=True)
class PoseFrame:
    """The poses of all actors after one step."""

    step: int  # number of the frame in the stream, from 0
    seconds: float  # time of the world [s]
    crowds: tuple[CrowdPoses, ...]  # in the order of the description

    @checked
    def crowd(self, name: str) -> CrowdPoses:
        """Return the poses of the crowd `name`. Raises InputError if the frame has no such crowd."""
        for own in self.crowds:
            if own.name == name:
                return own
        raise InputError(f"crowd {name!r}: the stream has no such crowd. Its crowds are {names_of(self.crowds)}.")


def names_of(crowds: tuple[CrowdPoses, ...]) -> str:
    return ", ".join(repr(own.name) for own in crowds)


def description_of(world: World) -> bytes:
    """Return the description of the crowds of a world, as JSON in UTF-8."""
    stage = stage_of(world)
    crowds = [_described(crowd.name, character) for _, (crowd, character) in world.query(Crowd, Character)]
    text = {"format": "ecs-anim poses", "version": 1, "title": stage.title, "step_seconds": 1 / stage.frame_rate}
    return json.dumps({**text, "crowds": crowds}).encode()


def _described(name: str, character: Character) -> dict[str, Any]:
    skeleton = character.rig.skeleton
    return {"name": name, "joints": list(skeleton.joint_names), "parents": skeleton.parents.tolist()}


def frame_of(world: World, step: int) -> bytes:
    """Return the frame message of a world after its last step. `step` is the number of the frame."""
    parts = [np.array((MAGIC, step, world.time), HEAD).tobytes()]
    for entity, (crowd, _) in world.query(Crowd, Character):
        parts += _crowd_parts(crowd, joint_matrices(world, entity, np.arange(crowd.actor_count, dtype=np.int32)))
    return b"".join(parts)


def _crowd_parts(crowd: Crowd, matrices: NDArray[np.float64]) -> list[bytes]:
    turns = quaternion.from_scaled_matrix(matrices[..., :3])
    joints = np.concatenate([matrices[..., 3], turns], axis=-1).astype("<f4").tobytes()
    head = np.array(matrices.shape[:2], "<u4").tobytes()
    return [head, crowd.ids.astype("<i8").tobytes(), joints, bytes(-len(joints) % ALIGNED)]


@checked
def read_frame(description: bytes, frame: bytes) -> PoseFrame:
    """Read a frame message. `description` is the first message of the stream.

    Raises InputError if the messages are damaged or do not belong together.
    """
    names = _names(description)
    if len(frame) < HEAD.itemsize or frame[:8] != MAGIC:
        raise InputError(f"pose stream: a frame must begin with {MAGIC.decode()} (got {bytes(frame[:8])!r}).")
    head = np.frombuffer(frame, HEAD, 1)[0]
    crowds, place = [], HEAD.itemsize
    for name in names:
        own, place = _crowd_at(name, frame, place)
        crowds.append(own)
    if place != len(frame):
        raise InputError(f"pose stream: a frame of these crowds must have {place} bytes (got {len(frame)}).")
    return PoseFrame(int(head["step"]), float(head["seconds"]), tuple(crowds))


def _names(description: bytes) -> list[str]:
    """Return the names of the crowds in a description."""
    try:
        read = json.loads(description)
        if read["format"] == "ecs-anim poses" and read["version"] == 1:
            return [str(own["name"]) for own in read["crowds"]]
    except (ValueError, KeyError, TypeError):
        pass
    raise InputError('pose stream: the description must be JSON with the format "ecs-anim poses", version 1.')


def _crowd_at(name: str, frame: bytes, place: int) -> tuple[CrowdPoses, int]:
    """Return the crowd that begins at byte `place` of a frame, and the place after the crowd."""
    if place + CROWD.itemsize > len(frame):
        raise InputError(f"pose stream: the frame ends before the crowd {name!r}.")
    actors, joints = map(int, np.frombuffer(frame, CROWD, 1, place)[0])
    ids_at = place + CROWD.itemsize
    joints_at = ids_at + 8 * actors
    numbers = actors * joints * JOINT
    end = joints_at + 4 * numbers
    if end > len(frame):
        raise InputError(f"pose stream: the frame ends in the crowd {name!r}.")
    ids = np.frombuffer(frame, "<i8", actors, ids_at)
    values = np.frombuffer(frame, "<f4", numbers, joints_at).reshape(actors, joints, JOINT)
    return CrowdPoses(name, ids, values[..., :3], values[..., 3:]), end + -end % ALIGNED
