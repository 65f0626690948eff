"""The people of the scene `streets`, and its floor: pavements at a crossing, with a zebra over each of its four arms.

`python -m tests.people.street` writes scenes/streets.csv and scenes/streets.png. People enter at the end of a pavement,
keep to the right, cross where the stripes are, and leave at another end; some meet, stand and talk for a while.
"""

from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from tests.people import speed_model
from tests.people.speed_model import People

ROAD, GARDENS = 3.0, 6.5  # [m] from the middle of a street: the kerb, and where gardens begin
ENDS = (16.0, 14.0)  # [m] along x and along y, where people come and go
PAVEMENT = (ROAD + GARDENS) / 2  # [m], the middle of one
WALKERS, COME, END = 96, 50.0, 58.0  # and [s]: within which they come, and when all is over
RATE, STEPS = 4, 5  # samples a second, and steps of the model between two
RIGHT = (0.25, 1.1)  # [m] to the right of a pavement's middle, on which people go
NEAR = 0.7  # [m] from a corner, at which the next one is looked for
MEETINGS = ((8.8, 5.8, 0), (-5.7, 8.2, 1), (-9.2, -5.6, 0), (5.6, -7.8, 1))  # x, y [m], axis along which they come
APART, FROM = 0.5, 1.8  # [m] from the middle of a meeting: where one stands, and from where one comes to it
TALK = (12.0, 22.0)  # [s]
SCALE = 50  # pixels of the floor a metre
FLOOR = (26.0, 26.0)  # [m], how far the floor's picture reaches along x and along y
WALLS = np.array(
    [
        [[x * GARDENS, y * GARDENS], end]
        for x in (-1, 1)
        for y in (-1, 1)
        for end in ([x * 20.0, y * GARDENS], [x * GARDENS, y * 20.0])
    ]
)


@dataclass
class Walker:
    """A person on the way."""

    comes: float  # [s]
    likes: float  # [m/s]
    points: list[np.ndarray]  # [2] each, [m]: the next one, and those after it
    stands: dict[int, float] = field(default_factory=dict)  # how long [s], at the points after which so many are left


def walked() -> list[tuple[int, float, float, float]]:
    """Rows: person, time [s], x and y [m]."""
    rng = np.random.default_rng(12)
    walkers = [_walker(rng, rng.uniform(0, COME)) for _ in range(WALKERS)]
    walkers = sorted([*walkers, *_talkers(rng)], key=lambda walker: walker.comes)
    ids: list[int] = []
    there, rows, coming = People(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0)), [], 0
    for step in range(round(END * RATE * STEPS)):
        time = step / (RATE * STEPS)
        while coming < len(walkers) and walkers[coming].comes <= time:
            ids, there, coming = [*ids, coming], _with(there, walkers[coming]), coming + 1
        kept = [row for row, n in enumerate(ids) if walkers[n].points]
        ids, there = [ids[row] for row in kept], People(*(column[kept] for column in there))
        if step % STEPS == 0:
            rows += [(n + 1, time, *xy) for n, xy in zip(ids, there.xy, strict=True)]
        own = [walkers[n] for n in ids]
        goals, rests = np.array([walker.points[0] for walker in own]), np.array([_is_to_stand(w) for w in own])
        likes = np.array([walker.likes for walker in own])
        if own:
            there = speed_model.advance(there, goals, likes, rests, WALLS, 1 / (RATE * STEPS))
        for walker, xy in zip(own, there.xy, strict=True):
            _go_on(walker, xy, 1 / (RATE * STEPS))
    return rows


def _with(there: People, walker: Walker) -> People:
    begin, goal = walker.points.pop(0), walker.points[0]
    new = np.array([begin]), speed_model.unit(np.array([goal - begin])), np.array([walker.likes])
    return People(*(np.concatenate(columns) for columns in zip(there, new, strict=True)))


def _is_to_stand(walker: Walker) -> bool:
    return len(walker.points) in walker.stands


def _go_on(walker: Walker, xy, dt: float) -> None:
    """To the next point, from one that is near, or where they have stood for long enough."""
    away = float(speed_model.length(walker.points[0] - xy))
    left = len(walker.points)
    if left in walker.stands:
        if away < 0.3:
            walker.stands[left] -= dt
        if walker.stands[left] <= 0:
            walker.points.pop(0)
    elif away < (NEAR if left > 1 else 0.3) or _is_past(walker, xy):
        walker.points.pop(0)


def _is_past(walker: Walker, xy) -> bool:
    """Return whether a person has left the picture at the end of the way, or a little beside it."""
    return len(walker.points) == 1 and bool((np.abs(xy) > np.array(ENDS) - 0.1).any())


def _walker(rng, comes: float) -> Walker:
    begin, corners, end = _route(rng)
    points = [begin, *corners, end]
    return Walker(comes, rng.uniform(1.0, 1.6), _to_the_right(points, rng.uniform(*RIGHT)))


def _route(rng):
    """From an end of a pavement over corners to another one."""
    sides = rng.choice([-1, 1], size=2)
    first = sides.copy()
    begin = _end_of(sides, int(rng.integers(2)))
    corners = [PAVEMENT * sides]
    for axis in rng.permutation(2)[: rng.integers(0, 3)]:  # streets that are crossed
        sides[axis] *= -1
        corners.append(PAVEMENT * sides)
    end = _end_of(sides, int(rng.integers(2)))
    while (end == begin).all():
        end = _end_of(first, int(rng.integers(2)))
    return begin, corners, end


def _end_of(sides, axis: int):
    """Return the end along x or y (`axis`) of one of the two pavements at a corner."""
    return np.where(np.arange(2) == axis, np.array(ENDS), PAVEMENT) * sides


def _to_the_right(points, offset: float) -> list[np.ndarray]:
    """Return the path moved to its right by `offset` [m]."""
    legs = speed_model.unit(np.diff(points, axis=0))
    right = offset * np.stack([legs[:, 1], -legs[:, 0]], axis=-1)
    moved = []
    for k, point in enumerate(points):
        before, after = right[max(k - 1, 0)], right[min(k, len(legs) - 1)]
        straight = np.abs(before - after).max() < 1e-9 or np.abs(before + after).max() < 1e-9
        moved.append(point + (after if straight else before + after))
    return moved


def _talkers(rng) -> list[Walker]:
    """Two at each meeting: they come from opposite sides, stand before each other, and go on past each other."""
    found = []
    for number, (x, y, axis) in enumerate(MEETINGS):
        middle, comes, talks = np.array([x, y]), 1.0 + 3.0 * number, rng.uniform(*TALK)
        sides = np.sign(middle)
        out = sides * (np.arange(2) == axis)  # along the pavement, away from the crossing
        ends = _end_of(sides, axis), _end_of(sides, 1 - axis)
        for side, begin, end in ((1, *ends), (-1, *ends[::-1])):
            ahead = -side * out
            past = middle + FROM * ahead + 0.5 * np.array([ahead[1], -ahead[0]])
            points = [begin, middle - FROM * ahead, middle - APART * ahead, past, end]
            found.append(Walker(comes + 0.5 * side, rng.uniform(1.0, 1.3), points, {3: talks}))
    return found


def text() -> str:
    """The file."""
    return speed_model.text_of(walked())


def floor() -> Image.Image:
    """Asphalt with stripes, kerbs, and pavements of slabs, seen from above; north is up."""
    wide, deep = (np.arange(round(2 * half * SCALE)) / SCALE - half + 0.5 / SCALE for half in FLOOR)
    x, y = wide[None, :], -deep[:, None]
    across = np.minimum(np.abs(x), np.abs(y))  # from the nearer street's middle
    is_road = across < ROAD
    slabs = (np.floor(x / 0.5) * 7 + np.floor(y / 0.5) * 13 + np.floor(x / 1.5) * 3) % 5
    joints = (np.abs(x % 0.5 - 0.25) > 0.24) | (np.abs(y % 0.5 - 0.25) > 0.24)
    shade = np.where(is_road, 88, 168 + 3 * slabs - np.where(joints, 22, 0))
    shade = np.where((across >= ROAD) & (across < ROAD + 0.14), 196, shade)  # kerbs
    shade = np.where(_zebra(x, y) | _zebra(y, x), 222, shade)
    shade = np.where(_dashes(x, y) | _dashes(y, x), 214, shade)
    warm = np.where(is_road, 0, 5)
    pixels = np.stack([shade + warm, shade, shade - warm + np.where(is_road, 4, 0)], axis=-1)
    return Image.fromarray(pixels.astype(np.uint8))


def _zebra(along, across):
    """Stripes over the street along the first axis, on both sides of the crossing."""
    beside = np.abs(np.abs(along) - PAVEMENT) < 1.4
    return beside & (np.abs(across) < ROAD - 0.2) & (across % 1.0 < 0.5)


def _dashes(along, across):
    return (np.abs(along) > GARDENS + 0.4) & (np.abs(across) < 0.07) & (along % 2.0 < 1.1)


if __name__ == "__main__":
    with open("scenes/streets.csv", "w", encoding="utf-8", newline="\n") as file:
        file.write(text())
    floor().save("scenes/streets.png", optimize=True)
