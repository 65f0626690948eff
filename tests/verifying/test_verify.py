"""`ecs-anim dataset --verify`: no deviation in what the command writes, and each change of a label or file is found."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.dataset.label_formats import FORMATS
from ecs_anim.verifying.shapes import count_of_polygons, mask_of_runs
from ecs_anim.verifying.verify import verify_dataset
from tests.helpers import some
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line

SCENE = """
seed = 4
[rigs.people]
model = "people"
[rigs.ball]
model = "ball"
ground_offset = 0.3
[[crowds]]
name = "people"
rig = "people"
count = 6
layout = { kind = "scatter", radius = 1.6, min_distance = 0.5 }
clips = [{ name = "walk" }, { name = "wave" }]
locomotion = { area_radius = 2.0 }
[[crowds]]
name = "balls"
rig = "ball"
count = 2
layout = { kind = "points", points = [[-1.2, -1.6], [1.2, -1.6]] }
clips = [{ name = "rest" }]
[[cameras]]
name = "door"
size = [160, 120]
eye = [0.0, 2.6, 5.0]
look_at = [0.0, 0.9, 0.0]
[[cameras]]
name = "crane"
size = [120, 100]
path = [
    { at_seconds = 0.0, eye = [3.0, 4.0, 3.0], look_at = [0.2, 0.5, 0.0] },
    { at_seconds = 0.5, eye = [3.5, 4.0, 2.0], look_at = [0.2, 0.5, 0.0] },
]
"""
LENSES = {
    "brown": "distortion = { k1 = -0.25, k2 = 0.05, p1 = 0.01 }",
    "fisheye": 'lens = "fisheye"\ndistortion = { k1 = 0.02, k2 = -0.01 }',
    "equirectangular": 'lens = "equirectangular"',
    "stereo and sensor": "stereo = { baseline = 0.2 }\nsensor = { exposure_ev = 0.5, full_well_electrons = 900.0,"
    " shutter_seconds = 0.02, rolling_shutter_seconds = 0.01, jpeg_quality = 50 }",
    "orthographic": 'lens = "orthographic"\nview_width = 8.0',
}


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("verified") / "room.toml"
    path.write_text(SCENE)
    return ea.save_dataset(
        path, path.parent / "set", seeds=(2, 5), frames=(6, 7), formats=FORMATS, split=(0.5, 0.5), threads=1
    )


@pytest.fixture(name="copied")
def copied_fixture(made, tmp_path):
    return shutil.copytree(made, tmp_path / "set")


def found_in(folder):
    return {own.rule.text: own for own in verify_dataset(folder).findings.deviations}


@pytest.mark.exhaustive
def test_a_data_set_has_no_deviation(made):
    done = ecs_anim("dataset", "--verify", made)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{made}: no kinds of deviation in 8 pictures, ")


@pytest.mark.exhaustive
@pytest.mark.parametrize("lens", LENSES)
def test_other_lenses_have_no_deviation(lens, tmp_path):
    path = tmp_path / "room.toml"
    path.write_text(SCENE.replace("[[cameras]]\n", f"[[cameras]]\n{LENSES[lens]}\n"))
    folder = ea.save_dataset(path, tmp_path / "set", frames=(6, 9), formats=["jsonl", "coco"], threads=1)
    assert found_in(folder) == {}


@pytest.mark.exhaustive
def test_a_camera_in_a_person_has_no_deviation(tmp_path):
    path = tmp_path / "room.toml"
    camera = 'eye = [0.1, 1.0, 0.05]\nlook_at = [0.0, 1.0, 5.0]\nlens = "equirectangular"'
    text = SCENE.replace("eye = [0.0, 2.6, 5.0]\nlook_at = [0.0, 0.9, 0.0]", camera)
    path.write_text(text.replace('kind = "scatter", radius = 1.6, min_distance = 0.5', 'kind = "grid", spacing = 0.3'))
    folder = ea.save_dataset(path, tmp_path / "set", frames=(6, 12, 18), formats=["jsonl"], threads=1)
    assert found_in(folder) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("depth", "flow"), [("exr", "flo"), ("png", "kitti")])
def test_other_file_formats_of_numbers_have_no_deviation(depth, flow, made, tmp_path):
    """The command writes the same numbers in all formats, read by OpenCV and by the library OpenEXR."""
    cv2 = pytest.importorskip("cv2")
    options = {"frames": (6, 7), "passes": ["ids", "classes", "depth", "flow"], "formats": ["jsonl", "webdataset"]}
    folder = ea.save_dataset(
        made.parent / "room.toml", tmp_path / "set", seeds=(2,), depth_format=depth, flow_format=flow, **options
    )
    assert found_in(folder) == {}
    for label in map(json.loads, (folder / "labels.jsonl").read_text().splitlines()):
        exact = {
            name: np.load(made / f"{label['camera']}/{name}/{label['number']:06d}.npz")[name]
            for name in ("depth", "flow")
        }
        paths = {name: str(folder / path) for name, path in label["files"].items()}
        if depth == "exr":
            with pytest.importorskip("OpenEXR").File(paths["depth"]) as file:
                assert np.array_equal(file.channels()["Z"].pixels, exact["depth"])
        else:
            own = cv2.imread(paths["depth"], cv2.IMREAD_UNCHANGED)
            assert own.dtype == np.uint16
            wanted = np.where(exact["depth"] < 65.5355, exact["depth"], 0)
            assert np.abs(own / 1000 - wanted).max() <= 0.000501
        known = np.isfinite(exact["flow"]).all(axis=-1)
        if flow == "flo":
            told = cv2.readOpticalFlow(paths["flow"])
            assert np.array_equal(told[known], exact["flow"][known])
            assert (told[~known] > 1e9).all()
        else:
            told = cv2.imread(paths["flow"], cv2.IMREAD_UNCHANGED)[..., ::-1].astype(float)
            assert np.array_equal(told[..., 2] == 1, known)
            assert np.abs((told[..., :2] - 2**15) / 64 - exact["flow"])[known].max(initial=0) <= 1 / 128


# Each change of a field of an actor, and a rule that finds the change.
CHANGES = {
    "area": (lambda own: own | {"area": own["area"] + 1}, "visible areas"),
    "bbox": (lambda own: own | {"bbox": [own["bbox"][0] + 1, *own["bbox"][1:]]}, "visible boxes"),
    "mask": (lambda own: own | {"segmentation": own["amodal_segmentation"] | {"counts": "0"}}, "cannot be read"),
    "amodal_area": (lambda own: own | {"amodal_area": own["amodal_area"] + 3}, "amodal areas"),
    "amodal_bbox": (lambda own: own | {"amodal_bbox": [0, 0, 1, 1]}, "amodal boxes"),
    "occlusion": (lambda own: own | {"occlusion": 0.9}, "occlusions"),
    "keypoint": (
        lambda own: own | {"keypoints": [own["keypoints"][0] + 0.5, *own["keypoints"][1:]]},
        "keypoints against",
    ),
    "visibility": (lambda own: own | {"keypoints": [*own["keypoints"][:2], 0, *own["keypoints"][3:]]}, "visibility 0"),
    "nose": (lambda own: own | {"keypoints_3d": [[0, 1, 0], *own["keypoints_3d"][1:]]}, "keypoints against"),
    "wrist": (lambda own: own | {"joints": moved(own["joints"])}, "limbs against the joints"),
    "box": (lambda own: own | {"box_3d": own["box_3d"] | {"size": [0.2, 0.2, 0.9]}}, "outside of the box"),
    "place": (lambda own: own | {"box_3d": own["box_3d"] | {"center": [0, 0, 0]}}, "centres of boxes"),
    "heading": (lambda own: own | {"heading": own["heading"] + 0.01}, "headings"),
    "gaze": (lambda own: own | {"gaze": [0.1, 0.2, 0.3]}, "gazes"),
    "position": (lambda own: own | {"position": [0.0, 0.0, 0.0]}, "differ between cameras"),
    "velocity": (lambda own: own | {"velocity": [3.0, 0.0, 0.0]}, "velocities"),
    "track_id": (lambda own: own | {"track_id": 3_000_000}, "track ids"),
    "id": (lambda own: own | {"id": 77}, "actors with visible pixels"),
    "field": (lambda own: own | {"area": "large"}, "against the schema"),
}


def moved(joints):
    return joints | {"positions": [[x + 0.02, y, z] for x, y, z in joints["positions"]]}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", some([*CHANGES], "bbox", "keypoint", "box", "track_id"))
def test_a_changed_label_is_found(name, copied):
    change, part = CHANGES[name]
    path = copied / "labels.jsonl"
    labels = [json.loads(line) for line in path.read_text().splitlines()]
    actors = labels[2]["actors"]  # of the second frame, so that velocities are compared
    row = next(k for k, own in enumerate(actors) if own["area"] > 100 and own["keypoints"] and own["keypoints"][2])
    actors[row] = change(actors[row])
    path.write_text("".join(json.dumps(label) + "\n" for label in labels))
    (deviation,) = [own for text, own in found_in(copied).items() if part in text]
    assert deviation.first.startswith(("labels.jsonl line 3", "labels.jsonl line 4"))


@pytest.mark.exhaustive
def test_a_missing_line_a_wrong_split_and_a_wrong_time_are_found(copied):
    path = copied / "labels.jsonl"
    labels = [json.loads(line) for line in path.read_text().splitlines()][:-1]
    labels[0]["split"] = "val" if labels[0]["split"] == "train" else "train"
    labels[3]["flow_since"] += 1
    path.write_text("".join(json.dumps(label) + "\n" for label in labels))
    found = found_in(copied)
    for part in ("number of lines", "splits against", "flow_since", "pictures in COCO files", "samples of tar files"):
        assert any(part in text for text in found), part


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("door/ids/000001.png", ["pass ids", "SHA-256", "panoptic PNG files"]),
        ("crane/classes/000001.png", ["actors in the pass classes", "pass depth"]),
        ("crane/normals/000001.png", ["lengths of normals"]),
        ("panoptic/door_000001.png", ["panoptic PNG files", "panoptic segments"]),
    ],
)
def test_a_changed_pixel_is_found(path, parts, copied):
    colors = np.array(Image.open(copied / path))
    camera = "crane" if "crane" in path else "door"
    row, column = np.argwhere(np.asarray(Image.open(copied / camera / "ids/000001.png")).any(axis=-1))[0]
    colors[row, column] = 0 if "normals" not in path else 250
    Image.fromarray(colors).save(copied / path)
    found = found_in(copied)
    assert all(any(part in text for text in found) for part in parts), found


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "part"), [("depth", "outside of the box"), ("flow", "flow of static surfaces")])
def test_changed_numbers_of_a_pass_are_found(name, part, copied):
    path = copied / f"crane/{name}/000001.npz"
    numbers = np.load(path)[name] + np.float32(2)
    np.savez(path, **{name: numbers})
    assert any(part in text for text in found_in(copied))


@pytest.mark.exhaustive
def test_changed_flow_of_actors_is_found(copied):
    path = copied / "crane/flow/000001.npz"
    flow = np.load(path)["flow"]
    ids = np.asarray(Image.open(copied / "crane/ids/000001.png")).max(axis=-1)
    np.savez(path, flow=np.where((ids > 0)[..., None], flow + 9, flow))
    assert any("flow of actors" in text for text in found_in(copied))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("path", "old", "new", "part"),
    [
        ("annotations/instances_train.json", '"area": ', '"area": 1', "COCO annotations"),
        ("annotations/panoptic_train.json", '"area": ', '"area": 1', "panoptic segments"),
        ("motchallenge/door_seed2/gt/gt.txt", "1,", "2,", "gt.txt"),
        ("motchallenge/door_seed2/seqinfo.ini", "seqLength=2", "seqLength=3", "seqinfo.ini"),
        ("yolo_pose/data.yaml", '"person"', '"car"', "YOLO"),
        ("kitti/training/label_2/000000.txt", "Pedestrian", "Misc", "KITTI"),
        ("kitti/training/calib/000000.txt", "P2: ", "P2: 1", "P2"),
    ],
)
def test_a_changed_file_is_found(path, old, new, part, copied):
    text = (copied / path).read_text()
    (copied / path).write_text(text.replace(old, new, 1))
    found = found_in(copied)
    assert any(part in own for own in found), found
    assert any("SHA-256" in own for own in found)


@pytest.mark.exhaustive
def test_missing_extra_and_damaged_files_are_found(copied):
    (copied / "door/rgb/000000.png").write_bytes(b"no picture")
    (copied / "crane/depth/000001.npz").unlink()
    (copied / "annotations/instances_val.json").write_text("{")
    (copied / "notes.txt").write_text("mine")
    done = ecs_anim("dataset", "--verify", copied)
    assert (done.returncode, done.stderr) == (1, "")
    *lines, summary = done.stdout.splitlines()
    assert summary.startswith(f"{copied}: {len(lines)} kinds of deviation in 6 pictures")
    for part in ("manifest does not name: 1 deviation, worst 1 (bound 0), first: notes.txt", "cannot be read"):
        assert any(part in line for line in lines)


@pytest.mark.exhaustive
def test_a_folder_without_a_data_set_is_wrong_input(tmp_path):
    assert_one_line(ecs_anim("dataset", "--verify", tmp_path), "complete data set")
    assert_one_line(ecs_anim("dataset", "single", "--verify", tmp_path), "Leave out SCENE")
    assert_one_line(ecs_anim("dataset", "single"), "--out DIR")


def test_masks_are_those_of_pycocotools():
    masks = pytest.importorskip("pycocotools.mask", reason="needs the labels extra")
    draw = np.random.default_rng(3)
    for share in (0.02, 0.5, 0.98):
        mask = draw.random((37, 61)) < share
        runs = masks.encode(np.asfortranarray(mask))
        told = {"size": runs["size"], "counts": runs["counts"].decode()}
        assert np.array_equal(mask_of_runs(told), mask)
    ring = [[1, 1, 7, 1, 7, 6, 1, 6], [2, 2, 4, 2, 4, 4, 2, 4]]
    assert count_of_polygons(ring, 8, 9).sum() == 6 * 5 + 4
