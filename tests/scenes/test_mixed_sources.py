"""One blend space of a glTF clip, a BVH motion, SMPL poses and an FBX motion: feet land together and do not slide."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.character import Character
from ecs_anim.ik.legs import BALL, find_legs
from ecs_anim.maths import affine
from ecs_anim.support.errors import InputError
from ecs_anim.systems.joints import joint_matrices
from tests.builders.bvh_files import bvh_of_clip
from tests.builders.walk_files import walk_file

pytest.importorskip("ufbx")
FILES = ("stroll.glb", "stride.bvh", "jog.npz", "march.fbx")
CLIPS = ("march", "crowd", "stride", "jog")  # in the order of their speeds; a glTF file of an export has a clip "crowd"
RATE, SECONDS = 60, 2
SPEEDS = (1.1, 1.6, 2.3, 3.0)  # [m/s], between the speeds of the clips


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The four files. Each motion begins at another phase of the stride."""
    folder = tmp_path_factory.mktemp("sources")
    for file, clip, phase, frames in (("stroll.glb", "walk", 0.3, 61), ("jog.npz", "run", 0.6, 43)):
        _export(folder / file, clip, phase, frames)
    rig = ea.load_rig("mannequin")
    (folder / "stride.bvh").write_text(bvh_of_clip(rig, rig.clips["walk"], 1.75, 0.8))
    (folder / "march.fbx").write_text(walk_file(strides=1))
    return folder


def _export(path, clip, phase, frames):
    clips = [{"name": clip, "phase": phase}]
    scene = {"rigs": {"a": {"model": "mannequin"}}, "crowds": [{"rig": "a", "clips": clips, "locomotion": {}}]}
    with ea.load_scene(scene, threads=1) as world:
        ea.export(world, path, frames=frames)


def mixed(folder, sync, clips=CLIPS, files=FILES, **keys):
    return {
        "rigs": {"people": {"model": "mannequin", "clips_from": [str(folder / file) for file in files]}},
        "crowds": [
            {
                "name": f"at {speed}",
                "rig": "people",
                "count": 6,
                "layout": {"kind": "grid", "spacing": 30.0},
                "locomotion": {},
                "parameters": {"speed": [speed, speed]},
                "blend_spaces": [
                    {"name": "gait", "parameters": ["speed"], "sync": sync, "members": [{"clip": own} for own in clips]}
                ],
                **keys,
            }
            for speed in SPEEDS
        ],
    }


def feet(world):
    """Return the balls of all feet [crowd, actor, leg, 3]."""
    found = []
    for entity, (character,) in world.query(Character):
        model = joint_matrices(world, entity, np.arange(6, dtype=np.int32))
        legs = find_legs(character.rig)
        found.append(
            np.stack([affine.transform_points(model[:, leg.ankle], leg.contacts[BALL]) for leg in legs], axis=1)
        )
    return np.stack(found)


def played(scene):
    """Return the balls of all feet [frame, crowd, actor, leg, 3], and the distances [crowd, actor] of the roots [m]."""
    points = []
    with ea.load_scene(scene, threads=1) as world:
        begins = [crowd.positions.copy() for crowd in ea.crowds(world)]
        for _ in range(SECONDS * RATE):
            world.step(1 / RATE)
            points.append(feet(world))
        ends = [crowd.positions for crowd in ea.crowds(world)]
    gone = [np.linalg.norm(end - begin, axis=-1) for begin, end in zip(begins, ends, strict=True)]
    return np.array(points), np.array(gone)


def slides(points):
    """Return the median speed [m/s] of the lowest ball, by crowd."""
    speed = np.linalg.norm(np.diff(points, axis=0)[..., [0, 2]], axis=-1) * RATE
    lowest = points[1:, ..., 1].argmin(axis=-1)
    own = np.take_along_axis(speed, lowest[..., None], axis=-1)[..., 0]
    return np.median(own, axis=(0, 2))


def test_motions_of_four_sources_walk_at_each_speed(folder):
    points, gone = played(mixed(folder, "contacts"))
    np.testing.assert_allclose(gone, np.broadcast_to(np.array(SPEEDS)[:, None] * SECONDS, gone.shape), rtol=0.01)
    together, apart = slides(points), slides(played(mixed(folder, "phase"))[0])
    print(together.round(3), apart.round(3))
    assert together.max() < 0.15
    assert apart.max() > 3 * together.max()


def test_motions_with_other_numbers_of_steps_are_one_error(folder):
    (folder / "long.fbx").write_text(walk_file(strides=3))
    scene = mixed(folder, "contacts", ("long", "jog"), ("long.fbx", "jog.npz"))
    with pytest.raises(InputError, match=r"'long': 6 \(got 2\)\. Cut clip 'long' in its file to 2 foot contacts"):
        ea.load_scene(scene)
