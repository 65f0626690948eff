"""Heights of the ground below recorded people: from z, from heads, and from the names of floors."""

import warnings

import numpy as np
import pytest

from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.trajectories import ReadOptions, recording, roots

FRAMES = 60


def write(path, people, level=None):
    """Write one row per frame and person. `people` are heights of z, or names of floors if `level` is a name."""
    column = level or "z_m"
    rows = ["# framerate: 10", f"id,frame,x_m,y_m,{column}"]
    for person, values in enumerate(people):
        rows += [f"{person},{k},{k / 10},{person},{values[k % len(values)]}" for k in range(FRAMES)]
    path.write_text("\n".join(rows), "utf-8")
    return path


def read(path, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        return recording(path, ReadOptions(**options)), [str(one.message) for one in told]


def test_feet_are_at_z(tmp_path):
    down = np.round(np.linspace(3.5, 0, FRAMES), 3)
    own, told = read(write(tmp_path / "x", [[0.02], [3.5], [0.0], down, [3.5], [0.02]]))
    samples = own.whole()
    assert not told
    for person, z in enumerate([0.02, 3.5, 0.0, down, 3.5, 0.02]):
        part = slice(samples.starts[person], samples.starts[person + 1])
        assert np.array_equal(samples.heights[part], np.broadcast_to(z, FRAMES))


def test_paths_keep_heights(tmp_path):
    """Low-pass filters move a person on the plan, but not its height."""
    up = np.round(np.linspace(0, 4, FRAMES), 4)
    own, _ = read(write(tmp_path / "x", [[0.0], [4.0], up]))
    bodies = roots(own.whole())
    times, part = bodies.times, slice(bodies.starts[2], bodies.starts[3])
    assert bodies.cut.heights[part] == pytest.approx(np.interp(times[part], np.arange(FRAMES) / 10, up))


def test_z_of_heads_is_not_the_ground(tmp_path):
    """Two people of 1.6 m and 1.8 m stand on two floors. A third person goes up. All heads sway by 2 cm."""
    sway = 0.02 * np.sin(np.arange(FRAMES))
    climb = np.r_[np.zeros(20), np.linspace(0, 3.2, 20), np.full(20, 3.2)]
    heads = [1.6 + sway, 1.8 + sway, 3.2 + 1.6 + sway, 3.2 + 1.8 + sway, climb + 1.7 + sway]
    samples = read(write(tmp_path / "x", heads))[0].whole()
    found = samples.heights.reshape(5, FRAMES)
    truth = np.stack([0 * climb, 0 * climb, 0 * climb + 3.2, 0 * climb + 3.2, climb])
    assert np.abs(found - truth).max() < 0.55  # a person near a floor stands on the floor
    assert np.abs(found[:4] - truth[:4]).max() < 0.06
    assert np.abs(found[4, [0, 10, 50, 59]] - truth[4, [0, 10, 50, 59]]).max() < 0.06
    assert np.abs(found[4, 25:35] - truth[4, 25:35]).max() < 0.12


def test_missing_z_lies_between_the_samples_of_the_person(tmp_path):
    gap = np.round(np.linspace(0, 6, FRAMES), 4).astype(object)
    gap[20:30] = "nan"
    samples = read(write(tmp_path / "x", [[0.0], [6.0], gap]))[0].whole()
    assert samples.heights[-FRAMES:] == pytest.approx(np.linspace(0, 6, FRAMES), abs=1e-3)


@pytest.mark.parametrize("heights", [[[0.0], [0.0]], [[1.5], [1.9]], [[12.0], [12.0]]])
def test_people_on_one_floor_have_no_heights(tmp_path, heights):
    own, told = read(write(tmp_path / "x", heights))
    assert (own.whole().heights, told) == (None, [])


def test_slopes_have_heights_without_floors(tmp_path):
    up = np.round(np.linspace(0, 12, FRAMES), 3)
    own, _ = read(write(tmp_path / "x", [up, up[::-1]]))
    assert own.floors == ()
    assert np.array_equal(own.whole().heights, np.r_[up, up[::-1]])


def test_a_selected_floor_has_no_heights(tmp_path):
    own, _ = read(write(tmp_path / "x", [[0.0], [3.5]]), level="3.5")
    assert own.whole().heights is None


@pytest.mark.parametrize(
    ("names", "options", "heights"),
    [
        (["Level 0", "Level 1", "Level -1"], {}, [0.0, 3.0, -3.0]),
        (["0", "1", "4"], {"level_heights": 3.5}, [0.0, 3.5, 14.0]),
        (["A", "C", "B"], {"level_heights": 4.0}, [0.0, 8.0, 4.0]),
        (["Upper", "Ground"], {"level_heights": {"Ground": -0.5, "Upper": 3.0, "Roof": 9.0}}, [3.0, -0.5]),
    ],
)
def test_named_floors_without_z_get_heights(tmp_path, names, options, heights):
    own, told = read(write(tmp_path / "x", [[name] for name in names], "level"), **options)
    samples = own.whole()
    assert np.array_equal(samples.heights, np.repeat(heights, FRAMES))
    assert [floor.height for floor in own.floors] == sorted(heights)
    assert len(told) == (not options)
    assert all("does not state the heights of its floors" in text and "--level-heights 3" in text for text in told)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"Ground": 0.0}, "each level of the file must have a height (no height for Upper). Add these levels"),
        (0.0, "level_heights: the value must be a positive distance between two floors"),
        (float("nan"), "level_heights: the value must be a positive distance between two floors"),
        (1e9, "level_heights: the value must be a positive distance between two floors"),
        ({"Ground": 1e9}, "level_heights: the value must be a positive distance between two floors"),
        ({}, "level_heights: the value must be a positive distance between two floors"),
    ],
)
def test_wrong_heights_of_floors_are_errors(tmp_path, asked, problem):
    path = write(tmp_path / "x", [["Ground"], ["Upper"]], "level")
    with pytest.raises(InputError) as told:
        recording(path, ReadOptions(level_heights=asked))
    assert problem in str(told.value)


def test_a_file_without_named_floors_refuses_their_heights(tmp_path):
    path = write(tmp_path / "x", [[0.0], [3.5]])
    with pytest.raises(InputError, match="this option needs a file with a column of level names"):
        recording(path, ReadOptions(level_heights=3.0))


def test_assumed_heights_are_warned_of(tmp_path):
    with pytest.warns(InputWarning, match="The program draws the floors 3 m apart"):
        recording(write(tmp_path / "x", [["0"], ["1"]], "level"))
