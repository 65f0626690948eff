"""How one body steps, the readable form: branches, double precision, a row of the state at a time.

`walk` [WALK_WIDTH] and `feet` [leg, FOOT_WIDTH] are float64 rows of the `BodyState`, which the functions change.
"""

from dataclasses import dataclass
from math import ceil, cos, floor, hypot, inf, pi, sin, sqrt

import numpy as np

from ecs_anim.body.gait_plan import AHEAD, CENTRE, DUTY, FASTEST, LEG, LEG_WIDTH, RATE, SIDE, SPEEDS, YAW, GaitPlan
from ecs_anim.body.state import (
    ASIDE,
    CALM,
    FACES,
    FRESH,
    FROM,
    LEAN,
    ONWARD,
    PHASE,
    REST,
    ROOT_X,
    ROOT_Z,
    SECONDS,
    SHARE,
    SHOWN,
    SIGN,
    SWING,
    TO,
    TURN,
    UNEASY,
    VX,
    VZ,
    WANTED,
    X,
    Z,
)

PLACE, YAWS = slice(0, 2), 2  # of what FROM and TO begin


def wrapped(phase: float) -> float:
    """A difference of phases, -1/2 to 1/2."""
    return phase - floor(phase + 0.5)


def turned_by(angle: float) -> float:
    """A difference of angles, -pi to pi."""
    return angle - 2 * pi * floor((angle + pi) / (2 * pi))


@dataclass
class Stepper:
    """A crowd's gait, and how large one of its actors is."""

    table: np.ndarray
    plan: GaitPlan
    size: float  # [m]

    def walk_to(
        self, walk: np.ndarray, feet: np.ndarray, root: tuple[float, float, float], dt: float, phase: float
    ) -> None:
        """Go to x, z and the root's facing within dt. Instead of a leap, begin anew there, at the phase."""
        away = root[0] - walk[X], root[1] - walk[Z]
        if not hypot(*away) < max(10 * dt, 0.5):
            self.begin(walk, feet, root, phase)
            return
        begin, moved = walk[X : FACES + 1].copy(), np.array([0, 0, turned_by(root[2] - walk[FACES])])
        if dt > 0:
            went = np.array([root[0] - walk[ROOT_X], root[1] - walk[ROOT_Z], moved[2]])
            walk[VX : TURN + 1] += (went / dt - walk[VX : TURN + 1]) * dt / (dt + 0.1)
            moved[:2] = walk[[VX, VZ]] * dt
            moved[:2] += (root[:2] - begin[:2] - moved[:2]) * dt / (dt + 0.3)
            walk[[ROOT_X, ROOT_Z]] = root[:2]
        parts = ceil(dt * 20 - 1e-6)
        for part in range(1, parts + 1):
            walk[X : FACES + 1] = begin + part / parts * moved
            walk[FACES] = turned_by(walk[FACES])
            self.advance(walk, feet, dt / parts)

    def gait(self, walk: np.ndarray) -> tuple[float, float, np.ndarray, float, float]:
        """Speeds to the left and ahead, the table's row, cycles a second, and the part of them that a foot stands."""
        vx, vz, yaw = walk[VX], walk[VZ], walk[FACES]
        aside, onward, pace = vx * cos(yaw) - vz * sin(yaw), vx * sin(yaw) + vz * cos(yaw), hypot(vx, vz)
        speed = pace * self.plan.unit / self.size
        row = self._row(speed)
        sideways = speed * (1 + 2 * (aside / pace) ** 2) if pace > 0 else 0.0
        return aside, onward, row, self._row(sideways)[RATE], row[DUTY]

    def _row(self, speed: float) -> np.ndarray:
        at = min(sqrt(speed / FASTEST) * (SPEEDS - 1), SPEEDS - 1.001)
        own, following = self.table[int(at)].astype(float), self.table[int(at) + 1].astype(float)
        return own + (at - int(at)) * (following - own)

    def _swing(self, rate: float, duty: float) -> tuple[float, float]:
        """How much of a swing a second takes, and the part of the cycle that it is."""
        longest = self.plan.swing_seconds
        return max(rate / (1 - duty), 1 / longest), min(1 - duty, rate * longest)

    def _stand(self, row: np.ndarray, leg: int, yaw: float, wide: float) -> np.ndarray:
        own = row[LEG + leg * LEG_WIDTH :]
        side, ahead = self.size * own[SIDE], self.size * own[AHEAD]
        side += wide if side > 0 else -wide
        return np.array(
            [ahead * sin(yaw) + side * cos(yaw), ahead * cos(yaw) - side * sin(yaw), yaw + own[YAW]],
        )

    def _wide(self, aside: float, row: np.ndarray, rate: float) -> float:
        half_step = abs(aside) / max(rate, 1e-3) / 2
        room = half_step / 2 - self.size * abs(row[LEG + SIDE]) + 0.13 * self.size * self.plan.leg_length
        return min(max(room, 0.0), half_step)

    def advance(self, walk: np.ndarray, feet: np.ndarray, dt: float) -> None:
        """Advance the gait, and lead the feet in the air."""
        aside, onward, row, rate, duty = self.gait(walk)
        standing = feet[:, SWING] >= 1
        needed = [
            self._needed(walk, foot, aside, onward, row[LEG + leg * LEG_WIDTH :]) for leg, foot in enumerate(feet)
        ]
        rate = max(rate, min(max(np.array(needed)[standing], default=0), 5 * (1 - duty)))
        swing_rate, swing_share = self._swing(rate, duty)
        middles = row[LEG + CENTRE :: LEG_WIDTH] + 0.5
        feet[:, SHARE] += (swing_share - feet[:, SHARE]) * min(dt / 0.15, 1)
        flying = np.flatnonzero(~standing)
        feet[flying, SWING] = np.minimum(feet[flying, SWING] + swing_rate * dt, 1)
        leader = max(flying, key=lambda leg: feet[leg, SWING], default=0)
        if len(flying) == 1:
            along = (feet[leader, SWING] - 0.5) * feet[leader, SHARE]
            walk[PHASE] = middles[leader] + walk[SIGN] * along
        else:
            walk[PHASE] += walk[SIGN] * dt * (swing_rate * feet[leader, SHARE] if len(flying) else rate)
        walk[PHASE] %= 1
        if not len(flying):
            if self.plan.reverses and abs(onward) > max(abs(aside), 0.07):
                walk[SIGN] = np.sign(onward)
            self._step_unasked(walk, feet, (aside, onward, row, rate), dt)
        self._lift(walk, feet, middles, duty)
        feet[:, SECONDS], feet[:, REST] = 1 / swing_rate, (1 - swing_share) / max(rate, 1e-3) / 2
        self._show(walk, feet, (aside, onward, row, rate, duty), dt)
        settled = walk[CALM] + dt / 2 if walk[UNEASY] < 0 else walk[CALM] - dt / 0.6
        walk[CALM] = min(max(settled, 0), 1)
        self._lead(walk, feet, aside, onward, row, rate, dt)

    def _needed(self, walk: np.ndarray, foot: np.ndarray, aside: float, onward: float, own: np.ndarray) -> float:
        """Cycles a second at which a foot is lifted before it is left 0.54 of a leg behind, or 0.36 to the side."""
        yaw, velocity = walk[FACES], np.array([1.5 * aside, onward])
        x, z = walk[[X, Z]] - foot[TO : TO + 2]
        off = np.array([x * cos(yaw) - z * sin(yaw), x * sin(yaw) + z * cos(yaw)])
        off = (off + self.size * own[[SIDE, AHEAD]]) * [1.5, 1]
        square, along = max(velocity @ velocity, 1e-6), off @ velocity
        beyond = off @ off - (0.54 * self.size * self.plan.leg_length) ** 2
        seconds = (sqrt(max(along * along - square * beyond, 0)) - along) / square
        late = foot[SHARE] / 4
        lifts = walk[SIGN] * wrapped(walk[PHASE] - own[CENTRE] - 0.5) + late
        return max(-lifts - floor(-lifts) - late, 0) / max(seconds, 1e-3)

    def _step_unasked(self, walk: np.ndarray, feet: np.ndarray, gait: tuple, dt: float) -> None:
        aside, onward, row, rate = gait
        place, speed = walk[[X, Z]], hypot(aside, onward) * self.plan.unit / self.size
        if walk[UNEASY] < 0 and speed > 0.12:
            behind = (place - feet[:, TO : TO + 2]) @ walk[[VX, VZ]]
            walk[UNEASY], leg = 0, int(np.argmax(-behind if abs(aside) > abs(onward) else behind))
        else:
            most = 0.094 * self.size * self.plan.leg_length + hypot(walk[VX], walk[VZ]) / max(rate, 1e-3) / 2
            badly = []
            for leg in range(len(feet)):
                x, z, yaw = self._stand(row, leg, walk[FACES], 0.0) - feet[leg, TO : TO + 3]
                badly.append(max(hypot(x + place[0], z + place[1]) / most, abs(turned_by(yaw)) / 0.44))
            leg = int(np.argmax(badly))
            if badly[leg] <= 1:
                walk[UNEASY] = -1 if speed < 0.07 else 0
                return
            walk[UNEASY] = max(walk[UNEASY], 0) + dt * badly[leg]
            if walk[UNEASY] * (1 + 4 * speed) < 0.33:
                return
            walk[UNEASY] = 0
        feet[leg, SHARE] = max(feet[leg, SHARE], 0.2)
        middle = row[LEG + leg * LEG_WIDTH + CENTRE] + 0.5
        walk[PHASE] = (middle - walk[SIGN] * feet[leg, SHARE] / 2) % 1
        feet[leg, SWING], feet[leg, FRESH], feet[leg, FROM:TO] = 0, 1, feet[leg, TO : TO + 3]

    def _lift(self, walk: np.ndarray, feet: np.ndarray, middles: np.ndarray, duty: float) -> None:
        for leg, foot in enumerate(feet):
            along = walk[SIGN] * wrapped(walk[PHASE] - middles[leg])
            if foot[SWING] < 1 or not -foot[SHARE] / 2 <= along < -foot[SHARE] / 4:
                continue
            if len(feet) != 2 or duty < 0.5 or feet[1 - leg, SWING] >= 1:
                foot[SWING], foot[FRESH], foot[FROM:TO] = along / foot[SHARE] + 0.5, 1, foot[TO : TO + 3]

    def _clip_phase(self, walk: np.ndarray, feet: np.ndarray, row: np.ndarray, duty: float) -> float:
        flying = np.flatnonzero(feet[:, SWING] < 1)
        if len(feet) != 2 or len(flying) == 2:
            return float(walk[PHASE])
        middles = row[LEG + CENTRE :: LEG_WIDTH] + 0.5
        if len(flying) == 1:
            return float(middles[flying[0]] + walk[SIGN] * (2 * feet[flying[0], SWING] - 1) * (1 - duty) / 2)
        since = (walk[PHASE] - middles) % 1
        before = 0 if since[0] < since[1] else 1
        length, half = (middles[1 - before] - middles[before]) % 1, feet[before, SHARE] / 2
        free = length - half - feet[1 - before, SHARE] / 2
        passed = min(max((since[before] - half) / free if free > 1e-3 else 0.5, 0), 1)
        return float(middles[before] + (1 - duty) / 2 + passed * (length - (1 - duty)))

    def _show(self, walk: np.ndarray, feet: np.ndarray, gait: tuple, dt: float) -> None:
        aside, onward, row, rate, duty = gait
        wanted, shown = self._clip_phase(walk, feet, row, duty), walk[SHOWN]
        moved = wrapped(wanted - walk[WANTED])
        moved = moved if abs(moved) < 0.1 + 2 * rate * dt else 0.0
        behind = wrapped(wanted - shown - moved) * min(8 * dt, 1)
        moved += min(max(behind, -1.2 * dt), 1.2 * dt)
        active = 1.0 if (feet[:, SWING] < 1).any() else min(rate / 0.25, 1.0)
        walk[SHOWN] = (shown + active * moved + (1 - active) * self.plan.idle_rate * dt) % 1
        walk[WANTED] = wanted % 1
        lean = np.clip(onward * walk[TURN] / 9.81, -0.15, 0.15)
        walk[LEAN] += (lean - walk[LEAN]) * dt / (dt + 0.5)
        self._mix(walk, aside, onward)

    def _mix(self, walk: np.ndarray, aside: float, onward: float) -> None:
        scale = self.plan.unit / self.size
        speed = hypot(aside, onward) * scale
        if 0 < speed < self.plan.walk_speed:
            scale *= sqrt(self.plan.walk_speed / speed)
        walk[ASIDE], walk[ONWARD] = scale * aside, scale * (abs(onward) if self.plan.reverses else onward)

    def _lead(
        self, walk: np.ndarray, feet: np.ndarray, aside: float, onward: float, row: np.ndarray, rate: float, dt: float
    ) -> None:
        wide, both = self._wide(aside, row, rate), abs(aside) + abs(onward)
        lasting = aside * abs(aside) / both if both > 0 else 0.0
        sine, cosine = sin(walk[FACES]), cos(walk[FACES])
        vx, vz = onward * sine + lasting * cosine, onward * cosine - lasting * sine
        for leg, foot in enumerate(feet):
            if foot[SWING] >= 1:
                continue
            left = (1 - foot[SWING]) * foot[SECONDS]
            turn = np.clip(walk[TURN] * (left + min(foot[REST], 0.15)), -1, 1)
            go_x, go_z, half = vx * (left + foot[REST]), vz * (left + foot[REST]), turn / 2
            stand = self._stand(row, leg, walk[FACES] + turn, wide)
            stand[0] += walk[X] + go_x * cos(half) + go_z * sin(half)
            stand[1] += walk[Z] + go_z * cos(half) - go_x * sin(half)
            way = stand - foot[FROM:TO]
            way[YAWS], swing = turned_by(way[YAWS]), foot[SWING]
            near = 0.03 * self.size * self.plan.leg_length
            if foot[FRESH] and hypot(*way[PLACE]) < near and abs(way[YAWS]) < 0.15:
                foot[SWING] = swing = 1
            foot[FRESH] = 0
            if swing < 0.85:
                furthest = 3 * dt / swing if swing >= 0.1 else inf
                moved = foot[FROM:TO] + way - foot[TO : TO + 3]
                moved[PLACE] *= min(1, furthest / max(hypot(*moved[PLACE]), 1e-9))
                foot[TO : TO + 3] += moved

    def begin(self, walk: np.ndarray, feet: np.ndarray, root: tuple[float, float, float], phase: float) -> None:
        """Stand there, at the phase of the clips."""
        walk[X : FACES + 1], walk[VX : TURN + 1], walk[[ROOT_X, ROOT_Z]] = root, 0, root[:2]
        walk[SIGN], walk[PHASE], walk[SHOWN], walk[UNEASY], walk[CALM] = 1, phase, phase, -1, 1
        row = self.gait(walk)[2]
        feet[:, [SWING, SHARE, FRESH]] = 1, 0, 0
        feet[:, SECONDS], feet[:, REST] = self.plan.swing_seconds, 0.5 / 1e-3
        for leg, foot in enumerate(feet):
            stand = self._stand(row, leg, walk[FACES], 0.0)
            stand[PLACE] += walk[[X, Z]]
            foot[FROM:TO] = foot[TO : TO + 3] = stand
        walk[WANTED] = self._clip_phase(walk, feet, row, row[DUTY]) % 1
        walk[LEAN] = 0
        self._mix(walk, 0.0, 0.0)
