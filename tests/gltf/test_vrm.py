"""VRM files: the mannequin comes back as itself, whatever its joints are called and wherever it looks; wrong tables."""

import copy
import json
import math
import random

import numpy as np
import pytest
from click.testing import CliRunner

import ecs_anim as ea
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.commands.command_line import cli
from ecs_anim.components.morphs import Morphs
from ecs_anim.ik.legs import find_legs
from ecs_anim.ik.look_at import find_joints
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.rigs import load_rigs
from ecs_anim.support.errors import InputError
from tests.builders.vrm_files import BONES, MIXES, NAMES, Avatar, small
from tests.hostile.gltf import loads
from tests.hostile.mutations import change, key_paths

VERSIONS = pytest.mark.parametrize("version", [0, 1])
TURN = np.diag([-1.0, 1.0, -1.0])  # half a turn about Y


@pytest.fixture(scope="module", params=[0, 1], ids=["VRM 0", "VRM 1"])
def avatar(request, tmp_path_factory):
    """Version, path and rig."""
    path = Avatar(request.param).write(tmp_path_factory.mktemp("vrm") / "nobody.vrm")
    return request.param, path, ea.load_rig(path)


def test_it_says_what_it_is(avatar):
    version, path, rig = avatar
    told = rig.avatar
    assert (told.format, told.title, told.version) == (f"VRM {version}", "Nobody", "3")
    assert sorted(told.expressions) == ["blink", "neutral", "smile"]
    shown = json.loads(CliRunner().invoke(cli, ["inspect", str(path), "--json"]).output)
    assert shown["avatar"]["format"] == f"VRM {version}"
    assert shown["avatar"]["facing_degrees"] == (180, 0)[version]
    assert shown["avatar"]["bones"] == len(BONES)
    assert {"name": NAMES[version], "read": True} in shown["extensions"]
    table = json.loads(CliRunner().invoke(cli, ["inspect", str(path), "--roles", "--json"]).output)
    assert {row["by"] for row in table["roles"]} == {f"the file (VRM {version})"}


def test_its_table_tells_the_roles(avatar):
    """Names say nothing; the mannequin's own say as much as the table."""
    version, _, rig = avatar
    found, wanted = find_roles(rig), find_roles(ea.load_rig("mannequin"))
    assert found.table() == wanted.table()
    assert found.is_humanoid
    assert not found.by_shape
    assert math.cos(found.facing) == pytest.approx((-1, 1)[version])


def test_legs_and_gaze_go_by_the_table(avatar):
    """The mannequin's are found by names; heel and ball lie where it has them, turned with the body."""
    version, _, rig = avatar
    plain = ea.load_rig("mannequin")
    for own, other in zip(find_legs(rig), find_legs(plain), strict=True):
        assert (own.hip, own.knee, own.ankle, own.toe) == (other.hip, other.knee, other.ankle, other.toe)
        turn = TURN if version == 0 else np.eye(3)
        np.testing.assert_allclose(own.contacts @ turn, other.contacts, atol=1e-5)
    wanted = [plain.skeleton.joint_index(name) for name in find_joints(plain)]
    assert [rig.skeleton.joint_index(name) for name in find_joints(rig)] == wanted


def test_a_leg_that_the_table_has_half_is_none(tmp_path):
    made = Avatar(1)
    del made.vrm["humanoid"]["humanBones"]["leftLowerLeg"]
    assert len(find_legs(ea.load_rig(made.write(tmp_path / "x.vrm")))) == 1


def test_a_scene_may_correct_the_table(avatar):
    _, _, rig = avatar
    names = rig.skeleton.joint_names
    found = find_roles(rig, corrections={"head": names[find_roles(rig).neck[0]], "neck": []})
    assert found.head == find_roles(rig).neck[0]
    assert found.joints["hips"] == find_roles(rig).joints["hips"]


def test_expressions_are_mixes_of_targets(avatar):
    _, _, rig = avatar
    for mesh in rig.meshes:
        names = mesh.morphs.names
        assert names[:2] == ("wide", "blink_target")
        for name, weights in MIXES.items():
            wanted = sum(weight * mesh.morphs.positions[index].astype(float) for index, weight in weights.items())
            np.testing.assert_allclose(mesh.morphs.positions[names.index(name)], wanted, atol=1e-6)
            assert np.abs(wanted).max() > 0.01 or mesh.level
    assert not rig.morph_targets.defaults.any()


def test_clips_move_the_file_s_own_targets(tmp_path):
    """Two weights a key, whatever expressions there are besides."""
    made = Avatar(1)
    for values in ([0, 1], [0, 1, 1, 0]):  # times, weights
        data = np.array(values, "<f4").tobytes()
        made.raw["bufferViews"].append({"buffer": 0, "byteOffset": len(made.data), "byteLength": len(data)})
        made.data += data
        view = {"bufferView": len(made.raw["bufferViews"]) - 1, "componentType": 5126}
        made.raw["accessors"].append({**view, "count": len(values), "type": "SCALAR"})
    last = len(made.raw["accessors"]) - 1
    node = next(k for k, own in enumerate(made.raw["nodes"]) if "mesh" in own)
    channel = {"sampler": 0, "target": {"node": node, "path": "weights"}}
    made.raw["animations"] = [
        {"name": "talk", "samplers": [{"input": last - 1, "output": last}], "channels": [channel]}
    ]
    rig = ea.load_rig(made.write(tmp_path / "x.vrm"))
    weights = rig.clips["talk"].sample_weights(0.25)
    own = [rig.morph_targets.names.index(name) for name in ("wide", "blink_target")]
    np.testing.assert_allclose(weights[own], [0.25, 0.75], atol=1e-6)
    assert not np.delete(weights, own).any()


SCENE = """
[rigs.plain]
model = "mannequin"
[rigs.avatar]
model = "{path}"
{facing}
[[crowds]]
rig = "plain"
count = 1
clips = [{{ name = "walk" }}]
[[crowds]]
rig = "avatar"
count = 1
clips = [{{ name = "walk" }}]
morphs = {{ smile = 0.5 }}
"""


def scene(path, facing=""):
    return parse_scene(SCENE.format(path=path, facing=facing), "x.toml", path.parent)


@pytest.fixture(scope="module")
def rigs(avatar):
    """Version, and the scene's rigs: the mannequin, and the avatar with what it lends it."""
    version, path, _ = avatar
    return version, load_rigs(scene(path))


def test_it_faces_as_its_file_says(rigs):
    version, loaded = rigs
    assert loaded["avatar"].facing == pytest.approx((math.pi, 0)[version])


@pytest.mark.exhaustive
def test_a_scene_may_say_otherwise(tmp_path):
    path = Avatar(0).write(tmp_path / "x.vrm")
    assert load_rigs(scene(path, "facing_degrees = 0"))["avatar"].facing == 0
    rig = ea.load_rig(path)
    neck = rig.skeleton.joint_names[find_roles(rig).neck[0]]
    corrected = load_rigs(scene(path, f'roles = {{ head = "{neck}", neck = [] }}'))["avatar"].rig
    found = find_roles(corrected)
    assert (found.head, found.neck) == (find_roles(rig).neck[0], ())


@pytest.mark.parametrize("name", ["walk", "wave", "jump"])
def test_it_moves_as_the_mannequin(rigs, name):
    """What it is lent puts each joint where the mannequin's own clip does, seen from where it looks.

    A centimetre is what retargeting takes from feet that slide while they are planted.
    """
    version, loaded = rigs
    plain, lent = loaded["plain"].rig, loaded["avatar"].rig
    time = np.linspace(0, plain.clips[name].duration, 9)
    turn = TURN if version == 0 else np.eye(3)
    wanted, found = (
        model_matrices(rig.skeleton, rig.clips[name].sample(time))[..., 3].astype(float) for rig in (plain, lent)
    )
    assert np.abs(found @ turn - wanted)[:, : len(BONES)].max() < 0.01


@pytest.mark.exhaustive
def test_a_crowd_shows_expressions(tmp_path):
    path = Avatar(1).write(tmp_path / "x.vrm")
    rig = ea.load_rig(path)
    world = load_scene(scene(path))
    weights = next(own.weights for _, (own,) in world.query(Morphs))
    columns = rig.morph_targets.columns("smile")
    assert (weights[:, columns] == 0.5).all()
    assert not np.delete(weights, columns, axis=1).any()


def set_at(value, path, new):
    """Replace what keys and indices, with dots between, lead to."""
    keys = [int(key) if key.lstrip("-").isdigit() else key for key in path.split(".")]
    for key in keys[:-1]:
        value = value[key]
    value[keys[-1]] = new


OLD = "extensions.VRM"
NEW = "extensions.VRMC_vrm"
BINDS_0 = "blendShapeMaster.blendShapeGroups.0.binds"
BINDS_1 = "expressions.preset.happy.morphTargetBinds"


@pytest.mark.parametrize(
    ("version", "path", "value", "rule"),
    [
        (0, "humanoid", 5, f"{OLD}.humanoid: the value must be a JSON object (got 5)"),
        (1, "humanoid.humanBones", "hips", f"{NEW}.humanoid.humanBones: the value must be a JSON object (got 'hips')"),
        (
            0,
            "humanoid.humanBones.2",
            None,
            f"{OLD}.humanoid.humanBones[2]: the value must be the name of a VRM bone (got a NoneType)",
        ),
        (
            0,
            "humanoid.humanBones.2.bone",
            "tail",
            f"{OLD}.humanoid.humanBones[2]: the value must be the name of a VRM bone (got 'tail')",
        ),
        (
            1,
            "humanoid.humanBones.tail",
            {"node": 0},
            f"{NEW}.humanoid.humanBones.tail: the value must be the name of a VRM bone (got 'tail')",
        ),
        (0, "humanoid.humanBones.2.bone", ["hips"], "the value must be the name of a VRM bone (got a list)"),
        (
            0,
            "humanoid.humanBones.1.bone",
            "hips",
            "humanBones[1]: the bone hips occurs twice",
        ),
        (
            0,
            "humanoid.humanBones.1.node",
            0,
            "humanBones[1].node: two bones cannot have the same node (node 0 already belongs to the bone hips)",
        ),
        (
            1,
            "humanoid.humanBones.spine.node",
            0,
            "humanBones.spine.node: two bones cannot have the same node (node 0 already belongs to the bone hips)",
        ),
        (
            1,
            "humanoid.humanBones.spine.node",
            22,
            "humanBones.spine.node: the value must be the index of one of the file's 22 nodes (got 22)",
        ),
        (1, "humanoid.humanBones.spine.node", -1, "the value must be the index of one of the file's 22 nodes (got -1)"),
        (
            1,
            "humanoid.humanBones.spine.node",
            "1",
            "the value must be the index of one of the file's 22 nodes (got '1')",
        ),
        (
            1,
            "humanoid.humanBones.spine.node",
            1.5,
            "the value must be the index of one of the file's 22 nodes (got 1.5)",
        ),
        (
            1,
            "humanoid.humanBones.head.node",
            21,
            "humanoid.humanBones: the joint of the bone head must be a descendant",
        ),
        (
            1,
            "humanoid.humanBones.chest",
            {"node": 21},
            "humanoid.humanBones: the joint of the bone chest must be a descendant",
        ),
        (0, "meta", [], f"{OLD}.meta: the value must be a JSON object (got a list)"),
        (0, "meta.title", 7, f"{OLD}.meta.title: the value of the key `title` must be text (got 7)"),
        (
            0,
            "blendShapeMaster.blendShapeGroups",
            {},
            "the value of the key `blendShapeGroups` must be a list (got a dict)",
        ),
        (0, f"{BINDS_0}.0", 3, "blendShapeGroups[0].binds[0]: the value must be a JSON object (got 3)"),
        (0, f"{BINDS_0}.0.mesh", 1, "binds[0].mesh: the value must be the index of one of the file's 1 meshes (got 1)"),
        (0, f"{BINDS_0}.0.index", "0", "binds[0].index: the index of a morph target must be an integer (got '0')"),
        (
            0,
            f"{BINDS_0}.0.weight",
            math.inf,
            "binds[0].weight: the weight of a morph target must be a number from 0 to 100 (got inf)",
        ),
        (
            1,
            f"{BINDS_1}.0.weight",
            math.nan,
            "morphTargetBinds[0].weight: the weight of a morph target must be a number from 0 to 1 (got nan)",
        ),
        (
            1,
            f"{BINDS_1}.0.weight",
            True,
            "weight: the weight of a morph target must be a number from 0 to 1 (got True)",
        ),
        (
            1,
            f"{BINDS_1}.0.node",
            99,
            "morphTargetBinds[0].node: the value must be the index of one of the file's 22 nodes (got 99)",
        ),
        (1, "expressions.preset", [], "expressions.preset: the value must be a JSON object (got a list)"),
        (1, "expressions.custom", {str(k): {} for k in range(256)}, "must have at most 256 expressions (got 257)"),
    ],
)
def test_a_wrong_table_is_one_line(tmp_path, version, path, value, rule):
    builder = small(version)
    set_at(builder.document["extensions"][NAMES[version]], path, value)
    (tmp_path / "x.vrm").write_bytes(builder.binary())
    with pytest.raises(InputError) as told:
        ea.load_rig(tmp_path / "x.vrm")
    assert rule in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("version", "path", "value", "rule"),
    [
        (0, f"{BINDS_0}.0.index", 1, "binds[0]: the bind is ignored, because its mesh does not have the morph target"),
        (
            1,
            f"{BINDS_1}.0.node",
            0,
            "morphTargetBinds[0]: the bind is ignored, because its mesh does not have the morph target",
        ),
        (
            1,
            "expressions.preset.happy.materialColorBinds",
            [{}],
            "happy: the effects of this expression on materials are ignored",
        ),
    ],
)
def test_what_is_left_out_is_told(tmp_path, version, path, value, rule):
    builder = small(version)
    set_at(builder.document["extensions"][NAMES[version]], path, value)
    (tmp_path / "x.vrm").write_bytes(builder.binary())
    with pytest.warns(ea.InputWarning) as told:
        ea.load_rig(tmp_path / "x.vrm")
    assert rule in str(told[0].message)


def test_nodes_of_one_mesh_move_alike(tmp_path):
    """The first that an expression binds counts; the other is drawn the same, and that is told."""
    builder = small(1)
    face = len(builder.document["nodes"]) - 1
    other = builder.add("nodes", mesh=builder.document["nodes"][face]["mesh"])
    binds = builder.document["extensions"]["VRMC_vrm"]["expressions"]["preset"]["happy"]["morphTargetBinds"]
    binds.append({"node": other, "index": 0, "weight": 0.5})
    (tmp_path / "x.vrm").write_bytes(builder.binary())
    with pytest.warns(
        ea.InputWarning,
        match=r"morphTargetBinds\[1\]: the bind is ignored, because the expression already binds another node",
    ):
        rig = ea.load_rig(tmp_path / "x.vrm")
    assert rig.morph_targets.names == ("target_0", "happy") * 2
    for mesh in rig.meshes:
        np.testing.assert_array_equal(mesh.morphs.positions[1], mesh.morphs.positions[0])


@pytest.mark.parametrize(
    ("held", "rule"),
    [
        ({"materialProperties": [{"shader": "VRM/MToon"}, 5]}, "MToon's shades and outlines are not supported"),
        ({"secondaryAnimation": {"boneGroups": [{}]}}, "springs are not supported; the model is drawn without"),
    ],
)
def test_what_vrm_0_holds_besides_is_told(tmp_path, held, rule):
    builder = small(0)
    builder.document["extensions"]["VRM"] |= held
    (tmp_path / "x.vrm").write_bytes(builder.binary())
    with pytest.warns(ea.InputWarning, match="x.vrm: extensions.VRM: ") as told:
        ea.load_rig(tmp_path / "x.vrm")
    assert rule in str(told[0].message)


@pytest.mark.filterwarnings("error")
def test_what_holds_nothing_else_is_not(tmp_path):
    builder = small(0)
    builder.document["extensions"]["VRM"] |= {"materialProperties": 3, "secondaryAnimation": {"boneGroups": []}}
    (tmp_path / "x.vrm").write_bytes(builder.binary())
    ea.load_rig(tmp_path / "x.vrm")


def test_a_bone_that_a_body_lacks_may_have_the_node_minus_one(tmp_path):
    builder = small(0)
    set_at(builder.document["extensions"]["VRM"], "humanoid.humanBones.2.node", -1)
    set_at(builder.document["extensions"]["VRM"], f"{BINDS_0}.0.mesh", -1)
    (tmp_path / "x.vrm").write_bytes(builder.binary())
    rig = ea.load_rig(tmp_path / "x.vrm")
    assert "chest" not in rig.avatar.roles["spine"]
    assert rig.morph_targets.names == ("target_0",)


def test_the_content_of_a_file_decides_not_its_name(tmp_path):
    (tmp_path / "x.vrm").write_bytes(small(0).embedded())
    assert ea.load_rig(tmp_path / "x.vrm").avatar is not None


def test_expressions_count_as_the_targets_that_they_are(tmp_path, monkeypatch):
    """Three vertices, a target and an expression, 24 bytes each."""
    builder = small(1)
    (tmp_path / "x.vrm").write_bytes(builder.binary())
    monkeypatch.setenv("ECS_ANIM_LIMIT_MORPH_BYTES", "144")
    ea.load_rig(tmp_path / "x.vrm")
    monkeypatch.setenv("ECS_ANIM_LIMIT_MORPH_BYTES", "143")
    with pytest.raises(InputError, match="144 bytes of morph targets"):
        ea.load_rig(tmp_path / "x.vrm")


@pytest.mark.exhaustive
@VERSIONS
def test_mutated_tables(tmp_path, version):
    """Each round replaces, deletes or doubles values of the extension: a rig, or one line."""
    chance, builder = random.Random(version), small(version)
    original = builder.document["extensions"]
    every = [keys for keys in key_paths(original) if keys]
    outcomes = []
    for _ in range(150):
        builder.document["extensions"] = copy.deepcopy(original)
        for keys in chance.sample(every, chance.choice([1, 1, 2, 5])):
            change(builder.document["extensions"], keys, chance)
        (tmp_path / "x.vrm").write_bytes(builder.binary())
        outcomes.append(loads(tmp_path / "x.vrm"))
    assert 5 < sum(outcomes) < 145
