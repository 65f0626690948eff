"""`python -m ecs_anim.profiling.bench_ik`: what it costs to bend a chain.

Each solver on chains of several lengths, random poses and reachable targets, in turn, round by round; medians, in
microseconds a chain on one thread. With limits, every other joint is a ball and every other a hinge, and targets are
where chains inside their limits end.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ik.arrays import CCD, FABRIK, TWO_BONE, ChainArrays, chain_arrays
from ecs_anim.ik.chain import find_chain
from ecs_anim.ik.limits import BallLimit, HingeLimit, Limit
from ecs_anim.kernels.reach import reach
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.rigs.simple_rigs import chain_rig

Array = NDArray[np.float32]

JOINT_COUNTS = (3, 5, 8)
TOLERANCE = 1e-4  # share of the chain's length
BALL = BallLimit(math.radians(60), (math.radians(-40), math.radians(40)))
HINGE = HingeLimit((1.0, 0.0, 0.0), (0.0, math.radians(120)))


@dataclass(frozen=True)
class Case:
    """One solver on one kind of chain."""

    solver: str
    joint_count: int
    limited: bool
    run: Callable[[], tuple[Array, NDArray[np.int32]]]  # distances and iterations of all chains


@click.command()
@click.option("--rounds", default=9, show_default=True)
@click.option("--chains", default=4000, show_default=True)
@click.option("--iterations", default=30, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def main(rounds: int, chains: int, iterations: int, as_json: bool) -> None:
    """Time the solvers in turn."""
    rng = np.random.default_rng(0)
    cases = [
        _case(rng, solver, joint_count, chains, iterations, limited)
        for limited in (False, True)
        for joint_count in JOINT_COUNTS
        for solver in ("ccd", "fabrik", *(["two_bone"] if joint_count == 3 else []))
    ]
    spent = np.median([[_seconds(case.run) for case in cases] for _ in range(rounds)], axis=0)
    figures = [_figures(case, seconds, chains) for case, seconds in zip(cases, spent, strict=True)]
    if as_json:
        click.echo(json.dumps({"rounds": rounds, "chains": chains, "iterations": iterations, "cases": figures}))
        return
    click.echo(f"microseconds a chain, medians of {rounds} alternated rounds, {chains} chains each")
    click.echo(f"{'solver':>9} {'joints':>6} {'limits':>6} {'us':>7} {'reached':>8} {'iterations':>10}")
    for f in figures:
        limits = "yes" if f["limits"] else "no"
        click.echo(
            f"{f['solver']:>9} {f['joints']:6} {limits:>6} {f['microseconds']:7.2f} {f['reached']:8.2%}"
            f" {f['iterations']:10.2f}"
        )


def _case(rng: np.random.Generator, solver: str, joint_count: int, chains: int, iterations: int, limited: bool) -> Case:
    skeleton = chain_rig(joint_count - 1).skeleton
    names = skeleton.joint_names
    limits: dict[str, Limit] = {name: (BALL, HINGE)[i % 2] for i, name in enumerate(names[:-1])} if limited else {}
    start, goal = (_models(rng, skeleton, chains, limits) for _ in range(2))
    chain = chain_arrays(skeleton, find_chain(skeleton, (names[0], names[-1]), limits))
    method = {"ccd": CCD, "fabrik": FABRIK, "two_bone": TWO_BONE}[solver]
    target = np.ascontiguousarray(goal[:, -1, 3::4])
    return Case(solver, joint_count, limited, _runner(chain, method, target, start, iterations))


def _models(rng: np.random.Generator, skeleton: Skeleton, chains: int, limits: dict[str, Limit]) -> Array:
    """Model matrices [chain, joint, 12] of random poses, inside their limits where there are any."""
    rotation = quaternion.normalize(rng.normal(size=(chains, skeleton.joint_count, 4)))
    for i, limit in enumerate(limits.values()):
        rotation[:, i] = limit.clamp(rotation[:, i], (0.0, 1.0, 0.0))
    rest = skeleton.rest_pose
    pose = Pose(
        np.broadcast_to(rest.translation, (chains, *rest.translation.shape)),
        rotation.astype(np.float32),
        np.broadcast_to(rest.scale, (chains, *rest.scale.shape)),
    )
    return np.ascontiguousarray(model_matrices(skeleton, pose).reshape(chains, -1, 12))


def _runner(
    chain: ChainArrays, method: np.int64, target: Array, start: Array, iterations: int
) -> Callable[[], tuple[Array, NDArray[np.int32]]]:
    count = len(target)
    weight, tolerance = np.ones(count, np.float32), np.full(count, TOLERANCE, np.float32)
    model, distance, used = start.copy(), np.empty(count, np.float32), np.empty(count, np.int32)

    def run() -> tuple[Array, NDArray[np.int32]]:
        model[:] = start
        reach(chain, method, target, weight, tolerance, iterations, model, distance, used)
        return distance, used

    return run


def _figures(case: Case, seconds: float, chains: int) -> dict[str, object]:
    distance, used = case.run()
    if not np.isfinite(distance).all():
        raise SystemExit(f"{case.solver}, {case.joint_count} joints: a distance is no number")
    return {
        "solver": case.solver,
        "joints": case.joint_count,
        "limits": case.limited,
        "microseconds": 1e6 * float(seconds) / chains,
        "reached": float((distance <= TOLERANCE).mean()),
        "iterations": float(used.mean()),
    }


def _seconds(run: Callable[[], object]) -> float:
    begin = perf_counter()
    run()
    return perf_counter() - begin


if __name__ == "__main__":
    main()
