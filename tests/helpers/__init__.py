"""Helpers for several tests: folders of real characters, small rigs, random rotations."""

from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from _pytest.mark import ParameterSet
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, MotionSet, build_motion_set
from ecs_anim.runtime.phase_sync import touchdowns
from ecs_anim.runtime.records import FadeQueue, Placement
from tests.characters import OWN

FEW = 12 if numba.config.DISABLE_JIT else None  # limit of actors, because uncompiled kernels would take minutes
SHARED = Path(__file__).resolve().parents[3] / "shared"
ASSETS, GOLDEN, TRAJECTORIES, MOTIONS = (SHARED / name for name in ("assets", "golden", "trajectories", "motions"))

EXHAUSTIVE = pytest.mark.exhaustive
# Scenes of daily tests; exhaustive tests load all shipped scenes.
DAILY = ("crossing", "foot_course", "hills", "morph", "plaza", "throng")
# For tests of compilation. `.ci/run` runs all tests compiled, and some tests without compilation too.
needs_compiler = pytest.mark.skipif(FEW is not None, reason="NUMBA_DISABLE_JIT: nothing is compiled")
needs_assets = pytest.mark.skipif(not ASSETS.is_dir(), reason="../shared/assets, the real characters, is not here")
needs_golden = pytest.mark.skipif(not GOLDEN.is_dir(), reason="../shared/golden, the reference numbers, is not here")
needs_trajectories = pytest.mark.skipif(
    not TRAJECTORIES.is_dir(), reason="../shared/trajectories, what people recorded, is not here"
)
needs_motions = pytest.mark.skipif(not MOTIONS.is_dir(), reason="../shared/motions, clips from elsewhere, is not here")


def some(cases: Iterable[Any], *daily: str) -> list[Any]:
    """Return the cases of a test. Cases that are not in `daily` run only with `--exhaustive`."""
    found = [case if isinstance(case, ParameterSet) else pytest.param(case, id=str(case)) for case in cases]
    unknown = {*daily} - {case.id for case in found}
    assert not unknown, f"no cases are called {unknown}"
    return [case if case.id in daily else case._replace(marks=[*case.marks, EXHAUSTIVE]) for case in found]


def real(*names: str, folder: Path = ASSETS) -> list[Any]:
    """Return paths of files in ../shared/assets or another folder, as test parameters.

    Without the folder, return no paths.
    """
    odd = pytest.mark.filterwarnings("ignore:.*drawn without the texture")
    return [pytest.param(str(folder / name), id=name, marks=odd) for name in names if folder.is_dir()]


def characters(*names: str) -> list[Any]:
    """Return paths of built-in characters and of the named real characters, as test parameters."""
    return [*(pytest.param(str(path), id=path.name) for path in OWN), *real(*names)]


def called(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls a helper of kernels as a kernel does. Python cannot call such a helper directly."""
    if getattr(function, "targetoptions", {}).get("inline") == "always":  # Python can call this helper directly
        return function
    return numba.njit(lambda *arguments: function(*arguments))


def called_in(module: ModuleType) -> SimpleNamespace:
    """Return all helpers of a kernel module, each as returned by `called`."""
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    return SimpleNamespace(**{name: called(function) for name, function in own.items()})


def to_4x4(matrices: np.ndarray) -> np.ndarray:
    """Return affine matrices [..., 3, 4] with their last row, as [..., 4, 4]."""
    last = np.broadcast_to(np.array([0, 0, 0, 1], matrices.dtype), (*matrices.shape[:-2], 1, 4))
    return np.concatenate([matrices, last], axis=-2)


def contact_phases(clip: Clip) -> np.ndarray:
    """Return the phases at which a foot touches down in a clip, in rising order. Raises ValueError if there is none."""
    return np.array([phase for phase, _ in touchdowns(clip)])


def vectors(bound: float = 100.0, count: tuple[int, ...] = (3,)) -> st.SearchStrategy[np.ndarray]:
    """Return a strategy for finite float64 arrays within +-`bound`."""
    return arrays(np.float64, count, elements=st.floats(-bound, bound, allow_subnormal=False))


def rotations() -> st.SearchStrategy[np.ndarray]:
    """Return a strategy for unit quaternions [4] in float64."""
    return vectors(1.0, (4,)).filter(lambda q: np.linalg.norm(q) > 1e-2).map(quaternion.normalize)


def random_rotations(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Return unit quaternions [*shape, 4] in float32 with a uniform distribution."""
    return quaternion.normalize(rng.normal(size=(*shape, 4))).astype(np.float32)


def random_skeleton(rng: np.random.Generator, joint_count: int, palette_count: int | None = None) -> Skeleton:
    """Return a random skeleton with deep chains, non-uniform scales and independent inverse bind matrices."""
    parents = np.array([-1, *(rng.integers(max(0, j - 4), j) for j in range(1, joint_count))], np.int32)
    rest = Pose(
        rng.normal(size=(joint_count, 3)).astype(np.float32),
        random_rotations(rng, joint_count),
        rng.uniform(0.8, 1.2, (joint_count, 3)).astype(np.float32),
    )
    entries = palette_count or joint_count
    return Skeleton(
        tuple(f"joint_{j}" for j in range(joint_count)),
        parents,
        rest,
        rng.integers(0, joint_count, entries).astype(np.int32),
        rng.normal(size=(entries, 3, 4)).astype(np.float32),
    )


def random_clip(rng: np.random.Generator, skeleton: Skeleton, name: str = "clip", key_count: int = 13) -> Clip:
    """Return a clip. Most joints rotate smoothly, one joint translates, and one joint scales."""
    times = (0.5 + np.arange(key_count) / 30).astype(np.float32)
    sway = np.sin(np.linspace(0, 2 * np.pi, key_count))
    tracks = []
    for joint in range(0, skeleton.joint_count, 1):
        if joint % 5 == 3:
            continue  # the joint stays in its rest pose
        axis = rng.normal(size=3)
        turn = quaternion.from_axis_angle(axis / np.linalg.norm(axis), 0.5 * sway)
        values = quaternion.multiply(skeleton.rest_pose.rotation[joint], turn).astype(np.float32)
        tracks.append(Track(joint, "rotation", "LINEAR", times, values))
    tracks.append(Track(0, "translation", "LINEAR", times, rng.normal(size=(key_count, 3)).astype(np.float32)))
    last = skeleton.joint_count - 1
    tracks.append(Track(last, "scale", "LINEAR", times, rng.uniform(0.5, 2, (key_count, 3)).astype(np.float32)))
    return Clip(name, skeleton, tuple(tracks), float(times[0]), float(times[-1]))


def clip_motions(
    clips: list[Clip], *, loops: bool = True, velocity: tuple[float, float] = (0.0, 0.0), turn: float = 0.0
) -> MotionSet:
    """Return a set with one motion for each clip."""
    motions = [Motion(clip.name, (Member(clip, velocity, turn=turn),), loops) for clip in clips]
    return build_motion_set(motions, build_tables(clips[0].skeleton, clips), ())


def as_spaces(motions: MotionSet) -> MotionSet:
    """Return these motions as blend spaces of one clip each, so that kernels take their general path."""
    spaces = [Motion(m.name, m.members, m.loops, ("any",)) for m in motions.motions]
    return build_motion_set(spaces, motions.tables, ("any",))


def one_motion(motion: Any, phase: Any, speed: float = 1.0) -> FadeQueue:
    """Return the fade queue of actors that each play one motion, beginning at phases [actor]."""
    numbers = np.asarray(phase, np.float32)[:, None].copy()
    motions = np.broadcast_to(np.asarray(motion, np.int32), len(numbers))[:, None].copy()
    still, ones = np.zeros_like(numbers), np.ones(len(numbers), np.int32)
    return FadeQueue(ones, motions, numbers, np.full_like(numbers, speed), still, still.copy())


def upright(translation: np.ndarray, scale: Any = 1.0) -> Placement:
    """Return the placement of unrotated actors at positions [actor, 3]."""
    rotation = np.tile(np.float32([0, 0, 0, 1]), (len(translation), 1))
    return Placement(translation, rotation, np.full(len(translation), scale, np.float32))


def random_playback(rng: np.random.Generator, motion_count: int, actor_count: int, slots: int = 4) -> FadeQueue:
    """Return the fade queue of actors that are in the middle of fades."""
    shape = (actor_count, slots)
    return FadeQueue(
        rng.integers(1, slots + 1, actor_count).astype(np.int32),
        rng.integers(0, motion_count, shape).astype(np.int32),
        rng.random(shape).astype(np.float32),
        rng.uniform(-2, 2, shape).astype(np.float32),
        rng.uniform(0, 0.5, shape).astype(np.float32),
        rng.uniform(0, 1, shape).astype(np.float32),
    )
