"""Splits of a data set by seed."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ecs_anim as ea
from ecs_anim.dataset.splits import split_seeds
from tests.helpers.command import ecs_anim
from tests.test_cli import assert_one_line


@pytest.mark.exhaustive
@given(st.lists(st.integers(0, 10**6), unique=True, min_size=60, max_size=90), st.integers(2, 96), st.integers(2, 96))
def test_every_seed_is_in_one_split_and_the_sizes_follow_the_shares(seeds, first, second):
    second = min(second, 98 - first)
    assume(second >= 2)
    shares = (first / 100, second / 100, (100 - first - second) / 100)
    found = split_seeds(seeds, shares)
    assert sorted(sum(found.values(), ())) == sorted(seeds)
    for share, own in zip(shares, found.values(), strict=True):
        assert abs(len(own) - share * len(seeds)) < 1
    assert found == split_seeds(seeds[::-1], shares)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.8,0.1", "with the sum 1"),
        ("1", "two or three shares"),
        ("0.5,0.5,nan", "two or three shares such as"),
        ("1.5,-0.5", "0 or more"),
        ("0.9,0.05,0.05", "gets none of the 2 seeds"),
        ("a,b", "two or three shares such as"),
    ],
)
def test_wrong_shares_are_one_line(text, message, tmp_path):
    done = ecs_anim("dataset", "single", "--seeds", "0:2", "--split", text, "--out", tmp_path / "set")
    assert_one_line(done, message)
    assert not (tmp_path / "set").exists()


@pytest.mark.exhaustive
def test_coco_files_are_written_for_each_split(tmp_path):
    options = {"seeds": range(4), "frames": [0], "passes": ["ids"], "size": (32, 24), "formats": ["coco", "jsonl"]}
    folder = ea.save_dataset("single", tmp_path / "set", split=(0.5, 0.25, 0.25), **options)
    splits = json.loads((folder / "manifest.json").read_text())["splits"]
    assert [len(seeds) for seeds in splits.values()] == [2, 1, 1]
    for name, seeds in splits.items():
        images = json.loads((folder / f"annotations/instances_{name}.json").read_text())["images"]
        assert [image["seed"] for image in images] == seeds
    for line in (folder / "labels.jsonl").read_text().splitlines():
        label = json.loads(line)
        assert label["seed"] in splits[label["split"]]
