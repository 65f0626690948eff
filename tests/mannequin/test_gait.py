"""The mannequin's clips, measured on the file that ships by forward kinematics of this test's own."""

import numpy as np
import pygltflib
import pytest

from ecs_anim.mannequin import PATH
from ecs_anim.maths import quaternion
from tests.helpers import EXHAUSTIVE, some

STRAFES = ("strafe_left", "strafe_right")
GAITS = {  # velocity over the ground, to the character's left and ahead [m/s]
    "walk": [0.0, 1.4],
    "run": [0.0, 3.5],
    "walk_backward": [0.0, -0.9],
    "strafe_left": [0.8, 0.0],
    "strafe_right": [-0.8, 0.0],
}
SEATED = ("sit", "clap", "cheer", "rise")
CLIPS = (
    *("idle", "walk", "run", "wave", "jump", "sit", "lean_left", "walk_backward"),
    *STRAFES,
    *("clap", "cheer", "rise", "dance"),
)
SEAT = 0.42, -0.15  # [m], height of a hard seat, below the 0.45 m of a padded one, and where its front edge is
LOOPS = tuple(name for name in CLIPS if name != "lean_left")
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {pygltflib.UNSIGNED_BYTE: "<u1", pygltflib.UNSIGNED_SHORT: "<u2", pygltflib.FLOAT: "<f4"}
FRAME = 1 / 60  # [s], over which a foot's speed is measured: what a display shows


class File:
    """Joints, clips and the finest mesh, straight from the binary."""

    def __init__(self) -> None:
        self.gltf = pygltflib.GLTF2().load(str(PATH))
        self.joints = self.gltf.skins[0].joints
        self.names = [self.gltf.nodes[j].name for j in self.joints]
        self.parents = [-1] * len(self.joints)
        for j in self.joints:
            for child in self.gltf.nodes[j].children:
                self.parents[child] = j
        self.offsets = np.array([self.gltf.nodes[j].translation for j in self.joints])
        self.inverse_bind = self.read(self.gltf.skins[0].inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
        attributes = self.gltf.meshes[0].primitives[0].attributes
        self.triangles = self.read(self.gltf.meshes[0].primitives[0].indices).reshape(-1, 3).astype(int)
        self.positions = self.read(attributes.POSITION).astype(float)
        self.influences = self.read(attributes.JOINTS_0)
        self.weights = self.read(attributes.WEIGHTS_0).astype(float)
        self.clips = {a.name: self._clip(a) for a in self.gltf.animations}
        self.extras = {a.name: a.extras for a in self.gltf.animations}

    def read(self, index: int) -> np.ndarray:
        accessor = self.gltf.accessors[index]
        offset = self.gltf.bufferViews[accessor.bufferView].byteOffset or 0
        width = WIDTHS[accessor.type]
        values = np.frombuffer(self.gltf.binary_blob(), TYPES[accessor.componentType], accessor.count * width, offset)
        return values.reshape(-1, width)

    def _clip(self, animation: pygltflib.Animation) -> list[tuple]:
        tracks = []
        for channel in animation.channels:
            sampler = animation.samplers[channel.sampler]
            assert sampler.interpolation == "LINEAR"
            keys = self.read(sampler.input)[:, 0].astype(float), self.read(sampler.output).astype(float)
            tracks.append((channel.target.node, channel.target.path, *keys))
        return tracks

    def duration(self, clip: str) -> float:
        return max(times[-1] for _, _, times, _ in self.clips[clip])

    def local(self, clip: str, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Local rotations [k, joint, 4] and translations [k, joint, 3] by glTF's rules."""
        rotations = np.tile([0.0, 0, 0, 1], (len(times), len(self.joints), 1))
        translations = np.tile(self.offsets, (len(times), 1, 1))
        for joint, path, keys, values in self.clips[clip]:
            i = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
            t = np.clip((times - keys[i]) / (keys[i + 1] - keys[i]), 0, 1)
            if path == "rotation":
                rotations[:, joint] = quaternion.slerp(values[i], values[i + 1], t)
            else:
                translations[:, joint] = values[i] + (values[i + 1] - values[i]) * t[:, None]
        return rotations, translations

    def skinned(self, clip: str, times: np.ndarray, vertices: np.ndarray) -> np.ndarray:
        """Vertices [k, vertex, 3] by linear blend skinning; `vertices` are indices."""
        rotations, translations = self.local(clip, times)
        linear, place = np.zeros((*rotations.shape[:2], 3, 3)), np.zeros_like(translations)
        for j, parent in enumerate(self.parents):
            own = quaternion.to_matrix(rotations[:, j])
            linear[:, j] = own if parent < 0 else linear[:, parent] @ own
            moved = 0 if parent < 0 else (linear[:, parent] @ translations[:, j, :, None])[..., 0]
            place[:, j] = translations[:, j] if parent < 0 else place[:, parent] + moved
        bind = self.inverse_bind[:, :3, 3]
        place = place + np.einsum("kjab,jb->kja", linear, bind)
        result = np.zeros((len(times), len(vertices), 3))
        for slot in range(4):
            joint, weight = self.influences[vertices, slot], self.weights[vertices, slot]
            points = np.einsum("kvab,vb->kva", linear[:, joint], self.positions[vertices]) + place[:, joint]
            result += weight[:, None] * points
        return result

    def shoe(self, side: str) -> np.ndarray:
        """Indices of the vertices that mostly follow a foot or its toes."""
        feet = [self.names.index(side + part) for part in ("Foot", "ToeBase")]
        return np.flatnonzero(np.isin(self.influences[:, 0], feet) & (self.weights[:, 0] > 0.5))

    def led_by(self, *names: str) -> np.ndarray:
        """Whether each vertex follows one of these joints more than any other."""
        return np.isin(self.influences[:, 0], [self.names.index(name) for name in names])

    def flexion(self, clip: str, times: np.ndarray, joint: str, axis: int = 0) -> np.ndarray:
        """Turn [k] in degrees of a joint about an axis of its parent."""
        q = self.local(clip, times)[0][:, self.names.index(joint)]
        return np.degrees(2 * np.arctan2(q[:, axis], q[:, 3]))


@pytest.fixture(scope="module")
def file() -> File:
    return File()


def _stance(file: File, clip: str, side: str, count: int) -> np.ndarray:
    """Times [count] inside the foot's contacts, a frame short of their ends, evenly spread and off the keys."""
    spans = [(a, b - FRAME) for a, b in file.extras[clip]["contacts"][f"{side}Foot"] if b - FRAME > a]
    each = [np.linspace(a + 1e-4, b - 1e-4, count) for a, b in spans]
    return np.concatenate(each)


def test_every_clip_is_there(file: File) -> None:
    assert tuple(file.clips) == CLIPS
    ahead = {name: velocity[1] for name, velocity in GAITS.items()}
    assert {n: file.extras[n]["ground_speed"] for n in CLIPS} == dict.fromkeys(CLIPS, 0) | ahead
    assert {n: file.extras[n]["ground_velocity"] for n in CLIPS if "ground_velocity" in file.extras[n]} == GAITS
    assert [n for n in CLIPS if file.extras[n]["loop"]] == list(LOOPS)


@pytest.mark.parametrize("clip", CLIPS)
def test_tracks_are_well_formed(file: File, clip: str) -> None:
    for joint, path, times, values in file.clips[clip]:
        assert times[0] == 0
        assert (np.diff(times) > 0).all()
        assert times[-1] == pytest.approx(file.duration(clip), abs=1e-6)
        assert path == "rotation" or (path == "translation" and file.names[joint] == "Hips")
        if path == "rotation":
            np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1, atol=1e-6)
            assert (np.sum(values[1:] * values[:-1], axis=1) > 0.9).all()


@pytest.mark.parametrize("clip", LOOPS)
def test_a_loop_closes_exactly(file: File, clip: str) -> None:
    for _, _, _, values in file.clips[clip]:
        np.testing.assert_array_equal(values[0], values[-1])


@pytest.mark.parametrize("clip", LOOPS)
def test_a_loop_has_no_kink_at_its_seam(file: File, clip: str) -> None:
    """The step over the seam differs from its neighbours no more than steps inside the clip do."""
    for joint, path, _, values in file.clips[clip]:
        steps = np.diff(values, axis=0)
        inside = np.linalg.norm(np.diff(steps, axis=0), axis=1).max()
        seam = np.linalg.norm(steps[0] - steps[-1])
        assert seam <= 1.2 * inside + 1e-5, (file.names[joint], path)


@pytest.mark.parametrize("clip", GAITS)
def test_gaits_keep_step(file: File, clip: str) -> None:
    """The left foot lands when the cycle starts, the right one half a cycle later, and not before."""
    contacts, cycle = file.extras[clip]["contacts"], file.duration(clip)
    assert contacts["LeftFoot"][0][0] == 0
    assert contacts["RightFoot"][-1][0] == pytest.approx(cycle / 2, abs=1e-4)
    for side, start in (("Left", cycle), ("Right", cycle / 2)):
        height = file.skinned(clip, np.array([start - 0.06, start]), file.shoe(side))[..., 1].min(axis=1)
        assert height[0] > 0.002
        assert abs(height[1]) < 0.002


@pytest.mark.parametrize("clip", GAITS)
@pytest.mark.parametrize("side", ["Left", "Right"])
def test_a_standing_foot_does_not_skate(file: File, clip: str, side: str) -> None:
    """A point of the shoe that is on the ground for a frame keeps its place to less than 1 cm/s, at any time.

    Frames in which the shoe rolls from one corner of its sole to the next have no such point; they are few.
    """
    velocity = file.extras[clip]["ground_velocity"]
    times = _stance(file, clip, side, 150)
    shoe = file.shoe(side)
    before, after = file.skinned(clip, times, shoe), file.skinned(clip, times + FRAME, shoe)
    height = np.maximum(before[..., 1], after[..., 1])
    lowest = np.argmin(height, axis=1)[:, None]
    stays = np.take_along_axis(height, lowest, 1)[:, 0] < 0.0005
    moved = np.take_along_axis(after - before, lowest[..., None], 1)[:, 0]
    drift = moved[:, [0, 2]] / FRAME + velocity
    assert stays.mean() > 0.8
    assert np.linalg.norm(drift[stays], axis=1).max() < 0.01


@pytest.mark.parametrize("clip", ["idle", "wave", *SEATED, "jump", "lean_left", "dance"])
@pytest.mark.parametrize("side", ["Left", "Right"])
def test_a_foot_that_stays_stays(file: File, clip: str, side: str) -> None:
    times = _stance(file, clip, side, 100)
    toes = file.names.index(f"{side}ToeBase")
    shoe = np.flatnonzero((file.influences[:, 0] == toes) & (file.weights[:, 0] > 0.999) & (file.positions[:, 1] == 0))
    assert len(shoe) > 0
    if clip == "jump":
        times = times[times < 0.45]
    moved = np.ptp(file.skinned(clip, times, shoe), axis=0)
    assert moved.max() < 0.001


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize("side", ["Left", "Right"])
def test_shoes_neither_sink_nor_float(file: File, clip: str, side: str) -> None:
    times = np.linspace(0, file.duration(clip), 301)
    assert file.skinned(clip, times, file.shoe(side))[..., 1].min() > -0.003
    standing = file.skinned(clip, _stance(file, clip, side, 150), file.shoe(side))[..., 1].min(axis=1)
    assert standing.max() < 0.003


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize("side", ["Left", "Right"])
def test_knees_and_elbows_bend_one_way_only(file: File, clip: str, side: str) -> None:
    times = np.linspace(0, file.duration(clip), 301)
    knee = file.flexion(clip, times, f"{side}Leg")
    assert knee.min() > 2
    assert knee.max() < 140
    q = file.local(clip, times)[0][:, file.names.index(f"{side}ForeArm")]
    elbow = np.degrees(2 * np.arccos(np.clip(np.abs(q[:, 3]), 0, 1)))
    assert elbow.max() < 150


@pytest.mark.parametrize(("clip", "flies"), [*((n, n == "run") for n in GAITS), ("jump", True)])
def test_flight(file: File, clip: str, flies: bool) -> None:
    """Running and jumping leave the ground, walking and side-stepping never do."""
    times = np.linspace(0, file.duration(clip), 301)
    shoes = np.concatenate([file.shoe(side) for side in ("Left", "Right")])
    height = file.skinned(clip, times, shoes)[..., 1].min(axis=1)
    assert (height.max() > 0.02) == flies
    assert height.min() < 0.003


@pytest.mark.parametrize("clip", ["walk", "run", "walk_backward"])
def test_the_halves_of_a_gait_mirror_each_other(file: File, clip: str) -> None:
    times = np.linspace(0, file.duration(clip) / 2, 30, endpoint=False)
    first = file.flexion(clip, times, "LeftLeg")
    second = file.flexion(clip, times + file.duration(clip) / 2, "RightLeg")
    np.testing.assert_allclose(first, second, atol=0.3)


def test_walking_backward_goes_from_toe_to_heel(file: File) -> None:
    """The toes land while the heel is high; the heel leaves last."""
    start, end = file.extras["walk_backward"]["contacts"]["LeftFoot"][0]
    shoe = file.skinned("walk_backward", np.array([start, end]), file.shoe("Left"))
    bound = file.positions[file.shoe("Left"), 2]
    toe, heel = (shoe[:, part, 1].min(axis=1) for part in (bound > 0.14, bound < -0.05))
    assert toe[0] < 0.01
    assert heel[0] > 0.05
    assert toe[1] > 0.02
    assert heel[1] < 0.005


def test_strafes_mirror_each_other(file: File) -> None:
    """Going to the right is the mirror image of going to the left half a cycle later."""
    cycle = file.duration("strafe_left")
    assert file.duration("strafe_right") == cycle
    times = np.linspace(0, cycle / 2, 40, endpoint=False)
    left, left_hips = file.local("strafe_left", times + cycle / 2)
    right, right_hips = file.local("strafe_right", times)
    swap = {"Left": "Right", "Right": "Left"}
    across = [next((swap[s] + n.removeprefix(s) for s in swap if n.startswith(s)), n) for n in file.names]
    image = right[:, [file.names.index(n) for n in across]] * (1, -1, -1, 1)
    np.testing.assert_allclose(quaternion.angle_between(image, left), 0, atol=1e-3)
    np.testing.assert_allclose(right_hips[:, 0] * (-1, 1, 1), left_hips[:, 0], atol=1e-5)


@pytest.mark.parametrize("clip", STRAFES)
def test_legs_do_not_cross_in_a_strafe(file: File, clip: str) -> None:
    """From the knee down the left leg stays to the left of the right one, and the shoes stay well apart."""
    times = np.linspace(0, file.duration(clip), 61)
    lower = {s: np.flatnonzero(file.led_by(*(s + n for n in ("Leg", "Foot", "ToeBase")))) for s in ("Left", "Right")}
    left, right = (file.skinned(clip, times, lower[side]) for side in ("Left", "Right"))
    assert (left[..., 0].min(axis=1) - right[..., 0].max(axis=1)).min() > 0.03
    left, right = (file.skinned(clip, times, file.shoe(side)) for side in ("Left", "Right"))
    nearest = np.linalg.norm(left[:, :, None] - right[:, None], axis=-1).min(axis=(1, 2))
    assert nearest.min() > 0.05
    assert nearest.max() > 0.5, "they do part"


def _inside(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Whether points [n, 3] lie inside triangles [m, 3, 3], by winding number (van Oosterom and Strackee 1983)."""
    a, b, c = (triangles[None, :, i] - points[:, None] for i in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
    ab, bc, ca = (np.sum(x * y, axis=-1) for x, y in ((a, b), (b, c), (c, a)))
    volume = np.sum(a * np.cross(b, c), axis=-1)
    angle = 2 * np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
    return angle.sum(axis=1) > 2 * np.pi


@pytest.mark.parametrize("clip", some((n for n in CLIPS if n not in ("sit", "rise")), "walk", "run", "dance"))
@EXHAUSTIVE
def test_arms_stay_out_of_the_body(file: File, clip: str) -> None:
    """No vertex of a forearm or a hand enters trunk or thighs; who sits lays the hands on the thighs."""
    limbs = file.led_by(*(side + part for side in ("Left", "Right") for part in ("ForeArm", "Hand")))
    trunk = file.led_by("Hips", "Spine", "Spine1", "Spine2", "LeftUpLeg", "RightUpLeg")
    surface = file.triangles[trunk[file.triangles].all(axis=1)]
    times = np.linspace(0, file.duration(clip), 17)[:-1]
    for skin in file.skinned(clip, times, np.arange(len(file.positions))):
        assert not _inside(skin[limbs], skin[surface]).any()


@pytest.mark.parametrize("clip", SEATED)
def test_who_sits_is_on_the_seat(file: File, clip: str) -> None:
    """Hips and thighs rest on a seat: they sink in by less than flesh gives, and do not hover."""
    body = np.flatnonzero(file.led_by("Hips", "LeftUpLeg", "RightUpLeg", "Spine"))
    height, edge = SEAT
    for skin in file.skinned(clip, np.linspace(0, file.duration(clip), 25), body):
        assert skin[skin[:, 2] < edge, 1].min(initial=height) > height - 0.02
    (start,) = file.skinned(clip, np.array([0.0]), body)
    assert start[start[:, 2] < edge, 1].min() < height + 0.01


@pytest.mark.parametrize("clip", ["clap", "cheer", "rise"])
def test_what_is_done_on_a_seat_fades_into_sitting(file: File, clip: str) -> None:
    """The hips and the feet are where `sit` has them, so that a fade moves neither."""
    lower = np.concatenate([file.shoe("Left"), file.shoe("Right"), np.flatnonzero(file.led_by("Hips"))])
    (sitting,), (start,) = (file.skinned(name, np.array([0.0]), lower) for name in ("sit", clip))
    assert np.abs(start - sitting).max() < 0.02


def test_rising_ends_on_tiptoe_with_the_hands_up(file: File) -> None:
    times = np.linspace(0, file.duration("rise"), 53)
    hands, head, heel = (
        file.skinned("rise", times, np.flatnonzero(file.led_by(name)))[..., 1]
        for name in ("LeftHand", "Head", "LeftFoot")
    )
    top = head.max(axis=1).argmax()
    assert head[top].max() > 1.75
    assert hands[top].min() > head[top].max()
    assert heel[top].mean() > heel[0].mean() + 0.02


def test_clapping_hands_meet(file: File) -> None:
    """Palms come as near as they are thick and part by more than a hand's length, twice in the clip."""
    left, right = file.led_by("LeftHand"), file.led_by("RightHand")
    gaps = []
    for skin in file.skinned("clap", np.linspace(0, file.duration("clap"), 21), np.arange(len(file.positions))):
        gaps.append(skin[left, 0].min() - skin[right, 0].max())
    assert -0.01 < min(gaps) < 0.02
    assert max(gaps) > 0.15
    assert gaps[0] == pytest.approx(gaps[10], abs=1e-3)


def test_dancing_keeps_both_feet_and_moves_the_rest(file: File) -> None:
    times = np.linspace(0, file.duration("dance"), 41)
    for name, least in (("Head", 0.06), ("LeftHand", 0.2), ("RightHand", 0.2), ("Hips", 0.05)):
        middle = file.skinned("dance", times, np.flatnonzero(file.led_by(name))).mean(axis=1)
        assert np.ptp(middle, axis=0).max() > least, name


def test_a_runner_does_not_reach(file: File) -> None:
    """The hand swings between hip and chest, ahead of the upper arm by less than a bent forearm's length."""
    times = np.linspace(0, file.duration("run"), 61)
    hand, arm = (
        file.skinned("run", times, np.flatnonzero(file.led_by(n))).mean(axis=1) for n in ("LeftHand", "LeftArm")
    )
    assert (hand - arm)[:, 2].max() < 0.28
    assert (hand - arm)[:, 1].max() < 0.0
    assert hand[:, 1].min() > 0.87


def test_walking_looks_like_the_published_curves(file: File) -> None:
    """Winter 1991: the knee gives 15 to 25 degrees under load and about 60 in the swing, around 70 % of the cycle."""
    phase = np.linspace(0, 1, 200, endpoint=False)
    knee = file.flexion("walk", phase * file.duration("walk"), "LeftLeg")
    assert 12 < knee[(phase > 0.08) & (phase < 0.22)].max() < 26
    assert 52 < knee.max() < 68
    assert 0.66 < phase[knee.argmax()] < 0.80


def test_lean_starts_at_ease(file: File) -> None:
    """The first key of the additive clip is its reference: the idle stance, breathed out and level."""
    lean, idle = (file.local(clip, np.array([0.0])) for clip in ("lean_left", "idle"))
    np.testing.assert_allclose(quaternion.angle_between(lean[0], idle[0]), 0, atol=np.radians(0.5))
    np.testing.assert_allclose(lean[1], idle[1], atol=1e-3)
    head = np.array([int(file.influences[i, 0] == file.names.index("Head")) for i in range(len(file.positions))])
    ends = file.skinned("lean_left", np.array([0.0, file.duration("lean_left")]), np.flatnonzero(head)).mean(axis=1)
    assert ends[1, 0] - ends[0, 0] > 0.05
