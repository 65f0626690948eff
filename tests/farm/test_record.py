"""Records of tasks: every damage, and every other file in their place, ends in one line that quotes nothing."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import ecs_anim as ea
from ecs_anim.farm.record import digest_of, read_record

SECRET = "swordfish"
KEY = "0123456789abcdef0123"
FILES = {"camera/000001.png": "a" * 64, "poses.npz": None}
WHOLE = {
    "key": KEY,
    "kind": "pictures",
    "seed": 3,
    "frames": [0, 4, 1],
    "files": FILES,
    "varying": {"poses.npz": "b" * 64},
    "digest": digest_of(FILES),
    "figures": {"density.mean": 1.5, "people": 4, "p95": None, "ok": True},
    "machine": {"name": "here", "processor": "x", "processors": 2},
    "renderer": None,
    "seconds": 0.5,
}


def without(name):
    return {own: value for own, value in WHOLE.items() if own != name}


DAMAGED = {
    **{f"no {name}": without(name) for name in WHOLE if name != "varying"},
    "seed": WHOLE | {"seed": SECRET},
    "seed that no table holds": WHOLE | {"seed": 2**70},
    "frames": WHOLE | {"frames": [0, SECRET]},
    "files": WHOLE | {"files": [SECRET]},
    "a digest": WHOLE | {"files": {SECRET: "c"}},
    "a file elsewhere": WHOLE | {"files": {f"../{SECRET}": "c" * 64}},
    "an absolute file": WHOLE | {"files": {f"/{SECRET}": "c" * 64}},
    "a file more": WHOLE | {"files": FILES | {SECRET: "c" * 64}},
    "varying": WHOLE | {"varying": {SECRET: "c" * 64}},
    "figures": WHOLE | {"figures": {"density.mean": SECRET}},
    "machine": WHOLE | {"machine": SECRET},
    "another key": WHOLE | {SECRET: 1},
    "another task": WHOLE | {"key": "f" * 20},
    "a list": [SECRET],
}
FOREIGN = {
    "text": f"root:x:0:0:{SECRET}".encode(),
    "binary": b"\x89PNG\r\n\x1a\n\xff" + SECRET.encode(),
    "nothing": b"",
    "deep": b"[" * 100_000,
    "half": json.dumps(WHOLE).encode()[:200],
}


def test_a_whole_record_is_read(tmp_path):
    (tmp_path / "task.json").write_text(json.dumps(WHOLE))
    assert read_record(tmp_path / "task.json", KEY).model_dump(mode="json") == WHOLE
    assert read_record(tmp_path / "none.json", KEY) is None


@pytest.mark.parametrize("name", [*DAMAGED, *FOREIGN])
def test_anything_else_is_told_in_a_line(tmp_path, name):
    path = tmp_path / "task.json"
    path.write_bytes(FOREIGN[name] if name in FOREIGN else json.dumps(DAMAGED[name]).encode())
    with pytest.raises(ea.InputError) as told:
        read_record(path, KEY)
    assert str(told.value).startswith(f"{path}: ")
    assert f"Remove the folder {tmp_path}" in str(told.value)
    assert SECRET not in str(told.value)
    assert "\n" not in str(told.value)


def test_a_farm_refuses_a_damaged_record_and_loses_nothing(tmp_path):
    job = {"scene": "single", "ranges": {"frames": [0, 2]}, "make": {"measures": ["density"]}}
    with ThreadPoolExecutor(1) as executor:
        ea.farm.run(job, tmp_path / "out", executor=executor)
        (path,) = tmp_path.glob("out/tasks/*/task.json")
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b'"seed"', b'"deed"'))
        with pytest.raises(ea.InputError, match="the key 'seed' is missing or wrong"):
            ea.farm.run(job, tmp_path / "out", executor=executor)
        path.write_bytes(whole)
        assert not ea.farm.run(job, tmp_path / "out", executor=executor).failed
        assert path.read_bytes() == whole
