"""Stands: steps under every seat, seats that face the pitch, and who takes them."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from ecs_anim.components.transforms import Transforms
from ecs_anim.ground.ground import Ground
from ecs_anim.ground.pitch import PIXELS, pitch_surface
from ecs_anim.ground.stands import FEET, Stands
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.grounds import build_ground
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError

GROUND = """
[ground]
kind = "stands"
pitch = [40.0, 24.0]
rows = 6
"""
CROWD = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 600
layout = { kind = "seats" }
clips = [{ name = "sit" }]
"""


def stands_of(**changes) -> Stands:
    return Stands((40.0, 24.0), rows=6, **changes)


@pytest.fixture(scope="module")
def ground() -> Ground:
    return build_ground(parse_scene(GROUND + CROWD, "test.toml", None))


def from_the_core(stands: Stands, places: np.ndarray) -> np.ndarray:
    """Vectors [n, 2] from the rectangle that the front edge is drawn round."""
    half = np.array(stands.pitch) / 2 + stands.margin - stands.corner_radius
    return places - np.clip(places, -half, half)


def test_rows_follow_the_rounded_rectangle():
    """A row is as far from the core as its number says, at every seat."""
    stands = stands_of()
    seats = stands.seats()
    away = np.linalg.norm(from_the_core(stands, seats[:, :2]), axis=1) - stands.corner_radius
    row = (away + FEET) / stands.depth - 1
    np.testing.assert_allclose(row, np.round(row), atol=1e-9)
    assert set(np.round(row)) == set(range(6))
    assert (np.diff(np.round(row)) >= 0).all(), "row by row"


def test_seats_face_the_pitch_at_right_angles_to_their_row():
    stands = stands_of()
    seats = stands.seats()
    outward = from_the_core(stands, seats[:, :2])
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    ahead = np.stack([np.sin(seats[:, 2]), np.cos(seats[:, 2])], axis=-1)
    np.testing.assert_allclose(ahead, -outward, atol=1e-9)


def test_nobody_sits_on_another():
    seats = stands_of().seats()
    assert cKDTree(seats[:, :2]).query(seats[:, :2], k=2)[0][:, 1].min() > 0.5


def test_aisles_are_as_wide_as_they_say():
    """Half an aisle is left between the end of a section and the nearest middle of a seat, in every row."""
    stands = stands_of(aisle=1.4)
    seats = stands.seats()[:, :2]
    for section in stands.sections():
        for row in range(stands.rows):
            border = section.at(0.0, (row + 1) * stands.depth - FEET)
            nearest = np.linalg.norm(seats - border, axis=1).min()
            assert 0.95 < nearest < 1.6


def test_feet_are_on_their_step_and_the_seat_is_behind(ground):
    stands = stands_of()
    seats = ground.seats
    behind = -np.stack([np.sin(seats[:, 2]), np.cos(seats[:, 2])], axis=-1)

    def height(distance):
        places = seats[:, :2] + distance * behind
        return ground.below(np.insert(places, 1, np.inf, axis=1))[0]

    row = np.round((height(0.0) - stands.wall) / stands.rise)
    np.testing.assert_allclose(height(0.0), stands.wall + stands.rise * row, atol=1e-5)
    np.testing.assert_allclose(height(-0.2), height(0.0), atol=1e-5)  # toes
    np.testing.assert_allclose(height(0.1), height(0.0), atol=1e-5)  # heels
    np.testing.assert_allclose(height(0.2) - height(0.0), stands.rise, atol=1e-5)  # the seat's edge is 0.15 m behind
    np.testing.assert_allclose(height(0.55) - height(0.0), stands.rise, atol=1e-5)


@pytest.mark.exhaustive
def test_the_ground_has_no_slits(ground):
    """From the pitch to the last walkway every ray straight down meets a step, not what is below."""
    rng = np.random.default_rng(2)
    places = rng.uniform(-1, 1, (20_000, 2)) * [34, 26]
    stands = stands_of()
    away = np.linalg.norm(from_the_core(stands, places), axis=1) - stands.corner_radius
    on_steps = places[(away > 0.01) & (away < 6 * stands.depth + 1.9)]
    height = ground.below(np.insert(on_steps, 1, np.inf, axis=1))[0]
    assert len(on_steps) > 5000
    assert height.min() >= stands.wall - 1e-5
    inside = places[away < -0.05]
    assert ground.below(np.insert(inside, 1, np.inf, axis=1))[0] == pytest.approx(0.0, abs=0.05)


def test_faces_look_at_who_stands_on_the_pitch(ground):
    """Normals of what stands upright point inwards, or along the row at the stairs; those of the back wall outwards."""
    stands = stands_of()
    steps, seats, inside, pitch = ground.surfaces
    for surface in (seats, inside, pitch):
        np.testing.assert_allclose(surface.normals, np.tile([0, 1, 0], (len(surface.normals), 1)), atol=1e-6)
    corners = steps.corners().astype(np.float64)
    middle = corners.mean(axis=1)
    wound = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.sum(wound * steps.normals[steps.indices[::3]], axis=1) > 0).all()
    outward = from_the_core(stands, middle[:, [0, 2]])
    away = np.linalg.norm(outward, axis=1) - stands.corner_radius
    facing = (
        np.sum(outward * wound[:, [0, 2]], axis=1) / np.linalg.norm(outward, axis=1) / np.linalg.norm(wound, axis=1)
    )
    back = away > stands.rows * stands.depth + 1.5
    assert (facing[back & (np.abs(facing) > 0.5)] > 0.9).all()
    assert facing[~back].max() < 0.06


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("corner_radius = 40.0", r"ground\.corner_radius: corner_radius must be at most the margin plus half"),
        (
            "margin = 1.0\ncorner_radius = 13.0",
            r"the corners of the pitch must not reach into the stands. Raise margin",
        ),
        ("pitch = [40.0]", r"ground\.pitch"),
        ("rows = 0", r"ground\.rows: should be greater than or equal to 1"),
        ("row = 4", r"ground\.row: unknown key; did you mean 'rows'"),
    ],
)
def test_mistakes_are_told(key, says):
    name = key.split(" ")[0]
    lines = [line for line in GROUND.splitlines() if not line.startswith(name)]
    with pytest.raises(InputError, match=says):
        build_ground(parse_scene("\n".join(lines) + f"\n{key}\n" + CROWD, "test.toml", None))


@pytest.mark.exhaustive
def test_the_pitch_has_its_lines():
    """A touchline, the halfway line, the centre circle and a goal line, where the rules' shares put them."""
    surface = pitch_surface((60.0, 40.0), 0.1)
    assert surface.texture is not None
    white = surface.texture.pixels[..., 0] > 160
    assert white.shape == (40 * PIXELS, 60 * PIXELS)
    assert white[:, 30 * PIXELS].mean() > 0.9  # the halfway line, all but the lawn round it
    assert white[round(1.5 * PIXELS)].mean() > 0.9  # a touchline
    assert white[20 * PIXELS, round((30 + 9.15 / 68 * 37) * PIXELS)]
    assert white[20 * PIXELS, round(1.5 * PIXELS)]
    assert 0.01 < white.mean() < 0.06
    assert (white != white[::-1, ::-1]).mean() < 1e-3
    turned = pitch_surface((40.0, 60.0), 0.1)
    assert turned.texture is not None
    assert ((turned.texture.pixels[..., 0] > 160) != white.T).mean() < 1e-3


@pytest.mark.exhaustive
def test_spectators_take_one_seat_each_and_face_ahead():
    with load_scene(parse_scene(GROUND + CROWD, "test.toml", None), threads=1) as world:
        ((_, (transforms,)),) = world.query(Transforms)
        places = transforms.translation[:, [0, 2]].astype(np.float64)
        assert cKDTree(places).query(places, k=2)[0][:, 1].min() > 0.5
        assert transforms.translation[:, 1].min() == pytest.approx(1.2, abs=1e-4)
        forward = 2 * np.arctan2(transforms.rotation[:, 1], transforms.rotation[:, 3])
        outward = from_the_core(stands_of(), places)
        ahead = np.stack([np.sin(forward), np.cos(forward)], axis=-1)
        assert np.sum(ahead * outward, axis=1) == pytest.approx(-np.linalg.norm(outward, axis=1), rel=1e-5)


@pytest.mark.exhaustive
def test_a_sector_and_a_heading_are_kept():
    crowd = CROWD.replace('"seats" }', '"seats", sector_degrees = [210.0, 300.0] }\nheading_degrees = 90.0')
    with load_scene(parse_scene(GROUND + crowd, "test.toml", None), actors=150, threads=1) as world:
        ((_, (transforms,)),) = world.query(Transforms)
        x, z = transforms.translation[:, 0], transforms.translation[:, 2]
        bearing = np.degrees(np.arctan2(x, z))
        assert -60 <= bearing.min() < -40
        assert 10 < bearing.max() <= 30
        forward = 2 * np.arctan2(transforms.rotation[:, 1], transforms.rotation[:, 3])
        np.testing.assert_allclose(np.cos(forward), -1.0)  # north is -Z


@pytest.mark.exhaustive
def test_few_spectators_sit_in_front_as_densely():
    with load_scene(parse_scene(GROUND + CROWD, "test.toml", None), actors=60, threads=1) as world:
        ((_, (transforms,)),) = world.query(Transforms)
        assert transforms.translation[:, 1].max() < 1.2 + 2 * 0.42


@pytest.mark.exhaustive
def test_too_many_are_told():
    scene = parse_scene(GROUND + CROWD, "test.toml", None)
    with pytest.raises(InputError, match=r"crowds\[0\]\.layout: 9000 actors do not fit into the \d+ seats"):
        load_scene(scene, actors=9000)
    with pytest.raises(InputError, match="the ground must have seats. Use a ground of kind 'stands'"):
        load_scene(parse_scene(CROWD, "test.toml", None))
