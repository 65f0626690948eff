"""Stepping, eight bodies at a time, against the readable form, and one body alone that is begun on its way."""

from pathlib import Path

import numba
import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.gait_plan import LEG, LEG_WIDTH
from ecs_anim.body.movers import PATH
from ecs_anim.body.state import FACES, FROM, FROM_HEIGHT, LED, PHASE, SHOWN, SWING, TO, WANTED, WEIGHT, new_body_state
from ecs_anim.components.body import Body
from ecs_anim.components.transforms import Transforms
from ecs_anim.kernels import bodies, stepping
from ecs_anim.kernels.gaits import Walker, lead_feet
from ecs_anim.simd import pointer
from tests.helpers import EXHAUSTIVE
from tests.helpers.body import walking_world
from tests.oracles.stepping import Stepper

FOX = Path(__file__).parents[3] / "shared/assets/Fox.glb"
FOX_LEGS = """{ legs = [["b_RightUpperArm_06", "b_RightForeArm_07", "b_RightHand_08"],
    ["b_LeftUpperArm_09", "b_LeftForeArm_010", "b_LeftHand_011"],
    ["b_LeftLeg01_015", "b_LeftLeg02_016", "b_LeftFoot01_017", "b_LeftFoot02_018"],
    ["b_RightLeg01_019", "b_RightLeg02_020", "b_RightFoot01_021", "b_RightFoot02_022"]] }"""


def differences(own, other):
    """How far two states are apart, phases and angles the shorter way round."""
    (walk, feet), (walk_there, feet_there) = own, other
    for column, there in (  # far from stairs, these columns are empty
        (walk[:, LED], walk_there[:, LED]),
        (feet[..., FROM_HEIGHT:], feet_there[..., FROM_HEIGHT:]),
    ):
        assert np.isnan(column).all()
        assert np.isnan(there).all()
        column[:], there[:] = 0, 0
    by, feet_by = walk - walk_there, feet - feet_there
    by[:, [PHASE, SHOWN, WANTED]] -= np.round(by[:, [PHASE, SHOWN, WANTED]])
    for part, column in ((by, FACES), (feet_by, FROM + 2), (feet_by, TO + 2)):
        part[..., column] -= 2 * np.pi * np.round(part[..., column] / (2 * np.pi))
    scale = 1 + np.maximum(abs(feet), abs(feet_there))
    return np.concatenate([by, (feet_by / scale).reshape(len(walk), -1)], axis=1)


@pytest.fixture
def compared(monkeypatch):
    """The differences of all steps of all bodies from the readable form."""
    found, kernel = [], bodies.walk_bodies

    def walk_bodies(table, plan, placement, movers, paths, now, dt, queue, parameters, body):
        walk, feet = (column.astype(np.float64) for column in body)
        for actor, (place, turn, size) in enumerate(zip(*placement, strict=True)):
            heading = plan.facing + 2 * np.arctan2(turn[1], turn[3])
            root, phase = (float(place[0]), float(place[2]), heading), float(queue[2][actor, 0])
            Stepper(table, plan, float(size)).walk_to(walk[actor], feet[actor], root, dt, phase)
        kernel(table, plan, placement, movers, paths, now, dt, queue, parameters, body)
        assert (movers[0] != PATH).all()
        by = differences((walk, feet), [column.astype(np.float64) for column in body])
        by[:, WEIGHT] = 0  # how much of what they play is the gait, steps do not know
        found.append(by)

    monkeypatch.setattr(bodies, "walk_bodies", walk_bodies)
    return found


def stepped(folder, count, ticks, **options):
    """A crowd of sizes of their own goes at all speeds in all directions, turns, stands and is put elsewhere."""
    rng = np.random.default_rng(7)
    world, people = walking_world(folder, count, more="scale_range = [0.7, 1.3]", **options)
    transforms = next(row[0] for _, row in world.query(Transforms))
    for tick in range(ticks):
        if tick % 40 == 0:
            way, speed = rng.uniform(0, 2 * np.pi, count), rng.choice([0.0, 0.1, 0.5, 1.3, 3.5], count)
            velocity = speed[:, None] * np.stack([np.sin(way), np.cos(way)], axis=-1)
            facing = () if tick % 80 else (float(rng.uniform(-3, 3)) - np.pi / 2,)
            people.set_velocity(ea.ALL, velocity, *facing)
        if tick == 90:
            transforms.translation[[1, 4], 0] += 3.0
        world.step(0.12 if tick % 50 == 49 else 1 / 60)  # the former in three steps
    swing = next(row[0] for _, row in world.query(Body)).state.feet[..., SWING]
    assert 0 < (swing < 1).mean() < 0.8
    world.close()


@EXHAUSTIVE
def test_eight_bodies_step_as_the_readable_form_has_one(tmp_path, compared):
    """A crowd of 13: eight, and a rest."""
    stepped(tmp_path, 13, 160)
    assert abs(np.concatenate(compared)).max() < 2e-4


@pytest.mark.skipif(not FOX.is_file(), reason=f"{FOX}, a body of four legs, is not here")
@pytest.mark.filterwarnings("ignore:.*is left out")
def test_eight_bodies_of_four_legs_too(tmp_path, compared):
    stepped(tmp_path, 9, 120, model=FOX.as_posix(), body=FOX_LEGS)
    assert abs(np.concatenate(compared)).max() < 2e-4


@numba.njit
def begun(table, plan, state, row, phase):
    """Begin at a phase."""
    body = Walker(pointer(state[0]), pointer(state[1]), 2, np.float32(1), pointer(row))
    stepping.begin_gait(pointer(table), plan, body, phase)


@numba.njit
def went_on(table, plan, state, row, dt):
    """Advance, and lead the feet."""
    body = Walker(pointer(state[0]), pointer(state[1]), 2, np.float32(1), pointer(row))
    gait, sine, cosine = stepping.advance_gait(pointer(table), plan, body, stepping.AS_ASKED, dt)
    lead_feet(plan, body, gait, sine, cosine, dt)


@pytest.fixture
def body(tmp_path):
    world, _ = walking_world(tmp_path)
    yield next(row[0] for _, row in world.query(Body))
    world.close()


@pytest.mark.parametrize("speed", [0.2, 1.0, 1.8, 3.5])
@EXHAUSTIVE
def test_a_body_begun_on_its_way_walks_on_without_a_hitch(speed, body):
    """Feet in the air land where feet that went all the way would have."""
    state, row = new_body_state(1, 2), np.empty(LEG + 2 * LEG_WIDTH, np.float32)
    state.walk[0, :5] = 0.0, 0.0, 0.0, 0.0, speed
    begun(body.table, body.plan, state, row, np.float32(0.3))
    landed = []
    for tick in range(600):
        before = state.feet[0, :, SWING].copy()
        state.walk[0, 1] += np.float32(speed / 60)
        went_on(body.table, body.plan, state, row, np.float32(1 / 60))
        landed += [(tick, state.feet[0, leg, 6]) for leg in range(2) if before[leg] < 1 <= state.feet[0, leg, SWING]]
    ticks, places = np.array(landed).T
    pace = np.diff(places).mean() / (np.diff(ticks).mean() / 60)
    assert pace == pytest.approx(speed, rel=0.05)
    assert np.diff(ticks).max() < 1.6 * np.diff(ticks).min() + 2
