"""Helpers that return the state of an actor on its path at a given time. `paths` is a `Paths`, a store of all paths."""

import numpy as np

from ecs_anim.body.paths import LANDS, LIFTS, NODE_FACES, NODE_RATE, NODE_SHOWN, NODE_X, NODE_Z
from ecs_anim.kernels import inlined

ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)


@inlined
def node_at(paths, path, now):
    """Return the last node of a path before `now` [s], the fraction of the way to the next node, and the time [s]
    outside of the path: 0 on the path, minus the time until its start, or the time since its end. Outside, an actor
    stands at the first or at the last node.
    """
    first, last = paths.first_node[path], paths.first_node[path + 1] - 1
    since = now - paths.begin[path]
    at = min(max(since * NODE_RATE, 0.0), np.float64(last - first))
    node = min(first + np.int64(at), max(last - 1, first))
    return node, np.float32(at - (node - first)), since - at / NODE_RATE


@inlined
def _bends(nodes, node, first, last, column):
    """Return four numbers of a cubic between two nodes with the values a and b: a, b - a, and the bend at both nodes. A
    bend is the slope minus (b - a), and 0 at the ends of the path.
    """
    a, b = nodes[node, column], nodes[min(node + 1, last), column]
    low = HALF * (b - nodes[node - 1, column]) - (b - a) if node > first else ZERO
    high = HALF * (nodes[node + 2, column] - a) - (b - a) if node + 2 <= last else ZERO
    return a, b - a, low, high


@inlined
def _through(nodes, node, first, last, column, t):
    """Return the value at t of the cubic through the nodes, with slopes from neighbours (Catmull and Rom 1974)."""
    a, along, low, high = _bends(nodes, node, first, last, column)
    return a + t * along + t * (ONE - t) * ((ONE - t) * low - t * high)


@inlined
def _rate_through(nodes, node, first, last, column, t):
    """Return the derivative [1/s] at t of the cubic through the nodes."""
    _, along, low, high = _bends(nodes, node, first, last, column)
    bend = (ONE - TWO * t) * ((ONE - t) * low - t * high) - t * (ONE - t) * (low + high)
    return np.float32(NODE_RATE) * (along + bend)


@inlined
def speed_at(paths, path, now):
    """Return the velocity of the root along x and z [m/s] at time `now` [s]."""
    node, t, _ = node_at(paths, path, now)
    first, last = paths.first_node[path], paths.first_node[path + 1] - 1
    vx = _rate_through(paths.node, node, first, last, NODE_X, t)
    return vx, _rate_through(paths.node, node, first, last, NODE_Z, t)


@inlined
def root_at(paths, path, now):
    """Return x and z [m] of the root, and the heading [rad] of the body, at time `now` [s]."""
    node, t, _ = node_at(paths, path, now)
    first, last = paths.first_node[path], paths.first_node[path + 1] - 1
    x = _through(paths.node, node, first, last, NODE_X, t)
    z = _through(paths.node, node, first, last, NODE_Z, t)
    return x, z, node_value(paths, node, last, t, NODE_FACES)


@inlined
def height_at(paths, path, now):
    """Return the height [m] of the root at time `now` [s], or NaN if the path does not set the height."""
    node, t, _ = node_at(paths, path, now)
    a = paths.rise[node]
    return a + t * (paths.rise[min(node + 1, paths.first_node[path + 1] - 1)] - a)


@inlined
def node_value(paths, node, last, t, column):
    """Return the value of a path in the column `column`, interpolated linearly between two nodes."""
    a = paths.node[node, column]
    return a + t * (paths.node[min(node + 1, last), column] - a)


@inlined
def shown_at(paths, node, last, t):
    """Return the phase of the clips, interpolated the shorter way around the cycle between two nodes."""
    a = paths.node[node, NODE_SHOWN]
    moved = paths.node[min(node + 1, last), NODE_SHOWN] - a
    shown = a + t * (moved - np.floor(moved + HALF))
    return shown - np.floor(shown)


@inlined
def step_at(paths, number, since):
    """Return the last footstep of a leg that began before `since` [s] on the path: its number, the progress of its
    swing, 0 to 1, and the duration [s] of its swing. `number` is the leg's number in the store of all paths.
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
