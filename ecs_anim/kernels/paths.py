"""Positions of actors on their paths at a time. The helpers serve kernels that follow paths. `paths` is a `Paths`."""

import numpy as np

from ecs_anim.body.paths import (
    LANDS,
    LIFTS,
    NODE_FACES,
    NODE_RATE,
    NODE_SHOWN,
    NODE_X,
    NODE_Z,
)
from ecs_anim.kernels import inlined

ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)


@inlined
def node_at(paths, path, now):
    """Return the node before a world time [s], the fraction to the next node, and the time since the end [s].

    Before the start of its path and after the end, an actor stands at that end of the path. Before the start, the third
    number is negative.
    """
    first, last = paths.first_node[path], paths.first_node[path + 1] - 1
    since = now - paths.begin[path]
    at = min(max(since * NODE_RATE, 0.0), np.float64(last - first))
    node = min(first + np.int64(at), max(last - 1, first))
    return node, np.float32(at - (node - first)), since - at / NODE_RATE


@inlined
def _bends(nodes, node, first, last, column):
    """Return a node's value, the difference to the next node, and the bends of the cubic at both nodes.

    At an end of the path, the cubic does not bend.
    """
    a, b = nodes[node, column], nodes[min(node + 1, last), column]
    low = HALF * (b - nodes[node - 1, column]) - (b - a) if node > first else ZERO
    high = HALF * (nodes[node + 2, column] - a) - (b - a) if node + 2 <= last else ZERO
    return a, b - a, low, high


@inlined
def _through(nodes, node, first, last, column, t):
    """Return the cubic through the nodes, with slopes from the neighbouring nodes (Catmull and Rom 1974)."""
    a, along, low, high = _bends(nodes, node, first, last, column)
    return a + t * along + t * (ONE - t) * ((ONE - t) * low - t * high)


@inlined
def _rate_through(nodes, node, first, last, column, t):
    """Return the derivative [1/s] of the cubic through the nodes."""
    _, along, low, high = _bends(nodes, node, first, last, column)
    bend = (ONE - TWO * t) * ((ONE - t) * low - t * high) - t * (ONE - t) * (low + high)
    return np.float32(NODE_RATE) * (along + bend)


@inlined
def speed_at(paths, path, now):
    """Return the velocity of the root along x and z [m/s]."""
    node, t, _ = node_at(paths, path, now)
    first, last = paths.first_node[path], paths.first_node[path + 1] - 1
    vx = _rate_through(paths.node, node, first, last, NODE_X, t)
    return vx, _rate_through(paths.node, node, first, last, NODE_Z, t)


@inlined
def root_at(paths, path, now):
    """Return x, z [m] and the heading of the body [rad]."""
    node, t, _ = node_at(paths, path, now)
    first, last = paths.first_node[path], paths.first_node[path + 1] - 1
    x = _through(paths.node, node, first, last, NODE_X, t)
    z = _through(paths.node, node, first, last, NODE_Z, t)
    return x, z, node_value(paths, node, last, t, NODE_FACES)


@inlined
def node_value(paths, node, last, t, column):
    """Return a value, linearly interpolated between nodes."""
    a = paths.node[node, column]
    return a + t * (paths.node[min(node + 1, last), column] - a)


@inlined
def shown_at(paths, node, last, t):
    """Return the phase of the clips, interpolated on the circle."""
    a = paths.node[node, NODE_SHOWN]
    moved = paths.node[min(node + 1, last), NODE_SHOWN] - a
    shown = a + t * (moved - np.floor(moved + HALF))
    return shown - np.floor(shown)


@inlined
def step_at(paths, number, since):
    """Return the last step of a leg that began before a time, its swing, 0 to 1, and its duration [s].

    number: number of the leg, path after path; since [s]: time since the start of the path.
    """
    low, high = paths.first_step[number], paths.first_step[number + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if paths.step[middle, LIFTS] <= since:
            low = middle
        else:
            high = middle
    lifts, lands = paths.step[low, LIFTS], paths.step[low, LANDS]
    swing = (np.float32(since) - lifts) / (lands - lifts) if np.float32(since) < lands else ONE
    return low, max(swing, ZERO), lands - lifts
