"""Label formats, read back by their own tools where Python packages exist, and compared with labels.jsonl."""

import configparser
import json
import tarfile

import numpy as np
import pytest
import yaml
from PIL import Image
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.dataset.formats.kitti import corners_of
from ecs_anim.dataset.label_formats import FORMATS
from ecs_anim.labels.polygons import joined_polygon_of, polygons_of
from ecs_anim.labels.rle import mask_of
from tests.helpers.command import ecs_anim
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
count = 9
layout = { kind = "scatter", radius = 2.0, min_distance = 0.5 }
clips = [{ name = "walk" }, { name = "wave" }]
locomotion = { area_radius = 2.0 }
[[crowds]]
name = "balls"
rig = "ball"
count = 2
layout = { kind = "points", points = [[-1.2, -1.6], [1.2, -1.6]] }
clips = [{ name = "rest" }]
[walls]
file = "wall.wkt"
[[cameras]]
name = "door"
size = [160, 120]
eye = [0.0, 2.6, 5.0]
look_at = [0.0, 0.9, 0.0]
[[cameras]]
name = "roof"
size = [120, 100]
eye = [3.0, 6.0, 3.0]
look_at = [0.2, 0.0, 0.0]
"""
SEEDS, FRAMES = (2, 5, 6), (0, 6)


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("formats") / "room.toml"
    path.write_text(SCENE)
    path.with_name("wall.wkt").write_text("LINESTRING (-3 3, 3 3)")
    options = {"formats": FORMATS, "passes": ["rgb", "ids", "classes", "depth"], "split": (0.4, 0.3, 0.3)}
    return ea.save_dataset(
        path, path.parent / "set", seeds=SEEDS, frames=FRAMES, segmentation="polygons", threads=1, **options
    )


@pytest.fixture(name="labels", scope="module")
def labels_fixture(made):
    return [json.loads(line) for line in (made / "labels.jsonl").read_text().splitlines()]


def seen_of(label):
    return [actor for actor in label["actors"] if actor["area"]]


def stem_of(label):
    return f"{label['camera']}_{label['number']:06d}"


def pixels(path):
    return np.asarray(Image.open(path))


def test_every_file_has_its_digest_in_the_manifest(made):
    manifest = json.loads((made / "manifest.json").read_text())
    there = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    assert there == {*manifest["files"], "manifest.json"}


# COCO polygons


def test_pycocotools_turns_the_polygons_into_the_masks(made, labels):
    masks = pytest.importorskip("pycocotools.mask", reason="needs the labels extra")
    found = json.loads((made / "annotations/instances_train.json").read_text())
    by_track = {(own["image_id"], own["track_id"]): own for own in found["annotations"]}
    images = {(image["camera"], image["seed"], image["frame"]): image for image in found["images"]}
    count = 0
    for label in labels:
        if label["split"] != "train":
            continue
        image = images[label["camera"], label["seed"], label["frame"]]
        for actor in seen_of(label):
            polygons = by_track[image["id"], actor["track_id"]]["segmentation"]
            runs = masks.merge(masks.frPyObjects(polygons, label["height"], label["width"]))
            drawn, wanted = masks.decode(runs).astype(bool), mask_of(actor["segmentation"])
            assert np.array_equal(drawn, wanted)
            count += 1
    assert count > 10


def area_of(polygon):
    x, y = np.reshape(polygon, (-1, 2)).T
    return abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


@pytest.mark.parametrize("seed", range(20))
def test_polygons_of_random_masks_hold_their_pixels_and_no_hole(seed):
    rng = np.random.default_rng(seed)
    mask = rng.random((12, 17)) < 0.6
    polygons = polygons_of(mask)
    assert sum(map(area_of, polygons)) == mask.sum()
    inside = np.zeros(mask.shape, bool)
    for polygon in polygons:
        odd = filled(polygon, mask.shape)
        assert not (inside & odd).any()
        inside |= odd
    assert np.array_equal(inside, mask)
    joined = joined_polygon_of(mask)
    assert area_of(joined) == mask.sum()
    assert np.array_equal(filled(joined, mask.shape), mask)


def filled(polygon, shape):
    """Return the pixels in a polygon: the even-odd rule, at the middle of each pixel."""
    rows, columns = np.indices(shape)
    points, odd = np.reshape(polygon, (-1, 2)), np.zeros(shape, bool)
    for (x1, y1), (x2, y2) in zip(points, np.roll(points, -1, 0), strict=True):
        crosses = (y1 > rows + 0.5) != (y2 > rows + 0.5)
        if y1 != y2:
            odd ^= crosses & (columns + 0.5 < x1 + (rows + 0.5 - y1) * (x2 - x1) / (y2 - y1))
    return odd


# MOTChallenge


@pytest.mark.filterwarnings("ignore:Operation with tuple")
def test_motmetrics_reads_each_sequence(made, labels, monkeypatch):
    monkeypatch.setattr(np, "asfarray", lambda a: np.asarray(a, float), raising=False)
    import motmetrics

    for camera in ("door", "roof"):
        for seed in SEEDS:
            folder = made / f"motchallenge/{camera}_seed{seed}"
            own = [label for label in labels if (label["camera"], label["seed"]) == (camera, seed)]
            truth = motmetrics.io.loadtxt(folder / "gt/gt.txt", fmt="mot15-2D")
            assert len(truth) == sum(len(seen_of(label)) for label in own)
            facts = configparser.ConfigParser()
            facts.read(folder / "seqinfo.ini")
            assert facts["Sequence"]["name"] == folder.name
            assert int(facts["Sequence"]["seqLength"]) == len(own)
            assert float(facts["Sequence"]["frameRate"]) == pytest.approx(10.0)
            size = int(facts["Sequence"]["imWidth"]), int(facts["Sequence"]["imHeight"])
            for frame, label in enumerate(own, 1):
                picture = folder / f"img1/{frame:06d}{facts['Sequence']['imExt']}"
                assert picture.read_bytes() == (made / label["files"]["rgb"]).read_bytes()
                assert Image.open(picture).size == size


# YOLO


def yolo_of(made, kind):
    facts = yaml.safe_load((made / kind / "data.yaml").read_text())
    assert "path" not in facts  # then Ultralytics looks for the folders beside data.yaml
    for split in ("train", "val", "test"):
        for picture in sorted((made / kind / facts[split]).iterdir()):
            # Ultralytics replaces the last "images" of a path by "labels"
            text = made / kind / facts[split].replace("images", "labels") / f"{picture.stem}.txt"
            rows = [[float(number) for number in line.split()] for line in text.read_text().splitlines()]
            yield facts, split, picture, rows


@pytest.mark.parametrize("kind", ["yolo", "yolo_segment", "yolo_pose"])
def test_yolo_s_numbers_are_those_of_the_labels(made, labels, kind):
    by_stem, count = {stem_of(label): label for label in labels}, 0
    for facts, split, picture, rows in yolo_of(made, kind):
        label = by_stem[picture.stem]
        assert label["split"] == split
        assert picture.read_bytes() == (made / label["files"]["rgb"]).read_bytes()
        size = np.array([label["width"], label["height"]])
        actors = [actor for actor in seen_of(label) if kind != "yolo_pose" or actor["keypoints"]]
        assert len(rows) == len(actors)
        for actor, row in zip(actors, rows, strict=True):
            assert facts["names"][int(row[0])] == actor["category"]
            if kind == "yolo_segment":
                area = area_of((np.reshape(row[1:], (-1, 2)) * size).ravel())
                assert area == pytest.approx(actor["area"], rel=1e-3)
                count += 1
                continue
            middle, extent = np.array(row[1:3]) * size, np.array(row[3:5]) * size
            np.testing.assert_allclose([*(middle - extent / 2), *extent], actor["bbox"], atol=1e-3)
            if kind == "yolo_pose":
                assert facts["kpt_shape"] == [17, 3]
                points = np.reshape(row[5:], (17, 3)) * [*size, 1]
                np.testing.assert_allclose(points.ravel(), actor["keypoints"], atol=1e-3)
            count += 1
    assert count > 30


# Panoptic


def test_panoptic_segments_cover_actors_and_surfaces(made, labels):
    """The checks of panopticapi's evaluation: ids, areas and categories of the PNG file and of the JSON file agree."""
    by_stem = {stem_of(label): label for label in labels}
    for split in ("train", "val", "test"):
        found = json.loads((made / f"annotations/panoptic_{split}.json").read_text())
        categories = {own["id"]: own for own in found["categories"]}
        assert [image["id"] for image in found["images"]] == [own["image_id"] for own in found["annotations"]]
        for own in found["annotations"]:
            colors = pixels(made / "panoptic" / own["file_name"]).astype(np.int64)
            segments = colors @ [1, 256, 65536]
            told = {segment["id"]: segment for segment in own["segments_info"]}
            assert {*np.unique(segments).tolist()} - {0} == told.keys()
            for number, segment in told.items():
                assert segment["area"] == (segments == number).sum()
                assert segment["iscrowd"] == 0
            label = by_stem[own["file_name"].removesuffix(".png")]
            assert label["split"] == split
            actors = {actor["id"]: actor for actor in seen_of(label)}
            for number, actor in actors.items():
                assert categories[told[number]["category_id"]]["name"] == actor["category"]
                assert told[number]["bbox"] == actor["bbox"]
            surfaces = {categories[told[number]["category_id"]]["name"] for number in told.keys() - actors.keys()}
            assert "ground" in surfaces
            assert all(not categories[told[number]["category_id"]]["isthing"] for number in told.keys() - actors.keys())


# KITTI


def kitti_of(made, number):
    folder = made / "kitti/training"
    calibration = dict(line.split(": ") for line in (folder / f"calib/{number:06d}.txt").read_text().splitlines())
    matrix = np.array(calibration["P2"].split(), float).reshape(3, 4)
    rows = [line.split() for line in (folder / f"label_2/{number:06d}.txt").read_text().splitlines()]
    return matrix, rows


def test_kitti_s_boxes_project_around_the_masks(made, labels):
    """The projected corners of a 3D box contain the 2D box of the whole body, and are not much larger."""
    for number, label in enumerate(labels):
        matrix, rows = kitti_of(made, number)
        picture = made / f"kitti/training/image_2/{number:06d}.png"
        assert picture.read_bytes() == (made / label["files"]["rgb"]).read_bytes()
        assert len(rows) == len(seen_of(label))
        for row, actor in zip(rows, seen_of(label), strict=True):
            assert row[0] == ("Pedestrian" if actor["category"] == "person" else "Misc")
            assert len(row) == 15
            numbers = np.array(row[1:], float)
            height, width, length, x, y, z, turn = numbers[7:]
            corners = corners_of(np.array([x, y, z]), (length, width, height), turn)
            projected = np.concatenate([corners, np.ones((8, 1))], axis=1) @ matrix.T
            points = projected[:, :2] / projected[:, 2:]
            low, high = points.min(axis=0), points.max(axis=0)
            size = np.array([label["width"], label["height"]])
            box = numbers[3:7]
            assert (np.clip(low, 0, size) <= box[:2] + 1).all()
            assert (np.clip(high, 0, size) >= box[2:] - 1).all()
            alpha, seen_at = numbers[2], np.arctan2(x, z)
            assert abs(np.angle(np.exp(1j * (alpha - (turn - seen_at))))) < 1e-3


def test_kitti_s_frame_is_level_and_its_turns_are_headings(made, labels):
    """In the level frame, down is exactly y. A turn of 0 faces along x, as KITTI states."""
    for number, label in enumerate(labels):
        view = np.array(label["view"]["world_to_view"])
        eye = -view[:3, :3].T @ view[:3, 3]
        _, rows = kitti_of(made, number)
        for row, actor in zip(rows, seen_of(label), strict=True):
            x, y, z, turn = np.array(row[11:], float)
            assert y == pytest.approx(
                eye[1] - (actor["box_3d"]["center"][1] - actor["box_3d"]["size"][2] / 2), abs=1e-3
            )
            across = np.hypot(*(np.array(actor["box_3d"]["center"]) - eye)[[0, 2]])
            assert np.hypot(x, z) == pytest.approx(across, abs=1e-3)
            ahead = Rotation.from_quat(actor["box_3d"]["rotation"]).apply([1, 0, 0])
            line = (np.array(actor["box_3d"]["center"]) - eye) * [1, 0, 1]
            wanted = np.dot(ahead, line) / across  # cosine between the heading and the line of sight
            assert np.dot([np.cos(turn), -np.sin(turn)], [x, z]) / across == pytest.approx(wanted, abs=1e-3)


# WebDataset and Parquet


def test_tar_files_hold_each_sample_once_with_all_its_files(made, labels):
    for split in ("train", "val", "test"):
        with tarfile.open(made / f"webdataset/{split}-000000.tar") as file:
            there = {member.name: file.extractfile(member).read() for member in file.getmembers()}
        own = [label for label in labels if label["split"] == split]
        assert len(there) == len(own) * 5
        for label in own:
            assert json.loads(there[f"{stem_of(label)}.json"]) == label
            for name, path in label["files"].items():
                ending = path.rsplit(".", 1)[1]
                assert there[f"{stem_of(label)}.{name}.{ending}"] == (made / path).read_bytes()


def test_the_package_webdataset_groups_the_files_of_a_sample(made, labels):
    import webdataset

    found = webdataset.WebDataset(str(made / "webdataset/val-000000.tar"), shardshuffle=False)
    samples = {sample["__key__"]: sample for sample in found}
    own = [label for label in labels if label["split"] == "val"]
    assert samples.keys() == {stem_of(label) for label in own}
    for label in own:
        assert json.loads(samples[stem_of(label)]["json"]) == label
        assert samples[stem_of(label)]["rgb.png"] == (made / label["files"]["rgb"]).read_bytes()


def test_the_table_has_a_row_for_each_actor(made, labels):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the parquet extra")
    rows = parquet.read_table(made / "parquet/actors.parquet").to_pylist()
    actors = [(label, actor) for label in labels for actor in label["actors"]]
    assert len(rows) == len(actors)
    for row, (label, actor) in zip(rows, actors, strict=True):
        assert (row["camera"], row["seed"], row["frame"]) == (label["camera"], label["seed"], label["frame"])
        for name in ("id", "track_id", "figure", "action", "heading", "occlusion", "tint"):
            assert row[name] == actor[name]
        assert [row[f"position_{axis}"] for axis in "xyz"] == actor["position"]
        assert [row[f"bbox_{side}"] for side in ("left", "top", "width", "height")] == actor["bbox"]


# Refusals


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--format", "panoptic", "--pass", "ids"], ["panoptic", "--pass classes"]),
        (["--format", "yolo", "--pass", "ids"], ["yolo", "--pass rgb"]),
        (["--format", "mot"], ["motchallenge"]),
        (["--segmentation", "masks"], ["rle, polygons"]),
    ],
)
def test_a_wrong_format_is_one_line(options, parts, tmp_path):
    assert_one_line(ecs_anim("dataset", "single", "--out", tmp_path / "set", *options), *parts)
    assert not (tmp_path / "set").exists()


def test_kitti_refuses_distortion(tmp_path):
    scene = tmp_path / "room.toml"
    camera = 'name = "bent"\nsize = [16, 12]\neye = [0.0, 1.0, 3.0]\nlook_at = [0, 1, 0]\ndistortion = { k1 = -0.1 }\n'
    scene.write_text(
        f'[rigs.a]\nmodel = "ball"\n[[crowds]]\nrig = "a"\nclips = [{{ name = "rest" }}]\n[[cameras]]\n{camera}'
    )
    done = ecs_anim("dataset", scene, "--out", tmp_path / "set", "--format", "kitti")
    assert_one_line(done, "without distortion", "'bent'")
