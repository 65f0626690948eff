"""Labels of a crowd, against the CPU's skin, plain pinholes with lenses, and pictures of people who are there alone."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.labels.keypoints import coco_keypoints
from ecs_anim.maths.quaternion import rotate
from ecs_anim.view.resampling import resampling_of
from tests.helpers import EXHAUSTIVE
from tests.helpers.gl import context_fixture  # noqa: F401
from tests.oracles.pinhole import bent

LENSES = ((0.0,) * 5, (-0.22, 0.06, 0.002, -0.001, 0.0), (0.12, -0.02, -0.001, 0.002, 0.0))
SPACING = 1.3  # [m]
PIXELS = 60  # of each picture, whose flow is followed
NEAR = 0.02  # [pixel]
PEOPLE = 4  # of each camera, who are looked at alone


@dataclass(frozen=True)
class Size:
    people: int
    frames: int
    picture: tuple[int, int]


DAILY, WHOLE = Size(40, 3, (240, 136)), Size(1000, 4, (1280, 720))


def scene(people):
    side = SPACING * people**0.5 / 2
    return f"""
[rigs.people]
model = "people"
[[crowds]]
name = "people"
rig = "people"
count = {people}
layout = {{ kind = "scatter", radius = {side}, min_distance = 0.6 }}
heading_degrees = "random"
locomotion = {{ area_radius = {side} }}
clips = [{{ name = "walk" }}, {{ name = "run" }}, {{ name = "wave" }}]
"""


def cameras(size, frame):
    """Three that go round the crowd, each with a lens of its own."""
    width, height = size.picture
    far = 5.0 + 0.9 * size.people**0.5
    found = []
    for number, distortion in enumerate(LENSES):
        angle = 2.1 * number + 0.01 * frame
        eye = [far * np.sin(angle), 1.6 + number, far * np.cos(angle)]
        lens = ea.Lens(size.picture, 0.9 * width, 0.9 * width, width / 2 + 3, height / 2 - 2, distortion)
        found.append(ea.PinholeCamera.looking(lens, eye, [0.0, 0.8, 0.0]))
    return found


def pixels_of(camera, points):
    """By K and the lens's formula, of points [n, 3]; y down, z ahead."""
    away = (points - camera.pose[:, 3]) @ camera.pose[:, :3]
    lens = camera.lens
    u, v = bent(away[:, 0] / -away[:, 2], away[:, 1] / away[:, 2], *lens.distortion)
    return np.stack([lens.fx * u + lens.cx, lens.fy * v + lens.cy], axis=-1)


class People:
    """The crowd as the CPU skins it, frozen at a moment."""

    def __init__(self, world):
        ((_, (self.character, transforms, palette, looks)),) = world.query(Character, Transforms, Palette, Appearance)
        self.palettes, self.variants = palette.matrices.astype(float), looks.variant.copy()
        self.rotation, self.scale = transforms.rotation.astype(float), transforms.scale.astype(float)
        self.translation = transforms.translation.astype(float)

    def placed(self, row, points):
        return rotate(self.rotation[row], points) * self.scale[row] + self.translation[row]

    def skin(self, row):
        """Vertices [vertex, 3], and corners of triangles [triangle, 3]."""
        rig = self.character.rig
        meshes = rig.level(self.character.level)
        if rig.figures:
            meshes = [mesh.of_figure(int(self.variants[row]) % len(rig.figures)) for mesh in meshes]
        starts = np.cumsum([0, *(mesh.vertex_count for mesh in meshes)])
        points = np.concatenate([skin_linear(mesh, self.palettes[row])[0] for mesh in meshes])
        corners = [mesh.indices.reshape(-1, 3).astype(int) + k for mesh, k in zip(meshes, starts, strict=False)]
        return self.placed(row, points), np.concatenate(corners)

    def keypoints(self, row):
        """As vertices would move that were bound to the palette entries of the keypoints' joints, [17, 3]."""
        entries, bound = bound_keypoints(self.character.rig)
        return self.placed(row, np.einsum("nij,nj->ni", self.palettes[row, entries], bound))


@cache
def bound_keypoints(rig):
    """A palette entry of each keypoint's joint [17], and where the keypoint is as that was bound [17, 4]."""
    skeleton, points = rig.skeleton, coco_keypoints(rig)
    entries = [int(np.flatnonzero(skeleton.skin_joints == joint)[0]) for joint in points.joints]
    binds = [np.linalg.inv(np.vstack([skeleton.inverse_bind[entry], [0, 0, 0, 1]]).astype(float)) for entry in entries]
    return entries, np.array([bind @ [*offset, 1.0] for bind, offset in zip(binds, points.offsets, strict=True)])


def check_keypoints(seen, people):
    """Where they are, and that who is seen there, half a pixel away at most, is their owner; returns how many are."""
    (found,) = seen.keypoints
    for actor_id, pixels, told in zip(found.actor_ids, found.joints_2d, found.visibility, strict=True):
        expected = pixels_of(seen.camera, people.keypoints(int(actor_id) - 1))
        np.testing.assert_allclose(pixels[told > 0], expected[told > 0], atol=0.02)
        for x, y in pixels[told == 2]:
            rows, columns = (slice(max(math.ceil(at - 1.5), 0), math.floor(at + 0.5) + 1) for at in (y, x))
            assert (seen.ids[rows, columns] == actor_id).any()
    return np.count_nonzero(found.visibility == 2)


def follow(camera, before, now, then, row, column_row):
    """Flow [2] of what an actor shows at the middle of a pixel.

    None where a shift by NEAR, as by rounding, shows something that moves otherwise, or nothing.
    """
    lens = camera.lens
    flat, at = lens, np.array(column_row) + 0.5
    if lens.is_distorted:  # the passes of the nearest pixel of a flat picture
        bending = resampling_of(lens)
        flat, at = bending.flat, np.floor(bending.at[column_row[1], column_row[0]]) + 0.5
    (points, corners), (old, _) = now.skin(row), then.skin(row)
    local = (points - camera.pose[:, 3]) @ camera.pose[:, :3]
    found = []
    for shift in NEAR * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]]):
        x, y = (at + shift - [flat.cx, flat.cy]) / [flat.fx, flat.fy]
        was = surface_before(np.array([x, -y, -1.0]), local[corners], old[corners])
        if was is None:
            return None
        u, v = bent(x, y, *lens.distortion)
        found.append(np.array([lens.fx * u + lens.cx, lens.fy * v + lens.cy]) - pixels_of(before, was[None])[0])
    return found[0] if np.ptp(found, axis=0).max() < 2 * NEAR else None


def surface_before(ray, triangles, old):
    """Where was what a ray [3] from the eye meets first of triangles [n, corner, 3] that face it; None = nothing."""
    a, b, c = triangles.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    with np.errstate(all="ignore"):
        t = np.sum(normal * a, axis=1) / (normal @ ray)
        hit = t[:, None] * ray
        total = np.sum(normal * normal, axis=1)
        u = np.sum(np.cross(hit - a, c - a) * normal, axis=1) / total
        v = np.sum(np.cross(b - a, hit - a) * normal, axis=1) / total
    weights = np.stack([1 - u - v, u, v], axis=1)
    meets = np.flatnonzero((weights >= 0).all(axis=1) & (t > 0) & (normal @ ray < 0))
    if not len(meets):
        return None
    nearest = meets[np.argmin(t[meets])]
    return weights[nearest] @ old[nearest]


def check_flow(seen, before, now, then, rng):
    """Of some pixels; returns how many were sure, and how many there were."""
    rows, columns = np.nonzero(seen.ids)
    chosen = rng.choice(len(rows), min(PIXELS, len(rows)), replace=False)
    sure = 0
    for row, column in zip(rows[chosen].tolist(), columns[chosen].tolist(), strict=True):
        expected = follow(seen.camera, before, now, then, int(seen.ids[row, column]) - 1, (column, row))
        if expected is not None:
            sure += 1
            np.testing.assert_allclose(seen.flow[row, column], expected, atol=0.1)
    return np.array([sure, len(chosen)])


def check_whole(world, seen, camera, rng):
    """Of a few who are half hidden or wholly."""
    ((_, (_, transforms)),) = world.query(Character, Transforms)
    stood = transforms.translation.copy()
    hidden = np.flatnonzero(seen.actors.occlusion > 0.5)
    for row in rng.choice(hidden, min(PEOPLE, len(hidden)), replace=False):
        actor_id = int(seen.actors.ids[row])
        transforms.translation[:, 1] -= 500
        transforms.translation[actor_id - 1] = stood[actor_id - 1]
        (alone,) = ea.capture(world, [camera], ["ids"])
        transforms.translation[:] = stood
        assert alone.actors.ids.tolist() == [actor_id]
        left, top, width, height = alone.actors.boxes[0]
        own = seen.actors.amodal_boxes[row]
        edges = np.abs(own - alone.actors.boxes[0])
        edges[2:] = np.abs([own[0] + own[2] - left - width, own[1] + own[3] - top - height])
        assert edges.max() <= 1
        assert (alone.mask(actor_id) ^ seen.amodal_mask(actor_id)).sum() <= 2
    return len(hidden)


@pytest.mark.parametrize("size", [DAILY, pytest.param(WHOLE, marks=EXHAUSTIVE)], ids=["daily", "whole"])
def test_labels_of_a_crowd_are_true(context, size):
    """Three cameras with lenses of their own, frame by frame, and people who walk, run and wave."""
    rng = np.random.default_rng(1)
    followed, hidden, owned = np.zeros(2, int), 0, 0
    with ea.load_scene(scene(size.people), threads=1) as world:
        then, before = None, None
        for frame in range(size.frames):
            world.step(1 / 30)
            around, now = cameras(size, frame), People(world)
            captures = ea.capture(world, around, ["ids", "flow"], keypoints=True, amodal=True)
            for number, seen in enumerate(captures):
                owned += check_keypoints(seen, now)
                for actor_id in rng.choice(seen.actors.ids, 40).tolist():
                    shown = seen.ids == actor_id
                    np.testing.assert_array_equal(seen.mask(actor_id), shown)
                    assert not (shown & ~seen.amodal_mask(actor_id)).any()
                np.testing.assert_array_equal(np.unique(seen.ids[seen.ids > 0]), seen.actors.ids[seen.actors.areas > 0])
                assert seen.actors.areas.sum() == np.count_nonzero(seen.ids)
                if then is not None:
                    followed += check_flow(seen, before[number], now, then, rng)
            then, before = now, around
        for seen, camera in zip(captures, around, strict=True):
            hidden += check_whole(world, seen, camera, rng)
    assert followed[0] > 0.6 * followed[1] > 100
    assert owned > 100
    assert hidden > 3
