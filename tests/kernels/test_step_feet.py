"""Feet brought to their steps: they are on the ground where the plan has them."""

import numpy as np

import ecs_anim as ea
from ecs_anim.body.state import TO
from ecs_anim.components.body import Body
from tests.helpers.body import Watch, steps, walking_world


def test_feet_that_stand_are_where_their_steps_are(tmp_path):
    """Balls of flat feet lie on their stands, in the world; heels behind them as the foot points."""
    watch = Watch()
    world, people = walking_world(tmp_path, 6, watch=watch, more="scale_range = [0.8, 1.2]")
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
