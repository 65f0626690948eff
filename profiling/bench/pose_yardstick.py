"""A reference program in plain C that computes poses, for the benchmark `pose`. The program needs a C compiler."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.ecs.world import World
from ecs_anim.runtime.clip_table import ClipTables

SOURCE = Path(__file__).with_suffix(".c")
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")
CLOSE = 1e-3  # largest allowed difference, divided by the largest number in the palettes


class PlainC:
    """The C program for a crowd with one blend space of two clips.

    The program uses one thread, and computes all channels of all joints.

    Raises RuntimeError if no compiler is installed or if the compiler fails.
    """

    def __init__(self, world: World) -> None:
        self._pose = _compile()
        ((_, (character, playback, parameters)),) = world.query(Character, Playback, Parameters)
        self._playback, self._parameters = playback, parameters
        tables, skeleton = character.motions.tables, character.rig.skeleton
        self._rows = [_joint_rows(tables, clip) for clip in (0, 1)]
        self._parents = np.ascontiguousarray(skeleton.parents, np.int32)
        self._skin_joints = np.ascontiguousarray(skeleton.skin_joints, np.int32)
        self._inverse_bind = np.ascontiguousarray(skeleton.inverse_bind.reshape(-1, 12))
        self._model = np.empty((skeleton.joint_count, 12), np.float32)
        self._out = np.empty((len(playback.phase), skeleton.palette_count, 12), np.float32)

    def frame(self) -> None:
        """Compute the poses of all actors at their current phases."""
        phase = np.ascontiguousarray(self._playback.phase[:, 0])
        share = np.ascontiguousarray(self._parameters.value[:, 0])
        self._pose(
            _of(self._rows[0]),
            len(self._rows[0]) - 1,
            _of(self._rows[1]),
            len(self._rows[1]) - 1,
            len(self._parents),
            _of(self._parents),
            len(self._skin_joints),
            _of(self._skin_joints),
            _of(self._inverse_bind),
            len(phase),
            _of(phase),
            _of(share),
            _of(self._model),
            _of(self._out),
        )

    def check(self, palettes: NDArray[np.float32]) -> None:
        """Compute the poses of all actors.

        Raise RuntimeError if the palettes of the C program differ from the palettes of the crowd.
        """
        self.frame()
        apart = float(np.abs(self._out.reshape(palettes.shape) - palettes).max() / np.abs(palettes).max())
        if apart > CLOSE:
            raise RuntimeError(
                f"the palettes of the C program must equal the palettes of the crowd (relative difference {apart:g})"
            )


def _compile() -> Any:
    compiler = shutil.which("cc")
    if compiler is None or not SOURCE.exists():
        raise RuntimeError("there is no C compiler `cc`" if compiler is None else f"{SOURCE.name} is not installed")
    with TemporaryDirectory() as folder:
        library = Path(folder) / "yardstick.so"
        run = subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(library), "-lm"], capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"{compiler} failed: {run.stderr.strip().splitlines()[-1]}")
        function = ctypes.CDLL(str(library)).pose_crowd
    kinds: list[Any] = [{"p": ctypes.c_void_p, "i": ctypes.c_int}[kind] for kind in "pipiipippipppp"]
    function.argtypes = kinds
    function.restype = None
    return function


def _joint_rows(tables: ClipTables, clip: int) -> NDArray[np.float32]:
    """Return the table rows of a clip for all joints [interval_count + 1, joint, 10]: rotation, translation, scale."""
    pose = tables.layout.unpack(tables.clip_rows(clip))
    return np.ascontiguousarray(np.concatenate([pose.rotation, pose.translation, pose.scale], axis=-1), np.float32)


def _of(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)
