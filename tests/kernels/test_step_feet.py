"""Feet brought to their steps: pins against the plan, and feet on the ground where the plan has them."""

import numpy as np

import ecs_anim as ea
from ecs_anim.body.state import TO
from ecs_anim.components.body import Body
from ecs_anim.kernels import step_feet
from tests.helpers.body import Watch, steps, walking_world


def test_pins_are_the_steps_and_the_clips_by_the_steps_share():
    rng, count = np.random.default_rng(3), 200
    asked = rng.random((count, 2, 3), np.float32)
    weight, clips = rng.choice(np.float32([0, 0.3, 1]), count), rng.random((count, 2, 3), np.float32)
    asked[weight == 0] = np.nan  # who does not step has none
    pin = clips.copy()
    step_feet.pin_steps(asked, weight, pin)
    share = weight[:, None, None].astype(np.float64)
    mixed = share * asked + (1 - share) * clips
    np.testing.assert_allclose(pin, np.where(share > 0, mixed, clips), atol=1e-7)


def test_feet_that_stand_are_where_their_steps_are(tmp_path):
    """Balls of flat feet lie on their stands, in the world; heels behind them as the foot points."""
    watch = Watch()
    world, people = walking_world(tmp_path, 6, watch=watch, more="size_variation = 0.2")
    angles = np.linspace(0, 6, 6)
    people.set_velocity(ea.ALL, 0.9 * np.stack([np.cos(angles), np.sin(angles)], axis=-1))
    body = next(row[0] for _, row in world.query(Body))
    seen = 0
    for _ in range(40):
        steps(world, 0.05)
        _, contacts, stands = watch.frames[-1]
        flat = stands & (np.ptp(contacts[..., 1], axis=-1) < 1e-4)
        ball, stand = contacts[..., 1, :][..., [0, 2]], body.state.feet[..., TO : TO + 2]
        np.testing.assert_allclose(ball[flat], stand[flat], atol=1e-4)
        foot = (contacts[..., 1, :] - contacts[..., 0, :])[flat]
        yaw = body.state.feet[..., TO + 2][flat]
        np.testing.assert_allclose(np.sin(np.arctan2(foot[:, 0], foot[:, 2]) - yaw), 0, atol=1e-3)
        seen += int(flat.sum())
    assert seen > 50
    world.close()
