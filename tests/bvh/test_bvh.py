"""BVH files: poses are those that scipy's rotations make of the same numbers; what is wrong is told with its line."""

import textwrap

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.bvh.load import load_rig
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.support.files import file_type
from tests.helpers import MOTIONS, SHARED, needs_motions, real

SMALL = """\
HIERARCHY
ROOT hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT left leg
  {
    OFFSET 0 -4 0.5
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 -3 0
    }
  }
  JOINT spine {
    OFFSET 0 5 0
    CHANNELS 4 Xrotation Zposition Zrotation Yrotation
    END SITE
    {
      OFFSET 0 1 0
    }
  }
}
ROOT prop
{
  OFFSET 9 0 0
  CHANNELS 1 Yrotation
}
MOTION
Frames: 3
Frame Time: 0.025
10 11 12 10 20 30 40 50 60 70 0.25 80 90 -45
10.5 11 12 -10 120 30 -40 50 160 70 0.5 -80 9 45
11 11 12 10 20 -230 40 -150 60 7 0.75 80 190 370
"""


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "move.bvh"
        path.write_text(textwrap.dedent(text))
        return path

    return write


def test_the_skeleton_is_the_file_s(write):
    rig = load_rig(write(SMALL), up="y")
    assert rig.skeleton.joint_names == ("hips", "left leg", "left leg_end", "spine", "spine_end", "prop")
    assert rig.skeleton.parents.tolist() == [-1, 0, 1, 0, 3, -1]
    np.testing.assert_array_equal(rig.skeleton.rest_pose.translation[[0, 2]], [[1, 2, 3], [0, -3, 0]])
    assert list(rig.clips) == ["move"]
    assert rig.clips["move"].duration == pytest.approx(0.05)


def test_channels_turn_in_their_own_order_as_scipy_s_do(write):
    rig = load_rig(write(SMALL), up="y")
    numbers = np.array([line.split() for line in SMALL.splitlines()[-3:]], float)
    pose = rig.clips["move"].sample(np.arange(3) * 0.025, loop=False)
    turns = {0: ("ZXY", [3, 4, 5]), 1: ("YZX", [6, 7, 8]), 3: ("XZY", [9, 11, 12]), 5: ("Y", [13])}
    for joint, (order, columns) in turns.items():
        expected = Rotation.from_euler(order, numbers[:, columns], degrees=True)
        error = (Rotation.from_quat(pose.rotation[:, joint]) * expected.inv()).magnitude()
        assert error.max() < 1e-6
    np.testing.assert_allclose(pose.translation[:, 0], numbers[:, :3])
    np.testing.assert_allclose(pose.translation[:, 3], np.column_stack([[0, 0, 0], [5, 5, 5], numbers[:, 10]]))
    np.testing.assert_allclose(pose.translation[:, 5], [[9, 0, 0]] * 3)


def test_a_unit_makes_metres(write):
    plain, metres = load_rig(write(SMALL), up="y"), load_rig(write(SMALL), unit="cm", up="y")
    a, b = (model_matrices(rig.skeleton, rig.clips["move"].sample(0.03)) for rig in (plain, metres))
    np.testing.assert_allclose(b[..., 3], 0.01 * a[..., 3], rtol=1e-6)
    np.testing.assert_array_equal(b[..., :3], a[..., :3])
    with pytest.raises(InputError, match="unit: the value must be one of m, cm, mm, ft, in .got .yard"):
        load_rig(write(SMALL), unit="yard")


def test_windows_lines_tabs_case_and_a_byte_order_mark_do_no_harm(tmp_path):
    text = SMALL.replace("  ", "\t").replace("Zrotation", "zRotation").replace("JOINT", "Joint").replace("\n", "\r\n")
    (tmp_path / "other.bvh").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert file_type(tmp_path / "other.bvh").family == "motion"
    (tmp_path / "plain.bvh").write_text(SMALL)
    a, b = (load_rig(tmp_path / name, up="y").clips[name[:-4]].sample(0.04) for name in ("other.bvh", "plain.bvh"))
    np.testing.assert_array_equal(a.rotation, b.rotation)


TALL = """\
HIERARCHY
ROOT hips
{{
  OFFSET {up}
  CHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation
  JOINT chest
  {{
    OFFSET {up}
    CHANNELS 3 Xrotation Yrotation Zrotation
    End Site
    {{
      OFFSET {ahead}
    }}
  }}
}}
MOTION
Frames: 2
Frame Time: 1
{first} 0 0 0 {lean}
{second} 0 0 0 {lean}
"""


def test_what_stands_along_z_is_stood_up_and_told(write):
    """The same body and motion, written with either axis up: a turn about X is one about X in both."""
    along_y = TALL.format(up="0 5 0", ahead="0 0 1", first="0 5 0", second="1 5 2", lean="20 0 0")
    along_z = TALL.format(up="0 0 5", ahead="0 -1 0", first="0 0 5", second="1 -2 5", lean="20 0 0")
    plain = load_rig(write(along_y))
    with pytest.warns(
        InputWarning, match="move.bvh: up axis: the body is upright along z and is turned so that y is up"
    ):
        turned = load_rig(write(along_z))
    for time in (0.0, 0.5, 1.0):
        a, b = (model_matrices(r.skeleton, r.clips["move"].sample(time, loop=False))[..., 3] for r in (plain, turned))
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_a_body_that_lies_is_left_lying(write, recwarn):
    load_rig(write(TALL.format(up="0 5 0", ahead="0 0 1", first="0 0 5", second="0 0 5", lean="90 0 0")))
    assert not recwarn


@pytest.mark.parametrize("axis", ["x", "y", "z", "-x", "-y", "-z"])
def test_the_axis_that_is_told_is_turned_up(write, axis, recwarn):
    """Whatever the body does; nothing is mirrored."""
    path = write(TALL.format(up="0 5 0", ahead="0 0 1", first="1 2 3", second="4 5 6", lean="10 20 30"))
    plain, turned = load_rig(path, up="y"), load_rig(path, up=axis)
    way = np.eye(3)["xyz".index(axis[-1])] * (-1 if axis[0] == "-" else 1)
    a, b = (model_matrices(rig.skeleton, rig.clips["move"].sample(0.5))[..., 3] for rig in (plain, turned))
    np.testing.assert_allclose(b[:, 1], a @ way, atol=1e-5)
    np.testing.assert_allclose(np.linalg.det(b), np.linalg.det(a), rtol=1e-4)
    distances = [np.linalg.norm(p[:, None] - p[None], axis=-1) for p in (a, b)]
    np.testing.assert_allclose(*distances, atol=1e-5)
    assert not recwarn
    with pytest.raises(InputError, match="up: the value must be one of x, y, z, -x, -y, -z .got 'up'"):
        load_rig(path, up="up")


STANDING = """\
HIERARCHY
ROOT Reference
{{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT Hips
  {{
    OFFSET 0 9 0
    CHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation
    JOINT Head {{
      OFFSET {head}
    }}
    JOINT LeftUpLeg {{
      OFFSET 0 0 0
      JOINT LeftLeg {{
        OFFSET {leg}
        JOINT LeftFoot {{
          OFFSET {leg}
        }}
      }}
    }}
  }}
}}
MOTION
Frames: 2
Frame Time: 1
0 0 0 {first} {turned}
0 0 0 {second} {turned}
"""


def standing(first, second, turned, head="0 6 0", leg="0 -4 0"):
    return STANDING.format(first=first, second=second, turned=turned, head=head, leg=leg)


def test_a_root_that_stays_behind_does_not_count(write, recwarn):
    """Hips that are 500 away from a root at the origin made the body tall along Z."""
    near, far = (load_rig(write(standing(f"0 9 {z}", f"0 9 {z + 5}", "0 0 0"))) for z in (0, -500))
    a, b = (model_matrices(rig.skeleton, rig.clips["move"].sample(0.5))[1:, :, 3] for rig in (near, far))
    np.testing.assert_allclose(b, a + np.array([0, 0, -500]), atol=1e-4)
    assert not recwarn


@pytest.mark.parametrize(
    ("second", "turned", "up"),
    [
        ("4 30 9", "90 0 0", "z"),  # the rest pose stands along Y, the frames along Z, and hips go along X and Y
        ("4 9 30", "90 0 0", "y"),  # a dive: hips go along X and Z
        ("4 9 30", "45 0 0", "y"),  # no axis in the frames
        ("0 9 9", "0 80 0", "y"),
    ],
)
def test_if_rest_pose_and_frames_disagree_the_path_decides(write, second, turned, up, recwarn):
    rig = load_rig(write(standing("0 9 9", second, turned)))
    assert stands_up(rig) == (up == "z")
    assert bool(recwarn) == (up == "z")


@pytest.mark.parametrize("turned", ["90 0 0", "180 0 0"])
def test_a_body_that_lies_or_stands_on_its_hands_is_left_so_and_the_doubt_is_told(write, turned):
    with pytest.warns(InputWarning, match=r"move.bvh: up axis: the rest pose is upright along y, .* --up x, y or z"):
        rig = load_rig(write(standing("0 9 9", "0 9 9.5", turned)))
    assert not stands_up(rig)


def stands_up(rig):
    """Whether the file was turned."""
    return not np.allclose(rig.skeleton.rest_pose.rotation[0], [0, 0, 0, 1])


def test_a_body_in_bones_along_one_axis_stands_as_its_frames_do(write, recwarn):
    rig = load_rig(write(standing("0 9 9", "0 9 9", "0 0 90", head="6 0 0", leg="4 0 0")))
    assert not stands_up(rig)
    assert not recwarn


def test_without_names_extent_decides(write):
    """As before; a root that stays behind is left out here, too."""
    text = standing("0 9 500", "0 9 500", "0 0 0").replace("Hips", "b1").replace("Head", "b2").replace("Left", "b")
    assert not stands_up(load_rig(write(text)))
    text = standing("0 9 9", "0 9 9", "0 0 0", head="0 1 9", leg="0 0 -9")
    with pytest.warns(InputWarning, match="upright along z"):
        assert stands_up(load_rig(write(text.replace("Hips", "b1").replace("Head", "b2").replace("Left", "b"))))


FAULTS = {
    "no motion": ("MOTION", "", "line 30: the next word must be 'ROOT' or 'MOTION' .got 'Frames:'"),
    "an unknown channel": (
        "Yrotation Zrotation",
        "Yrotation Wrotation",
        "line 9: a channel must be one of Xposition, .* 'Wrotation'",
    ),
    "a channel twice": (
        "Yrotation Zrotation",
        "Yrotation Yrotation",
        "line 9: joint 'left leg' must not have the channel Yrota",
    ),
    "too few channels": ("CHANNELS 3 ", "CHANNELS 4 ", "line 9: a channel must be one of .*'End'"),
    "half a channel": ("CHANNELS 3 ", "CHANNELS 2.5 ", ".* channels must be a whole number from 0 to 6 .got 2.5"),
    "a word for a number": ("0 -4 0.5", "0 four 0.5", "line 8: an offset must be a number .got 'four'"),
    "an offset without end": ("0 -4 0.5", "0 nan 0.5", "line 8: an offset must be a number .got 'nan'"),
    "python's own numbers": ("0 -4 0.5", "0 1_0 0.5", "line 8: an offset must be a number .got '1_0'"),
    "a brace too few": (
        "}\nROOT prop",
        "ROOT prop",
        "line 23: the next word must be OFFSET, CHANNELS, JOINT, End Site or '}'",
    ),
    "a joint below an end": ("OFFSET 0 -3 0", "JOINT x {", "line 12: an End Site must not have joints below it"),
    "half a frame": ("Frames: 3", "Frames: 2.5", "line 30: the number of frames must be a whole number of 1 or more"),
    "no time": ("0.025", "0", "line 31: the frame time must be positive .got 0.. Write seconds"),
    "a time too short": ("0.025", "1e-60", "line 31: the frame time must be positive .got 1e-60."),
    "no frames": ("10 11 12 10 20", "x", "line 32: 'hips' Xposition must be a number .got 'x'"),
    "no frame time": ("Frame Time:", "Frame Rate:", "line 31: the line must be 'Frame Time:' with the frame time"),
    "a short line": (" 90 -45", " 90", "line 32: a frame must have a number for each of 14 channels .got 13"),
    "a long line": (" 90 -45", " 90 -45 6", "line 32: a frame must have a number for each of 14 channels .got 15"),
    "a word in a frame": (" 90 -45", " 90 x", "line 32: 'prop' Yrotation must be a number .got 'x'"),
    "infinity": (" 90 -45", " 90 inf", "line 32: 'prop' Yrotation must be a number .got 'inf'"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_told_with_file_and_line(write, fault):
    old, new, told = FAULTS[fault]
    assert old in SMALL
    with pytest.raises(InputError, match=f"move.bvh: {told}"):
        load_rig(write(SMALL.replace(old, new, 1)))


# Changes that other programs make to the format: the text that is replaced, its replacement, and the warning.
QUIRKS = {
    "more frames than declared": ("Frames: 3", "Frames: 2", "line 30: 2 frames are declared, but the file has 3"),
    "fewer frames": ("Frames: 3", "Frames: 4", "line 30: 4 frames are declared, but the file has 3"),
    "endless frames": ("Frames: 3", "Frames: 900000000", "line 30: 900000000 frames are declared, but the file has 3"),
    "a blank before the colon": ("Frames:", "Frames :", "line 30: a blank before the colon is ignored"),
    "text at the end": ("370\n", "370\nend of file\n", "line 35: text after the last frame is ignored"),
    "comments": ("HIERARCHY", "# by hand\n// 2020\n\nHIERARCHY", r"line 1: comments are skipped .2 lines"),
    "a decimal comma in the head": ("0.025", "0,025", "line 31: decimal commas are read as decimal points"),
    "decimal commas in a frame": ("10.5 11 12", "10,5 11 12", "line 33: decimal commas"),
    "a decimal comma in an offset": ("0 -4 0.5", "0 -4 0,5", "line 8: decimal commas"),
}


@pytest.mark.parametrize("quirk", QUIRKS)
def test_quirks_of_exporters_are_read_with_one_warning(write, tmp_path, quirk):
    old, new, told = QUIRKS[quirk]
    assert old in SMALL
    plain = load_rig(write(SMALL), up="y")
    with pytest.warns(InputWarning, match=f"move.bvh: the file differs from the BVH format: {told}") as warned:
        rig = load_rig(write(SMALL.replace(old, new, 1)), up="y")
    assert len(warned) == 1
    assert_alike(rig, plain)
    assert file_type(tmp_path / "move.bvh").family == "motion"


def assert_alike(rig, plain):
    """Poses are the same numbers in each frame, whatever joints are called."""
    times = np.arange(3) * 0.025
    np.testing.assert_array_equal(rig.skeleton.rest_pose.translation, plain.skeleton.rest_pose.translation)
    a, b = (own.clips["move"].sample(times, loop=False) for own in (rig, plain))
    np.testing.assert_array_equal(a.rotation, b.rotation)
    np.testing.assert_array_equal(a.translation, b.translation)
    assert rig.clips["move"].duration == plain.clips["move"].duration


HARMLESS = {
    "keywords in lower case": lambda text: text.replace("OFFSET", "Offset").replace("CHANNELS", "channels"),
    "braces on the line of the name": lambda text: text.replace("\n{", " {").replace("\n  {", " {"),
    "tabs and trailing blanks": lambda text: text.replace("  ", "\t").replace("\n", " \t\n"),
    "exponents": lambda text: text.replace("OFFSET 9 0 0", "OFFSET 9.0e+00 0 0E0"),
    "a frame over several lines": lambda text: text.replace("10.5 11 12", "10.5 11 12\n"),
    "end sites with names": lambda text: text.replace("End Site", "End Site Toes").replace("END SITE", "End Effector"),
    "carriage returns": lambda text: text.replace("\n", "\r"),
    "blank lines at the end": lambda text: text + "\n \n",
}


@pytest.mark.parametrize("quirk", HARMLESS)
def test_harmless_quirks_are_read_without_a_warning(write, recwarn, quirk):
    plain, rig = load_rig(write(SMALL), up="y"), load_rig(write(HARMLESS[quirk](SMALL)), up="y")
    assert_alike(rig, plain)
    assert not recwarn


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8-sig", None),
        ("utf-16", "the text is UTF-16"),
        ("utf-16-le", "the text is UTF-16"),
        ("utf-16-be", "the text is UTF-16"),
        ("latin-1", "the text is not UTF-8; names are read as Latin-1"),
    ],
)
def test_encodings(tmp_path, write, encoding, told, recwarn):
    path = tmp_path / "move.bvh"
    plain = load_rig(write(SMALL), up="y")
    path.write_bytes(SMALL.replace("spine", "épine").encode(encoding))
    assert file_type(path).family == "motion"
    rig = load_rig(path)
    assert_alike(rig, plain)
    assert "épine" in rig.skeleton.joint_names
    assert [str(own.message).partition("the BVH format: ")[2] for own in recwarn] == ([told] if told else [])


def test_an_incomplete_last_frame_is_left_out(write):
    with pytest.warns(
        InputWarning, match="line 34: the last frame has only 13 of 14 numbers and is ignored; line 30: 3 fra"
    ):
        rig = load_rig(write(SMALL.replace(" 190 370", " 190")), up="y")
    assert rig.clips["move"].duration == pytest.approx(0.025)


def test_a_missing_end_site_leaves_the_joint_as_the_end(write):
    text = SMALL.replace("    End Site\n    {\n      OFFSET 0 -3 0\n    }\n", "")
    assert load_rig(write(text), up="y").skeleton.joint_names == ("hips", "left leg", "spine", "spine_end", "prop")


def test_a_frame_time_in_hertz_is_pointed_out(write):
    with pytest.warns(
        InputWarning,
        match="line 31: the file states that a frame lasts 30 s. If 30 is a frame rate in Hz, write 0.0333333",
    ):
        load_rig(write(SMALL.replace("0.025", "30")), up="y")


@pytest.mark.parametrize("length", [9, 40, 200, 500])
def test_a_file_that_is_cut_short_says_so(write, length):
    with pytest.raises(InputError, match=r"move.bvh: line \d+: "):
        load_rig(write(SMALL[:length]))


def test_thousands_of_joints_below_each_other_are_no_recursion(write):
    open_joints = "".join(f"JOINT j{k} {{ OFFSET 0 1 0\n" for k in range(3000))
    text = f"HIERARCHY ROOT r {{ OFFSET 0 0 0\n{open_joints}{'}' * 1} " + "} " * 3000
    rig = load_rig(write(f"{text}\nMOTION\nFrames: 1\nFrame Time: 1\n"))
    assert rig.skeleton.joint_count == 3001


@needs_motions
@pytest.mark.parametrize(("name", "seconds"), [("freebvh", 68 / 30), ("walk_meredith", 1063 * 0.008333)])
def test_recorded_files(name, seconds):
    path = MOTIONS / f"{name}.bvh"
    rig, words = load_rig(path), path.read_text().split()
    clip = rig.clips[name]
    assert clip.duration == pytest.approx(seconds, rel=1e-5)
    assert rig.skeleton.joint_count == sum(words.count(word) for word in ("ROOT", "JOINT", "End"))
    heights = model_matrices(rig.skeleton, clip.sample(np.linspace(0, seconds, 50)))[..., 1, 3]
    floor = heights.min(axis=1)  # somebody walks: a foot is always near the floor
    assert np.ptp(floor) < 0.08 * np.ptp(heights)


CASES = SHARED / "cases" / "characters"


@pytest.mark.parametrize("path", real("reference_near.bvh", folder=CASES))
def test_two_files_that_differ_along_z_alone(path, recwarn):
    near, far = (load_rig(CASES / f"reference_{name}.bvh") for name in ("near", "far"))
    a, b = (
        model_matrices(rig.skeleton, rig.clips[f"reference_{name}"].sample(0.5))[1:, :, 3]
        for rig, name in ((near, "near"), (far, "far"))
    )
    np.testing.assert_allclose(b, a + np.array([0, 0, -500]), atol=1e-3)
    assert a[0, 1] - a[:, 1].min() == pytest.approx(90, abs=1)  # the hips
    assert not recwarn


# The files that cannot be read, and those that are read with a warning; all others are read without one.
REFUSED = {
    "nan.bvh": "line 126: 'Hips' Xposition must be a number .got 'nan'",
    "frame_time_zero.bvh": "line 124: the frame time must be positive .got 0",
}
REPAIRED = {
    "comma.bvh": "line 124: decimal commas",
    "comments.bvh": "line 1: comments are skipped",
    "frames_space.bvh": "line 123: a blank before the colon",
    "latin1.bvh": "read as Latin-1",
    "one_frame_less.bvh": "line 123: 32 frames are declared, but the file has 31",
    "one_frame_more.bvh": "line 123: 30 frames are declared, but the file has 31",
    "utf16.bvh": "the text is UTF-16",
}


@pytest.mark.parametrize("path", sorted(CASES.glob("bvh_quirks/*.bvh")), ids=lambda path: path.name)
def test_quirks_of_files(path, recwarn):
    """All hold the same motion."""
    if path.name in REFUSED:
        with pytest.raises(InputError, match=f"{path.name}: {REFUSED[path.name]}"):
            load_rig(path)
        return
    rig, plain = (load_rig(own, name="move") for own in (path, path.with_name("plain.bvh")))
    assert rig.clips["move"].duration == pytest.approx(plain.clips["move"].duration, rel=1e-6)
    joints = [number for number, name in enumerate(plain.skeleton.joint_names) if not name.endswith("_end")]
    a, b = (own.clips["move"].sample(np.linspace(0, 1, 31), loop=False) for own in (rig, plain))
    kept = joints if rig.skeleton.joint_count == plain.skeleton.joint_count else range(rig.skeleton.joint_count)
    np.testing.assert_allclose(a.translation[:, kept], b.translation[:, joints], atol=1e-4)
    told = [str(own.message) for own in recwarn]
    assert len(told) == (path.name in REPAIRED)
    assert REPAIRED.get(path.name, "") in "".join(told)
