"""Helpers for tests of walking bodies: crowds that walk, and measures of their legs after all corrections."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

import ecs_anim as ea
from ecs_anim.components.body import Body
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine, quaternion
from ecs_anim.systems.chunk import Chunk
from ecs_anim.systems.crowd_handle import CrowdHandle

DT = 1 / 60  # [s]
SCENE = """
seed = 3
[rigs.people]
model = "{model}"
height = 1.75
[[crowds]]
name = "people"
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 2.0 }}
body = {body}
{more}
"""


@dataclass
class Watch:
    """A system that records legs in world space with plain numpy in float64.

    It takes from the body only which feet stand.
    """

    name: str = "watch"
    components: tuple[type, ...] = (Body, Transforms)
    frames: list[tuple[np.ndarray, ...]] = field(default_factory=list)

    def run(self, chunk: Chunk, body: Body, transforms: Transforms) -> None:
        """Record hips, knees and ankles, heels and balls, and which feet stand."""
        count, legs = chunk.actor_count, body.legs
        model = chunk.workspace.model[:count].reshape(count, -1, 3, 4).astype(np.float64)
        joints = model[:, legs.joints[:, :3]][..., 3]
        contacts = affine.transform_points(model[:, legs.joints[:, 2]][:, :, None], legs.contacts.astype(np.float64))
        swing = body.state.feet[chunk.rows][..., 0].copy()
        self.frames.append((_world(joints, transforms, chunk), _world(contacts, transforms, chunk), swing >= 1))


def _world(points: np.ndarray, transforms: Transforms, chunk: Chunk) -> np.ndarray:
    ones = (1,) * (points.ndim - 2)
    rotation = transforms.rotation[chunk.rows].astype(np.float64).reshape(-1, *ones, 4)
    scale = transforms.scale[chunk.rows].astype(np.float64).reshape(-1, *ones, 1)
    place = transforms.translation[chunk.rows].astype(np.float64).reshape(-1, *ones, 3)
    return quaternion.rotate(rotation, points) * scale + place


def walking_world(
    folder: Path,
    count: int = 1,
    *,
    model: str = "mannequin",
    body: str = "{}",
    more: str = "",
    watch: Watch | None = None,
    threads: int = 1,
    chunk_size: int = 2048,
) -> tuple[World, CrowdHandle]:
    """Return a world with a crowd that has a body, and the handle of the crowd."""
    path = folder / "walk.toml"
    path.write_text(SCENE.format(model=model, count=count, body=body, more=more), encoding="utf-8")
    systems = [(watch, "after", "step_feet")] if watch else []
    world = ea.load_scene(path, systems=systems, threads=threads, chunk_size=chunk_size)
    return world, ea.crowd(world, "people")


def steps(world: World, seconds: float, act: Callable[[float], object] = lambda time: None) -> None:
    """Step a world for a duration. Before each step, call `act` with the time."""
    for _ in range(round(seconds / DT)):
        act(world.time)
        world.step(DT)


@dataclass
class Footwork:
    """Measures of the feet of all actors. Lengths are in metres, and times are in seconds."""

    lengths: np.ndarray  # step lengths between successive landings along the path
    cadence: float  # footsteps per second
    slides: np.ndarray  # distance that the slower contact slides on the ground in each stance
    lifts: np.ndarray  # largest height of a foot's lower contact in each swing
    stretch: float  # largest distance from hip to ankle, as a share of the leg's length
    sunk: float  # largest depth of a contact below the floor
    jerks: float  # [deg], largest second difference of a knee's angle over time steps
    bounce: float  # [m/s^2], largest vertical acceleration of the hips


def footwork(watch: Watch, skip: float = 1.5) -> Footwork:
    """Return the footwork after the first `skip` seconds, on flat ground at height 0."""
    joints, contacts, stands = (np.stack(parts)[round(skip / DT) :] for parts in zip(*watch.frames, strict=True))
    thigh, shank = joints[..., 1, :] - joints[..., 0, :], joints[..., 2, :] - joints[..., 1, :]
    length = np.linalg.norm(thigh, axis=-1) + np.linalg.norm(shank, axis=-1)
    stretch = np.linalg.norm(joints[..., 2, :] - joints[..., 0, :], axis=-1) / length
    lengths: list[float] = []
    spans: list[float] = []
    slides: list[float] = []
    lifts: list[float] = []
    for actor in range(contacts.shape[1]):
        landings = []
        for leg in range(contacts.shape[2]):
            own, down = contacts[:, actor, leg], stands[:, actor, leg]
            slides += _slides(own, down)
            lifts += _lifts(own, down)
            landings += [(at, own[at].mean(axis=0)) for at in np.flatnonzero(down[1:] & ~down[:-1]) + 1]
        landings.sort(key=lambda landing: landing[0])
        way = joints[-1, actor].mean(axis=(0, 1)) - joints[0, actor].mean(axis=(0, 1))
        way = way[[0, 2]] / max(np.linalg.norm(way[[0, 2]]), 1e-9)
        for (before, a), (after, b) in pairwise(landings):
            lengths.append(float(np.sum((b - a)[[0, 2]] * way)))
            spans.append((after - before) * DT)
    cadence = 1 / float(np.mean(spans)) if spans else 0.0
    sunk = float(-contacts[..., 1].min())
    cosine = np.sum(thigh * shank, axis=-1) / np.linalg.norm(thigh, axis=-1) / np.linalg.norm(shank, axis=-1)
    jerks = np.abs(np.diff(np.degrees(np.arccos(cosine)), n=2, axis=0)).max()
    bounce = np.abs(np.diff(joints[..., 0, 1].mean(axis=-1), n=2, axis=0)).max() / DT**2
    most = float(stretch.max()), sunk, float(jerks), float(bounce)
    return Footwork(np.array(lengths), cadence, np.array(slides), np.array(lifts), *most)


def _slides(own: np.ndarray, down: np.ndarray) -> list[float]:
    """Return for each stance how far the slower contact on the ground moves horizontally. `own` is [time, 2, 3]."""
    moved = np.linalg.norm(np.diff(own[..., [0, 2]], axis=0), axis=-1)
    touches = (own[1:, :, 1] < 0.004) & (own[:-1, :, 1] < 0.004)
    still = np.where(touches, moved, np.inf).min(axis=-1)
    still = np.where(np.isinf(still), 1.0, still)  # a standing foot must touch the ground
    return [float(still[run].sum()) for run in _runs(down[1:] & down[:-1])]


def _lifts(own: np.ndarray, down: np.ndarray) -> list[float]:
    return [float(own[run, :, 1].min(axis=-1).max()) for run in _runs(~down)]


def _runs(marks: np.ndarray) -> Sequence[slice]:
    """Return the intervals of true values that do not touch the ends of `marks`."""
    edges = np.flatnonzero(np.diff(marks.astype(np.int8)))
    starts = [edge + 1 for edge in edges if marks[edge + 1]]
    ends = [edge + 1 for edge in edges if not marks[edge + 1]]
    ends = [end for end in ends if starts and end > starts[0]]
    return [slice(start, end) for start, end in zip(starts, ends, strict=False)]
