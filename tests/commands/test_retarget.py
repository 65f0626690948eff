"""`ecs-anim retarget`, and what inspect tells of motions and roles, as a user meets them."""

import json
from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.gltf.container import read_container
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.rigs import MANNEQUIN, load_rigs
from tests.builders.gltf_builder import glb
from tests.bvh.test_bvh import SMALL
from tests.helpers.command import ecs_anim
from tests.roles.test_roles import BODY
from tests.test_cli import assert_one_line

WALK_FRAMES = 24


def bvh_of_a_body(scale=100.0):
    """Return a body of `BODY` as BVH, in centimetres, that swings an arm."""
    lines = ["HIERARCHY"]
    children = {name: [own for own, (parent, _) in BODY.items() if parent == name] for name in BODY}

    def write(name, depth):
        offset = " ".join(f"{scale * number:.4f}" for number in BODY[name][1])
        lines.append(f"{'ROOT' if depth == 0 else 'JOINT'} {name}\n{{\nOFFSET {offset}")
        position = "6 Xposition Yposition Zposition" if depth == 0 else "3"
        lines.append(f"CHANNELS {position} Zrotation Xrotation Yrotation")
        for child in children[name]:
            write(child, depth + 1)
        if not children[name]:
            lines.append("End Site\n{\nOFFSET 0 5 5\n}")
        lines.append("}")

    write("hips", 0)
    names = [line.split()[1] for line in lines if line.startswith(("ROOT", "JOINT"))]
    assert len(names) == len(BODY)
    frames = []
    for frame in range(WALK_FRAMES):
        row = [0.0, 100.0, 4.0 * frame]
        for name in names:
            row += [-70.0 + frame if name == "left_upper_arm" else 0.0, 0.0, 0.0]
        frames.append(" ".join(f"{number:.3f}" for number in row))
    return "\n".join([*lines, "MOTION", f"Frames: {WALK_FRAMES}", "Frame Time: 0.05", *frames]) + "\n"


@pytest.fixture
def motion(tmp_path):
    path = tmp_path / "swing.bvh"
    path.write_text(bvh_of_a_body())
    return path


@pytest.mark.exhaustive
def test_a_motion_becomes_a_model_s_clip(motion, tmp_path):
    out = tmp_path / "x.glb"
    result = ecs_anim("retarget", motion, "mannequin", "--out", out, "--root-motion", "extract", "--json")
    assert result.returncode == 0, result.stderr
    assert result.stderr.splitlines() == [f"wrote {out}"]
    (told,) = json.loads(result.stdout)["clips"]
    rig = ea.load_rig(out)
    clip = rig.clips["swing"]
    assert told["duration_s"] == pytest.approx(clip.duration) == pytest.approx(0.05 * (WALK_FRAMES - 1))
    assert told["ground_speed"] == clip.extras["ground_speed"] == pytest.approx(0.78, abs=0.1)  # 80 cm a second
    assert "walk" in rig.clips
    points = ea.model_matrices(rig.skeleton, clip.sample(0.0))[..., 3]
    arm = points[rig.skeleton.joint_index("LeftForeArm")] - points[rig.skeleton.joint_index("LeftArm")]
    angle = np.degrees(np.arctan2(arm[1], arm[0]))
    assert angle == pytest.approx(-70, abs=1)


@pytest.mark.exhaustive
def test_the_axis_that_is_up_is_measured_or_given(motion, tmp_path):
    """The motion with Z for Y: y -> z and z -> -y, as Blender has it."""
    out, told = tmp_path / "x.glb", []
    rows = motion.read_text().splitlines()
    for at, row in enumerate(rows):
        words = row.split()
        if words[:1] == ["OFFSET"]:
            rows[at] = f"OFFSET {words[1]} {-float(words[3])} {words[2]}"
        elif len(words) > 6 and words[0][0].isdigit():
            rows[at] = " ".join([words[0], str(-float(words[2])), words[1], *words[3:]])
        else:
            rows[at] = row.replace("Zrotation Xrotation Yrotation", "Yrotation Xrotation Zrotation")
    turned = tmp_path / "turned.bvh"
    turned.write_text("\n".join(rows))
    for options in ((), ("--up", "z")):
        result = ecs_anim("retarget", turned, "mannequin", "--out", out, *options)
        assert result.returncode == 0, result.stderr
        told.append("up axis: the body is upright along z" in result.stderr)
        rig = ea.load_rig(out)
        points = ea.model_matrices(rig.skeleton, rig.clips["turned"].sample(0.0))[..., 3]
        assert points[rig.skeleton.joint_index("Head"), 1] > 1.2
    assert told == [True, False]
    assert_one_line(ecs_anim("retarget", turned, "mannequin", "--out", out, "--up", "y"), "must be a humanoid", "--up")
    assert_one_line(ecs_anim("retarget", "mannequin", "mannequin", "--out", out, "--up", "z"), "Leave out up")
    facts = json.loads(ecs_anim("inspect", turned, "--up", "z", "--json").stdout)
    assert facts["motion"]["hips_height"] == pytest.approx(94, abs=8)


@pytest.mark.exhaustive
def test_wrong_input_is_told_in_one_line_and_nothing_is_written(motion, tmp_path):
    out = tmp_path / "x.glb"
    broken = tmp_path / "broken.bvh"
    broken.write_text(SMALL.replace("0 -4 0.5", "0 four 0.5"))
    assert_one_line(ecs_anim("retarget", motion, "mannequin"), "--out")
    assert_one_line(ecs_anim("retarget", motion, "mannequin", "--out", tmp_path / "x.gltf"), "x.gltf", ".glb")
    assert_one_line(ecs_anim("retarget", motion, "mannequin", "--out", out, "--clip", "swng"), "did you mean 'swing'")
    assert_one_line(ecs_anim("retarget", motion, "chain", "--out", out), "must be a model file or 'mannequin'")
    assert_one_line(ecs_anim("retarget", "mannequin", motion, "--out", out), "swing.bvh", "got a motion")
    assert_one_line(ecs_anim("retarget", broken, "mannequin", "--out", out), "broken.bvh", "line 8", "'four'")
    assert_one_line(ecs_anim("retarget", motion, "mannequin", "--out", out, "--role", "left_hand"), "left_hand=paddle")
    assert_one_line(ecs_anim("retarget", motion, "mannequin", "--out", out, "--role", "paw=Hips"), "no role 'paw'")
    assert_one_line(ecs_anim("retarget", "mannequin", "mannequin", "--out", out), "two clips have the name 'idle'")
    assert not out.exists()


def test_the_file_that_is_read_is_not_written_over(tmp_path):
    model = tmp_path / "model.glb"
    model.write_bytes(MANNEQUIN.read_bytes())
    assert_one_line(ecs_anim("retarget", "mannequin", model, "--out", model), "must not name an input file")
    assert model.read_bytes() == MANNEQUIN.read_bytes()


def test_inspect_tells_frames_and_suggests_a_unit(motion):
    told = json.loads(ecs_anim("inspect", motion, "--json").stdout)
    assert told["motion"]["frames"] == WALK_FRAMES
    assert told["motion"]["frames_a_second"] == pytest.approx(20)
    assert told["motion"]["unit"] == "unknown. The unit is probably cm: with --unit cm, the hips are 0.98 m high"
    told = json.loads(ecs_anim("inspect", motion, "--json", "--unit", "cm").stdout)
    assert (told["motion"]["unit"], told["motion"]["hips_height"]) == ("cm, from --unit", pytest.approx(1.0, abs=0.05))
    assert_one_line(ecs_anim("inspect", "mannequin", "--unit", "cm"), "need a file of trajectories")
    assert_one_line(ecs_anim("inspect", motion, "--unit", "yard"), "unit")


def test_inspect_tells_roles(motion):
    told = json.loads(ecs_anim("inspect", motion, "--roles", "--json").stdout)
    expected = {"name": "swing", "humanoid": True, "facing_degrees": 0.0, "reference_pose": "rest", "missing": "none"}
    assert told["body"] == expected
    roles = {row["role"]: (row["joints"], row["by"]) for row in told["roles"]}
    assert roles["left_hand"] == ("left_hand", "names")
    assert roles["spine"] == ("spine, chest", "the joints between")
    told = json.loads(ecs_anim("inspect", "chain", "--roles", "--json").stdout)
    assert not told["body"]["humanoid"]
    assert "left_foot" in told["body"]["missing"]
    assert "neither the joint names nor the shape suggest a left leg" in told["body"]["reason"]


SCENE = """
[rigs.people]
model = "body.glb"
{keys}

[[crowds]]
rig = "people"
count = 3
layout = {{ kind = "grid" }}
clips = [{{ name = "{clip}" }}]
locomotion = {{ area_radius = 30.0 }}
"""


def without_clips(path: Path) -> Path:
    """The mannequin without its clips, as a file."""
    document, blob = read_container(MANNEQUIN)
    del document["animations"]
    path.write_bytes(glb(json.dumps(document).encode(), bytes(blob)))
    return path


def scene(tmp_path, clip, keys=""):
    without_clips(tmp_path / "body.glb")
    path = tmp_path / "s.toml"
    path.write_text(SCENE.format(clip=clip, keys=keys))
    return path


def way_in_half_a_second(path):
    """How far each actor of a scene goes [m]."""
    with ea.load_scene(path) as world:
        people = ea.crowd(world, "people")
        before = people.positions.copy()
        for _ in range(30):
            world.step(1 / 60)
        return np.linalg.norm(people.positions - before, axis=1)


def test_a_character_without_clips_walks(tmp_path):
    np.testing.assert_allclose(way_in_half_a_second(scene(tmp_path, "walk")), 1.4 * 0.5, rtol=0.05)


def test_a_motion_file_lends_its_clip(motion, tmp_path):
    keys = 'clips_from = ["swing.bvh"]'
    np.testing.assert_allclose(way_in_half_a_second(scene(tmp_path, "swing", keys)), 0.78 * 0.5, rtol=0.15)


@pytest.mark.exhaustive
def test_hands_are_put_where_a_file_or_a_command_says(motion, tmp_path):
    """Both have the clip that the call gives."""
    source, target = ea.load_rig(motion), ea.load_rig(without_clips(tmp_path / "body.glb"))
    clip = source.clips["swing"]
    free, put = (ea.retarget(clip, source, target, hands=hands).sample(0.4).rotation for hands in (False, True))
    assert np.abs(put - free).max() > 0.01
    out = tmp_path / "x.glb"
    assert ecs_anim("retarget", motion, "mannequin", "--out", out, "--hands").returncode == 0
    np.testing.assert_allclose(ea.load_rig(out).clips["swing"].sample(0.4).rotation, put, atol=1e-6)
    keys = 'clips_from = ["swing.bvh"]\nhands = true'
    loaded = load_rigs(read_scene(scene(tmp_path, "swing", keys)))["people"].rig
    np.testing.assert_allclose(loaded.clips["swing"].sample(0.4).rotation, put, atol=1e-6)


def test_wrong_roles_are_told_with_their_key(tmp_path):
    with pytest.raises(ea.InputError, match=r"s.toml: rigs.people.roles: no role 'paw'"):
        ea.load_scene(scene(tmp_path, "walk", 'roles = { paw = "Hips" }'))
    with pytest.raises(ea.InputError, match=r"rigs.people.roles: no joint 'Hpis'; did you mean 'Hips'"):
        ea.load_scene(scene(tmp_path, "walk", 'roles = { hips = "Hpis" }\nclips_from = ["mannequin"]'))
