"""Effects of sensors: against formulas of cameras, published colours and pictures that are moved by hand."""

import json

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.maths.color import srgb_to_linear
from ecs_anim.view.sensor import Sensor, white_of
from ecs_anim.view.shutter import Motion, exposed

GREY = np.full((60, 80, 3), 128, np.uint8)


def light_of(sensor, picture=GREY):
    return srgb_to_linear(sensor.developed(picture, np.random.default_rng(1)) / 255)


def test_a_sensor_without_effects_changes_nothing():
    picture = np.random.default_rng(2).integers(0, 256, (30, 40, 3), np.uint8)
    assert np.array_equal(Sensor().developed(picture, np.random.default_rng(1)), picture)


@pytest.mark.parametrize("ev", [-2.0, 1.0])
def test_one_ev_is_twice_the_light(ev):
    np.testing.assert_allclose(light_of(Sensor(exposure_ev=ev)), srgb_to_linear(128 / 255) * 2**ev, rtol=0.02)


def test_the_corner_loses_the_stated_share():
    light = light_of(Sensor(vignetting=0.6)) / srgb_to_linear(128 / 255)
    assert light[30, 40, 0] == pytest.approx(1, abs=0.02)
    assert light[0, 0, 0] == pytest.approx(0.4, abs=0.05)


# From CIE XYZ to linear sRGB, IEC 61966-2-1.
TO_SRGB = [[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]]


@pytest.mark.parametrize(("kelvin", "wanted"), [(2856, (0.4476, 0.4074)), (10000, (0.2807, 0.2884))])
def test_black_bodies_have_their_published_chromaticity(kelvin, wanted):
    """Chromaticities x, y of CIE illuminant A and of the black body at 10,000 K (Wyszecki and Stiles, 1982)."""
    xyz = np.linalg.solve(TO_SRGB, white_of(kelvin))
    np.testing.assert_allclose(xyz[:2] / xyz.sum(), wanted, atol=0.002)


def test_shot_noise_is_the_root_of_the_electrons():
    electrons = 2000 * srgb_to_linear(128 / 255)
    light = light_of(Sensor(full_well_electrons=2000.0, read_noise_electrons=10.0)) * 2000
    assert light.mean() == pytest.approx(electrons, rel=0.01)
    assert light.std() == pytest.approx(np.sqrt(electrons + 100), rel=0.05)


def square(left, top=20):
    light = np.zeros((60, 80, 3))
    light[top : top + 10, left : left + 10] = 1
    return light


def motion_of(light, velocity):
    velocities = np.where(light[..., :1] > 0, np.array(velocity, float), 0)
    return Motion(velocities, np.where(light[..., 0] > 0, 1.0, 9.0))


def test_motion_blur_is_the_mean_over_the_path():
    light = square(30)
    wanted = np.mean([square(30 + k) for k in range(-4, 5)], axis=0)
    assert np.abs(exposed(light, motion_of(light, (90, 0)), 0.1, 0.0) - wanted).max() <= 1 / 9 + 1e-9


def test_a_rolling_shutter_leans_what_moves_to_the_side():
    light = square(30)
    seen = exposed(light, motion_of(light, (600, 0)), 0.0, 0.06)
    for row in range(20, 30):
        shift = 600 * 0.06 * (row + 0.5 - 30) / 60
        assert np.flatnonzero(seen[row, :, 0])[0] == pytest.approx(30 + shift, abs=0.6)


SCENE = """
[rigs.ball]
model = "ball"
[[crowds]]
name = "balls"
rig = "ball"
count = 1
clips = [{ name = "rest" }]
[[cameras]]
name = "phone"
size = [80, 60]
eye = [0.0, 1.0, 3.0]
look_at = [0.0, 0.5, 0.0]
sensor = { full_well_electrons = 500.0, jpeg_quality = 80, shutter_seconds = 0.02 }
[vary]
"cameras.phone.sensor.exposure_ev" = [-2.0, 0.0]
"""


@pytest.mark.exhaustive
def test_labels_name_fixed_and_drawn_settings(tmp_path):
    path = tmp_path / "room.toml"
    path.write_text(SCENE)
    options = {"seeds": (1, 2), "frames": (2,), "passes": ["rgb", "ids"], "formats": ["jsonl"]}
    folder = ea.save_dataset(path, tmp_path / "set", **options)
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    for label in labels:
        assert label["sensor"]["jpeg_quality"] == 80
        assert label["sensor"]["exposure_ev"] == label["drawn"]["cameras.phone.sensor.exposure_ev"]
    assert labels[0]["sensor"] != labels[1]["sensor"]
    again = ea.save_dataset(path, tmp_path / "again", **options)
    assert (again / "phone/rgb/000001.png").read_bytes() == (folder / "phone/rgb/000001.png").read_bytes()
