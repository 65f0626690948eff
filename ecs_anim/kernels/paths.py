"""Where on its path an actor is at a time: helpers of the kernels that follow paths. `paths` is a `Paths`."""

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
    """The node before a time [s] of the world, the fraction of the way to the next, and the time since the end [s].

    Before its begin and after its end, an actor stands at that end of the path.
    """
    first, last = paths.first_node[path], paths.first_node[path + 1] - 1
    since = now - paths.begin[path]
    at = min(max(since * NODE_RATE, 0.0), np.float64(last - first))
    node = min(first + np.int64(at), max(last - 1, first))
    return node, np.float32(at - (node - first)), since - at / NODE_RATE


@inlined
def _bends(nodes, node, first, last, column):
    """A node's value, how far it is to the next one's, and how the cubic leaves the line after both.

    Where there is no neighbour it goes straight on.
    """
    a, b = nodes[node, column], nodes[min(node + 1, last), column]
    low = HALF * (b - nodes[node - 1, column]) - (b - a) if node > first else ZERO
    high = HALF * (nodes[node + 2, column] - a) - (b - a) if node + 2 <= last else ZERO
    return a, b - a, low, high


@inlined
def _through(nodes, node, first, last, column, t):
    """The cubic through nodes whose slopes are those of their neighbours (Catmull and Rom 1974)."""
    a, along, low, high = _bends(nodes, node, first, last, column)
    return a + t * along + t * (ONE - t) * ((ONE - t) * low - t * high)


@inlined
def _rate_through(nodes, node, first, last, column, t):
    """How fast that changes [1/s]."""
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
    """x, z [m] and what the body faces [rad]."""
    node, t, _ = node_at(paths, path, now)
    first, last = paths.first_node[path], paths.first_node[path + 1] - 1
    x = _through(paths.node, node, first, last, NODE_X, t)
    z = _through(paths.node, node, first, last, NODE_Z, t)
    return x, z, node_value(paths, node, last, t, NODE_FACES)


@inlined
def node_value(paths, node, last, t, column):
    """A number of the nodes, linear between them."""
    a = paths.node[node, column]
    return a + t * (paths.node[min(node + 1, last), column] - a)


@inlined
def shown_at(paths, node, last, t):
    """The phase of the clips, which goes round."""
    a = paths.node[node, NODE_SHOWN]
    moved = paths.node[min(node + 1, last), NODE_SHOWN] - a
    shown = a + t * (moved - np.floor(moved + HALF))
    return shown - np.floor(shown)


@inlined
def step_at(paths, number, since):
    """The last step of a leg that has begun `since` seconds after the path's begin, how far it has swung, its seconds.

    `number` counts legs, path after path.
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
