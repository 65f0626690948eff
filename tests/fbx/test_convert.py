"""FBX files as text: skinned vertices are where scipy puts them; damaged files end in one line."""

from random import Random

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.commands.outcome import exit_code
from ecs_anim.fbx import child as fbx_child
from ecs_anim.support import child
from ecs_anim.support.errors import InputError
from tests.builders.fbx_files import FbxBuilder
from tests.helpers import EXHAUSTIVE, SHARED
from tests.hostile.mutations import damaged
from tests.roles.test_roles import BODY

pytest.importorskip("ufbx")

VERTICES = np.array([[0.0, 0, 0], [10, 0, 0], [10, 10, 3], [0, 10, 1]])
UVS = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5)]
TIMES, ANGLES = [0.0, 0.5, 1.0], [30.0, 60.0, 30.0]
HIPS, ARM, PRE = (0.0, 100.0, 0.0), (5.0, 50.0, 0.0), (90.0, 0.0, 20.0)
LINK = np.eye(4)  # of the arm at binding
LINK[:3, 3] = [2, 150, 1]


def model(up="y", unit=1.0, title="mixamo.com", **material):
    """Return a quad with a skin, a shape, a material and a motion. Lengths are in `unit` centimetres."""
    made, size = FbxBuilder(up, unit), 1 / unit
    link = LINK.copy()
    link[:3, 3] *= size
    hips = made.node("hips", np.multiply(HIPS, size))
    arm = made.node("arm", np.multiply(ARM, size), (0, 0, 30), to=hips, PreRotation=PRE)
    body = made.node("body", kind="Mesh")
    mesh = made.mesh(body, (VERTICES * size).tolist(), [(0, 1, 2, 3)], UVS)
    made.skin(mesh, {hips: ([0, 1], [1.0, 0.5], np.eye(4)), arm: ([1, 2], [0.5, 1.0], link.T)})
    made.shape(mesh, "smile", [2], [(0.0, 0.0, 5.0 * size)])
    made.material(body, (1.0, 0.5, 0.25), **material)
    made.clip(title, {(arm, "Lcl Rotation"): {"Z": (TIMES, ANGLES)}})
    return made.text()


@pytest.fixture
def load(tmp_path):
    def load(text, name="Walking.fbx"):
        (tmp_path / name).write_text(text)
        return ea.load_rig(tmp_path / name)

    return load


def skinned(rig, time):
    """Vertices by plain numpy from the arrays of the rig [m]."""
    ((mesh,), (clip,)) = rig.meshes, rig.clips.values()
    matrices = np.zeros((rig.skeleton.palette_count, 4, 4))
    matrices[:, :3], matrices[:, 3, 3] = rig.skeleton.inverse_bind, 1
    joints = ea.model_matrices(rig.skeleton, clip.sample(time, loop=False))[rig.skeleton.skin_joints]
    moved = np.einsum(
        "jab,jbc,vc->jva", joints, matrices, np.column_stack([mesh.positions, np.ones(len(mesh.positions))])
    )
    return sum(
        mesh.weights[:, k, None] * moved[mesh.palette_indices[:, k], np.arange(len(mesh.positions))]
        for k in range(mesh.weights.shape[1])
    )


def expected(angle):
    """Vertices by scipy from the numbers of the file [m]."""
    hips, arm = np.eye(4), np.eye(4)
    hips[:3, 3], arm[:3, 3] = HIPS, ARM
    arm[:3, :3] = (
        Rotation.from_euler("xyz", PRE, degrees=True) * Rotation.from_euler("z", angle, degrees=True)
    ).as_matrix()
    by_arm, rows = hips @ arm @ np.linalg.inv(LINK), np.column_stack([VERTICES, np.ones(4)])
    moved = [hips @ rows[0], (hips @ rows[1] + by_arm @ rows[1]) / 2, by_arm @ rows[2], rows[3]]
    return np.array(moved)[:, :3] / 100


@pytest.mark.parametrize(("up", "unit"), [("y", 1.0), ("y", 100.0), ("z", 2.54), ("z, left-handed", 0.1)])
def test_vertices_are_where_scipy_puts_them(load, up, unit):
    rig = load(model(up, unit))
    for time, angle in zip(TIMES, ANGLES, strict=True):
        turned = {"y": np.eye(3), "z": [[1, 0, 0], [0, 0, -1], [0, 1, 0]], "z, left-handed": np.eye(3)[[0, 2, 1]]}
        points = expected(angle) @ turned[up]
        np.testing.assert_allclose(skinned(rig, time), points, atol=2e-6)


@EXHAUSTIVE
def test_shapes_materials_and_texture_coordinates(load, tmp_path):
    from PIL import Image

    Image.new("RGB", (2, 2), (200, 10, 30)).save(tmp_path / "skin.png")
    (mesh,) = load(model()).meshes
    assert tuple(mesh.material.base_color[:3]) == pytest.approx((1.0, 0.5, 0.25))
    assert mesh.morphs.names == ("smile",)
    np.testing.assert_allclose(mesh.morphs.positions[0], np.outer([0, 0, 1, 0], [0, 0, 0.05]), atol=1e-7)
    np.testing.assert_allclose(mesh.uvs, [(u, 1 - v) for u, v in UVS], atol=1e-7)
    (mesh,) = load(model(picture="skin.png")).meshes
    assert mesh.material.texture.pixels[0, 0, :3].tolist() == [200, 10, 30]


@pytest.mark.parametrize(
    ("title", "name"), [("mixamo.com", "Walking"), ("Take 001", "Walking"), ("Rig|jump", "Rig|jump")]
)
def test_a_clip_with_a_name_of_the_exporter_gets_the_name_of_the_file(load, title, name):
    assert [*load(model(title=title)).clips] == [name]


def mixamo(size=100.0):
    """Return a Mixamo-like motion without a skin: the left arm goes down by 60 degrees."""
    made, nodes = FbxBuilder(), {}
    for name, (parent, offset) in BODY.items():
        nodes[name] = made.node(f"mixamorig:{name}", np.multiply(offset, size), to=nodes.get(parent, 0))
    made.clip("mixamo.com", {(nodes["left_upper_arm"], "Lcl Rotation"): {"Z": ([0.0, 1.0], [0.0, -60.0])}})
    return made.text()


def test_a_motion_without_a_skin_moves_another_body(load):
    motion, body = load(mixamo(), "Wave.fbx"), ea.load_rig("mannequin")
    points = ea.model_matrices(body.skeleton, ea.retarget(motion.clips["Wave"], motion, body).sample(1.0, loop=False))
    arm = np.diff(points[[body.skeleton.joint_index(f"Left{part}") for part in ("Arm", "ForeArm")], :, 3], axis=0)[0]
    assert np.degrees(np.arctan2(arm[1], arm[0])) == pytest.approx(-60, abs=1)


@pytest.mark.exhaustive
def test_scenes_and_commands_read_the_file(load, tmp_path):
    load(mixamo(), "Wave.fbx")
    load(model(), "quad.fbx")
    clips = 'clips_from = ["Wave.fbx"]\n[[crowds]]\nrig = "a"\nclips = [{ name = "Wave" }]\n'
    (tmp_path / "s.toml").write_text(f'[rigs.a]\nmodel = "mannequin"\n{clips}[rigs.b]\nmodel = "quad.fbx"\n')
    assert exit_code(["check", str(tmp_path / "s.toml")]) == 0
    out, quad = tmp_path / "x.glb", str(tmp_path / "quad.fbx")
    assert exit_code(["retarget", str(tmp_path / "Wave.fbx"), "mannequin", "--out", str(out)]) == 0
    assert "Wave" in ea.load_rig(out).clips
    assert exit_code(["view", quad, "--size", "64x48", "--out", str(tmp_path / "quad.png")]) == 0


def outcome(path, data):
    """How reading ends: "read", or the line of the error."""
    path.write_bytes(data)
    try:
        ea.load_rig(path)
    except InputError as error:
        return str(error)
    return f"{path}: read"


@pytest.mark.filterwarnings("ignore::ecs_anim.support.errors.InputWarning")
@pytest.mark.parametrize("number", [0, 1, *(pytest.param(k, marks=EXHAUSTIVE) for k in range(2, 10))])
def test_a_damaged_file_is_read_or_refused_in_one_line(tmp_path, number):
    chance, path = Random(number), tmp_path / "x.fbx"
    whole = model().encode()
    data = whole[: chance.randrange(200, len(whole))] if number % 2 else damaged(whole, chance)
    told = outcome(path, data)
    assert told.startswith(f"{path}: ")
    assert told.isprintable()


@EXHAUSTIVE
def test_a_crash_and_a_long_run_end_in_one_line(tmp_path, monkeypatch):
    path = tmp_path / "x.fbx"
    path.write_text(model())
    for code in ("import os; os.abort()", "import resource, signal; signal.alarm(1); [0 for _ in iter(int, 1)]"):
        monkeypatch.setattr(child, "CODE", code)
        with pytest.raises(InputError, match=r"x.fbx: the FBX file is damaged or too large, because ufbx crashes"):
            ea.load_rig(path)


def test_without_ufbx_the_error_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "x.fbx").write_text(model())
    monkeypatch.setattr(fbx_child, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"x.fbx: the FBX file needs ufbx. .* pip install 'ecs-anim\[fbx\]'"):
        ea.load_rig(tmp_path / "x.fbx")


@pytest.mark.skipif(not (SHARED / "cases").is_dir(), reason="../shared/cases, the small cases, is not here")
def test_the_case_ends_in_one_line(capsys):
    case = SHARED / "cases/characters/ascii.fbx"
    assert exit_code(["inspect", str(case)]) == 2
    told = capsys.readouterr().err
    assert f"{case}: the FBX file cannot be read (it contains no nodes)." in told
    assert told.count("\n") == 1
