"""Helpers for tests of grounding: mannequins in the middle of a walk, on grounds with simple formulas."""

from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.ik.grounding import GroundingSettings, new_foot_state
from ecs_anim.ik.legs import find_legs, leg_arrays
from ecs_anim.kernels.grounding_plans import HIT, PLAN_WIDTH, Plan
from ecs_anim.runtime.records import Placement
from ecs_anim.scenes.rigs import load_model
from tests.helpers.grounding_steps import Grounded

SETTINGS = GroundingSettings(
    floor=0.0,
    pelvis_seconds=0.12,
    step_seconds=0.06,
    release_seconds=0.1,
    slope_sine=float(np.sin(np.radians(35))),
    lock_share=0.15,
    viewer_x=0.0,
    viewer_y=0.0,
    viewer_z=0.0,
    range=np.inf,
)
HIP, KNEE, ANKLE, TOES = range(4)
# The index of each field of a `Plan` in its row of numbers.
GOAL, AHEAD, ROLL, PITCH, TOE, SHIFT = map(Plan._fields.index, ("x", "ahead_x", "roll", "pitch", "toe_pitch", "shift"))


@cache
def mannequin():
    return load_model("mannequin")


@cache
def legs():
    return leg_arrays(mannequin().skeleton, find_legs(mannequin()))


def poses(count, seed=0, clips=("walk", "run", "idle")):
    """Return model matrices [count, joint, 12] at random times of clips."""
    rng, skeleton = np.random.default_rng(seed), mannequin().skeleton
    chosen = [mannequin().clips[name] for name in clips]
    models = [model_matrices(skeleton, clip.sample(rng.uniform(0, clip.duration, count))) for clip in chosen]
    picked = np.stack(models)[rng.integers(len(models), size=count), np.arange(count)]
    return np.ascontiguousarray(picked.reshape(count, -1, 12), np.float32)


def rest(count=1):
    """Return model matrices [count, joint, 12] of standing mannequins."""
    matrices = model_matrices(mannequin().skeleton, mannequin().skeleton.rest_pose)
    return np.repeat(matrices.reshape(1, -1, 12).astype(np.float32), count, axis=0)


def at(model, joints):
    """Return the positions of `joints` [...] in `model` [actor, joint, 12] as float64 [actor, ..., 3]."""
    return model[:, joints].astype(np.float64)[..., 3::4]


def contact_points(model):
    """Return heels and balls [actor, leg, 2, 3] in model space as float64."""
    ankle = model[:, legs().joints[:, ANKLE]].reshape(len(model), -1, 3, 4).astype(np.float64)
    local = legs().contacts.astype(np.float64)
    return np.einsum("alij,lcj->alci", ankle[..., :3], local) + ankle[:, :, None, :, 3]


class Actors:
    """A chunk of upright actors. The function `ground` maps x and z to the height and to its slopes along x and z."""

    def __init__(self, count, ground, settings=SETTINGS, seed=0, size=(0.5, 2.0), weight=1.0):
        rng = np.random.default_rng([seed, 1])
        self.count, self.ground, self.settings = count, ground, settings
        self.heading = rng.uniform(-np.pi, np.pi, count)
        self.translation = rng.uniform(-5, 5, (count, 3)).astype(np.float32)
        self.scale = rng.uniform(*size, count).astype(np.float32)
        self.weight = np.full(count, weight, np.float32)
        self.pin = np.zeros((count, 2, 3), np.float32)
        self.state = new_foot_state(count, 2)
        self.stand()

    def stand(self):
        """Put the actors on the ground."""
        height = self.ground(self.translation[:, 0], self.translation[:, 2])[0]
        self.translation[:, 1] = np.where(np.isfinite(height), height, self.translation[:, 1]) + self.settings.floor

    @property
    def turn(self):
        return Rotation.from_rotvec(np.outer(self.heading, [0, 1, 0]))

    @property
    def rotation(self):
        return self.turn.as_quat().astype(np.float32)

    @property
    def placement(self):
        return Placement(self.translation, self.rotation, self.scale)

    def world(self, points):
        """Return the points [actor, ..., 3] of model space in world space as float64."""
        flat = np.asarray(points, np.float64).reshape(self.count, -1, 3)
        turned = np.einsum("aij,apj->api", self.turn.as_matrix(), flat)
        placed = turned * self.scale[:, None, None] + self.translation[:, None].astype(np.float64)
        return placed.reshape(np.shape(points))

    def begin(self, model):
        """Return the grounded actors at the beginning of a time step."""
        return Grounded(self.settings, legs(), model, self.placement, self.weight, self.state)

    def probes(self, model):
        """Return the origins of probes [actor x leg x 2, 3]. They are NaN for actors that are not grounded."""
        return self.begin(model).probes(self.pin).reshape(-1, 3)

    def hits(self, points):
        """Return heights and normals [point, 4] of the ground under points [point, 3]."""
        height, slope_x, slope_z = (np.broadcast_to(v, len(points)) for v in self.ground(points[:, 0], points[:, 2]))
        there = np.isfinite(height)
        normal = np.stack([-slope_x, np.ones(len(points)), -slope_z], axis=-1)
        normal = np.where(there[:, None], normal / np.linalg.norm(normal, axis=-1, keepdims=True), [0, 1, 0])
        return np.column_stack([height, normal]).astype(np.float32)

    def plan(self, model, dt=1 / 60):
        """Compute one time step and return plans [actor, leg, PLAN_WIDTH].

        They are NaN for actors that are not grounded.
        """
        grounded = self.begin(model)
        hits = self.hits(grounded.probes(self.pin, dt).reshape(-1, 3)).reshape(self.count, 2, 2, HIT)
        out = grounded.plans(hits, dt)
        assert out.shape == (self.count, 2, PLAN_WIDTH)
        grounds = np.isfinite(out[:, 0, 0])
        self.state.pelvis[grounds, :3] = self.translation[grounds]  # as the stage does when it moves the pelvis
        return out


def level(x, z):
    """Return the height and the slopes of flat ground at height 0."""
    return np.zeros_like(x), 0.0, 0.0


def slope(along_x, along_z, height=0.0):
    """Return the height and the slopes of a plane."""

    def ground(x, z):
        return height + along_x * x + along_z * z, along_x, along_z

    return ground
