"""The people of the scene `bottleneck`: they come into a room, press towards a door of 1.2 m, and walk off behind it.

`python -m tests.people.bottleneck > scenes/bottleneck.csv` writes them.
"""

import numpy as np

from tests.people import speed_model
from tests.people.speed_model import People

PEOPLE, COME = 66, 22.0  # and [s] within which they do
WIDE, BEFORE, BEHIND, DOOR = (
    4.5,
    10.0,
    9.0,
    0.6,
)  # [m]: half the room, up to where it goes, beyond the door, half of that
RATE, STEPS = 4, 5  # samples a second, and steps of the model between two
END = 90.0  # [s]
THICK = 0.15  # [m], half the wall with the door
WALLS = np.array(
    [
        [[-WIDE, BEFORE + 2], [-WIDE, -BEHIND - 2]],
        [[WIDE, BEFORE + 2], [WIDE, -BEHIND - 2]],
        *([[side * WIDE, y], [side * DOOR, y]] for side in (-1, 1) for y in (-THICK, THICK)),
        *([[side * DOOR, -THICK], [side * DOOR, THICK]] for side in (-1, 1)),
    ]
)


def walked() -> list[tuple[int, float, float, float]]:
    """Rows: person, time [s], x and y [m]."""
    rng = np.random.default_rng(3)
    comes, likes = np.sort(rng.uniform(0, COME, PEOPLE)), rng.uniform(1.05, 1.5, PEOPLE)
    begins = np.stack([rng.uniform(-3.6, 3.6, PEOPLE), np.full(PEOPLE, BEFORE)], axis=-1)
    leaves = np.stack([rng.uniform(-3.6, 3.6, PEOPLE), np.full(PEOPLE, -BEHIND - 1.0)], axis=-1)
    ids, there = np.zeros(0, int), People(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
    waiting, rows = list(range(PEOPLE)), []
    for step in range(round(END * RATE * STEPS)):
        time = step / (RATE * STEPS)
        while waiting and comes[waiting[0]] <= time:
            ids, there = np.append(ids, waiting[0]), _with(there, begins[waiting.pop(0)])
        kept = there.xy[:, 1] > -BEHIND
        ids, there = ids[kept], People(*(column[kept] for column in there))
        if step % STEPS == 0:
            rows += [(int(n) + 1, time, *xy) for n, xy in zip(ids, there.xy, strict=True)]
        rests = np.zeros(len(ids), bool)
        there = speed_model.advance(there, _goals(there.xy, leaves[ids]), likes[ids], rests, WALLS, 1 / (RATE * STEPS))
    return rows


def _with(there: People, xy) -> People:
    new = np.array([xy]), np.array([[0.0, -1.0]]), np.ones(1)
    return People(*(np.concatenate(columns) for columns in zip(there, new, strict=True)))


def _goals(xy, leaves):
    """Through the door, then each to where they leave."""
    door = np.stack([np.clip(xy[:, 0], -0.3, 0.3), np.full(len(xy), -0.6)], axis=-1)
    return np.where((xy[:, 1] > -0.3)[:, None], door, leaves)


def text() -> str:
    """The file."""
    return speed_model.text_of(walked())


if __name__ == "__main__":
    print(text(), end="")
