"""The facing of characters, measured from their joints, and actors that walk where their faces look."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.roles.facing import measured_facing
from ecs_anim.support.errors import InputError, InputWarning
from tests.builders.packed_models import mannequin_under
from tests.helpers import ASSETS, needs_assets

# Where joints are in a body that faces +Z [m]: x to the left, y up, z ahead.
BODY = {
    "hips": (0, 1.0, 0),
    "spine": (0, 1.2, 0),
    "head": (0, 1.6, 0),
    **{
        f"{side}_{part}": (sign * x, y, z)
        for side, sign in (("left", 1), ("right", -1))
        for part, (x, y, z) in {
            "upper_arm": (0.2, 1.5, 0),
            "lower_arm": (0.45, 1.5, 0),
            "hand": (0.7, 1.5, 0),
            "thigh": (0.1, 1.0, 0),
            "shank": (0.1, 0.5, 0),
            "foot": (0.1, 0.1, 0),
            "toes": (0.1, 0.0, 0.15),
        }.items()
    },
}
ABOVE = {"hips": None, "spine": "hips", "head": "spine", "upper_arm": "spine", "thigh": "hips"}
ABOVE |= {"lower_arm": "upper_arm", "hand": "lower_arm", "shank": "thigh", "foot": "shank", "toes": "foot"}


def parent_of(name: str) -> str | None:
    side, _, part = name.partition("_")
    above = ABOVE[part] if part in ABOVE else ABOVE.get(name)
    return above if above is None or above in BODY else f"{side}_{above}"


def body(degrees: float = 0.0, left_out: tuple[str, ...] = (), swapped: bool = False) -> Rig:
    """A rig without meshes whose rest pose is turned from +Z towards +X."""
    names = [name for name in BODY if name.split("_", 1)[-1] not in left_out]
    parents = [-1 if (above := parent_of(name)) is None else names.index(above) for name in names]
    points = np.array([BODY[name] for name in names], np.float32)
    rest = Pose.identity(len(names))
    rest.translation[:] = points - np.where(np.array(parents)[:, None] >= 0, points[parents], 0)
    rest.rotation[0] = about_y(degrees)
    if swapped:
        other = {"left": "right", "right": "left"}
        sides = [name.partition("_") for name in names]
        names = [other.get(side, side) + between + part for side, between, part in sides]
    skeleton = Skeleton(
        tuple(names), np.array(parents, np.int32), rest, np.zeros(0, np.int32), np.zeros((0, 3, 4), np.float32)
    )
    return Rig("body", skeleton, (), {})


def about_y(degrees: float) -> np.ndarray:
    return quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), math.radians(degrees)).astype(np.float32)


def beginning(rig: Rig, rotation: np.ndarray) -> Rig:
    """The rig with a clip in which the hips are turned otherwise than at rest."""
    track = Track(0, "rotation", "LINEAR", np.zeros(1, np.float32), rotation[None].astype(np.float32))
    return replace(rig, clips={"own": Clip("own", rig.skeleton, (track,), 0.0, 0.0)})


def degrees_of(rig: Rig) -> float | None:
    found = measured_facing(rig)
    return None if found is None else round(math.degrees(found))


@pytest.mark.parametrize("left_out", [(), ("toes",)])
@pytest.mark.parametrize("degrees", [0, 90, 180, -90, 20, 160, -70])
def test_the_facing_is_the_nearest_quarter_turn(degrees, left_out):
    expected = (round(degrees / 90) + 1) % 4 - 1
    assert degrees_of(body(degrees, left_out)) == 90 * expected


@pytest.mark.parametrize("degrees", [0, 180])
def test_feet_tell_the_front_where_left_and_right_are_swapped(degrees):
    assert degrees_of(body(degrees, swapped=True)) == degrees


def test_the_first_frames_of_clips_count_more_than_the_rest_pose():
    assert degrees_of(beginning(body(0), about_y(180))) == 180
    lying = quaternion.from_axis_angle(np.array([1.0, 0.0, 0.0]), math.pi / 2)
    assert degrees_of(beginning(body(180), lying)) == 180


def test_other_bodies_have_no_measured_facing():
    assert degrees_of(body(180, ("upper_arm", "lower_arm", "hand"))) is None


@pytest.mark.parametrize(("name", "degrees"), [("Woman.gltf", 0), ("cesium_man.gltf", 90), ("Fox.glb", None)])
@needs_assets
def test_characters_of_others(name, degrees):
    assert degrees_of(ea.load_rig(ASSETS / name)) == degrees


def turned_mannequin(folder: Path, degrees: float) -> Path:
    """The mannequin's file under a node that turns all of it."""
    return mannequin_under(folder, rotation=about_y(degrees).tolist())


def walked(rig: str, crowd: str) -> np.ndarray:
    """Where an actor is that walks for two seconds from the origin, x, y, z [m]."""
    with ea.load_scene(f"[rigs.a]\n{rig}\n[[crowds]]\nrig = 'a'\n{crowd}") as world:
        for _ in range(120):
            world.step(1 / 60)
        return ea.crowd(world, "a").positions_in_space[0]


@pytest.mark.exhaustive
@pytest.mark.parametrize("degrees", [90, 180, -90])
@pytest.mark.parametrize("crowd", ["locomotion = {}", "body = {}\nlocomotion = {}\nclips = [{ name = 'walk' }]"])
def test_a_character_that_faces_elsewhere_walks_ahead(tmp_path, degrees, crowd):
    """As the mannequin does, which faces +Z; with one warning that tells how to override it."""
    path = turned_mannequin(tmp_path, degrees)
    expected = walked('model = "mannequin"', crowd)
    with pytest.warns(InputWarning, match=f"rigs.a: .* set facing_degrees = {degrees}. If the character faces") as told:
        found = walked(f'model = "{path}"', crowd)
    assert len(told) == 1
    np.testing.assert_allclose(found, expected, atol=5e-3)
    assert expected[2] > 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(("said", "ahead"), [(180, 1), (0, -1)])
def test_a_scene_overrides_the_measured_facing(tmp_path, said, ahead):
    """Without a warning; a character that is said to face +Z, and does not, walks backwards."""
    path = turned_mannequin(tmp_path, 180)
    crowd = "locomotion = {}\nclips = [{ name = 'walk', ground_speed_m_s = 1.4 }]"
    found = walked(f'model = "{path}"\nfacing_degrees = {said}', crowd)
    assert found[2] == pytest.approx(2.8, abs=0.1)  # where it goes is what the scene says
    with ea.load_scene(f"[rigs.a]\nmodel = '{path}'\nfacing_degrees = {said}\n[[crowds]]\nrig = 'a'") as world:
        ((_, (transforms,)),) = world.query(Transforms)
        front = quaternion.rotate(transforms.rotation[0], quaternion.rotate(about_y(180), np.array([0.0, 0, 1])))
    assert front[2] == pytest.approx(ahead, abs=1e-5)


@pytest.mark.parametrize("degrees", [180, 90, -90])
def test_a_body_whose_walk_goes_elsewhere_is_told_the_facing(tmp_path, degrees):
    path = mannequin_under(tmp_path, says_speeds=False, rotation=about_y(degrees).tolist())
    with pytest.raises(InputError, match=rf"body\.walk: .* must walk forward. .* set facing_degrees = {degrees} in"):
        walked(f'model = "{path}"\nfacing_degrees = 0', "body = {}")
