"""SMPL poses: scipy's rotations give the same positions of joints. Each wrong array causes a message of one line."""

import io
import json
import zipfile

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.commands.outcome import exit_code
from ecs_anim.smpl.bodies import joint_names
from ecs_anim.smpl.load import load_rig
from ecs_anim.support.errors import InputError, InputWarning
from tests.helpers import SHARED

FRAMES, RATE = 5, 50.0
STOOD = Rotation.from_rotvec([np.pi / 2, 0, 0])  # the body is upright along z


def poses(width, seed=1):
    """Random poses of a body that stands along z."""
    rng = np.random.default_rng(seed)
    found = rng.normal(0, 0.4, (FRAMES, width // 3, 3))
    found[:, 0] = (STOOD * Rotation.from_rotvec(found[:, 0] / 4)).as_rotvec()
    return found.reshape(FRAMES, width)


TRANS = np.linspace([0, 0, 0.95], [0.3, 0.1, 0.9], FRAMES)


def placed(skeleton, vectors, trans):
    """Joint positions [frame, joint, 3] in the axes of the file, by scipy."""
    offsets = skeleton.rest_pose.translation
    points, turned = [trans], [Rotation.from_rotvec(vectors[:, 0])]
    for joint, parent in enumerate(skeleton.parents[1:].tolist(), 1):
        points.append(points[parent] + turned[parent].apply(offsets[joint]))
        turned.append(turned[parent] * Rotation.from_rotvec(vectors[:, joint]))
    return np.stack(points, axis=1)


def points_of(rig, frames=FRAMES, rate=RATE):
    (clip,) = rig.clips.values()
    assert clip.duration == pytest.approx((frames - 1) / rate, rel=1e-6)
    return ea.model_matrices(rig.skeleton, clip.sample(np.arange(frames) / rate, loop=False))[..., 3]


def to_y_up(points):
    return points[..., [0, 2, 1]] * [1, 1, -1]


@pytest.fixture
def save(tmp_path):
    def save(packed=False, **arrays):
        path = tmp_path / "move.npz"
        (np.savez_compressed if packed else np.savez)(path, **arrays)
        return path

    return save


@pytest.mark.parametrize("width", [66, 72, 156, 165])
@pytest.mark.parametrize("rate", ["mocap_framerate", "mocap_frame_rate"])
def test_joints_are_where_scipy_puts_them(save, width, rate):
    own = {"poses": poses(width), "trans": TRANS, rate: RATE, "betas": np.zeros(16), "gender": np.array("male")}
    rig = load_rig(save(packed=width == 72, **own))
    assert rig.skeleton.joint_names == joint_names(width)
    expected = to_y_up(placed(rig.skeleton, own["poses"].reshape(FRAMES, -1, 3), TRANS))
    np.testing.assert_allclose(points_of(rig), expected, atol=1e-5)


def test_the_parts_of_poses_are_joined(save):
    whole = poses(165)
    parts = {"root_orient": whole[:, :3], "pose_body": whole[:, 3:66], "pose_hand": whole[:, 75:]}
    parts |= {"pose_jaw": whole[:, 66:69], "pose_eye": whole[:, 69:75], "trans": TRANS, "mocap_frame_rate": RATE}
    together = points_of(load_rig(save(poses=whole, trans=TRANS, mocap_frame_rate=RATE)))
    np.testing.assert_array_equal(points_of(load_rig(save(**parts))), together)
    del parts["pose_eye"]
    np.testing.assert_array_equal(points_of(load_rig(save(**parts))), together[:, :22])


def test_aist_has_its_own_unit_rate_and_up_axis(save):
    upright = poses(72).reshape(FRAMES, 24, 3)
    upright[:, 0] *= 0.01
    own = {"smpl_poses": upright.reshape(FRAMES, 72), "smpl_trans": TRANS * 93.5, "smpl_scaling": [93.5]}
    rig = load_rig(save(**own))
    np.testing.assert_allclose(points_of(rig, rate=60.0), placed(rig.skeleton, upright, TRANS), atol=1e-5)


def test_a_row_of_motion_x_has_hands_before_the_face(tmp_path):
    whole = poses(165)
    whole[:, :3], whole[:, 69:75] = 0, 0
    rows = np.zeros((FRAMES, 322))
    rows[:, :66], rows[:, 66:156], rows[:, 156:159] = whole[:, :66], whole[:, 75:], whole[:, 66:69]
    rows[:, 309:312] = TRANS
    np.save(tmp_path / "x.npy", rows)
    rig = ea.load_rig(tmp_path / "x.npy")
    expected = placed(rig.skeleton, whole.reshape(FRAMES, 55, 3), TRANS)
    np.testing.assert_allclose(points_of(rig, rate=30.0), expected, atol=1e-5)


def test_the_up_axis_is_seen_or_given(save):
    flat = poses(66)
    flat[:, :3] = 0
    path = save(poses=flat, trans=TRANS, mocap_framerate=RATE)
    with pytest.warns(InputWarning, match="the body is upright along y, but such files usually have the up axis z"):
        seen = points_of(load_rig(path))
    np.testing.assert_array_equal(seen, points_of(load_rig(path, up="y")))
    np.testing.assert_allclose(points_of(load_rig(path, up="z")), to_y_up(seen), atol=1e-6)
    lying = poses(66)
    lying[:, :3] = [0, 0, 1.5]  # along x: z stays the up axis
    load_rig(save(poses=lying, trans=TRANS, mocap_framerate=RATE))


def test_rest_joints_set_the_lengths_of_bones(save):
    rest = np.random.default_rng(2).normal(size=(22, 3))
    rig = load_rig(save(poses=poses(66), trans=TRANS, mocap_framerate=RATE, rest_joints=rest))
    np.testing.assert_allclose(ea.model_matrices(rig.skeleton, rig.skeleton.rest_pose)[..., 3], rest, atol=1e-5)
    expected = to_y_up(placed(rig.skeleton, poses(66).reshape(FRAMES, 22, 3), TRANS + rest[0]))
    np.testing.assert_allclose(points_of(rig), expected, atol=1e-4)


def test_bones_of_other_bodies_get_the_directions_of_the_poses(save):
    """The arms of the mannequin point as scipy's arms do."""
    bent = np.zeros((FRAMES, 22, 3))
    bent[:, 0], bent[:, 16], bent[:, 19] = STOOD.as_rotvec(), [0, 0, -0.9], [0, 0.7, 0]
    rig, body = (
        load_rig(save(poses=bent.reshape(FRAMES, 66), trans=TRANS, mocap_framerate=RATE)),
        ea.load_rig("mannequin"),
    )
    (clip,) = rig.clips.values()
    points = ea.model_matrices(body.skeleton, ea.retarget(clip, rig, body).sample(0.02))[..., 3]
    for side, angle, joints in (("Left", 0.9, ("Arm", "ForeArm")), ("Right", 0.7, ("ForeArm", "Hand"))):
        begin, end = (points[body.skeleton.joint_index(f"{side}{name}")] for name in joints)
        way = (end - begin) / np.linalg.norm(end - begin)
        turn = Rotation.from_rotvec([0, 0, -angle] if side == "Left" else [0, angle, 0])
        expected = turn.apply([1, 0, 0] if side == "Left" else [-1, 0, 0])
        np.testing.assert_allclose(way, expected, atol=0.01)


FAULTS = {
    "no array 'poses'|must contain the array 'poses'": {"poses": None},
    "must have 66 .*, 72 .*156 .*got 99": {"poses": np.zeros((FRAMES, 99))},
    "trans: the array must have a row of 3 numbers for each of 5 frames .got 4 x 3": {"trans": TRANS[:4]},
    "must contain the array 'trans'": {"trans": None},
    "must contain 'mocap_framerate'": {"mocap_framerate": None},
    "mocap_framerate: the value must be one number above 0 .got 0": {"mocap_framerate": 0.0},
    "poses: frame 1: each number must be finite .*got nan": {"poses": np.repeat([[0], [np.nan]], 66, 1)},
    "trans: the array must contain numbers, not pickled Python objects": {"trans": np.array([{}], object)},
    "trans: the array must contain numbers .got <U1": {"trans": np.array(["x"])},
    "poses: the array must have at least one row": {"poses": np.zeros((0, 66))},
    "rest_joints: the array must have 22 rows": {"rest_joints": np.zeros((3, 3))},
}  # fmt: skip


@pytest.mark.parametrize("told", FAULTS)
def test_wrong_arrays_are_told_in_one_line(save, told):
    own = {"poses": poses(66), "trans": TRANS, "mocap_framerate": RATE, "betas": np.zeros(3)} | FAULTS[told]
    path = save(**{name: array for name, array in own.items() if array is not None})
    with pytest.raises(InputError, match=told) as caught:
        load_rig(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.exhaustive
def test_an_archive_that_unpacks_to_gigabytes_is_refused(tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (1 << 20, 66)})
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("poses.npy", "w") as file:
        file.write(header.getvalue())
        for _ in range(528):
            file.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(
        InputError, match=r"bomb.npz: the files of the archive have 553,648,.* the limit is 268,435,456"
    ):
        load_rig(path)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_is_read_or_refused_in_one_line(save, seed):
    rng = np.random.default_rng(seed)
    path = save(packed=bool(seed % 2), poses=poses(66), trans=TRANS, mocap_framerate=RATE)
    data = bytearray(path.read_bytes())
    for at in rng.integers(0, len(data), 3):
        data[at] = rng.integers(0, 256)
    path.write_bytes(data[: rng.integers(1, len(data))] if seed % 3 == 0 else data)
    told = f"{path}: fine"
    try:
        load_rig(path)
    except InputError as error:
        told = str(error)
    assert told.startswith(f"{path}: ")
    assert "\n" not in told


@pytest.mark.skipif(not (SHARED / "cases").is_dir(), reason="../shared/cases, the small cases, is not here")
@pytest.mark.filterwarnings("ignore::ecs_anim.support.errors.InputWarning")
def test_the_case_is_read(capsys, tmp_path):
    case = str(SHARED / "cases/characters/amass_like.npz")
    assert exit_code(["inspect", case, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["motion"] == {
        "frames": 120,
        "frames_a_second": 60.0,
        "unit": "m",
        "hips_height": pytest.approx(0.95, abs=0.1),
    }
    assert exit_code(["inspect", case, "--unit", "m"]) == 2
    assert "SMPL poses are in metres" in capsys.readouterr().err
    assert exit_code(["retarget", case, "mannequin", "--out", str(tmp_path / "x.glb")]) == 0
