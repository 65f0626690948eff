"""Paths with planned body motion: root positions, clip phases and footsteps as functions of time."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import FINITE, NUMBER_OR_NAN
from ecs_anim.ecs.columns import Kept
from ecs_anim.ecs.records import Shape

TICK_RATE = 60  # rate of planning [Hz]
NODE_TICKS = 3  # number of ticks between two nodes
NODE_RATE = TICK_RATE / NODE_TICKS  # [Hz]
# Columns of a node: x, z [m]; facing [rad]; phase of the clips; speeds to the left and ahead [m/s], which select the
# mix of clips; sine of the lean to the left; strength of the small movements of a standing actor.
NODE_X, NODE_Z, NODE_FACES, NODE_SHOWN, NODE_ASIDE, NODE_ONWARD, NODE_LEAN, NODE_CALM = range(8)
NODE_WIDTH = 8
# Columns of a footstep: times of lift-off and landing [s] since the start of the path, then x, z [m], yaw [rad].
LIFTS, LANDS, STANDS = 0, 1, 2
STEP_WIDTH = 5
ALWAYS = -1e9  # lift-off time of a foot that stands from the beginning [s]


class Paths(NamedTuple):
    """A store of many paths. All paths are in common arrays, one path after the other."""

    # start time of each path [s], measured in the world's time
    begin: Annotated[Kept[NDArray[np.float64]], FINITE, Shape("path")]
    first_node: Annotated[Kept[NDArray[np.int32]], Shape("path + 1")]
    node: Annotated[Kept[NDArray[np.float32]], FINITE, Shape("node", NODE_WIDTH)]  # NODE_RATE per second
    # first footstep of each leg, sorted by path, then by leg
    first_step: Annotated[Kept[NDArray[np.int32]], Shape("foot + 1")]
    step: Annotated[Kept[NDArray[np.float32]], FINITE, Shape("step", STEP_WIDTH)]  # sorted by lift-off
    # [m], height of the root at each node; NaN = the path does not set the height
    rise: Annotated[Kept[NDArray[np.float32]], NUMBER_OR_NAN, Shape("node")]


def no_paths() -> Paths:
    """Return a store without paths."""
    return Paths(
        np.zeros(0),
        np.zeros(1, np.int32),
        np.zeros((0, NODE_WIDTH), np.float32),
        np.zeros(1, np.int32),
        np.zeros((0, STEP_WIDTH), np.float32),
        np.zeros(0, np.float32),
    )


def joined(parts: list[Paths]) -> Paths:
    """Return a store with the paths of several stores, one store after the other."""
    return Paths(
        np.concatenate([part.begin for part in parts]),
        _starts([part.first_node for part in parts]),
        np.concatenate([part.node for part in parts]),
        _starts([part.first_step for part in parts]),
        np.concatenate([part.step for part in parts]),
        np.concatenate([part.rise for part in parts]),
    )


def chosen(paths: Paths, numbers: NDArray[np.int32], leg_count: int) -> Paths:
    """Return a store that contains only the paths `numbers`, in the order of `numbers`."""
    feet = (numbers[:, None] * leg_count + np.arange(leg_count)).ravel()
    nodes, first_node = _ranges(paths.first_node, numbers)
    steps, first_step = _ranges(paths.first_step, feet)
    return Paths(paths.begin[numbers], first_node, paths.node[nodes], first_step, paths.step[steps], paths.rise[nodes])


def flaw_of(paths: Paths, leg_count: int) -> str:
    """Return a description of the first error that would make a kernel read outside of an array.

    If the paths have no such error, return "".
    """
    count = len(paths.begin)
    for name, first, rows, length in (
        ("first_node", paths.first_node, paths.node, count),
        ("first_step", paths.first_step, paths.step, count * leg_count),
    ):
        if len(first) != length + 1 or first[0] != 0 or first[-1] != len(rows) or (np.diff(first) < 1).any():
            return f"paths.{name} must contain the start of each path"
    return "" if len(paths.rise) == len(paths.node) else "paths.rise must contain one height for each node"


def _starts(parts: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    lengths = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def _ranges(first: NDArray[np.int32], numbers: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return the rows of the ranges `numbers`, one range after the other. Also return the new first row of each of
    these ranges.
    """
    parts = [np.arange(first[number], first[number + 1]) for number in numbers]
    starts = np.cumsum([0, *map(len, parts)]).astype(np.int32)
    return np.concatenate(parts) if parts else np.zeros(0, np.intp), starts
