"""Floors of buildings in recordings: found, reported, and read one at a time."""

import warnings

import numpy as np
import pytest

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories import ReadOptions, recording, report

FRAMES = 40


def write(path, heights, names=None, unit="m"):
    """One person for each height; a list of heights is one after the other."""
    scale = {"m": 1, "cm": 100}[unit]
    rows = [f"id,frame,x_{unit},y_{unit},z_{unit}" + (",level" if names else "")]
    for person, height in enumerate(heights):
        for frame in range(FRAMES):
            z = height[frame * len(height) // FRAMES] if isinstance(height, list) else height
            level = f",{names[person]}" if names else ""
            rows.append(f"{person},{frame},{frame * scale / 10},{person * scale},{z * scale}{level}")
    path.write_text("\n".join(["# framerate: 10", *rows]), "utf-8")


def read(path, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        return recording(path, ReadOptions(**options)), [str(one.message) for one in told]


@pytest.mark.parametrize("unit", ["m", "cm"])
@pytest.mark.parametrize("heights", [[0.02, 3.5, 0.02, 3.4], [0.0, 2.4, -2.5], [1.7, 1.6, 5.2, 5.4]])
def test_heights_that_lie_in_groups_are_floors(tmp_path, unit, heights):
    write(tmp_path / "x", heights, unit=unit)
    own, told = read(tmp_path / "x")
    groups = [[z for z in heights if abs(z - seed) < 1] for seed in sorted(heights)]
    wanted = sorted({(round(float(np.mean(group)), 2), len(group) * FRAMES) for group in groups})
    assert [(pytest.approx(floor.height, abs=0.06), floor.samples) for floor in own.floors] == wanted
    assert not told
    assert report(own).floors == own.floors


@pytest.mark.parametrize("level", ["3.5", "3", "3.5m"])
def test_one_floor_is_read(tmp_path, level):
    write(tmp_path / "x", [0.0, 3.5, 0.0, 3.5])
    own, told = read(tmp_path / "x", level=level)
    assert not told
    assert own.whole().ids.tolist() == [1, 3]
    assert own.between(1.0, 2.0).ids.tolist() == [1, 3]
    assert (own.bounds[0][1], own.index.row_count) == (1.0, 2 * FRAMES)


def test_somebody_on_stairs_is_on_both_floors_in_turn(tmp_path):
    write(tmp_path / "x", [[0.0] * 15 + [1.0, 2.0, 3.0] + [4.0] * 22, 0.0, 4.0])
    counts = [read(tmp_path / "x", level=level)[0].whole().sample_count for level in ("0", "4")]
    assert sum(counts) == 3 * FRAMES
    assert counts[0] == FRAMES + 16


@pytest.mark.parametrize(
    "heights",
    [
        [0.0, 0.0],
        [1.0, 1.9],  # heads of a child and of a man
        [list(np.linspace(0, 12, FRAMES)), list(np.linspace(12, 0, FRAMES))],  # a slope
        [float("nan")],
    ],
)
def test_other_heights_are_no_floors(tmp_path, heights):
    write(tmp_path / "x", heights)
    own, told = read(tmp_path / "x")
    assert (own.floors, told) == ((), [])
    with pytest.raises(
        InputError, match="level: the file has only one floor, so the option level cannot select a floor"
    ):
        recording(tmp_path / "x", ReadOptions(level="0"))


def test_floors_that_the_file_names(tmp_path):
    write(tmp_path / "x", [0.0, 3.0, 0.1], ["Ground floor", "Upper", "Ground floor"])
    own, told = read(tmp_path / "x")
    assert not told
    assert [(floor.name, floor.samples) for floor in own.floors] == [("Ground floor", 80), ("Upper", 40)]
    assert own.floors[0].height == pytest.approx(0.05)
    for level, people in {"upper": [1], "Ground floor": [0, 2], "3.0": [1]}.items():
        assert read(tmp_path / "x", level=level)[0].whole().ids.tolist() == people
        assert own.on_floor(level).whole().ids.tolist() == people
    with pytest.raises(
        InputError,
        match=r"level: the value must be one of 'Ground floor' and 'Upper' \(got 'Uper'; did you mean 'Upper'\?",
    ):
        recording(tmp_path / "x", ReadOptions(level="Uper"))
