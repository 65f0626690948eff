"""A walk from an FBX file like Mixamo's on other bodies: heels and balls that stand, and all soles, are within 1 cm."""

from importlib.util import find_spec

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.skinning import rest_bounds, skin_linear
from ecs_anim.ik.legs import make_leg
from ecs_anim.maths import affine
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.rigs import load_model
from tests.builders.walk_files import PERIOD, STANDS, STRIDES, walk_file
from tests.helpers import EXHAUSTIVE, real

pytest.importorskip("ufbx")
NEAR, PERSON = 0.01, 1.75  # [m], on a body with this height
SIDES = ("left", "right")


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("walk") / "Walking.fbx"
    path.write_text(walk_file())
    return ea.load_rig(path)


def stands():
    """Yield the side, the part of the foot (0 heel, 1 ball), and begin and end [s] of each stance in the file."""
    for late, side in enumerate(SIDES):
        for part, (begin, end) in enumerate(STANDS):
            for stride in np.arange(STRIDES) + late / 2:
                yield side, part, (stride + begin) * PERIOD, (stride + end) * PERIOD


def contacts(rig, clip, side, time):
    """Return heel and ball [time, 2, 3]."""
    joints = find_roles(rig).joints
    own = (joints.get(f"{side}_{part}") for part in ("thigh", "shank", "foot", "toes"))
    leg = make_leg(rig, [rig.skeleton.joint_names[joint] for joint in own if joint is not None])
    model = ea.model_matrices(rig.skeleton, clip.sample(clip.start + time, loop=False))
    return affine.transform_points(model[:, leg.ankle, None], leg.contacts)


def lowest(rig, clip, time):
    """Return the height of the lowest vertex of the finest meshes."""
    palette = skin_palette(rig.skeleton, clip.sample(clip.start + time, loop=False))
    meshes = [mesh.of_figure(0) if mesh.figures else mesh for mesh in rig.meshes if not mesh.level]
    return min(skin_linear(mesh, palette)[0][:, 1].min() for mesh in meshes)


ANNY = pytest.param("anny", marks=[EXHAUSTIVE, pytest.mark.skipif(find_spec("anny") is None, reason="without anny")])


@pytest.mark.parametrize("model", ["mannequin", *real("Woman.gltf", "cesium_man.gltf"), ANNY])
def test_feet_stand_where_they_stand_in_the_file(walk, model):
    rig = load_model(model)
    clip = ea.retarget(walk.clips["Walking"], walk, rig, root_motion="keep")
    near = NEAR * np.ptp(rest_bounds(rig), axis=0)[1] / PERSON
    for side, part, begin, end in stands():
        points = contacts(rig, clip, side, np.arange(begin, end, 1 / 60))[:, part]
        assert np.ptp(points[:, [0, 2]], axis=0).max() < near
        assert np.abs(points[:, 1]).max() < near
    low = [lowest(rig, clip, time) for time in np.linspace(0, clip.duration, 40)]
    assert -near < min(low) < max(low) < near
