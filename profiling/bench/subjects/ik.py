"""Times of inverse kinematics for several solvers and chain lengths, with and without joint limits.

The initial poses of the chains are random. The target of a chain is the position of the chain's end in another random
pose within the joint limits. In chains with limits, every second joint is a hinge, and the remaining joints are ball
joints.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ik.arrays import CCD, FABRIK, FREE, TWO_BONE, chain_arrays
from ecs_anim.ik.chain import find_chain
from ecs_anim.ik.limits import BallLimit, HingeLimit, Limit
from ecs_anim.kernels.frames import read_models
from ecs_anim.kernels.reach import new_room, reach
from ecs_anim.kernels.stages import Blocks, StageMemory, in_order, run_blocks
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.rigs.simple_rigs import chain_rig

Array = NDArray[np.float32]

METHODS = {"ccd": CCD, "fabrik": FABRIK, "two_bone": TWO_BONE}
JOINT_COUNTS = (3, 5, 8)
TOLERANCE = 1e-4  # largest allowed distance to the target, divided by the chain length
BALL = BallLimit(math.radians(60), (math.radians(-40), math.radians(40)))
HINGE = HingeLimit((1.0, 0.0, 0.0), (0.0, math.radians(120)))
ROUNDS = 9


class Solving:
    """A solver and chains of equal length, with or without joint limits."""

    def __init__(self, solver: str, joint_count: int, limited: bool, chains: int, iterations: int) -> None:
        rng, skeleton = np.random.default_rng(0), chain_rig(joint_count - 1).skeleton
        names = skeleton.joint_names
        limits: dict[str, Limit] = {name: (BALL, HINGE)[i % 2] for i, name in enumerate(names[:-1])} if limited else {}
        self._start, goal = (_models(rng, skeleton, chains, limits) for _ in range(2))
        self._chain = chain_arrays(skeleton, find_chain(skeleton, (names[0], names[-1]), limits))
        self._method, self._iterations = METHODS[solver], iterations
        self._target = np.ascontiguousarray(goal[:, -1, 3::4])
        self._ones, self._tolerance = np.ones(chains, np.float32), np.full(chains, TOLERANCE, np.float32)
        self._distance, self._reached = np.empty(chains, np.float32), np.empty(chains, np.bool_)
        self._used, self._memory = np.empty(chains, np.int32), StageMemory()
        self._rows, self._lists = in_order(chains)
        frames = np.empty((len(self._rows) // 8, 8 * 12 * (skeleton.joint_count + 1)), np.float32)
        self._blocks = Blocks(frames, self._rows, False)
        self._room = new_room(skeleton.joint_count, len(self._chain.parents))

    def prepare(self) -> None:
        """Reset each chain to its initial pose."""
        read_models(self._start, self._rows, self._blocks.frames)

    def run(self) -> None:
        """Solve each chain for its target."""
        asked = self._chain, self._method, bool((self._chain.kinds != FREE).any()), self._iterations
        actors = self._target, self._ones, self._tolerance, self._ones, self._room
        results = self._distance, self._reached, self._used
        bound = reach, (self._blocks, *asked, *actors, *results)
        run_blocks([bound], [0], self._lists, self._memory, apart=True)

    def facts(self) -> dict[str, float]:
        """Return the share of chains that reach the target, and the mean number of iterations.

        Raises RuntimeError if a distance to a target is not finite.
        """
        require(np.isfinite(self._distance).all(), "a distance is not finite")
        return {"reached": float((self._distance <= TOLERANCE).mean()), "iterations": float(self._used.mean())}


@contextmanager
def case(*, chains: int = 4000, iterations: int = 30) -> Iterator[Case]:
    """Yield the benchmark with `chains` chains of each length, with and without joint limits."""
    solving = {
        f"{solver}, {joints} joints{limits}": Solving(solver, joints, bool(limits), chains, iterations)
        for limits, joints, solver in product(("", ", limits"), JOINT_COUNTS, METHODS)
        if joints == 3 or solver != "two_bone"
    }
    yield Case(
        {name: Work(own.run, own.prepare, chains) for name, own in solving.items()},
        unit="us",
        each="chain",
        facts=lambda: {name: own.facts() for name, own in solving.items()},
    )


def _models(rng: np.random.Generator, skeleton: Skeleton, chains: int, limits: dict[str, Limit]) -> Array:
    """Return model matrices [chain, joint, 12] of random poses within `limits`."""
    rotation = quaternion.normalize(rng.normal(size=(chains, skeleton.joint_count, 4)))
    for i, limit in enumerate(limits.values()):
        rotation[:, i] = limit.clamp(rotation[:, i], (0.0, 1.0, 0.0))
    rest: Any = skeleton.rest_pose
    pose = Pose(
        np.broadcast_to(rest.translation, (chains, *rest.translation.shape)),
        rotation.astype(np.float32),
        np.broadcast_to(rest.scale, (chains, *rest.scale.shape)),
    )
    return np.ascontiguousarray(model_matrices(skeleton, pose).reshape(chains, -1, 12))
