"""The people of the scene `corner`: they walk along a corridor, turn left at a corner, and wait before a gate.

`python -m tests.people.corner > scenes/corner.csv` writes them. There are four lanes. In each lane people keep at least
0.7 m from the person ahead, and walk at their preferred speed where the gate lets them.
"""

import numpy as np

PEOPLE, LANES, LANE = 36, 4, 0.6  # and [m] between lanes
BEFORE, AFTER, TURN = 9.0, 9.0, 2.0  # [m] along the corridor up to the corner, beyond it, and of the middle lane's bend
RATE, STEPS = 5, 10  # samples a second, and steps of the model between two
LEAST, HEADWAY = 0.7, 0.8  # [m] and [s] between people of a lane
GATE, SHUT, CREEP = (
    6.5,
    (9.0, 19.0),
    0.12,
)  # [m] beyond the corner, [s] while it is narrow, [m/s] that one then goes there


def walked() -> list[tuple[int, float, float, float]]:
    """Rows: person, time [s], x and y [m]."""
    rng = np.random.default_rng(8)
    lane, comes = np.arange(PEOPLE) % LANES, np.sort(rng.uniform(0, 16, PEOPLE))
    likes, gone = rng.uniform(0.9, 1.5, PEOPLE), np.full(PEOPLE, np.nan)
    lengths = BEFORE + AFTER + np.pi / 2 * (TURN + _offset(lane))
    rows = []
    for step in range(60 * RATE * STEPS):
        time = step / (RATE * STEPS)
        gone = np.where(np.isnan(gone) & (time >= comes), 0.0, gone)
        if step % STEPS == 0:
            rows += [(n + 1, time, *_at(gone[n], lane[n])) for n in np.flatnonzero(gone < lengths)]
        gone = gone + np.array([_speed(n, gone, lane, likes, lengths, time) for n in range(PEOPLE)]) / (RATE * STEPS)
    return sorted(rows)


def _offset(lane):
    return (LANES - 1) / 2 * LANE - lane * LANE


def _speed(n, gone, lane, likes, lengths, time):
    """Return a person's speed: the preferred speed, limited by the person ahead, and low at the gate."""
    speed = likes[n]
    to_gate = lengths[n] - AFTER + GATE - gone[n]
    if SHUT[0] < time < SHUT[1] and to_gate > 0:
        speed = min(speed, max(CREEP, to_gate / 1.2))
    leader = n - LANES
    if leader >= 0 and gone[leader] < lengths[leader]:
        speed = min(speed, max(0.0, (gone[leader] - gone[n] - LEAST) / HEADWAY))
    return 0.0 if np.isnan(gone[n]) or gone[n] >= lengths[n] else speed


def _at(gone, lane):
    """Return a person's place on the plan: east along the corridor, round a bend about (0, TURN), then north."""
    radius = TURN + _offset(lane)
    bend = np.pi / 2 * radius
    if gone < BEFORE:
        return gone - BEFORE, TURN - radius
    if gone < BEFORE + bend:
        angle = (gone - BEFORE) / radius
        return radius * np.sin(angle), TURN - radius * np.cos(angle)
    return radius, TURN + gone - BEFORE - bend


def text() -> str:
    """The file."""
    rows = (f"{person},{time:.1f},{x:.2f},{y:.2f}" for person, time, x, y in walked())
    return "\n".join(["id,time_s,x_m,y_m", *rows]) + "\n"


if __name__ == "__main__":
    print(text(), end="")
