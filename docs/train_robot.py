"""Train a robot to drive among people, in minutes on two cores: `python docs/train_robot.py docs/training.png`.

The policy corrects driving straight to the goal with 10 weights. The cross-entropy method (Rubinstein 1999) finds the
weights in 256 parallel rooms. Then, held-out episodes compare the policy with driving straight, and with a driver that
slows down for people ahead.
"""

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

from ecs_anim.gymnasium import Reward

SEED, ROUNDS, CANDIDATES, EPISODES, ELITE = 1, 20, 32, 8, 8  # EPISODES of each candidate in a round
TESTS, FIRST_TEST = 256, 1_000_000  # number and first seed of the held-out episodes
STARTS = 64  # number of different starts of the people in training; held-out episodes have 8 times as many
DISCOUNT = 0.995  # of the rewards, for each step
RANGES = np.array([0.3, 1.0])  # [m], distances at which the influence of a person has decreased to 37%
LANE = 0.7  # [m], half of the width of the lane in which people slow the robot down
TASK: dict[str, Any] = {"people": 20, "limit_seconds": 20.0, "reward": Reward(collision=-1.0)}
Arrays = dict[str, np.ndarray]
Driver = Callable[[Arrays], np.ndarray]


def straight(seen: Arrays) -> np.ndarray:
    """Return the actions [env, 2] that drive straight to the goal: shares of the speed and of the turn rate."""
    ahead, left = seen["robot"][:, 6:8].T
    return np.stack([np.ones(len(ahead)), np.clip(5 * np.arctan2(left, ahead), -1, 1)], axis=1)


def careful(seen: Arrays) -> np.ndarray:
    """Return the actions of `straight`, but slow down for people ahead, and stop in front of them."""
    x, y, gap, _ = people(seen)
    free = np.where((np.abs(y) < LANE) & (x > 0), gap, np.inf).min(axis=1)
    return straight(seen) * np.stack([np.clip(free - 0.2, 0, 1), np.ones(len(free))], axis=1)


def people(seen: Arrays) -> tuple[np.ndarray, ...]:
    """Return the positions ahead and to the left, the gaps to the robot, and the speeds of approach [env, person]."""
    robot = seen["robot"][:, None]
    x, y, vx, vy, radius, is_there = np.moveaxis(seen["people"], 2, 0)
    distance = np.maximum(np.hypot(x, y), 1e-3)
    approach = ((robot[..., 3] - vx) * x + (robot[..., 4] - vy) * y) / distance
    return x, y, np.where(is_there, np.maximum(distance - radius - robot[..., 8], 0), np.inf), approach


def policy(weights: np.ndarray) -> Driver:
    """Return the driver for the weights [env, 10] or [1, 10]. Left and right are mirror images."""

    def drive(seen: Arrays) -> np.ndarray:
        x, y, gap, approach = people(seen)
        near = np.exp(-gap / RANGES[:, None, None])  # [range, env, person]
        left = np.sin(np.arctan2(y, x))  # [env, person]
        lane = near * np.exp(-((y / LANE) ** 2)) * (x > 0)
        slows = np.concatenate([lane, lane * np.maximum(approach, 0)]).max(axis=2)  # [4, env]
        turns = np.concatenate([near * left, near * left * (x > 0), near * left * approach]).sum(axis=2)  # [6, env]
        corrections = [(weights[:, :4] * slows.T).sum(axis=1), (weights[:, 4:] * turns.T).sum(axis=1)]
        return straight(seen) - np.stack(corrections, axis=1)

    return drive


def play(envs: Any, drive: Driver, seeds: list[int]) -> tuple[np.ndarray, Arrays]:
    """Play one episode in each environment. Return the discounted sums of rewards [env], and the metrics [env]."""
    seen, _ = envs.reset(seed=seeds)
    total, runs, metrics, step = np.zeros(len(seeds)), np.ones(len(seeds), bool), Arrays(), 0
    while runs.any():
        seen, reward, terminated, truncated, info = envs.step(drive(seen).astype(np.float32))
        total += reward * runs * DISCOUNT**step
        ends = runs & (terminated | truncated)
        for name, values in info.get("metrics", {}).items():
            metrics.setdefault(name, np.zeros(len(seeds)))[ends] = values[ends]
        runs, step = runs & ~ends, step + 1
    return total, metrics


def make(count: int, starts: int) -> Any:
    """Return rooms in which an ended episode does not start again."""
    mode = gymnasium.vector.AutoresetMode.DISABLED
    return gymnasium.make_vec("ecs_anim/Crowd-v0", count, autoreset_mode=mode, crowd_starts=starts, **TASK)


def train() -> tuple[np.ndarray, list[float]]:
    """Return the weights [10], and the share of successful episodes in each round."""
    envs, rng = make(CANDIDATES * EPISODES, STARTS), np.random.default_rng(SEED)
    mean, spread, curve = np.zeros(10), np.ones(10), []
    for turn in range(ROUNDS):
        drawn = mean + spread * rng.normal(size=(CANDIDATES, 10))
        seeds = [turn * EPISODES + own for own in range(EPISODES)] * CANDIDATES  # equal episodes for all candidates
        total, metrics = play(envs, policy(np.repeat(drawn, EPISODES, axis=0)), seeds)
        best = drawn[total.reshape(CANDIDATES, EPISODES).mean(axis=1).argsort()[-ELITE:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.3 * 0.85**turn
        curve.append(float(metrics["success"].mean()))
        print(f"round {turn + 1}: {curve[-1]:.0%} of the episodes succeed", flush=True)
    envs.close()
    return mean, curve


def compare(drivers: dict[str, Driver]) -> dict[str, float]:
    """Print a table of held-out episodes with 95% confidence intervals, and return the success of each driver."""
    envs, success = make(TESTS, 8 * STARTS), {}
    print("| driver | success | collision | time of successes [s] | nearest person [m] |")
    print("| --- | --- | --- | --- | --- |")
    for name, drive in drivers.items():
        _, found = play(envs, drive, [FIRST_TEST + own for own in range(TESTS)])
        reached = found["seconds"][found["success"] > 0]
        columns = found["success"], found["collision"], reached, found["least_distance_m"]
        print(f"| {name} | {' | '.join(map(interval, columns))} |")
        success[name] = float(found["success"].mean())
    envs.close()
    return success


def interval(values: np.ndarray) -> str:
    """Return the mean and its 95% confidence interval as a text."""
    return f"{values.mean():.2f} ± {1.96 * values.std() / len(values) ** 0.5:.2f}" if len(values) else "-"


def main(out: str) -> None:
    """Train, compare, and draw the curve."""
    begin = perf_counter()
    weights, curve = train()
    print(f"the training took {perf_counter() - begin:.0f} s; weights: {weights.round(2).tolist()}")
    success = compare({"straight": straight, "careful": careful, "trained": policy(weights[None])})
    draw(curve, success, out)


def draw(curve: list[float], success: dict[str, float], out: str) -> None:
    """Draw the success of each round of the training, and of the drivers in the held-out episodes."""
    _, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    axes.plot(range(1, len(curve) + 1), curve, "o-", color="#2f6db3", label="candidates in training")
    for (name, share), style in zip(success.items(), (":", "--", "-"), strict=True):
        axes.axhline(share, color="#444444", linestyle=style, linewidth=1, label=f"{name}, held-out: {share:.0%}")
    axes.set(xlabel="round", ylabel="successful episodes", ylim=(0, 1.02))
    axes.locator_params(axis="x", integer=True)
    axes.legend(loc="lower right")
    plt.savefig(out)


if __name__ == "__main__":
    main(sys.argv[1])
