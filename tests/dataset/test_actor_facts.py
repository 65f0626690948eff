"""The facts about actors in labels, against worlds that are stepped by hand, captures, and numpy's skinning."""

import json
from itertools import pairwise

import jsonschema
import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.dataset.actions import action_at_speed, action_of_clip
from ecs_anim.labels.schema import json_schema
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.vary import varied

SCENE = """
seed = 4
[rigs.people]
model = "people"
[[crowds]]
name = "walkers"
rig = "people"
count = 6
layout = { kind = "scatter", radius = 2.5, min_distance = 0.8 }
clips = [{ name = "idle" }, { name = "walk" }]
body = {}
[crowds.steering]
goals = [{ name = "kiosk", at = [4.0, 0.0] }, { name = "door", at = [-4.0, 1.0] }]
groups = { sizes = [0, 1] }
[[crowds]]
name = "audience"
rig = "people"
count = 3
layout = { kind = "points", points = [[-1.2, -3.0], [0.0, -3.0], [1.2, -3.0]] }
clips = [{ name = "wave" }, { name = "sit" }, { name = "idle" }]
heading_degrees = 90.0
[[cameras]]
name = "door"
size = [200, 150]
eye = [0.0, 2.2, 9.0]
look_at = [0.0, 0.9, 0.0]
[vary]
"light.fog" = { one_of = [[25.0, 180.0], [15.0, 70.0]] }
"crowds.walkers.scale_range" = { one_of = [[0.8, 0.9], [1.0, 1.1]] }
"""
SEEDS, FRAMES = (3, 8), (0, 40)
DT = 1 / 60


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("facts") / "room.toml"
    path.write_text(SCENE)
    folder = ea.save_dataset(
        path, path.parent / "set", seeds=SEEDS, frames=FRAMES, passes=["ids", "depth"], split=(0.5, 0.5), threads=1
    )
    return path, folder


@pytest.fixture(name="labels", scope="module")
def labels_fixture(made):
    return [json.loads(line) for line in (made[1] / "labels.jsonl").read_text().splitlines()]


@pytest.fixture(name="last", scope="module")
def last_fixture(made):
    """The world of the last label, and the positions of its actors one step earlier."""
    with ea.load_scene(made[0], seed=SEEDS[-1], threads=1) as world:
        for _ in range(FRAMES[-1] - 1):
            world.step(DT)
        before = points_by_id(world)
        world.step(DT)
        yield world, before


def points_by_id(world):
    return {int(one): p for own in ea.crowds(world) for one, p in zip(own.ids, own.positions_in_space, strict=True)}


def actors_of(label):
    return {actor["id"]: actor for actor in label["actors"]}


def rotated(q, v):
    x, y, z, w = q
    r = np.array([x, y, z])
    return v + 2 * np.cross(r, np.cross(r, v) + w * v)


@pytest.mark.exhaustive
def test_labels_fit_the_schema_that_lies_beside_them(made, labels):
    schema = json.loads((made[1] / "labels.schema.json").read_text())
    assert schema == json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for label in labels:
        jsonschema.validate(label, schema, jsonschema.Draft202012Validator)
    for wrong in ({"version": 1}, {"seed": "3"}, {"another": 0}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(labels[0] | wrong, schema, jsonschema.Draft202012Validator)


def test_drawn_values_are_those_of_the_scene(made, labels):
    scene = read_scene(made[0])
    for label in labels:
        model = varied(scene, label["seed"]).model
        assert label["drawn"] == {
            "light.fog": list(model.light.fog),
            "crowds.walkers.scale_range": list(model.crowds[0].scale_range),
        }
    assert len({json.dumps(label["drawn"]) for label in labels}) > 1


def test_track_ids_are_unique_over_seeds_and_constant_within_a_seed(labels):
    of_seed = [
        {(actor["id"], actor["track_id"]) for label in labels if label["seed"] == seed for actor in label["actors"]}
        for seed in SEEDS
    ]
    for pairs in of_seed:
        assert len({one for one, _ in pairs}) == len(pairs)
    first, second = ({track for _, track in pairs} for pairs in of_seed)
    assert first
    assert not first & second


def test_positions_headings_and_velocities_are_those_of_the_world(labels, last):
    world, before = last
    now, own = points_by_id(world), actors_of(labels[-1])
    headings = {int(one): h for crowd in ea.crowds(world) for one, h in zip(crowd.ids, crowd.headings, strict=True)}
    assert len(own) > 5
    for one, actor in own.items():
        np.testing.assert_allclose(actor["position"], now[one], atol=6e-5)
        assert abs(actor["heading"] - headings[one]) < 6e-5
        np.testing.assert_allclose(actor["velocity"], (now[one] - before[one]) / DT, atol=6e-5)
    assert max(np.linalg.norm(actor["velocity"]) for actor in own.values()) > 0.3
    assert all(actor["velocity"] is None for actor in labels[0]["actors"])


def test_joints_are_those_of_captures(labels, last):
    (seen,) = ea.capture(last[0], ["door"], ["ids"], joints=True)
    own, count = actors_of(labels[-1]), 0
    for crowd in seen.joints:
        assert labels[-1]["skeletons"][crowd.crowd]["joint_names"] == list(crowd.joint_names)
        for one, points in zip(crowd.actor_ids.tolist(), crowd.joints_3d, strict=True):
            if one in own:
                np.testing.assert_allclose(own[one]["joints"]["positions"], points, atol=6e-5)
                count += 1
    assert count > 5


def test_joint_rotations_turn_bones_onto_their_children(labels):
    """In the people rig, the offset from a joint to its child is constant in the coordinate frame of the joint."""
    skeleton = labels[-1]["skeletons"]["walkers"]
    walkers = [actor for label in labels for actor in label["actors"] if actor["crowd"] == "walkers"]
    child = skeleton["joint_names"].index("LeftLeg")
    parent = skeleton["parents"][child]
    offsets = []
    for actor in walkers:
        points, turn = np.array(actor["joints"]["positions"]), np.array(actor["joints"]["rotations"][parent])
        offset = rotated(turn * (-1, -1, -1, 1), points[child] - points[parent])
        offsets.append(offset / np.linalg.norm(offset))
    assert np.ptp(offsets, axis=0).max() < 2e-3


def test_boxes_hold_the_skin_and_touch_it_on_every_side(labels, last):
    world, own = last[0], actors_of(labels[-1])
    for crowd in ea.crowds(world):
        rig, palettes = crowd.rig, crowd.palettes()
        for row, one in enumerate(crowd.ids.tolist()):
            if one not in own:
                continue
            box, (mesh,) = own[one]["box_3d"], rig.level(0)
            figure = [figure.name for figure in rig.figures].index(own[one]["figure"])
            shaped = ea.Mesh(
                **{
                    **{name: getattr(mesh, name) for name in mesh.__dataclass_fields__},
                    "positions": mesh.positions + mesh.figures.positions[figure],
                    "figures": None,
                }
            )
            skin = skin_linear(shaped, palettes[row].astype(np.float64))[0].astype(np.float64)
            head = rig.skeleton.joint_names.index("Head")
            entry = int(np.flatnonzero(rig.skeleton.skin_joints == head)[0])
            bind = np.linalg.inv(np.vstack([rig.skeleton.inverse_bind[entry], [0, 0, 0, 1]]))
            in_rig = (palettes[row][entry] @ bind)[:, 3]
            # the head of this label in space, the root and the heading give the transform of the actor
            scale = own[one]["height"] / rest_height(rig, shaped)
            turn = np.array(box["rotation"])
            ahead, left, up = (rotated(turn, axis) for axis in np.eye(3))
            root = np.array(own[one]["joints"]["positions"][head]) - scale * (
                in_rig[0] * left + in_rig[1] * up + in_rig[2] * ahead
            )
            points = root + scale * (skin[:, :1] * left + skin[:, 1:2] * up + skin[:, 2:] * ahead)
            off = (points - box["center"]) @ np.stack([ahead, left, up], axis=1)
            half = np.array(box["size"]) / 2
            np.testing.assert_allclose(off.max(axis=0), half, atol=1.5e-3)
            np.testing.assert_allclose(off.min(axis=0), -half, atol=1.5e-3)


def rest_height(rig, mesh):
    skin = skin_linear(mesh, skin_palette(rig.skeleton, rig.skeleton.rest_pose))[0]
    return float(np.ptp(skin[:, 1]))


@pytest.mark.exhaustive
def test_boxes_hold_the_depths_of_their_actors(made, labels):
    """Every visible pixel of an actor, moved back into space by its depth, lies in the box of the actor."""
    for label in labels:
        depth = np.load(made[1] / label["files"]["depth"])["depth"].astype(np.float64)
        ids = np.asarray(Image.open(made[1] / label["files"]["ids"])) @ [1, 256, 65536]
        view = label["view"]
        for one, actor in actors_of(label).items():
            row, column = np.nonzero(ids == one)
            z = depth[row, column]
            x, y = (column + 0.5 - view["cx"]) / view["fx"] * z, (row + 0.5 - view["cy"]) / view["fy"] * z
            in_camera = np.stack([x, -y, -z], axis=-1)
            box = actor["box_3d"]["in_camera"]
            q = np.array(box["rotation"]) * (-1, -1, -1, 1)
            off = np.array([rotated(q, point - box["center"]) for point in in_camera]).reshape(-1, 3)
            half = np.array(actor["box_3d"]["size"]) / 2
            assert (np.abs(off) <= half + 0.005).all()


def test_actions_figures_groups_and_goals(labels, last):
    own = actors_of(labels[-1])
    names = {"wave": "waving", "sit": "sitting", "idle": "standing"}
    audience = ea.crowd(last[0], "audience")
    for one, clip in zip(audience.ids.tolist(), audience.playing(), strict=True):
        assert own[one]["action"] == names[clip]
        assert own[one]["goal"] is None
    for actor in own.values():
        if actor["crowd"] == "walkers":
            speed = np.linalg.norm(np.array(actor["velocity"])[[0, 2]])
            assert actor["action"] == ("walking" if speed >= 0.1 else "standing")
            goals = {"kiosk": [4.0, 0.0], "door": [-4.0, 1.0]}
            assert actor["goal"]["name"] in goals
            assert np.hypot(*np.subtract(actor["goal"]["position"], goals[actor["goal"]["name"]])) < 2.0
        age = {"boy": "child", "girl": "child", "old": "old", "young": "young"}
        assert actor["age"] == age.get(actor["figure"].split()[0], "adult")
        assert actor["outfit"] in (0, 1)
        builds = {name: name for name in ("slim", "strong", "stout")}
        assert actor["build"] == builds.get(actor["figure"].split()[0], "average")
        assert actor["skin_tone"] in ("light_skin", "medium_skin", "dark_skin")
    groups = [actor["group"] for actor in own.values() if actor["crowd"] == "walkers"]
    assert sorted(np.unique(groups, return_counts=True)[1].tolist())[-1] == 2


def test_gazes_of_an_idle_audience_are_level_and_ahead(labels):
    for actor in labels[-1]["actors"]:
        x, y, z = actor["gaze"]
        assert abs(np.linalg.norm(actor["gaze"]) - 1) < 2e-4
        if actor["crowd"] == "audience" and actor["action"] == "standing":
            assert abs(y) < 0.3
            assert abs(np.angle(np.exp(1j * (np.arctan2(-z, x) - actor["heading"])))) < 0.4


def test_foot_contacts_come_from_footsteps(labels):
    walkers = [actor for actor in labels[-1]["actors"] if actor["crowd"] == "walkers"]
    assert all(set(actor["foot_contacts"]) == {"LeftFoot", "RightFoot"} for actor in walkers)
    assert all(any(actor["foot_contacts"].values()) for actor in walkers)  # a walking body always has a standing foot


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("Armature|Walk", "walking"),
        ("RunForward", "running"),
        ("sit_down", "sitting"),
        ("Idle_02", "standing"),
        ("backflip", "backflip"),
        ("standing wave", "waving"),
    ],
)
def test_the_name_of_a_clip_gives_its_action(name, action):
    assert action_of_clip(name) == action


def test_faster_actors_stand_then_walk_then_run():
    order = [action_at_speed(float(speed)) for speed in np.linspace(0, 4, 81)]
    assert [now for before, now in pairwise(["", *order]) if now != before] == ["standing", "walking", "running"]
