"""Data sets: read by the field's own tools, against worlds that are stepped by hand; killed, cut and joined."""

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.commands.parameters import FRAME_NUMBERS as FRAMES_TYPE
from ecs_anim.commands.parameters import SEEDS as SEEDS_TYPE
from ecs_anim.commands.product_commands import dataset
from ecs_anim.dataset.contact_sheet import ACROSS, MARGIN, WIDTH
from ecs_anim.dataset.folder import Folder
from ecs_anim.dataset.join import join
from ecs_anim.dataset.label_formats import FORMATS, USUAL_FORMATS
from ecs_anim.dataset.plan import make_plan
from ecs_anim.dataset.task import do_task
from ecs_anim.scenes.loader import read_scene
from ecs_anim.view.encoders import decode_ids, encode_normals
from ecs_anim.view.label_passes import USUAL_NAMES
from tests.helpers import EXHAUSTIVE
from tests.helpers.command import ecs_anim
from tests.helpers.full_disk import on_a_full_disk
from tests.test_cli import assert_one_line

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation")  # of pycocotools, by numpy

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
count = 7
layout = { kind = "scatter", radius = 1.6, min_distance = 0.5 }
clips = [{ name = "walk" }, { name = "idle" }]
locomotion = { area_radius = 2.0 }
[[crowds]]
name = "balls"
rig = "ball"
count = 3
layout = { kind = "points", points = [[-1.2, -1.6], [1.2, -1.6], [0.1, 1.9]] }
clips = [{ name = "rest" }]
[[cameras]]
name = "door"
size = [160, 120]
eye = [0.0, 1.8, 5.0]
look_at = [0.0, 0.9, 0.0]
[[cameras]]
name = "the wall"
size = [120, 160]
eye = [5.0, 1.5, 1.0]
look_at = [0.0, 0.9, 0.0]
distortion = { k1 = -0.1 }
[vary]
"light.sun_azimuth_degrees" = [0.0, 360.0]
"""
SEEDS, FRAMES, CAMERAS = (2, 5), (0, 6, 9), ("door", "the wall")
ASKED = ("--seeds", "2:6:3", "--frames", "0:12:6", "--size", "96x64")


@pytest.fixture(name="scene", scope="module")
def scene_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("scene") / "room.toml"
    path.write_text(SCENE)
    return path


@pytest.fixture(name="made", scope="module")
def made_fixture(scene, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "set"
    assert ea.save_dataset(scene, folder, seeds=SEEDS, frames=FRAMES, threads=1) == folder
    return folder


@pytest.fixture(name="labels", scope="module")
def labels_fixture(made):
    return [json.loads(line) for line in (made / "labels.jsonl").read_text().splitlines()]


@pytest.fixture(name="captures", scope="module")
def captures_fixture(scene):
    """What each camera sees, by seed, frame and camera, of worlds that are stepped frame by frame."""
    found = {}
    for seed in SEEDS:
        with ea.load_scene(scene, seed=seed, threads=1) as world:
            for frame in range(FRAMES[-1] + 1):
                if frame in FRAMES:
                    seen = ea.capture(world, CAMERAS, USUAL_NAMES, keypoints=True, amodal=True)
                    found |= {(seed, frame, own.camera_name): own for own in seen}
                world.step(1 / 60)
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def of(label, captures):
    return captures[label["seed"], label["frame"], label["camera"]]


def seen_of(label):
    return [actor for actor in label["actors"] if actor["area"]]


def coco_of(path):
    coco = pytest.importorskip("pycocotools.coco", reason="needs the labels extra")
    with contextlib.redirect_stdout(io.StringIO()):
        return coco.COCO(str(path))


# Files


def test_files_are_where_the_page_says(made):
    pictures = {
        f"{camera}/{name}/{number:06d}.{'npz' if name in ('depth', 'flow') else 'png'}"
        for camera in CAMERAS
        for name in ("rgb", "ids", "classes", "depth", "normals", "flow")
        for number in range(len(SEEDS) * len(FRAMES))
    }
    sequences = {f"motchallenge/{camera}_seed{seed}" for camera in CAMERAS for seed in SEEDS}
    tracks = {f"{own}/{name}" for own in sequences for name in ("gt/gt.txt", "seqinfo.ini")}
    tracks |= {f"{own}/img1/{frame:06d}.png" for own in sequences for frame in range(1, len(FRAMES) + 1)}
    others = {"annotations/instances.json", "annotations/keypoints.json", "labels.jsonl", "contact_sheet.png"}
    others |= {"labels.schema.json"}
    assert contents(made).keys() == pictures | tracks | others | {"manifest.json"}


def test_the_manifest_knows_every_file_and_no_time_of_day(made):
    manifest, there = json.loads((made / "manifest.json").read_text()), contents(made)
    del there["manifest.json"]
    assert manifest["files"] == {name: sha256(data).hexdigest() for name, data in there.items()}
    assert (manifest["seeds"], manifest["frames"], manifest["cameras"]) == ([*SEEDS], [*FRAMES], [*CAMERAS])
    assert (manifest["passes"], manifest["formats"]) == ([*USUAL_NAMES], [*USUAL_FORMATS])
    assert manifest["pictures"] == 12
    assert manifest["versions"]["numpy"] == np.__version__
    assert not any(word in key for key in manifest for word in ("time", "date", "seconds"))


def test_pictures_are_those_that_a_capture_has(made, labels, captures):
    assert len(labels) == len(captures)
    for label in labels:
        seen = of(label, captures)
        files = {name: made / path for name, path in label["files"].items()}
        assert np.array_equal(np.asarray(Image.open(files["rgb"])), seen.rgb)
        assert np.array_equal(decode_ids(np.asarray(Image.open(files["ids"]))), seen.ids)
        assert np.array_equal(np.asarray(Image.open(files["classes"])), seen.classes)
        assert np.array_equal(np.asarray(Image.open(files["normals"])), encode_normals(seen.normals))
        with np.load(files["depth"]) as depth, np.load(files["flow"]) as flow:
            assert np.array_equal(depth["depth"], seen.depth)
            assert np.array_equal(flow["flow"], seen.flow, equal_nan=True)
            assert depth["depth"].dtype == flow["flow"].dtype == np.float32
            assert np.isnan(flow["flow"]).all() == (label["frame"] == FRAMES[0])


# Labels


def test_lines_say_when_where_and_who(labels, captures):
    moments = [(seed, frame) for seed in SEEDS for frame in FRAMES]
    wanted = [(number, *moment, camera) for number, moment in enumerate(moments) for camera in CAMERAS]
    assert [tuple(label[key] for key in ("number", "seed", "frame", "camera")) for label in labels] == wanted
    for label in labels:
        seen = of(label, captures)
        assert label["time"] == seen.time == pytest.approx(label["frame"] / 60)
        assert label["flow_since"] == seen.flow_since
        assert label["view"]["fx"] == seen.camera.lens.fx
        assert label["view"]["distortion"]["k1"] == seen.camera.lens.distortion[0]
        assert [actor["id"] for actor in label["actors"]] == seen.actors.ids.tolist()
        for actor in label["actors"]:
            is_person = actor["id"] <= 7
            assert (actor["crowd"], actor["category"]) == (("people", "person") if is_person else ("balls", "ball"))
            assert (actor["keypoints"] is None) != is_person
    assert any(actor["category"] == "ball" for label in labels for actor in label["actors"])


def test_keypoints_are_those_that_a_capture_has(labels, captures):
    told = 0
    for label in labels:
        (crowd,) = of(label, captures).keypoints
        actors = {actor["id"]: actor for actor in label["actors"]}
        for k, actor in enumerate(crowd.actor_ids.tolist()):
            if actor not in actors:
                continue  # no part of their body is in the picture
            told += 1
            points = np.reshape(actors[actor]["keypoints"], (17, 3))
            shown = crowd.visibility[k] > 0
            assert np.array_equal(points[:, 2], crowd.visibility[k])
            assert np.abs(points[shown, :2] - crowd.joints_2d[k][shown]).max() <= 0.0005
            assert not points[~shown].any()
            assert np.abs(actors[actor]["keypoints_3d"] - crowd.joints_3d[k]).max() <= 0.00005
    assert told > 50


def test_bodies_are_told_seen_and_whole(labels, captures):
    masks = pytest.importorskip("pycocotools.mask", reason="needs the labels extra")
    hidden = 0
    for label in labels:
        own = of(label, captures)
        for k, actor in enumerate(label["actors"]):
            assert actor["bbox"] == own.actors.boxes[k].tolist()
            assert (actor["area"], actor["amodal_area"]) == (own.actors.areas[k], own.actors.amodal_areas[k])
            whole = masks.decode(actor["amodal_segmentation"])
            assert np.array_equal(whole, own.amodal_mask(actor["id"]))
            assert actor["amodal_bbox"] == masks.toBbox(actor["amodal_segmentation"]).tolist()
            assert actor["occlusion"] == pytest.approx(1 - actor["area"] / whole.sum(), abs=1e-4)
            assert (actor["segmentation"] is None) == (actor["area"] == 0)
            hidden += actor["area"] == 0
    assert hidden


# COCO


def test_coco_s_masks_boxes_and_areas_are_those_of_the_id_pictures(made):
    masks = pytest.importorskip("pycocotools.mask", reason="needs the labels extra")

    coco = coco_of(made / "annotations/instances.json")
    assert [own["name"] for own in coco.loadCats(coco.getCatIds())] == ["person", "ball"]
    for image in coco.loadImgs(coco.getImgIds()):
        colors = Image.open(made / image["file_name"].replace("/rgb/", "/ids/"))
        ids = np.asarray(colors).astype(int) @ [1, 256, 65536]
        assert (image["width"], image["height"]) == colors.size
        found = coco.loadAnns(coco.getAnnIds(image["id"]))
        assert all(own["amodal_bbox"][2] >= own["bbox"][2] and 0 <= own["occlusion"] < 1 for own in found)
        assert [own["actor_id"] for own in found] == np.unique(ids[ids > 0]).tolist()
        for own in found:
            assert np.array_equal(coco.annToMask(own), ids == own["actor_id"])
            assert own["area"] == masks.area(own["segmentation"])
            assert own["bbox"] == masks.toBbox(own["segmentation"]).tolist()


def evaluated(coco, kind, results):
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(coco, coco.loadRes(results), kind)
        evaluation.params.maxDets = [20] if kind == "keypoints" else [1, 10, 100]
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats[0]


@pytest.mark.parametrize("kind", ["bbox", "segm", "keypoints"])
def test_coco_s_evaluation_gives_the_truth_full_marks(made, kind):
    coco = coco_of(made / f"annotations/{'keypoints' if kind == 'keypoints' else 'instances'}.json")
    key = {"bbox": "bbox", "segm": "segmentation", "keypoints": "keypoints"}[kind]
    found = coco.loadAnns(coco.getAnnIds())
    if kind == "keypoints":
        found = [own for own in found if own["num_keypoints"]]
    results = [{name: own[name] for name in ("image_id", "category_id", key)} | {"score": 1.0} for own in found]
    assert len(results) > 30
    assert evaluated(coco, kind, results) == pytest.approx(1.0)
    if kind != "segm":
        moved = [own | {key: [value + 4 * (k % 3 < 2) for k, value in enumerate(own[key])]} for own in results]
        assert evaluated(coco, kind, moved) < 0.9


def test_coco_s_people_have_seventeen_points_with_a_skeleton(made):
    coco = coco_of(made / "annotations/keypoints.json")
    (person,) = coco.loadCats(coco.getCatIds())
    assert person["keypoints"][0] == "nose"
    assert len(person["keypoints"]) == 17
    lines = {tuple(person["keypoints"][end - 1] for end in line) for line in person["skeleton"]}
    assert ("left_ankle", "left_knee") in lines
    for own in coco.loadAnns(coco.getAnnIds()):
        assert own["iscrowd"] == 0
        assert own["num_keypoints"] == sum(v > 0 for v in own["keypoints"][2::3])
        assert own["actor_id"] <= 7


# MOT


@pytest.mark.filterwarnings("ignore:Operation with tuple")
def test_motmetrics_reads_the_tracks_and_finds_no_fault_in_them(made, labels, monkeypatch):
    motmetrics = pytest.importorskip("motmetrics")
    monkeypatch.setattr(np, "asfarray", np.asarray, raising=False)  # motmetrics 1.4 calls it; numpy 2 has it no more
    for camera in CAMERAS:
        for seed in SEEDS:
            path = made / f"motchallenge/{camera}_seed{seed}/gt/gt.txt"
            tracks = motmetrics.io.loadtxt(str(path), fmt="mot16")
            own = [label for label in labels if (label["camera"], label["seed"]) == (camera, seed)]
            wanted = {(k, actor["id"]): actor for k, label in enumerate(own, 1) for actor in seen_of(label)}
            assert {*tracks.index} == wanted.keys()
            for key, row in tracks.iterrows():
                assert [row.X, row.Y, row.Width, row.Height] == wanted[key]["amodal_bbox"]
                assert row.Visibility == pytest.approx(1 - wanted[key]["occlusion"])
                assert (row.ClassId, row.Confidence) == ((1, 1) if key[1] <= 7 else (8, 0))
            found = motmetrics.utils.compare_to_groundtruth(tracks, tracks)
            measured = motmetrics.metrics.create().compute(found, metrics=["mota", "idf1", "num_switches"])
            assert measured.to_numpy().tolist() == [[1.0, 1.0, 0]]


# Stopped, cut, and joined


def run_dataset(scene, folder):
    return ecs_anim("dataset", scene, "--out", folder, *ASKED)


@pytest.fixture(name="whole", scope="module")
def whole_fixture(scene, tmp_path_factory):
    """A data set by the command, in one go."""
    folder = tmp_path_factory.mktemp("whole") / "set"
    done = run_dataset(scene, folder)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, f"wrote {folder}")
    return folder


@EXHAUSTIVE
def test_killed_and_started_again_it_ends_in_the_same_bytes(scene, whole, tmp_path):
    folder = tmp_path / "set"
    code = "from ecs_anim.cli import main; main()"
    words = [sys.executable, "-c", code, "dataset", str(scene), "--out", str(folder), *ASKED]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    begun = time.monotonic()
    while not (folder / ".unfinished/000002.json").exists() and time.monotonic() < begun + 200:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (folder / ".unfinished").is_dir()
    assert not (folder / "manifest.json").exists()
    (folder / "door/rgb/.000003.png.a1b2c3d4").write_bytes(b"what a killed writer leaves")
    (folder / "door/rgb/000001.png").unlink()
    before = os.stat(folder / "door/rgb/000000.png").st_mtime_ns
    assert run_dataset(scene, folder).returncode == 0
    assert contents(folder) == contents(whole)
    assert os.stat(folder / "door/rgb/000000.png").st_mtime_ns == before  # was not drawn again
    assert run_dataset(scene, folder).returncode == 0  # nothing is left to do
    assert contents(folder) == contents(whole)


@EXHAUSTIVE
@pytest.mark.parametrize("name", ["door/rgb/000002.png", "labels.jsonl"])
def test_what_is_damaged_is_made_again(tmp_path, name):
    scene = SCENE.replace("count = 7", "count = 2")

    def save():
        ea.save_dataset(scene, tmp_path / "set", frames=range(3), cameras=["door"], passes=["rgb"], size=(32, 24))
        return contents(tmp_path / "set")

    wanted = save()
    (tmp_path / "set" / name).write_bytes(bytes(len(wanted[name])))
    assert save() == wanted


@EXHAUSTIVE
@pytest.mark.parametrize("formats", [["coco", "motchallenge", "jsonl"], ["jsonl"]])
def test_what_is_not_damaged_is_not_drawn_again(tmp_path, formats):
    scene, folder = SCENE.replace("count = 7", "count = 2"), tmp_path / "set"

    def save():
        options = {"seeds": (2, 5), "frames": range(2), "passes": ["rgb", "depth"], "size": (32, 24)}
        ea.save_dataset(scene, folder, formats=formats, **options)
        return {path: os.stat(path).st_mtime_ns for path in folder.glob("*/*/00*")}

    before, wanted = save(), contents(folder)
    (folder / "door/rgb/000002.png").unlink()
    again = {path.relative_to(folder).as_posix() for path, time in save().items() if before[path] != time}
    assert {name.split("/")[-1].split(".")[0] for name in again} == {"000002"}, "the moment, as all cameras see it"
    assert contents(folder) == wanted


@EXHAUSTIVE
@pytest.mark.parametrize("text", ["{}", '{"files": 3}'])
def test_a_manifest_that_is_none_is_told(tmp_path, text):
    scene = SCENE.replace("count = 7", "count = 2")
    ea.save_dataset(scene, tmp_path / "set", frames=range(1), cameras=["door"], passes=["rgb"], size=(32, 24))
    path = tmp_path / "set/manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"files": 3}) if "files" in text else text)
    with pytest.raises(ea.InputError, match="set"):
        ea.save_dataset(scene, tmp_path / "set", frames=range(1), cameras=["door"], passes=["rgb"], size=(32, 24))


@EXHAUSTIVE
def test_tasks_may_be_done_in_any_order_and_in_stretches(scene, made, tmp_path):
    read = read_scene(scene)
    whole = {"cameras": None, "passes": USUAL_NAMES, "formats": USUAL_FORMATS, "size": None, "actors": None}
    plan = make_plan(read, seeds=SEEDS, frames=FRAMES, **whole)
    folder = Folder(tmp_path / "set", plan)
    folder.path.mkdir()
    for task in reversed([*plan.tasks()]):
        for moments in (task.moments[2:], task.moments[:2]):
            do_task(read, folder, replace(task, moments=moments), threads=2)
    join(folder)
    folder.finish()
    assert contents(folder.path) == contents(made)


@EXHAUSTIVE
def test_less_may_be_asked_for(scene, tmp_path):
    done = ecs_anim(
        *("dataset", scene, "--out", tmp_path / "set", "--frames", "1", "--camera", "door", "--size", "32x24"),
        *("--pass", "depth", "--pass", "ids", "--format", "motchallenge"),
    )
    assert done.returncode == 0
    there = {
        "motchallenge/door/gt/gt.txt",
        "motchallenge/door/seqinfo.ini",
        "door/depth/000000.npz",
        "door/ids/000000.png",
        "manifest.json",
    }
    assert contents(tmp_path / "set").keys() == there


def test_a_scene_without_cameras_has_its_own(tmp_path):
    scene = {"rigs": {"a": {"model": "ball", "scale": 9.0}}, "crowds": [{"rig": "a", "clips": [{"name": "rest"}]}]}
    folder = ea.save_dataset(scene, tmp_path / "x", frames=[3], passes=["rgb"], formats=["coco"], size=(32, 24))
    instances = json.loads((folder / "annotations/instances.json").read_text())
    assert instances["images"][0]["file_name"] == "camera/rgb/000000.png"
    assert instances["images"][0]["frame"] == 3
    assert instances["annotations"][0]["category_id"] == 2


@EXHAUSTIVE
def test_pictures_without_anybody_are_warned_of(scene, tmp_path):
    text = scene.read_text().replace("eye = [0.0, 1.8, 5.0]", "eye = [0.0, 1.8, 500.0]")
    options = {"frames": [0], "cameras": ["door"], "passes": ["rgb"], "size": (8, 6)}
    with pytest.warns(ea.InputWarning, match="no picture shows an actor"):
        folder = ea.save_dataset(text, tmp_path / "x", **options)
    assert coco_of(folder / "annotations/instances.json").getAnnIds() == []
    assert (folder / "motchallenge/door/gt/gt.txt").read_bytes() == b""


# What is refused


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--camera", "door", "--camera", "dor"], ["no camera 'dor'", "'door'"]),
        (["--camera", ""], ["--camera", "the name must not be empty"]),
        (["--pass", "rgb", "--pass", "depht"], ["--pass", "'depht'", "did you mean 'depth'"]),
        (["--format", "voc"], ["--format", "'voc'", "jsonl, coco, motchallenge"]),
        (["--passes", "rgb"], ["--passes: this option is now --pass. Use the new name."]),
        (["--frames", "5:5"], ["--frames", "the number B must be larger than A"]),
        (["--frames", "0:5:0"], ["--frames", "the third number"]),
        (["--frames", "-1:5"], ["--frames", "'-1:5'", "0:100:5"]),
        (["--frames", "1000000001:1000000002"], ["1,000,000,001 steps"]),
        (["--seeds", f"{2**63}"], ["--seeds", "9,223,372,036,854,775,807"]),
        (["--seeds", "0:2000000"], ["--seeds", "2,000,000 captures"]),
        (["--seeds", "0:2000", "--frames", "0:2000"], ["4,000,000 captures"]),
        (["--size", "1000000x1"], ["a picture must have 1x1 to"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_is_one_line_and_leaves_nothing(scene, tmp_path, options, parts):
    assert_one_line(ecs_anim("dataset", scene, "--out", tmp_path / "set", *options), *parts)
    assert list(tmp_path.iterdir()) == []


@EXHAUSTIVE
def test_another_data_set_stays_as_it_is(scene, whole):
    before = contents(whole)
    asked = ("dataset", scene, "--out", whole)
    assert_one_line(
        ecs_anim(*asked),
        str(whole),
        "the data set in this folder was made with",
        "was made with seeds = [2, 5], but this run has seeds = [4]",
    )
    assert_one_line(ecs_anim(*asked, *ASKED, "--pass", "rgb"), "the data set in this folder was made with", "passes")
    assert contents(whole) == before


@EXHAUSTIVE
def test_a_data_set_that_was_begun_is_another_one_too(scene, whole, tmp_path):
    folder = shutil.copytree(whole, tmp_path / "set")
    header = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").unlink()
    (folder / ".unfinished").mkdir()
    (folder / ".unfinished/plan.json").write_text(json.dumps(header | {"scene_sha256": "0"}))
    assert_one_line(run_dataset(scene, folder), "the data set in this folder was made with", "= '0', but this run has")


@pytest.mark.parametrize(
    ("where", "parts"),
    [
        ("full", ["the folder must be empty or contain a data set"]),
        ("full/file", ["the path must be a folder"]),
        ("nowhere/set", ["does not exist", "Make the folder"]),
        ("odd", ["manifest.json: the file must belong to a data set"]),
    ],
)
def test_folders_that_are_taken_or_cannot_be(scene, tmp_path, where, parts):
    for path in ("full/file", "odd/manifest.json"):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text("[1]")
    before = contents(tmp_path)
    assert_one_line(run_dataset(scene, tmp_path / where), *parts)
    assert contents(tmp_path) == before


@EXHAUSTIVE
def test_a_full_disk_is_one_line_and_can_be_gone_on_with(scene, whole, tmp_path):
    code, lines = on_a_full_disk(["dataset", str(scene), "--out", "set", *ASKED], 10240, tmp_path)
    assert (code, len(lines)) == (2, 1), lines
    assert "cannot write the file (" in lines[0]
    there = contents(tmp_path / "set")
    assert there.items() >= {name: data for name, data in contents(whole).items() if name in there}.items()
    assert run_dataset(scene, tmp_path / "set").returncode == 0
    assert contents(tmp_path / "set") == contents(whole)


@pytest.mark.parametrize("name", ["a/b", "..", "Annotations", "x ", ".x", "a\\b", "DOOR"])
def test_cameras_whose_names_no_folder_can_have_are_told(tmp_path, name):
    scene = tmp_path / "x.toml"
    scene.write_text(SCENE.replace('"the wall"', json.dumps(name)))
    with pytest.raises(ea.InputError, match=r"x\.toml: camera .*: .* each camera needs a valid folder name"):
        ea.save_dataset(scene, tmp_path / "set")
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"seeds": []}, "seeds"),
        ({"seeds": [1, 1]}, "one or more different whole numbers"),
        ({"seeds": [-1]}, "of 0 or more"),
        ({"frames": [3, 3]}, "in increasing order"),
        ({"frames": [5, 3]}, "in increasing order"),
        ({"frames": range(0)}, "one or more whole numbers"),
        ({"seeds": range(10**30)}, "captures"),
        ({"frames": range(10**12)}, "1,000,000,000,000 captures"),
        ({"cameras": []}, "the list of cameras of a data set is empty"),
        ({"passes": []}, "passes"),
        ({"passes": ["rgb", "rgb"]}, "the passes of a data set must be different"),
        ({"formats": ["coco", "coco"]}, "the formats of a data set must be different"),
        ({"cameras": ["door", "door"]}, "the cameras of a data set must be different"),
        ({"formats": []}, "formats"),
    ],
    ids=str,
)
def test_calls_that_ask_for_nothing_or_too_much_are_told(scene, tmp_path, given, told):
    with pytest.raises(ea.InputError, match=told):
        ea.save_dataset(scene, tmp_path / "set", **given)
    assert not (tmp_path / "set").exists()


def test_files_that_a_scene_names_are_known_by_what_is_in_them(tmp_path):
    (tmp_path / "hall.wkt").write_text("LINESTRING (30 0, 40 0)")
    scene = tmp_path / "x.toml"
    scene.write_text(SCENE + '[walls]\nfile = "hall.wkt"\n')
    plan = make_plan(
        read_scene(scene),
        seeds=None,
        frames=[0],
        cameras=None,
        passes=USUAL_NAMES,
        formats=USUAL_FORMATS,
        size=None,
        actors=None,
    )
    assert plan.inputs == {"hall.wkt": sha256(b"LINESTRING (30 0, 40 0)").hexdigest()}
    assert plan.seeds == (4,)


def test_stretches_are_from_a_number_to_before_another():
    given = (
        (SEEDS_TYPE, "7", [7]),
        (FRAMES_TYPE, "3", [0, 1, 2]),
        (SEEDS_TYPE, "2:5", [2, 3, 4]),
        (FRAMES_TYPE, "2:9:3", [2, 5, 8]),
    )
    for kind, text, numbers in given:
        assert [*kind.convert(text, None, None)] == numbers


def test_the_command_knows_all_formats():
    (option,) = (own for own in dataset.params if own.name == "formats")
    assert tuple(option.type.choices) == FORMATS


# The contact sheet


def test_the_contact_sheet_shows_rows_of_cameras_with_their_labels(made, labels):
    sheet = np.asarray(Image.open(made / "contact_sheet.png"))
    heights = [WIDTH * 120 // 160, WIDTH * 160 // 120]
    assert sheet.shape == (sum(heights) + 3 * MARGIN, ACROSS * (WIDTH + MARGIN) + MARGIN, 3)
    shown = labels[0]  # the door's first
    plain = np.asarray(Image.open(made / shown["files"]["rgb"]).resize((WIDTH, heights[0]))).astype(int)
    cell = sheet[MARGIN : MARGIN + heights[0], MARGIN : MARGIN + WIDTH].astype(int)
    changed = np.abs(cell - plain).max(axis=-1) > 40
    ids = np.asarray(Image.open(made / shown["files"]["ids"]).resize((WIDTH, heights[0]), Image.Resampling.NEAREST))
    people = ids.any(axis=-1)
    assert changed[people].mean() > 0.6
    top = heights[0] // 8  # sky
    assert not changed[:top].any()
