"""Bodies on stairs: each foot stands on one tread, no foot is in a riser, and no standing foot slides.

The heights of treads come from the numbers of the scene and plain numpy, not from the ground of the program.
"""

from dataclasses import dataclass

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.body import Body
from ecs_anim.components.transforms import Transforms
from tests.helpers.body import DT, Watch

SCENE = """
[rigs.people]
model = "mannequin"
height = 1.75
[[levels]]
name = "low"
height = 0.0
area = [[-3, -4], [9, -4], [9, 4], [-3, 4]]
[[levels]]
name = "high"
height = {top}
area = [[0, -4], [9, -4], [9, 4], [0, 4]]
[[stairs]]
name = "main"
foot = {{ at = [0, 0], level = "low" }}
to = "high"
heading_degrees = 0
width = 4.0
riser = {riser}
going = {going}
[[crowds]]
name = "people"
rig = "people"
count = 4
body = {{}}
layout = {{ kind = "points", points = [{points}], level = "{level}" }}
heading_degrees = {heading}
"""
RISERS = 14
SHOE = 0.29  # length of a shoe in front of the ball and behind the heel, as a share of the distance from heel to ball
SPEEDS = {1: 0.61, -1: 0.69}  # [m/s], horizontal speeds up and down stairs (Weidmann 1993)


@dataclass
class Walked:
    """The feet of people on stairs. f frames, n people, two feet."""

    heel: np.ndarray  # [f, n, 2, 3] [m]
    ball: np.ndarray
    stands: np.ndarray  # [f, n, 2]
    joints: np.ndarray  # [f, n, 2, 3, 3], hips, knees and ankles
    roots: np.ndarray  # [f, n, 3]
    riser: float
    going: float

    def height(self, x):
        """Return the height of the stairs at positions `x` along the stairs."""
        return self.riser * np.clip(np.floor(x / self.going) + 1, 0, RISERS)

    def inside(self, points):
        """Return the distance of points inside of a step to the nearest face of the step, or a negative number."""
        x = np.clip(points[..., 0], None, (RISERS - 1) * self.going)
        behind = points[..., 0] - np.floor(x / self.going) * self.going  # distance to the riser of the step
        return np.minimum(self.height(points[..., 0]) - points[..., 1], behind)

    def stances(self):
        """Yield the frames, the person and the foot of each whole stance near the stairs."""
        for person in range(self.stands.shape[1]):
            for foot in range(2):
                down = self.stands[:, person, foot]
                begins = np.flatnonzero(down[1:] & ~down[:-1]) + 1
                ends = np.flatnonzero(~down[1:] & down[:-1]) + 1
                for begin in begins:
                    end = ends[ends > begin]
                    if len(end) and -0.3 < self.ball[begin, person, foot, 0] < RISERS * self.going:
                        yield slice(int(begin), int(end[0])), person, foot


def walked(riser, going, way, count=4):
    """Return the feet of `count` people that walk over stairs. The speeds lie around the mean of Weidmann."""
    length = (RISERS - 1) * going
    start = -1.2 if way > 0 else length + 1.2
    shares, rows = np.linspace(0, 1, count), np.linspace(-1.35, 1.35, count)
    points = ", ".join(f"[{start + 0.3 * a * way:.3f}, {row:.2f}]" for a, row in zip(shares, rows, strict=True))
    level, heading = ("low", 0) if way > 0 else ("high", 180)
    watch, roots = Watch(), []
    text = SCENE.format(top=RISERS * riser, riser=riser, going=going, points=points, level=level, heading=heading)
    text = text.replace("count = 4", f"count = {count}")
    with ea.load_scene(text, systems=[(watch, "after", "step_feet")], threads=1) as world:
        speeds = way * SPEEDS[way] * (0.85 + 0.3 * shares)
        ea.crowd(world, "people").set_velocity(slice(None), np.stack([speeds, 0 * speeds], axis=-1))
        for _ in range(round((length + 2.4) / SPEEDS[way] / DT)):
            world.step(DT)
            _, (transforms,) = next(world.query(Transforms))
            roots.append(transforms.translation.astype(np.float64))
    joints, contacts, stands = (np.stack(parts)[-len(roots) :] for parts in zip(*watch.frames, strict=True))
    return Walked(contacts[..., 0, :], contacts[..., 1, :], stands, joints, np.stack(roots), riser, going)


@pytest.fixture(scope="module", params=[(0.17, 0.29), (0.15, 0.32), (0.19, 0.25)], ids=["17x29", "15x32", "19x25"])
def shape(request):
    return request.param


@pytest.fixture(scope="module", params=[1, -1], ids=["up", "down"])
def people(request, shape):
    return walked(*shape, request.param)


def test_stances_are_on_treads(people):
    """In the middle of each stance, the lower contact of the foot is on the tread below the foot."""
    off = []
    for frames, person, foot in people.stances():
        at = (frames.start + frames.stop) // 2, person, foot
        heel, ball = people.heel[at], people.ball[at]
        off.append(min(abs(point[1] - people.height(point[0])) for point in (heel, ball)))
    assert len(off) > 48
    assert np.percentile(off, 95) < 0.01
    assert max(off) < 0.02


def test_each_step_is_one_tread(people):
    """A person that walks at a usual speed leaves out no tread, and stands on no tread twice."""
    landings = {person: [] for person in range(4)}
    for frames, person, foot in people.stances():
        middle = (people.heel[frames.start, person, foot] + people.ball[frames.start, person, foot]) / 2
        landings[person].append((frames.start, int(np.floor(middle[0] / people.going))))
    for own in landings.values():
        treads = np.array([tread for _, tread in sorted(own) if 0 <= tread <= RISERS - 2])
        assert len(treads) >= RISERS - 2
        assert (np.abs(np.diff(treads)) == 1).mean() > 0.9


def test_standing_feet_do_not_slide(people):
    slides = []
    for frames, person, foot in people.stances():
        paths = (part[frames, person, foot][:, [0, 2]] for part in (people.heel, people.ball))
        slides.append(min(np.ptp(path, axis=0).max() for path in paths))
    assert max(slides) < 0.005


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", [1, -1], ids=["up", "down"])
def test_no_standing_foot_of_a_crowd_slides(way):
    """Forty people have different speeds and begin at different distances from the stairs."""
    crowd, slides = walked(0.17, 0.29, way, count=40), []
    for frames, person, foot in crowd.stances():
        paths = (part[frames, person, foot][:, [0, 2]] for part in (crowd.heel, crowd.ball))
        slides.append(min(np.ptp(path, axis=0).max() for path in paths))
    assert len(slides) > 480
    assert max(slides) < 0.005


def test_no_shoe_is_in_a_riser(people):
    """The heel, the ball and both ends of the shoe stay above the treads, in stances and in swings."""
    sole = people.ball - people.heel
    size = np.linalg.norm(sole, axis=-1, keepdims=True)
    level = sole * (1, 0, 1)
    level /= np.linalg.norm(level, axis=-1, keepdims=True)
    tip, back = people.ball + SHOE * size * level, people.heel - SHOE * sole  # toes stay level
    depths = [people.inside(point) for point in (people.heel, people.ball, tip, back)]
    standing = np.stack([depth[people.stands] for depth in depths])
    assert standing.max() < 0.015
    assert (np.stack(depths) > 0.02).mean() < 0.001
    assert np.stack(depths).max() < 0.04


def test_roots_rise_evenly_and_legs_reach(people):
    """No root jumps from tread to tread, and no leg is longer than its bones."""
    rise = np.diff(people.roots[..., 1], axis=0) / DT
    speeds = np.abs(np.diff(people.roots[..., 0], axis=0)).max() / DT
    assert np.abs(rise).max() < 1.1 * speeds * people.riser / people.going
    thigh, shank = (np.linalg.norm(people.joints[..., k + 1, :] - people.joints[..., k, :], axis=-1) for k in (0, 1))
    reach = np.linalg.norm(people.joints[..., 2, :] - people.joints[..., 0, :], axis=-1)
    assert (reach / (thigh + shank)).max() <= 0.9955


@pytest.mark.exhaustive
def test_a_standing_person_on_stairs_stays():
    """A person that stops on stairs stands on treads, without steps in place."""
    watch = Watch()
    text = SCENE.format(top=RISERS * 0.17, riser=0.17, going=0.29, points="[-1, 0]", level="low", heading=0)
    with ea.load_scene(text.replace("count = 4", "count = 1"), systems=[(watch, "after", "step_feet")]) as world:
        person = ea.crowd(world, "people")
        person.set_velocity(slice(None), [[0.6, 0.0]])
        for _ in range(300):
            world.step(DT)
        person.set_velocity(slice(None), [[0.0, 0.0]])
        for _ in range(240):
            world.step(DT)
        _, (body,) = next(world.query(Body))
        assert (body.state.feet[..., 0] == 1).all()
    contacts = np.stack([frame[1] for frame in watch.frames[-90:]])
    assert np.ptp(contacts, axis=0).max() < 0.01
    treads = np.floor(contacts[-1].mean(axis=-2)[..., 0] / 0.29) + 1
    assert contacts[-1][..., 1] == pytest.approx(np.repeat(0.17 * treads[..., None], 2, axis=-1), abs=0.012)
