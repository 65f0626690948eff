"""The cache of bakes: made once, found again, and never in the way."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.bake import cache
from ecs_anim.bake.cache import cached_bake
from ecs_anim.bake.file import load_bake, to_bytes
from ecs_anim.bake.options import BakeOptions
from ecs_anim.support.errors import InputError
from tests.bake.test_bake import RIG, SKELETON, rig_of, turning_clip
from tests.helpers import EXHAUSTIVE

OPTIONS = BakeOptions(number_format="u8")


@pytest.fixture(autouse=True)
def _quiet_again():
    cache._tell_once.cache_clear()


@pytest.fixture
def made(monkeypatch):
    """How often something was baked."""
    names = []
    bake = cache.bake_rig
    monkeypatch.setattr(cache, "bake_rig", lambda rig, *rest: names.append(rig.name) or bake(rig, *rest))
    return names


def entries(folder):
    return sorted(path.name for path in folder.iterdir())


def test_it_is_baked_once(tmp_path, made, capsys):
    folder = tmp_path / "a" / "b"
    first, second = (cached_bake(RIG, OPTIONS, folder=folder) for _ in range(2))
    assert made == ["made up"]
    assert to_bytes(first) == to_bytes(second)
    (name,) = entries(folder)
    assert name.startswith("made_up-")
    assert load_bake(folder / name, SKELETON).content == first.content
    assert capsys.readouterr() == ("", "")


@EXHAUSTIVE
def test_anything_else_has_an_entry_of_its_own(tmp_path, made):
    spin = turning_clip()
    slower = Clip("spin", SKELETON, (replace(spin.tracks[0], times=spin.tracks[0].times * 2),), 0.0, 2.0)
    keys = spin.tracks[0].values.copy()
    keys[3] = keys[4]
    held = Clip("spin", SKELETON, (replace(spin.tracks[0], values=keys),), 0.0, 1.0)
    bent = Clip("spin", SKELETON, (replace(spin.tracks[0], joint_index=1),), 0.0, 1.0)
    ends = Clip("spin", SKELETON, spin.tracks, 0.0, 1.0, {"loop": False})
    for clip in (spin, slower, held, bent, ends):
        cached_bake(rig_of(clip), OPTIONS, folder=tmp_path)
    for options in (BakeOptions(), BakeOptions("model"), BakeOptions(rate=9), BakeOptions(error_mm=3)):
        cached_bake(rig_of(spin), options, folder=tmp_path)
    moved = replace(SKELETON, inverse_bind=SKELETON.inverse_bind * 2)
    cached_bake(replace(rig_of(replace(spin, skeleton=moved)), skeleton=moved), OPTIONS, folder=tmp_path)
    assert len(made) == len(entries(tmp_path)) == 10
    cached_bake(rig_of(spin), BakeOptions(rate=9.0), folder=tmp_path)
    assert len(made) == 10, "the same, told otherwise"
    cached_bake(RIG, OPTIONS, ["spin", "once"], folder=tmp_path)
    cached_bake(RIG, OPTIONS, ["once", "spin"], folder=tmp_path)
    assert len(made) == len(entries(tmp_path)) == 12


@EXHAUSTIVE
def test_a_damaged_entry_is_made_again(tmp_path, made):
    good = to_bytes(cached_bake(RIG, OPTIONS, folder=tmp_path))
    (path,) = tmp_path.iterdir()
    other = to_bytes(cached_bake(RIG, BakeOptions(), folder=tmp_path / "other"))
    for damage in (good[:-5], b"", b"no bake", good[:300] + bytes([good[300] ^ 1]) + good[301:], other):
        path.write_bytes(damage)
        assert to_bytes(cached_bake(RIG, OPTIONS, folder=tmp_path)) == good
        assert path.read_bytes() == good
    assert len(made) == 7


@EXHAUSTIVE
def test_a_place_that_cannot_be_written_to_is_no_error(tmp_path, made, capsys):
    (tmp_path / "file").write_text("in the way")
    for _ in range(2):
        bake = cached_bake(RIG, OPTIONS, folder=tmp_path / "file" / "bakes")
        assert np.ptp(bake.palette("spin", [0.0, 0.3]), axis=0).max() > 0.1
    assert len(made) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert "cannot store" in told[0]


@EXHAUSTIVE
def test_a_full_disk_is_no_error(tmp_path, made, capsys, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    for _ in range(2):
        cached_bake(RIG, OPTIONS, folder=tmp_path)
    assert entries(tmp_path) == [], "nothing partial is left"
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert len(made) == 2


@EXHAUSTIVE
def test_without_any_folder_it_is_baked_each_time(made, monkeypatch):
    monkeypatch.setattr(cache, "cache_folder", lambda name: None)
    for _ in range(2):
        assert cached_bake(RIG, OPTIONS).index.keys() == RIG.clips.keys()
    assert len(made) == 2


def test_what_is_wrong_with_the_rig_is_still_told(tmp_path):
    with pytest.raises(InputError, match="did you mean"):
        cached_bake(RIG, OPTIONS, ["spinn"], folder=tmp_path)


@EXHAUSTIVE
def test_several_processes_at_once(tmp_path):
    code = (
        "from ecs_anim.bake.cache import cached_bake; from ecs_anim.bake.options import BakeOptions;"
        "from ecs_anim.scenes.rigs import load_model; import hashlib; from ecs_anim.bake.file import to_bytes;"
        "bake = cached_bake(load_model('mannequin'), BakeOptions(rate=20), ['walk', 'idle']);"
        "print(hashlib.sha256(to_bytes(bake)).hexdigest())"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        for _ in range(4)
    ]
    told = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * 4
    assert len({out for out, _ in told}) == 1
    assert [error for _, error in told] == [b""] * 4
    (folder,) = tmp_path.rglob("bakes")
    assert len(entries(folder)) == 1
